package epoll

import (
	"syscall"

	"dyno/internal/http1"
	"dyno/internal/load"
)

// read takes in what c has received, then sends what its answers make room for. Over says that the peer has closed its side: under
// EPOLLET its end is announced once, perhaps together with its last bytes, so one must read on until it shows. Otherwise a read
// shorter than the buffer has emptied the socket (epoll(7), Q9).
func (w *worker) read(c *conn, over bool) {
	for {
		kept := copy(w.in, c.rest)
		room := w.in[kept:]
		n, errno := recv(c.fd, room)
		now := w.now()
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EAGAIN:
			w.fill(c, now)
			return
		case errno != 0:
			w.broke(c, load.Reset, now)
			return
		case n == 0:
			w.ended(c, now)
			return
		}
		w.rec.BytesRead += int64(n)
		if !w.feed(c, w.in[:kept+n], now) {
			return
		}
		if n < len(room) && !over {
			w.fill(c, now)
			return
		}
	}
}

// feed parses b and keeps what is incomplete. It reports whether c is still of use.
func (w *worker) feed(c *conn, b []byte, now int64) bool {
	for c.pending > 0 {
		n, event, err := c.parser.Feed(b)
		b = b[n:]
		switch {
		case err != nil:
			w.broke(c, load.Parse, now)
			return false
		case event == http1.More:
			c.rest = append(c.rest[:0], b...)
			return true
		case event == http1.AtHead:
			w.checkHeaders(c)
		case event == http1.Done:
			if !w.answered(c, len(b) > 0, now) {
				return false
			}
		}
	}
	if len(b) > 0 { // bytes that nobody asked for; if they followed an answer, that was judged for it
		w.quiet++
		w.again(c, now)
		return false
	}
	c.rest = c.rest[:0]
	return true
}

// answered judges the complete response to c's oldest request and takes it off. It reports whether c is still of use.
func (w *worker) answered(c *conn, more bool, now int64) bool {
	s := &c.slots[c.first]
	w.rec.Done(load.Judge(&c.parser, &s.want, c.headers, more && c.pending == 1), c.parser.Status, s.sent, s.sent, now)
	if c.first++; c.first == len(c.slots) {
		c.first = 0
	}
	c.pending--
	w.pending--
	if c.parser.Close {
		w.rec.Lost(load.Closed, c.pending)
		w.again(c, now)
		return false
	}
	if c.pending > 0 {
		c.expect()
	}
	return true
}

// checkHeaders judges the header section at hand, or remembers how its like was judged.
func (w *worker) checkHeaders(c *conn) {
	want := &c.slots[c.first].want
	if id := c.parser.HeadID; id == 0 || id != w.headID || w.headersOf != want.Index {
		w.headers = load.CheckHeaders(c.parser.Fields(), want.Headers)
		w.headID, w.headersOf = id, want.Index
	}
	c.headers = w.headers
}

// ended says that the peer closed c.
func (w *worker) ended(c *conn, now int64) {
	if c.pending > 0 && c.parser.End() == nil {
		if !w.answered(c, false, now) { // always: such a response closes
			return
		}
	}
	w.broke(c, load.Closed, now)
}
