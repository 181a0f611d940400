package gonet

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"sync/atomic"
	"time"

	"dyno/internal/load"
)

// read is the result of one Read on a connection, and its time on the session's clock.
type read struct {
	b    []byte // holds until the next read is taken
	err  error
	at   int64
	size int64 // on the wire
}

// counted counts the bytes that crypto/tls sends and receives on an encrypted connection.
type counted struct {
	net.Conn
	in, out atomic.Int64 // bytes, until taken
	ended   atomic.Bool  // the peer has closed its side
}

func (w *counted) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.in.Add(int64(n))
	if err == io.EOF {
		w.ended.Store(true)
	}
	return n, err
}

func (w *counted) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.out.Add(int64(n))
	return n, err
}

// made is the time that a connection took to make, in ns; the zero value means that it is recorded.
type made struct{ connect, handshake int64 }

// dialPaced connects c before a window, as load.Dials has it.
func (c *conn) dialPaced(ctx context.Context) error {
	s := c.session
	ctx, cancel := context.WithTimeout(ctx, s.job.ConnectTimeout)
	defer cancel()
	for {
		limit := s.patience()
		err := c.dial(ctx, limit)
		late, ok := errors.AsType[net.Error](err)
		s.pace.Lock()
		again := ok && late.Timeout() && limit > 0 && ctx.Err() == nil
		switch {
		case err == nil:
			s.dials.Came(c.made.connect, s.now()-c.made.handshake)
		case again:
			s.dials.Repeated++
		}
		if s.pace.Unlock(); !again {
			return err
		}
	}
}

// dial connects c. Job.ConnectTimeout and ctx bound it, with the handshake; limit, unless 0, without it.
func (c *conn) dial(ctx context.Context, limit time.Duration) error {
	s := c.session
	began := s.now()
	ctx, cancel := context.WithTimeout(ctx, s.job.ConnectTimeout)
	defer cancel()
	d := net.Dialer{KeepAlive: -1, Timeout: limit}
	nc, err := s.to.Connect(ctx, &d)
	linked := s.now()
	if err == nil && s.to.TLS != nil {
		c.wire = &counted{Conn: nc}
		nc, err = c.encrypt(ctx)
	}
	if load.OutOfFiles(err) {
		err = load.FilesError(err, s.job.Connections)
		s.limit.CompareAndSwap(nil, &err)
	}
	if err != nil {
		return err
	}
	c.set(nc)
	s.ups.Add(1)
	s.refused.Store(0)
	c.made = made{max(linked-began, 1), s.now() - linked}
	return nil
}

// encrypt makes the handshake over c.wire.
func (c *conn) encrypt(ctx context.Context) (net.Conn, error) {
	tc, err := c.session.to.Secure(ctx, c.wire)
	if err != nil {
		return nil, err
	}
	state := tc.ConnectionState()
	if c.with, err = c.session.job.Negotiated(&state); err != nil {
		tc.Close()
		return nil, err
	}
	return tc, nil
}

// dialAgain replaces the connection while no request waits for it. If it fails, the next request
// dials. If a closed loop is over by then, the dial itself counts as a failed request.
func (c *conn) dialAgain(w *window) {
	began := c.session.now()
	err := c.dial(w.ctx, 0)
	if err == nil {
		c.connected(true)
		return
	}
	now, kind := c.session.now(), load.Unconnected(err)
	w.text(kind, err)
	c.session.refused.CompareAndSwap(0, max(began, 1))
	if w.due == nil && w.ctx.Err() == nil && now >= w.deadline && w.deadline-began >= int64(load.DialLost) {
		c.book.Lock()
		c.book.Planned++
		c.book.Sent(1, now)
		c.book.Broken(kind, began, now, now)
		c.book.Unlock()
	}
}

// dialFor dials for the requests in c.dues, which are claimed already. If the dial fails, they are
// lost, and c backs off. It reports whether there is a connection.
func (c *conn) dialFor(w *window) (*lost, bool) {
	began := c.session.now()
	c.book.Lock()
	for _, due := range c.dues {
		c.book.Late(due, began)
	}
	c.book.Unlock()
	err := c.dial(w.ctx, 0)
	if err == nil {
		c.connected(true)
		return nil, true
	}
	now, kind := c.session.now(), load.Unconnected(err)
	cancelled := w.ctx.Err() != nil
	c.lose(w, &lost{kind: kind, err: err, cancelled: cancelled}, true)
	c.book.Lock()
	for _, due := range c.dues {
		c.book.Sent(1, now)
		if cancelled {
			c.book.Flying(due, now, now)
		} else {
			c.book.Broken(kind, due, now, now)
		}
	}
	if w.due == nil {
		c.book.Planned += int64(len(c.dues))
	}
	c.book.Unlock()
	if cancelled {
		return &lost{cancelled: true}, false
	}
	w.text(kind, err)
	c.session.refused.CompareAndSwap(0, max(began, 1))
	if w.deadline == math.MaxInt64 && c.session.unreachable(now) >= int64(load.Patience(c.session.job.Timeout)) {
		w.giveUp()
	}
	c.think(w, now)
	c.fails++
	if !c.backOff(w, kind, now+int64(load.Backoff(c.fails))) {
		c.more = false
	}
	return nil, false
}

