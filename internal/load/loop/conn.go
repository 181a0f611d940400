package loop

import (
	"syscall"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// conn is one connection and its requests in flight. Only its worker touches it.
//
// Note: the fields that each request touches come first, so that they share few cache lines.
type conn struct {
	stream
	id      int32 // index in the worker
	state   state
	begun   bool   // its first turn in the window has come
	parked  bool   // the connection is in worker.free
	carried bool   // it has carried a request
	unread  bool   // the connection is in worker.unread
	over    bool   // unread, and its peer has closed its side
	claimed bool   // a request due at claim is started, and waits for this connection to be dialled
	heard   int    // answers in this window
	budget  int    // requests that it may still carry; below 0: no limit
	rest    []byte // read, but not yet usable: part of a head or of a chunk's line
	http    load.Conn

	index  int   // index in the job's share
	ever   bool  // up at some time in this window
	failed error // why no more can be written; earlier data is still read

	due   int64 // when its first turn comes
	claim int64

	fails   int // failed dials in a row
	dialled int64
	began   int64 // when its socket was connected
	retryAt int64
	dialBy  int64

	before wire.Socket // the kernel's counts when the worker began to count segments
}

// state is a connection's state between dial and close: isDown -> isDialing -> isShaking, if it is
// encrypted -> isUp -> isDown. A failed dial or handshake makes it isWaiting until retryAt.
type state uint8

const (
	isDown    state = iota
	isDialing       // connect is under way
	isShaking       // the TLS handshake is under way
	isWaiting       // the connection waits to be dialled again
	isUp
)

// waits reports whether a request waits for c to be dialled.
func (c *conn) waits() bool { return c.claimed || c.http.Held() > 0 }

// comes reports whether the connection is being made.
func (s state) comes() bool { return s == isDialing || s == isShaking }

// handle serves one epoll event. A connection has at most one per batch.
func (w *worker) handle(c *conn, events uint32) {
	const over = eventEnd | eventHangup | eventError
	switch c.state {
	case isDialing:
		if linked, err := c.linked(events); err != nil {
			w.dialFailed(c, err, w.now())
			return
		} else if !linked {
			return
		}
		if (w.win == nil || w.refused > 0) && c.isOwn() { // it connected to itself
			w.dialFailed(c, syscall.ECONNREFUSED, w.now())
			return
		}
		c.over = events&over != 0
		if w.link(c); c.state == isUp && w.win != nil {
			w.fill(c, w.now())
		}
		if w.job.TLS != nil { // shake has read
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
	if events&(eventIn|over) != 0 && c.state == isUp {
		w.read(c, events&over != 0 || c.over)
	}
	// after the answer, which may come before its request is fully sent
	if events&eventOut != 0 && c.state == isUp && c.owes() {
		w.flush(c)
	}
}
