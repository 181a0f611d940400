package wire

import (
	"errors"
	"net"
	"sync"
	"syscall"
)

// Watch counts TCP segments on connections (Endpoint.Watch).
type Watch struct {
	mu         sync.Mutex
	segments   Segments // segments on closed connections
	unanswered int64    // connections that were not made in time
}

// Lost returns the number of segments on closed connections that were retransmitted and not
// reported as duplicates, plus the number of connections that the server did not answer in time.
func (w *Watch) Lost() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.segments.Lost() + w.unanswered
}

func (w *Watch) made(conn net.Conn, err error) (net.Conn, error) {
	var late net.Error
	switch {
	case err == nil:
		return &watched{conn, w}, nil
	case errors.As(err, &late) && late.Timeout():
		w.mu.Lock()
		defer w.mu.Unlock()
		w.unanswered++
	}
	return conn, err
}

type watched struct {
	net.Conn
	by *Watch
}

// Close implements net.Conn.
func (c *watched) Close() error {
	if s, ok := c.Conn.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			c.by.mu.Lock()
			raw.Control(func(fd uintptr) { c.by.segments.Add(int(fd), Socket{}) })
			c.by.mu.Unlock()
		}
	}
	return c.Conn.Close()
}