// askAgain sends requests again, once there is a connection.
func (c *conn) askAgain(w *window) *lost {
	if c.dues = c.dues[:0]; c.nc == nil {
		if broken, ok := c.dialFor(w); !ok {
			return broken
		}
	}
	return c.reply(w, nil)
}

// backOff waits until c may be dialled again. Requests that fall due meanwhile find no connection,
// for the same kind of reason. It reports whether the window still runs then.
func (c *conn) backOff(w *window, kind load.Kind, until int64) bool {
	s := c.session
	t := time.NewTimer(time.Duration(min(until, w.deadline) - s.now()))
	defer t.Stop()
	for {
		var due <-chan int64
		if s.unreachable(s.now()) > 0 {
			due = w.due
		}
		select {
		case at := <-due:
			c.book.Lock()
			c.book.Undial(kind, at, s.now())
			c.book.Unlock()
			continue
		case <-t.C:
			return w.ctx.Err() == nil && s.now() < w.deadline
		case <-w.over:
		case <-w.ctx.Done():
		}
		return false
	}
}

// connected starts the goroutine that reads the connection, and records how long it took to make
// it. fresh: it was made within the window.
func (c *conn) connected(fresh bool) {
	c.was, c.fails = true, 0
	c.book.Lock()
	if c.book.Connect != nil && c.made.connect > 0 {
		c.book.Connect.Record(c.made.connect)
	}
	if c.wire != nil {
		c.book.Encrypted(c.with)
		if c.made.handshake > 0 {
			c.book.Shaken(c.made.handshake, fresh)
		}
		if in, out := c.wire.in.Swap(0), c.wire.out.Swap(0); fresh {
			c.book.BytesRead += in
			c.book.BytesWritten += out
		}
	}
	c.book.Unlock()
	c.made = made{}

	c.nc.SetReadDeadline(time.Time{})
	reads := make(chan read)
	c.reads = reads
	nc, counts, s := c.nc, c.wire, c.session
	go func() { // ends when nc is closed or parked; the function that does this takes the last reads
		defer close(reads)
		for i := 0; ; i = 1 - i {
			n, err := nc.Read(c.buffer(i))
			r := read{c.buffers[i][:n], err, s.now(), int64(n)}
			if counts != nil {
				r.size = counts.in.Swap(0)
			}
			reads <- r
			if err != nil {
				return
			}
		}
	}()
}

// silent handles data on a connection that awaits none. It reports whether the connection is still
// usable.
func (c *conn) silent(w *window) bool {
	for {
		select {
		case r := <-c.reads:
			if c.reply(w, c.took(w, r)) != nil {
				return false
			}
		default:
			return true
		}
	}
}

// park ends the reading of a connection that stays open between windows.
func (c *conn) park(w *window) {
	if c.nc == nil {
		return
	}
	c.nc.SetReadDeadline(time.Unix(1, 0))
	for r := range c.reads {
		if errors.Is(r.err, os.ErrDeadlineExceeded) {
			r.err = nil
		}
		if c.reply(w, c.took(w, r)) != nil {
			c.hangUp()
			return
		}
	}
	c.reads = nil
}

// alive handles data on an idle connection. It reports whether the connection is still usable.
func (c *conn) alive() bool {
	began := time.Now()
	c.nc.SetReadDeadline(began.Add(5 * time.Millisecond))
	c.nc.SetWriteDeadline(began.Add(c.session.job.Timeout))
	for {
		n, err := c.nc.Read(c.buffer(0))
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
			return true
		}
		c.rest = append(c.rest, c.buffers[0][:n]...)
		if err != nil {
			return false
		}
		n, a, err := c.http.Feed(c.rest, c.session.now())
		if a != nil || err != nil {
			return false
		}
		if c.rest = append(c.rest[:0], c.rest[n:]...); c.http.Owes() {
			out, _ := c.http.Out(nil)
			if _, err := c.nc.Write(out); err != nil {
				return false
			}
		}
	}
}

// buffer returns one of the two buffers.
func (c *conn) buffer(i int) []byte {
	if c.buffers[i] == nil {
		c.buffers[i] = make([]byte, 8<<10)
	}
	return c.buffers[i]
}

// set replaces the net.Conn and forgets the last one's requests and bytes.
func (c *conn) set(nc net.Conn) {
	c.mu.Lock()
	c.nc = nc
	c.mu.Unlock()
	c.rest, c.raw = c.rest[:0], c.raw[:0]
	c.http.Reset()
	c.asked = c.http.Held()
}

// hangUp closes the connection, if there is one, and waits for its reading goroutine.
func (c *conn) hangUp() {
	if c.nc == nil {
		return
	}
	c.nc.Close()
	c.session.ups.Add(-1)
	if c.reads != nil {
		for range c.reads {
		}
		c.reads = nil
	}
	c.set(nil)
}

// interrupt makes a current write fail. It is called from another goroutine.
func (c *conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nc != nil {
		c.nc.SetWriteDeadline(time.Unix(1, 0))
	}
}
