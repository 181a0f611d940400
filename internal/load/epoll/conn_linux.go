package epoll

import (
	"fmt"
	"syscall"

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
	parked bool // in worker.free
	heard  int  // answers in this window
	ever   bool // was up in this window
	src    *scenario.Source
	parser http1.Parser

	slots   []slot // ring of requests in flight, oldest at first
	first   int
	pending int
	budget  int   // requests that it may still carry; below 0: no end
	carried bool  // it has carried one
	firstAt int64 // when the first byte of the answer being read came; 0: not yet
	unread  bool  // in worker.unread
	over    bool  // and its peer has closed its side
	headers bool  // those of the response being read are as wanted

	rest   []byte // read, but not yet of use: part of a head or of a chunk's line
	unsent []byte // of requests, since a write fell short; a part of held
	tail   string // the body behind it that is still to be sent; its memory is the scenario's
	held   []byte
	failed error // why no more can be written; what came before is still read

	due     int64 // of its first turn, then of the request after its pause
	claimed bool  // a request due at claim is started, and waits for this connection to be dialled
	claim   int64

	fails   int // dials in a row
	dialled int64
	retryAt int64
	dialBy  int64
}

// slot is one request in flight.
type slot struct {
	want      scenario.Want
	due, sent int64
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
	c.dialled = now
	fd, pending, err := w.addr.socket(w.ep, c.id, c.index)
	switch {
	case err == unix.EAGAIN && now < c.dialBy && w.addr.family == unix.AF_UNIX: // its accept queue is full
		c.state, c.retryAt = isWaiting, now
		w.soon(now)
	case err != nil:
		w.undialled(c, err, now)
	case pending:
		c.fd, c.state = fd, isDialing
		w.soon(now)
	default:
		c.fd = fd
		w.connected(c)
		w.ready = append(w.ready, c.id)
	}
}

func (w *worker) connected(c *conn) {
	c.state, c.fails, c.dialBy, c.carried = isUp, 0, 0, false
	c.over = false
	w.ups++
	w.refused = 0
	c.rest, c.unsent, c.tail, c.failed = c.rest[:0], nil, "", nil
	c.budget = w.job.PerConnection
	if c.budget == 0 {
		c.budget = -1
	}
	took := w.now() - c.dialled
	if w.win == nil {
		w.connects = append(w.connects, took)
		return
	}
	if !c.ever {
		c.ever = true
		w.established++
	}
	if w.rec.Connect != nil {
		w.rec.Connect.Record(took)
	}
}

// undialled notes that c could not be dialled, and when to try again.
func (w *worker) undialled(c *conn, err error, now int64) {
	if !load.OutOfFiles(w.dialErr) { // which is never forgotten
		w.dialErr = fmt.Errorf("dial: %w", err)
	}
	c.state, c.dialBy = isDown, 0
	if w.win == nil {
		return
	}
	w.say(load.Dial, w.dialErr)
	if w.refused == 0 {
		w.refused = c.dialled
	}
	switch {
	case c.claimed:
		c.claimed = false
		w.pending--
		w.rec.Sent(1, now)
		w.rec.Broken(load.Dial, c.claim, now, now)
	case !w.open:
		return
	default:
		if due, ok := w.take(c, now); ok {
			w.rec.Undial(due, now)
		}
	}
	for w.scheduled && w.ups == 0 { // whatever is due finds no connection
		due, ok := w.take(c, now)
		if !ok {
			break
		}
		w.rec.Undial(due, now)
	}
	c.fails++
	w.wait(c, now)
}

// wait lets c be dialled again in a while.
func (w *worker) wait(c *conn, now int64) {
	c.state, c.retryAt = isWaiting, now+int64(load.Backoff(c.fails))
	w.soon(now)
}

// shut closes c's socket and forgets what was on it.
func (w *worker) shut(c *conn) {
	if c.fd >= 0 {
		unix.Close(c.fd) // which takes it out of epoll
	}
	if c.state == isUp {
		w.ups--
	}
	c.fd, c.state, c.dialBy, c.firstAt = -1, isDown, 0, 0
	w.pending -= c.pending
	c.pending, c.first = 0, 0
}

