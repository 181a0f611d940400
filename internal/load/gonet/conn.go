package gonet

import (
	"errors"
	"math"
	"net"
	"os"
	"sync"
	"time"
	"unsafe"

	"dyno/internal/load"
	"dyno/internal/record"
)

// conn is one connection and its requests in flight. Only the goroutine that runs it touches it,
// except for nc.
type conn struct {
	session *session
	index   int
	book    *book
	http    load.Conn
	pauses  load.Pauses

	mu      sync.Mutex // guards nc against interrupt
	nc      net.Conn   // nil: down
	reads   chan read  // from the goroutine that reads nc; nil: there is none
	buffers [2][]byte  // buffers for that goroutine, in turn
	asked   int        // requests sent on nc
	made    made       // times that nc took to make

	wire *counted          // under nc; nil: in the clear
	with record.TLSSession // negotiated parameters

	rest  []byte // read, but not yet usable
	raw   []byte // the beginning of the response being read
	out   []byte
	parts net.Buffers // data to send: out, and long bodies between its pieces

	more  bool  // requests may start in this window
	was   bool  // it was up in this window
	heard int   // answers in this window
	ready int64 // closed loop: when the next request may start
	fails int   // requests in a row that found no connection
	dues  []int64
	timer *time.Timer
}

// lost describes how a connection ended, which determines how the requests on it count.
type lost struct {
	kind      load.Kind
	err       error // from the system or the parser
	cancelled bool
}

// run runs c's part of a window. It alternates between starting requests and waiting for an event,
// until no request may start and none is in flight.
func (c *conn) run(w *window) {
	turn := w.start + c.session.job.Turn(&w.Window, c.index)
	c.more, c.heard, c.fails, c.ready = true, 0, 0, turn
	c.timer = time.NewTimer(time.Hour)
	defer c.timer.Stop()
	defer c.park(w)
	defer c.cutShort()
	if c.nc != nil {
		c.connected(false)
	}
	if w.ctx.Err() != nil || turn > w.start && !w.sleep(turn) {
		return
	}
	if c.nc == nil && c.session.job.PerConnection == 0 {
		c.dialAgain(w)
	}
	for {
		var broken *lost
		if c.http.Held() > 0 {
			broken = c.askAgain(w)
		}
		if broken == nil {
			broken = c.askAtWill(w)
		}
		if broken == nil {
			if !c.more && c.http.Pending() == 0 {
				return
			}
			broken = c.wait(w)
		}
		if broken != nil && !c.broke(w, broken) {
			return
		}
	}
}

// wait waits for one event: a request falls due, a read ends, or a timeout.
func (c *conn) wait(w *window) *lost {
	var due <-chan int64
	var over <-chan struct{}
	until := int64(math.MaxInt64)
	since, barred := c.http.Barred()
	switch {
	case c.http.Pending() > 0:
		until = c.limit()
	case barred && c.more:
		until = max(since, w.start) + int64(c.session.job.Timeout)
	}
	if c.more {
		over = w.over
		switch {
		case c.room(w) == 0:
		case w.due != nil:
			due = w.due
		case c.http.Pending() == 0: // it thinks
			until = min(c.ready, w.deadline)
		}
	}
	c.timer.Reset(time.Duration(until - c.session.now()))
	select {
	case first := <-due:
		c.dues = append(c.dues[:0], first)
		for len(c.dues) < c.room(w) {
			select {
			case next := <-due:
				c.dues = append(c.dues, next)
				continue
			default:
			}
			break
		}
		return c.ask(w)
	case r := <-c.reads:
		return c.reply(w, c.took(w, r))
	case <-c.timer.C:
		select {
		case r := <-c.reads: // perhaps it came in time, when we did not
			return c.reply(w, c.took(w, r))
		default:
		}
		switch now := c.session.now(); {
		case now < until:
		case c.http.Pending() > 0:
			c.book.Lock()
			l := c.late(w, now)
			c.book.Unlock()
			return c.reply(w, l)
		case barred && c.more:
			return c.unbar(w, now)
		}
	case <-over:
		c.more = false
	case <-w.ctx.Done():
		return &lost{cancelled: true}
	}
	return nil
}

