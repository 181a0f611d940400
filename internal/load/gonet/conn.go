package gonet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// conn is one connection and its requests in flight.
type conn struct {
	session *session
	index   int
	src     *scenario.Source
	book    *book
	parser  http1.Parser
	err     error // of the last dial

	mu sync.Mutex // guards nc against interrupt
	nc net.Conn   // nil: down

	slots   []slot // ring, oldest at first
	first   int
	pending int
	headers bool // those of the response being read are as wanted

	in  []byte
	n   int // bytes in in that are not yet of use
	out []byte
}

// slot is one request in flight.
type slot struct {
	want scenario.Want
	sent int64
}

// lost is how a connection ended.
type lost struct {
	kind      load.Kind
	cancelled bool
}

// run sends and reads for one window.
func (c *conn) run(w *window) {
	s := c.session
	if !w.sleep(s, w.start+int64(w.Spread)*int64(c.index)/int64(s.job.Connections)) {
		return
	}
	for {
		broken := c.fill(w)
		if c.pending == 0 && broken == nil {
			return // nothing may start any more
		}
		if broken == nil {
			broken = c.read(w)
		}
		if broken == nil {
			continue
		}
		c.book.Lock()
		if broken.cancelled {
			c.book.InFlight += int64(c.pending)
		} else {
			c.book.Lost(broken.kind, c.pending)
		}
		c.book.Unlock()
		c.hangUp()
		if broken.cancelled || !c.again(w) {
			return
		}
	}
}

// again dials until there is a connection. It is false when the window is over, or after too many failures.
func (c *conn) again(w *window) bool {
	s := c.session
	for fails := 1; ; fails++ {
		if now := s.now(); w.stop.Load() || w.deadline > 0 && now >= w.deadline || w.Requests > 0 && w.left.Load() <= 0 {
			return false
		}
		err := c.dial(w.ctx)
		if err == nil {
			return true
		}
		now := s.now()
		if !w.take(now) {
			return false
		}
		c.book.Lock()
		c.book.Undial(now, now)
		c.book.Unlock()
		if fails == tries || !w.sleep(s, now+int64(10*time.Millisecond)<<(2*fails)) {
			return false
		}
	}
}

// fill sends as many requests as the pipeline has room for, in one write.
func (c *conn) fill(w *window) *lost {
	s := c.session
	now, n, idle := s.now(), 0, c.pending == 0
	b := c.out[:0]
	for c.pending < len(c.slots) && w.take(now) {
		slot := &c.slots[(c.first+c.pending)%len(c.slots)]
		slot.sent = now
		b = c.src.Next(b, &slot.want)
		c.pending++
		n++
	}
	c.out = b
	if n == 0 {
		return nil
	}
	if idle {
		c.expect()
	}
	c.book.Lock()
	c.book.Sent(n, now)
	c.book.Unlock()
	c.nc.SetWriteDeadline(s.base.Add(time.Duration(now) + s.job.Timeout))
	if w.stop.Load() { // interrupt may have set its deadline before ours
		return &lost{cancelled: true}
	}
	k, err := c.nc.Write(b)
	c.book.Lock()
	c.book.BytesWritten += int64(k)
	c.book.Unlock()
	switch {
	case err == nil:
		return nil
	case w.stop.Load():
		return &lost{cancelled: true}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &lost{kind: load.Timeout}
	}
	return &lost{kind: load.Write}
}

// read takes in what has come, at least something.
func (c *conn) read(w *window) *lost {
	s := c.session
	c.nc.SetReadDeadline(s.base.Add(time.Duration(c.slots[c.first].sent) + s.job.Timeout))
	if w.stop.Load() {
		return &lost{cancelled: true}
	}
	if c.n == len(c.in) {
		c.in = append(c.in, make([]byte, len(c.in))...) // ends at http1.MaxHead
	}
	k, err := c.nc.Read(c.in[c.n:])
	now := s.now()
	c.book.Lock()
	defer c.book.Unlock()
	c.book.BytesRead += int64(k)
	if k > 0 {
		c.n += k
		return c.feed(now)
	}
	switch {
	case err == io.EOF:
		if c.parser.End() == nil {
			return c.answered(false, now)
		}
		return &lost{kind: load.Closed}
	case w.stop.Load():
		return &lost{cancelled: true}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &lost{kind: load.Timeout}
	}
	return &lost{kind: load.Reset}
}

// feed parses what is in in and keeps what is incomplete. The book is locked.
func (c *conn) feed(now int64) *lost {
	b := c.in[:c.n]
	for c.pending > 0 {
		n, event, err := c.parser.Feed(b)
		b = b[n:]
		switch {
		case err != nil:
			return &lost{kind: load.Parse}
		case event == http1.More:
			c.n = copy(c.in, b)
			return nil
		case event == http1.AtHead:
			c.headers = load.CheckHeaders(c.parser.Fields(), c.slots[c.first].want.Headers)
		case event == http1.Done:
			if broken := c.answered(len(b) > 0, now); broken != nil {
				return broken
			}
		}
	}
	c.n = 0
	if len(b) > 0 { // bytes that nobody asked for; the answer before them was judged for it
		return &lost{kind: load.Closed}
	}
	return nil
}

// answered judges the complete response to the oldest request and takes it off. The book is locked.
func (c *conn) answered(more bool, now int64) *lost {
	slot := &c.slots[c.first]
	c.book.Done(load.Judge(&c.parser, &slot.want, c.headers, more && c.pending == 1), c.parser.Status, slot.sent, slot.sent, now)
	c.first = (c.first + 1) % len(c.slots)
	c.pending--
	if c.parser.Close {
		return &lost{kind: load.Closed}
	}
	if c.pending > 0 {
		c.expect()
	}
	return nil
}

// expect tells the parser of the oldest request in flight.
func (c *conn) expect() {
	want := &c.slots[c.first].want
	c.headers = true
	c.parser.Expect(http1.Want{Body: want.Body, CheckBody: want.CheckBody, Head: want.Head, StopAt: len(want.Headers) > 0})
}

// alive reports whether an idle connection is still open and silent.
func (c *conn) alive() bool {
	c.nc.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	_, err := c.nc.Read(c.in[:1])
	return errors.Is(err, os.ErrDeadlineExceeded)
}

func (c *conn) set(nc net.Conn) {
	c.mu.Lock()
	c.nc = nc
	c.mu.Unlock()
	c.n, c.first, c.pending = 0, 0, 0
}

func (c *conn) hangUp() {
	if c.nc != nil {
		c.nc.Close()
		c.set(nil)
	}
}

// interrupt ends a read or write under way, from another goroutine.
func (c *conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nc != nil {
		c.nc.SetDeadline(time.Unix(1, 0))
	}
}
