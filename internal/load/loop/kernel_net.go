//go:build !linux || gonet

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

	"dyno/internal/load"
)

// pipe is a connection in the form of a non-blocking socket. Goroutines dial, read and write.
type pipe struct {
	bell       *bell
	id         int32
	nc         net.Conn // nil: being dialled, or not connected
	stop       context.CancelFunc
	taken      chan struct{} // in has been taken; closed with the pipe
	in         []byte        // received, not yet taken
	out, sent  []byte        // not yet sent; the memory for the next out
	inErr      error         // why nothing more comes: the dial's error, io.EOF, …
	outErr     error
	writing    bool // write is running
	full, rung bool // send has returned EAGAIN; in bell.rung
	closed     bool
}

// bell does for the connections of one worker what epoll does: it reports which are ready. It guards
// their pipes, too.
type bell struct {
	sync.Mutex
	rung []*pipe
	wake chan struct{}
}

type (
	socket = *pipe
	poller = *bell
	event  struct {
		Events uint32
		Fd     int32
	}
	sleeper func(on poller, events []event, ns int64) (int, syscall.Errno)
	address struct{}
)

var noSocket socket

// Only eventIn and eventOut are reported; recv and send tell the rest.
const (
	eventIn uint32 = 1 << iota
	eventOut
	eventEnd
	eventHangup
	eventError
)

// mostUnsent limits the bytes that a pipe takes ahead of its net.Conn, and lastWrite the time in which a
// closed pipe still sends them.
const (
	mostUnsent = 64 << 10
	lastWrite  = 100 * time.Millisecond
)

func resolve(ctx context.Context, job *load.Job) (a address, err error) {
	job.Endpoint, err = job.Locate(ctx)
	return a, err
}

func (a address) own() address { return a }

func (w *worker) listen() error {
	w.ep, w.block = &bell{wake: make(chan struct{}, 1)}, sleep
	return nil
}

// connect starts to connect c.
func (w *worker) connect(c *conn) (pending bool, err error) {
	ctx, stop := context.WithCancel(context.Background())
	p := &pipe{bell: w.ep, id: c.id, stop: stop, taken: make(chan struct{}, 1)}
	to := w.job.Endpoint
	go func() {
		nc, err := to.Connect(ctx, &net.Dialer{KeepAlive: -1})
		p.bell.Lock()
		defer p.bell.Unlock()
		switch p.ring(); {
		case err != nil:
			p.inErr = err
		case p.closed:
			nc.Close()
		default:
			p.nc = nc
			go p.read()
		}
	}()
	c.fd = p
	return true, nil
}

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

// poll returns the events that are ready now.
func poll(b poller, events []event) (n int, _ syscall.Errno) {
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
	return n, 0
}

// sleep waits until a connection is ready, for at most the given time.
func sleep(b poller, events []event, ns int64) (int, syscall.Errno) {
	late := time.NewTimer(time.Duration(ns))
	defer late.Stop()
	for {
		select {
		case <-b.wake: // perhaps for events that are taken already
			if n, _ := poll(b, events); n > 0 {
				return n, 0
			}
		case <-late.C:
			return poll(b, events)
		}
	}
}

// read receives while the worker takes what has come.
func (p *pipe) read() {
	b := make([]byte, 8<<10)
	for {
		n, err := p.nc.Read(b)
		p.bell.Lock()
		p.in, p.inErr = b[:n], err
		p.ring()
		p.bell.Unlock()
		if err != nil {
			return
		}
		<-p.taken
	}
}

// write sends what there is to send, and then closes the connection if the pipe is closed.
func (p *pipe) write() {
	p.bell.Lock()
	defer p.bell.Unlock()
	for len(p.out) > 0 && p.outErr == nil {
		b := p.out
		p.out = p.sent[:0]
		p.bell.Unlock()
		_, err := p.nc.Write(b)
		p.bell.Lock()
		p.sent, p.outErr = b, err
		if p.full || err != nil {
			p.full = false
			p.ring()
		}
	}
	if p.writing = false; p.closed {
		p.nc.Close()
	}
}

// recv is like the recv of a non-blocking socket.
func recv(p socket, b []byte) (int, syscall.Errno) {
	p.bell.Lock()
	defer p.bell.Unlock()
	n := copy(b, p.in)
	p.in = p.in[n:]
	switch {
	case n > 0:
		if len(p.in) == 0 {
			p.taken <- struct{}{}
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
func send(p socket, b []byte) (int, syscall.Errno) {
	p.bell.Lock()
	defer p.bell.Unlock()
	n := min(len(b), mostUnsent-len(p.out))
	switch {
	case p.outErr != nil && p.inErr != nil:
		return 0, errnoOf(p.outErr)
	case p.outErr != nil, n == 0: // before an error, recv gets what the peer had sent
		p.full = true
		return 0, syscall.EAGAIN
	}
	if p.out = append(p.out, b[:n]...); !p.writing {
		p.writing = true
		go p.write()
	}
	return n, 0
}

// sendBoth sends b, or then a part of tail.
func sendBoth(p socket, b []byte, tail string) (int, syscall.Errno) {
	if len(b) == 0 {
		b = []byte(tail[:min(len(tail), mostUnsent)])
	}
	return send(p, b)
}

// closeFile ends the connection, after what can be sent at once.
func closeFile(p socket) {
	p.bell.Lock()
	defer p.bell.Unlock()
	p.closed = true
	p.stop()
	close(p.taken)
	if p.nc == nil {
		return
	}
	if p.nc.SetWriteDeadline(time.Now().Add(lastWrite)); !p.writing {
		p.nc.Close()
	}
}

// linked reports whether a dial has made a connection, or why it has not. The event may be of the connection before.
func linked(p socket, _ uint32) (bool, error) {
	p.bell.Lock()
	defer p.bell.Unlock()
	var errno syscall.Errno
	if p.nc == nil && errors.As(p.inErr, &errno) {
		return false, errno
	} else if p.nc == nil {
		return false, p.inErr
	}
	return true, nil
}

func isOwn(p socket) bool {
	local, remote := p.nc.LocalAddr(), p.nc.RemoteAddr()
	return local.Network() == "tcp" && local.String() == remote.String()
}

// errnoOf returns the system's error in err, or else ECONNRESET.
func errnoOf(err error) (errno syscall.Errno) {
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.ECONNRESET
}

// No thread is pinned or measured, and no segment counted: goroutines of package net do a part of the work.

func (w *worker) pinned(f func())      { f() }
func (w *worker) watchOut(*conn, bool) {}
func (w *worker) deafen()              {}
func (w *worker) mark()                {}
func (w *worker) count(*conn)          {}
func precise() func()                  { return func() {} }
func cpuTime() int64                   { return 0 }
func queueDelay() int64                { return 0 }
func rest(d time.Duration)             { time.Sleep(d) }