// limit returns when the oldest request in flight times out.
func (c *conn) limit() int64 { return c.http.Oldest() + int64(c.session.job.Timeout) }

// room returns how many requests may start on c now. A connection that is down is dialled for one
// request.
func (c *conn) room(w *window) int {
	n := c.http.Room(w.Depth(&c.session.job))
	if per := c.session.job.PerConnection; per > 0 {
		n = min(n, per-c.asked)
	}
	if c.nc == nil {
		n = min(n, 1)
	}
	return n
}

// askAtWill starts as many requests in a closed loop as c may start now. With a think time it waits
// until nothing is in flight and the pause is over.
func (c *conn) askAtWill(w *window) *lost {
	if w.due != nil || !c.more {
		return nil
	}
	now := c.session.now()
	due := now
	if w.Think.Mean > 0 {
		if due = c.ready; c.http.Pending() > 0 || now < min(due, w.deadline) {
			return nil
		}
	}
	c.dues = c.dues[:0]
	for range c.room(w) {
		if !w.claim(now) {
			c.more = false
			break
		}
		c.dues = append(c.dues, due)
	}
	if len(c.dues) == 0 {
		return nil
	}
	dialled := c.nc == nil
	if broken := c.ask(w); broken != nil || !dialled || c.nc == nil {
		return broken
	}
	return c.askAtWill(w) // as many more as fit, now that there is a connection
}

// ask starts requests that were due at c.dues, in one write. If c is down, it dials first.
func (c *conn) ask(w *window) *lost {
	s := c.session
	if c.nc != nil && c.http.Pending() == 0 && !c.silent(w) {
		c.hangUp() // its end had not been noticed
	}
	dialled := c.nc == nil
	if dialled {
		if broken, ok := c.dialFor(w); !ok {
			return broken
		}
	}
	now := s.now()
	b, tail, mark := c.owed(), "", 0
	c.parts = c.parts[:0]
	for _, due := range c.dues {
		if b, tail = c.http.Ask(b, due, now); tail != "" {
			c.parts = append(c.parts, b[mark:], unsafe.Slice(unsafe.StringData(tail), len(tail))) // read-only
			mark = len(b)
		}
		c.asked++
	}
	c.out, c.parts = b, append(c.parts, b[mark:])
	c.book.Lock()
	c.book.Sent(len(c.dues), now)
	if !dialled {
		for _, due := range c.dues {
			c.book.Late(due, now)
		}
	}
	if w.due == nil {
		c.book.Planned += int64(len(c.dues))
	}
	c.book.Unlock()
	return c.reply(w, c.write(w, now)) // a long body goes in pieces
}

// write sends c.parts, without copying them into one buffer.
func (c *conn) write(w *window, now int64) *lost {
	s := c.session
	c.nc.SetWriteDeadline(s.base.Add(time.Duration(now) + s.job.Timeout))
	if w.ctx.Err() != nil { // interrupt may have set its deadline before ours
		return &lost{cancelled: true}
	}
	var k int64
	var err error
	if len(c.parts) == 1 {
		var n int
		n, err = c.nc.Write(c.parts[0])
		k = int64(n)
	} else {
		parts := c.parts // WriteTo modifies it
		k, err = parts.WriteTo(c.nc)
	}
	if c.wire != nil {
		k = c.wire.out.Swap(0)
	}
	c.book.Lock()
	c.book.BytesWritten += k
	c.book.Unlock()
	switch {
	case err == nil:
		return nil
	case w.ctx.Err() != nil:
		return &lost{cancelled: true}
	case errors.Is(err, os.ErrDeadlineExceeded):
		select {
		case r := <-c.reads: // it answered before the request was through
			c.took(w, r)
		default:
		}
		return &lost{kind: load.Timeout, err: load.ErrTimeout}
	}
	return c.unwritable(w, err)
}

// reply sends other data than requests that the protocol owes the server, unless c is lost.
func (c *conn) reply(w *window, l *lost) *lost {
	for l == nil && c.nc != nil && c.http.Owes() {
		c.out, c.raw = c.owed(), c.raw[:0]
		c.parts = append(c.parts[:0], c.out)
		l = c.write(w, c.session.now())
	}
	return l
}