// broke counts what was in flight on c as lost to kind, closes c and dials it again.
func (w *worker) broke(c *conn, kind load.Kind, err error, now int64) {
	if c.failed != nil && (kind == load.Reset || kind == load.Closed) {
		kind, err = load.Write, c.failed
	}
	switch {
	case c.claimed: // the request that waited for this connection was not sent
		c.claimed = false
		w.pending--
		w.rec.Sent(1, now)
		w.rec.Broken(kind, c.claim, now, now)
		w.say(kind, err)
	case c.pending == 0:
		w.quiet++
		if w.open && !c.carried { // a server that hangs up at once is not dialled all the time
			w.shut(c)
			w.wait(c, now)
			return
		}
	default:
		w.lose(c, kind, now)
		w.say(kind, err)
	}
	w.again(c, now)
}

// lose counts what is in flight on c.
func (w *worker) lose(c *conn, kind load.Kind, now int64) {
	for i := range c.pending {
		s := c.slot(i)
		w.rec.Broken(kind, s.due, s.sent, now)
	}
}

// slot is the i-th request in flight, from the oldest on.
func (c *conn) slot(i int) *slot {
	if i += c.first; i >= len(c.slots) {
		i -= len(c.slots)
	}
	return &c.slots[i]
}

// oldest is when the oldest request in flight was sent, or the last, if that was answered before it was through.
func (c *conn) oldest() int64 {
	if c.pending == 0 {
		return c.slot(len(c.slots) - 1).sent
	}
	return c.slots[c.first].sent
}

// again replaces c's connection, if there is still something to send: at once, or with its next request where each counts its own dial.
func (w *worker) again(c *conn, now int64) {
	w.shut(c)
	if !w.open || now >= w.deadline {
		return
	}
	if w.win.pause > 0 && c.begun && now >= c.due { // else its pause goes on
		w.think(c, now)
	}
	if w.job.PerConnection > 0 {
		w.fill(c, now)
	} else {
		w.dial(c, now)
	}
}

// handle serves one event. A connection has at most one per batch.
func (w *worker) handle(c *conn, events uint32) {
	const over = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	switch c.state {
	case isDialing:
		if errno, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err != nil || errno != 0 {
			unix.Close(c.fd)
			c.fd = -1
			w.undialled(c, syscall.Errno(errno), w.now())
			return
		}
		if events&unix.EPOLLOUT == 0 {
			return
		}
		if (w.win == nil || w.refused > 0) && w.addr.isOwn(c.fd) { // it met itself
			unix.Close(c.fd)
			c.fd = -1
			w.undialled(c, syscall.ECONNREFUSED, w.now())
			return
		}
		w.connected(c)
		if w.win != nil {
			w.fill(c, w.now())
		}
	case isUp:
	default:
		return
	}
	if events&(unix.EPOLLIN|over) != 0 && c.state == isUp {
		w.read(c, events&over != 0 || c.over)
	}
	if events&unix.EPOLLOUT != 0 && c.state == isUp && c.owes() { // after the answer, which may be there before its request is through
		w.flush(c)
	}
}

// take claims the right to start one request on c, and says when it was due.
func (w *worker) take(c *conn, now int64) (due int64, ok bool) {
	switch {
	case !w.open:
		return 0, false
	case w.scheduled: // what was due before the deadline may start a little after it
		if !w.more || w.due > now {
			return 0, false
		}
		due = w.due
		if w.free.n == 0 { // due requests may have waited for a connection
			waited := max(now-max(due, w.starving), 0)
			w.rec.StarvedNS += waited
			if w.win.free.Load() > 0 {
				w.rec.UnevenNS += waited
			}
			w.starving = now
		}
		w.issued++
		w.draw()
		return due, true
	case now >= w.deadline && w.started: // a thread that got its CPU too late has one request all the same: nobody else is to blame for none
		w.open = false
		return 0, false
	case w.win.Requests > 0:
		left := w.win.left.Add(-1)
		if left < 0 {
			w.open = false
			return 0, false
		}
		if left == 0 {
			w.win.edge.Over(now)
		}
	}
	if w.started = true; w.win.pause > 0 {
		return c.due, true
	}
	return now, true
}

