package loop

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"dyno/internal/wire"
)

// bell does for the connections of one worker what epoll does: it reports which are ready.
type bell struct {
	sync.Mutex // guards the worker's pipes, too
	rung       []*pipe
	wake       chan struct{}
}

func newBell() *bell { return &bell{wake: make(chan struct{}, 1)} }

// pipe is a connection in the form of a non-blocking socket. Goroutines dial, read and write.
type pipe struct {
	bell       *bell
	id         int32
	nc         net.Conn // nil: being dialled, or not connected
	stop       context.CancelFunc
	changed    sync.Cond // in has been taken, out has been filled, or closed is set
	in         []byte    // received, not yet taken
	out        []byte    // not yet sent
	inErr      error     // why nothing more comes: the dial's error, io.EOF, …
	outErr     error
	writing    bool
	full, rung bool // send has returned EAGAIN; in bell.rung
	closed     bool
}

// mostUnsent limits the bytes that a pipe takes ahead of its net.Conn.
const mostUnsent = 64 << 10

// ring reports p as ready. The bell is locked.
func (p *pipe) ring() {
	if p.rung || p.closed {
		return
	}
	p.rung = true
	p.bell.rung = append(p.bell.rung, p)
	select {
	case p.bell.wake <- struct{}{}:
	default:
	}
}

// take fills events, and returns their number.
func (b *bell) take(events []event) (n int) {
	b.Lock()
	defer b.Unlock()
	all := b.rung[:min(len(b.rung), len(events))]
	for _, p := range all {
		if p.rung = false; !p.closed {
			events[n] = event{Events: eventIn | eventOut, Fd: p.id}
			n++
		}
	}
	b.rung = slices.Delete(b.rung, 0, len(all))
	return n
}

// sleep waits until a connection is ready, for at most the given time. It is a sleeper.
func (b *bell) sleep(_ int, events []event, ns int64) (int, syscall.Errno) {
	late := time.NewTimer(time.Duration(ns))
	defer late.Stop()
	for {
		select {
		case <-b.wake: // perhaps for events that are taken already
			if n := b.take(events); n > 0 {
				return n, 0
			}
		case <-late.C:
			return b.take(events), 0
		}
	}
}

// dial starts to connect to an endpoint.
func (b *bell) dial(to wire.Endpoint, id int32) *pipe {
	ctx, stop := context.WithCancel(context.Background())
	p := &pipe{bell: b, id: id, stop: stop, changed: sync.Cond{L: b}}
	go func() {
		nc, err := to.Connect(ctx, &net.Dialer{KeepAlive: -1})
		b.Lock()
		defer b.Unlock()
		switch p.ring(); {
		case err != nil:
			p.inErr = err
		case p.closed:
			nc.Close()
		default:
			p.nc = nc
			go p.read()
			go p.write()
		}
	}()
	return p
}

// read receives while the worker takes what has come.
func (p *pipe) read() {
	b := make([]byte, 8<<10)
	for {
		n, err := p.nc.Read(b)
		p.bell.Lock()
		p.in, p.inErr = append(p.in[:0], b[:n]...), err
		p.ring()
		for len(p.in) > 0 && !p.closed {
			p.changed.Wait()
		}
		over := p.closed || err != nil
		if p.bell.Unlock(); over {
			return
		}
	}
}

// write sends data until the pipe is closed and all data is sent, or until an error. It then closes
// the connection.
func (p *pipe) write() {
	var b []byte
	p.bell.Lock()
	for {
		for (len(p.out) == 0 || p.outErr != nil) && !p.closed {
			p.changed.Wait()
		}
		if len(p.out) == 0 || p.outErr != nil {
			break
		}
		b, p.out = p.out, b[:0]
		p.writing = true
		p.bell.Unlock()
		_, err := p.nc.Write(b)
		p.bell.Lock()
		p.writing, p.outErr = false, err
		if p.full || err != nil {
			p.full = false
			p.ring()
		}
	}
	p.bell.Unlock()
	p.nc.Close()
}

// linked reports whether the dial has succeeded, or its error.
func (p *pipe) linked() (bool, error) {
	p.bell.Lock()
	defer p.bell.Unlock()
	if p.nc != nil {
		return true, nil
	}
	return false, system(p.inErr)
}

// isOwn reports whether p is connected to itself.
func (p *pipe) isOwn() bool {
	local, remote := p.nc.LocalAddr(), p.nc.RemoteAddr()
	return local.Network() == "tcp" && local.String() == remote.String()
}

// recv is like the recv of a non-blocking socket.
func (p *pipe) recv(b []byte) (int, syscall.Errno) {
	p.bell.Lock()
	defer p.bell.Unlock()
	n := copy(b, p.in)
	p.in = p.in[n:]
	switch {
	case n > 0:
		if len(p.in) == 0 {
			p.changed.Broadcast()
			if p.inErr != nil {
				p.ring()
			}
		}
		return n, 0
	case p.inErr == nil:
		return 0, syscall.EAGAIN
	case !errors.Is(p.inErr, io.EOF):
		return 0, errnoOf(p.inErr)
	case p.writing: // it may learn that the peer has reset the connection, and read does not then
		p.full = true
		return 0, syscall.EAGAIN
	case p.outErr != nil && errnoOf(p.outErr) == syscall.ECONNRESET:
		return 0, syscall.ECONNRESET
	}
	return 0, 0
}

// send is like the send of a non-blocking socket.
func (p *pipe) send(b []byte) (int, syscall.Errno) {
	p.bell.Lock()
	defer p.bell.Unlock()
	n := min(len(b), mostUnsent-len(p.out))
	switch {
	case p.outErr != nil && p.inErr != nil:
		return 0, errnoOf(p.outErr)
	case p.outErr != nil, n == 0: // before an error, read gets what the peer had sent
		p.full = true
		return 0, syscall.EAGAIN
	}
	p.out = append(p.out, b[:n]...)
	p.changed.Broadcast()
	return n, 0
}

// close ends the connection, after what can be sent at once.
func (p *pipe) close() {
	p.bell.Lock()
	defer p.bell.Unlock()
	p.closed = true
	p.stop()
	p.changed.Broadcast()
	if p.nc == nil {
		return
	}
	if p.nc.SetWriteDeadline(time.Now().Add(lastWrite)); p.writing {
		p.nc.Close()
	}
}

// lastWrite limits the time in which a closed pipe sends its remaining data.
const lastWrite = 100 * time.Millisecond

// system returns the system's error in err, or err.
func system(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// errnoOf returns the system's error in err, or else ECONNRESET.
func errnoOf(err error) syscall.Errno {
	if errno, ok := system(err).(syscall.Errno); ok {
		return errno
	}
	return syscall.ECONNRESET
}
