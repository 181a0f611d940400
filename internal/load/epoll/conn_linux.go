package epoll

import (
	"syscall"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
	"dyno/internal/tcpstat"
)

// conn is one connection and its requests in flight. Only its worker touches it.
//
// Note: what each request touches stands first, so that it takes few lines of the CPU's cache.
type conn struct {
	stream
	id      int32 // within the worker
	state   state
	begun   bool   // its first turn of the window has come
	parked  bool   // in worker.free
	carried bool   // it has carried a request
	unread  bool   // in worker.unread
	over    bool   // and its peer has closed its side
	claimed bool   // a request due at claim is started, and waits for this connection to be dialled
	heard   int    // answers in this window
	budget  int    // requests that it may still carry; below 0: no end
	rest    []byte // read, but not yet of use: part of a head or of a chunk's line
	http    load.Conn

	index  int // within the job's share
	pauses load.Pauses
	ever   bool  // was up in this window
	failed error // why no more can be written; what came before is still read

	due   int64 // of its first turn, then of the request after its pause
	claim int64

	fails   int // dials in a row
	dialled int64
	linked  int64 // when its socket was connected
	retryAt int64
	dialBy  int64

	before tcpstat.Socket // when its segments began to count
}

// state is where a connection is between dial and close: isDown -> isDialing -> isShaking, if it is
// encrypted -> isUp -> isDown. A dial or a handshake that fails makes it isWaiting until retryAt.
type state uint8

const (
	isDown    state = iota
	isDialing       // connect is under way
	isShaking       // the handshake of TLS is
	isWaiting       // to dial again
	isUp
)

// waits reports whether a request waits for c to be dialled.
func (c *conn) waits() bool { return c.claimed || c.http.Held() > 0 }

// comes reports whether the connection is being made.
func (s state) comes() bool { return s == isDialing || s == isShaking }

// handle serves one epoll event. A connection has at most one per batch.
func (w *worker) handle(c *conn, events uint32) {
	const over = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	switch c.state {
	case isDialing:
		if errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || errno != 0 {
			w.dialFailed(c, syscall.Errno(errno), w.now())
			return
		}
		if events&unix.EPOLLOUT == 0 {
			return
		}
		if (w.win == nil || w.refused > 0) && w.addr.isOwn(c.fd) { // it met itself
			w.dialFailed(c, syscall.ECONNREFUSED, w.now())
			return
		}
		c.over = events&over != 0
		if w.link(c); c.state == isUp && w.win != nil {
			w.fill(c, w.now())
		}
		if w.job.TLS != nil { // which has read
			return
		}
	case isShaking:
		c.over = c.over || events&over != 0
		if w.shake(c); c.state == isUp && w.win != nil {
			w.fill(c, w.now())
		}
		return
	case isUp:
	default:
		return
	}
	if events&(unix.EPOLLIN|over) != 0 && c.state == isUp {
		w.read(c, events&over != 0 || c.over)
	}
	// after the answer, which may be there before its request is through
	if events&unix.EPOLLOUT != 0 && c.state == isUp && c.owes() {
		w.flush(c)
	}
}
