package epoll

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// conn is one connection. Its fields belong to its worker.
type conn struct {
	fd     int
	id     int32 // within the worker
	index  int   // within the job
	state  state
	begun  bool // its first turn of the window has come
	src    *scenario.Source
	parser http1.Parser

	slots   []slot // ring of requests in flight, oldest at first
	first   int
	pending int
	headers bool // those of the response being read are as wanted

	rest   []byte // read, but not yet of use: part of a head or of a chunk's line
	unsent []byte // of requests, since a write fell short

	due     int64 // of its first turn
	fails   int   // dials in a row
	retryAt int64
	dialBy  int64
}

// slot is one request in flight.
type slot struct {
	want scenario.Want
	sent int64
}

type state uint8

const (
	isDown    state = iota
	isDialing       // connect is under way
	isWaiting       // to dial again
	isUp
)

// dial starts to connect c.
func (w *worker) dial(c *conn, now int64) {
	if c.state != isWaiting || c.dialBy == 0 {
		c.dialBy = now + int64(w.job.Timeout)
	}
	fd, pending, err := w.addr.socket(w.ep, c.id)
	switch {
	case err == unix.EAGAIN && now < c.dialBy: // a unix socket's accept queue is full
		c.state, c.retryAt = isWaiting, now
	case err != nil:
		w.undialled(c, err, now)
	case pending:
		c.fd, c.state = fd, isDialing
	default:
		c.fd = fd
		w.connected(c)
		w.ready = append(w.ready, c.id)
	}
}

func (w *worker) connected(c *conn) {
	c.state, c.fails, c.dialBy = isUp, 0, 0
	c.rest, c.unsent = c.rest[:0], c.unsent[:0]
}

// undialled notes that c could not be dialled, and when to try again.
func (w *worker) undialled(c *conn, err error, now int64) {
	w.dialErr = fmt.Errorf("dial: %w", err)
	c.state, c.dialBy = isDown, 0
	if !w.take(now) {
		return
	}
	w.rec.Undial(now, now)
	if c.fails++; c.fails >= tries {
		w.hopeful--
		return
	}
	c.state, c.retryAt = isWaiting, now+int64(10*time.Millisecond)<<(2*c.fails)
}

// shut closes c's socket and forgets what was on it.
func (w *worker) shut(c *conn) {
	if c.fd >= 0 {
		unix.Close(c.fd) // which takes it out of epoll
	}
	c.fd, c.state, c.dialBy = -1, isDown, 0
	w.pending -= c.pending
	c.pending, c.first = 0, 0
}

// broke counts what was in flight on c as lost to kind, closes c and dials it again.
func (w *worker) broke(c *conn, kind load.Kind, now int64) {
	if c.pending > 0 {
		w.rec.Lost(kind, c.pending)
	} else {
		w.quiet++
	}
	w.again(c, now)
}

// again replaces c's connection, if it still has something to send.
func (w *worker) again(c *conn, now int64) {
	w.shut(c)
	if w.open && now < w.deadline {
		w.dial(c, now)
	}
}

// handle serves one event. A connection has at most one per batch.
func (w *worker) handle(c *conn, events uint32) {
	const over = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	switch c.state {
	case isDialing:
		if errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || errno != 0 {
			w.shut(c)
			w.undialled(c, syscall.Errno(errno), w.now())
			return
		}
		if events&unix.EPOLLOUT == 0 {
			return
		}
		w.connected(c)
		w.fill(c, w.now())
	case isUp:
		if events&unix.EPOLLOUT != 0 && len(c.unsent) > 0 && !w.flush(c) {
			return
		}
	default:
		return
	}
	if events&(unix.EPOLLIN|over) != 0 && c.state == isUp {
		w.read(c, events&over != 0)
	}
}

// take claims the right to start one request.
func (w *worker) take(now int64) bool {
	if !w.open {
		return false
	}
	if now >= w.deadline || w.win.Requests > 0 && w.win.left.Add(-1) < 0 {
		w.open = false
	}
	return w.open
}

// fill sends as many requests as c's pipeline has room for, in one write.
func (w *worker) fill(c *conn, now int64) {
	if c.state != isUp || !c.begun || len(c.unsent) > 0 {
		return
	}
	idle, n := c.pending == 0, 0
	b := w.out[:0]
	for c.pending < len(c.slots) && w.take(now) {
		i := c.first + c.pending
		if i >= len(c.slots) {
			i -= len(c.slots)
		}
		s := &c.slots[i]
		s.sent = now
		b = c.src.Next(b, &s.want)
		c.pending++
		n++
	}
	if n == 0 {
		return
	}
	w.out = b
	w.pending += n
	w.rec.Sent(n, now)
	if idle {
		c.expect()
	}
	for {
		k, errno := send(c.fd, b)
		if errno == 0 {
			w.rec.BytesWritten += int64(k)
			if k == len(b) {
				return
			}
			b = b[k:]
			continue // the kernel says EAGAIN next, and arms EPOLLOUT by it
		}
		switch errno {
		case syscall.EINTR:
		case syscall.EAGAIN:
			c.unsent = append(c.unsent[:0], b...)
			w.watchOut(c, true)
			return
		default:
			w.broke(c, load.Write, now)
			return
		}
	}
}

// flush goes on with a write that fell short. It reports whether c is still of use.
func (w *worker) flush(c *conn) bool {
	for len(c.unsent) > 0 {
		k, errno := send(c.fd, c.unsent)
		switch errno {
		case 0:
			w.rec.BytesWritten += int64(k)
			c.unsent = c.unsent[:copy(c.unsent, c.unsent[k:])]
		case syscall.EINTR:
		case syscall.EAGAIN:
			return true
		default:
			w.broke(c, load.Write, w.now())
			return false
		}
	}
	w.watchOut(c, false)
	return true
}

// watchOut asks to be told when a unix socket takes bytes again; TCP is asked from the start (see address.socket).
func (w *worker) watchOut(c *conn, full bool) {
	if w.addr.family == unix.AF_UNIX {
		unix.EpollCtl(w.ep, unix.EPOLL_CTL_MOD, c.fd, w.addr.interest(c.id, full))
	}
}

// expect tells the parser of the oldest request in flight.
func (c *conn) expect() {
	want := &c.slots[c.first].want
	c.headers = true
	c.parser.Expect(http1.Want{Body: want.Body, CheckBody: want.CheckBody, Head: want.Head, StopAt: len(want.Headers) > 0})
}