// owed returns the output buffer with the data that c's protocol owes the server, requests sent
// again included.
func (c *conn) owed() []byte {
	b, again := c.http.Out(c.out[:0])
	c.book.Lock()
	c.book.SentAgain += int64(again)
	c.book.Unlock()
	return b
}

// late gives up the requests that have timed out by now, without their connection if possible. The
// book is locked.
func (c *conn) late(w *window, now int64) (l *lost) {
	if c.http.Silent(c.http.Oldest()) {
		return &lost{kind: load.Timeout, err: load.ErrTimeout}
	}
	before := now - int64(c.session.job.Timeout)
	for l == nil {
		s := c.http.Cancel(before)
		if s == nil {
			break
		}
		l = c.dropped(w, s, load.Timeout, load.ErrTimeout, c.http.Over(), now)
	}
	return l
}

// unbar gives up a connection on which the server has taken no requests for Job.Timeout, and counts
// a request that had to wait for it.
func (c *conn) unbar(w *window, now int64) *lost {
	due := now
	if w.due == nil {
		c.more = w.claim(now)
	} else {
		select {
		case due = <-w.due:
		default:
			return &lost{kind: load.Timeout}
		}
	}
	if c.more {
		c.book.Lock()
		if c.book.Undial(load.Timeout, due, now); w.due == nil {
			c.book.Planned++
		}
		c.book.Unlock()
		w.text(load.Timeout, load.ErrBarred)
	}
	return &lost{kind: load.Timeout}
}

// unwritable reads the data that the peer sent before it closed the connection: a server may answer
// and close before it has read the whole request.
func (c *conn) unwritable(w *window, err error) *lost {
	c.nc.SetReadDeadline(c.session.base.Add(time.Duration(c.limit())))
	for {
		l := c.took(w, <-c.reads)
		switch {
		case l == nil:
		case l.kind == load.Reset || l.kind == load.Closed && l.err != load.ErrAnnounced:
			return &lost{kind: load.Write, err: err}
		default:
			return l
		}
	}
}

// lose counts the requests in flight on c; all says that none is sent again.
func (c *conn) lose(w *window, l *lost, all bool) {
	now, n := c.session.now(), c.http.Pending()
	if !all {
		n -= c.http.Held()
	}
	c.book.Lock()
	for i := range n {
		s := c.http.Slot(i)
		if c.book.Unanswered(s.Want.Index, s.Due, s.Sent, now); l.cancelled {
			c.book.Flying(s.Due, s.Sent, now)
			continue
		}
		kind, err := c.http.Lost(i, l.kind, l.err)
		c.book.Broken(kind, s.Due, s.Sent, now)
		w.text(kind, err)
	}
	c.book.Unlock()
	if n > 0 {
		c.think(w, now)
	}
	if all {
		c.http.Forget()
	}
}

// broke counts the requests in flight on c and closes c. It reports whether c continues. Then
// requests that the server has not processed are sent again, unless they have waited too long.
func (c *conn) broke(w *window, l *lost) bool {
	if l.cancelled && c.http.Pending() == 0 {
		return false
	}
	c.lose(w, l, l.cancelled || l.kind == load.Timeout)
	used := c.asked > 0
	if c.wire != nil && (l.cancelled || l.kind == load.Timeout || l.kind == load.Write) {
		c.wire.Conn.Close() // crypto/tls would wait five seconds for a peer that does not read
	}
	c.hangUp()
	if l.cancelled {
		return false
	}
	// A connection that ended unused waits for its next request, so that a server which hangs up at
	// once is not dialled in a circle.
	if used && c.more && w.paced() && c.session.job.PerConnection == 0 {
		c.dialAgain(w)
	}
	return true
}

// cutShort records the pause that the end of the window cut short.
func (c *conn) cutShort() {
	if c.heard > 0 && c.http.Pending() == 0 {
		c.book.Lock()
		c.book.Rest(c.ready)
		c.book.Unlock()
	}
}

// think begins the pause after an answer or a loss at now.
func (c *conn) think(w *window, now int64) {
	if w.Think.Mean <= 0 {
		return
	}
	c.ready = now + int64(c.pauses.Next(w.Think))
}