// fill sends as many requests as c's pipeline has room for, in one write, or in one for each long body.
func (w *worker) fill(c *conn, now int64) {
	switch {
	case c.state == isDown && w.job.PerConnection > 0 && c.begun && !c.claimed:
		if now < c.due { // it thinks
			return
		}
		if due, ok := w.take(c, now); ok {
			c.claimed, c.claim = true, due
			w.pending++
			w.rec.Late(due, now)
			w.dial(c, now)
		} else {
			w.park(c)
		}
		return
	case c.state != isUp || !c.begun || c.owes() || w.win.pause > 0 && (now < c.due || c.pending > 0) && !c.claimed:
		return
	}
	for {
		b, n := w.pack(c, now)
		if n == 0 {
			return
		}
		long := c.tail != ""
		rest, errno := w.put(c, b)
		switch {
		case errno == syscall.EAGAIN:
			c.held = append(c.held[:0], rest...)
			c.unsent = c.held
			w.watchOut(c, true)
			return
		case errno != 0:
			w.unwritable(c, errno)
			return
		case !long:
			return
		}
		now = w.now()
	}
}

// pack starts as many requests as c's pipeline has room for, up to the first with a long body, which becomes c.tail. It returns what is
// to be sent before that, and the number of requests.
func (w *worker) pack(c *conn, now int64) (b []byte, n int) {
	idle := c.pending == 0
	b = w.out[:0]
	for c.tail == "" && c.pending < w.depth && c.budget != 0 {
		due := c.claim
		if c.claimed {
			c.claimed = false
			w.pending--
		} else {
			var ok bool
			if due, ok = w.take(c, now); !ok {
				w.park(c)
				break
			}
			if w.paced {
				w.rec.Late(due, now)
			}
		}
		s := c.slot(c.pending)
		s.due, s.sent = due, now
		b, c.tail = c.src.NextParted(b, &s.want)
		c.pending++
		c.budget--
		n++
	}
	if n == 0 {
		return nil, 0
	}
	w.out = b
	c.carried = true
	w.pending += n
	w.rec.Sent(n, now)
	if idle {
		c.expect()
	}
	return b, n
}

// put writes b, then c.tail, as far as the socket takes them. What is left of both it returns and leaves in c.tail.
func (w *worker) put(c *conn, b []byte) ([]byte, syscall.Errno) {
	for {
		var k int
		var errno syscall.Errno
		if c.tail == "" {
			k, errno = send(c.fd, b)
		} else {
			k, errno = sendBoth(c.fd, b, c.tail)
		}
		switch errno {
		case 0:
			w.rec.BytesWritten += int64(k)
			head := min(k, len(b))
			b, c.tail = b[head:], c.tail[k-head:]
			if len(b)+len(c.tail) == 0 {
				return nil, 0
			} // else the kernel says EAGAIN next, and arms EPOLLOUT by it
		case syscall.EINTR:
		default:
			return b, errno
		}
	}
}

// owes reports whether a part of requests is still to be sent.
func (c *conn) owes() bool { return len(c.unsent)+len(c.tail) > 0 }

// unwritable gives up c, whose peer has hung up. What it said before counts: a server may answer and close before it has read the whole request.
func (w *worker) unwritable(c *conn, err error) {
	c.unsent, c.tail, c.failed = nil, "", err
	w.read(c, true)
}

// flush goes on with a write that fell short, and then with what had to wait for it.
func (w *worker) flush(c *conn) {
	rest, errno := w.put(c, c.unsent)
	c.unsent = rest
	switch errno {
	case 0:
		w.watchOut(c, false)
		w.goOn(c, w.now())
	case syscall.EAGAIN:
	default:
		w.unwritable(c, errno)
	}
}

// watchOut asks to be told when a unix socket takes bytes again; TCP is asked from the start (see address.socket).
func (w *worker) watchOut(c *conn, full bool) {
	if w.addr.family == unix.AF_UNIX {
		unix.EpollCtl(w.ep, unix.EPOLL_CTL_MOD, c.fd, w.addr.interest(c.id, full))
	}
}

// expect tells the parser of the oldest request in flight.
func (c *conn) expect() {
	c.headers = true
	load.Expect(&c.parser, &c.slots[c.first].want)
}
