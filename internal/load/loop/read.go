package loop

import (
	"syscall"

	"dyno/internal/load"
)

// read receives data from c's socket, then sends the requests that the responses allow. over means
// that the peer has closed its side: with EPOLLET that is reported once, perhaps together with the
// last bytes, so read continues until recv returns 0.
//
// It reads at most burst bytes, so that other connections get their turn, and c sends the requests
// that these responses allow. readOn reads the rest in the loop's next turn, because epoll does not
// report it again.
func (w *worker) read(c *conn, over bool) {
	if c.tls != nil {
		c.tls.event(over)
	}
	for left := burst; ; {
		kept := copy(w.in, c.rest)
		n, more, errno := c.read(w.in[kept:])
		now := w.now()
		w.clock = now
		w.here(now)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EAGAIN && c.failed != nil:
			w.broke(c, load.Write, c.failed, now)
			return
		case errno == syscall.EAGAIN:
			w.goOn(c, now)
			return
		case errno == syscall.EPROTO && c.tls != nil:
			kind, err := load.Severed(c.tls.fault)
			if c.tls.ended {
				w.rec.Unnotified++
			}
			w.broke(c, kind, err, now)
			return
		case errno != 0:
			w.broke(c, load.Reset, errno, now)
			return
		case n == 0:
			w.ended(c, now)
			return
		}
		w.rec.BytesRead += c.wire(n)
		if !w.feed(c, w.in[:kept+n], now) {
			return
		}
		if !more && !over {
			w.goOn(c, now)
			return
		}
		if left -= n; left <= 0 {
			c.over = over
			if w.goOn(c, now); c.state != isUp {
				return
			}
			if !c.unread {
				c.unread = true
				w.unread = append(w.unread, c.id)
			}
			return
		}
	}
}

// burst is the number of bytes that are read from one connection before the others get their turn.
const burst = 4 * readBuffer

// readOn continues with connections that had more to read than a burst.
func (w *worker) readOn() {
	n := len(w.unread) // connections that join meanwhile wait for the next turn
	for _, id := range w.unread[:n] {
		c := &w.conns[id]
		if c.unread = false; c.state == isUp {
			w.read(c, c.over)
		}
	}
	w.unread = w.unread[:copy(w.unread, w.unread[n:])]
}

// goOn lets c send again. Without due times, all connections of a batch of events send after all
// have been read: their requests arrive at the server one after the other, so that it sleeps less
// often. Waking it is done on the generator's CPU, so this saves the generator 3 % of its CPU time.
// With due times each connection sends at once.
func (w *worker) goOn(c *conn, now int64) {
	switch {
	case w.win == nil:
		w.reply(c)
	case w.paced:
		w.fill(c, now)
		w.reply(c)
	default:
		w.ready = append(w.ready, c.id)
	}
}

// feed parses b and keeps an incomplete rest. It reports whether c is still usable.
func (w *worker) feed(c *conn, b []byte, now int64) bool {
	raw := b
	for len(b) > 0 {
		n, a, err := c.http.Feed(b, now)
		switch b = b[n:]; {
		case err != nil:
			w.broke(c, load.KindOf(err), err, now)
			return false
		case a == nil:
			c.rest = append(c.rest[:0], b...)
			return true
		case !w.answered(c, a, raw, now):
			return false
		}
	}
	c.rest = c.rest[:0]
	return true
}

// answered judges a response on c. It reports whether c is still usable. raw is the data read last,
// for the complaint.
func (w *worker) answered(c *conn, a *load.Answer, raw []byte, now int64) bool {
	if a.Lost != load.OK {
		w.rec.Broken(a.Lost, a.Due, a.Sent, now)
		w.rec.Unanswered(a.Want.Index, a.Due, a.Sent, now)
		w.say(a.Lost, a.Err)
		return w.settled(c, a.Close, now)
	}
	kind := a.Classify()
	w.rec.Done(kind, a.Status, a.Due, a.Sent, now)
	c.heard++
	w.win.edge.Heard(c.heard, kind, a.Sent, now)
	if w.rec.FirstByte != nil {
		w.rec.FirstByte.Record(a.Began - a.Sent)
		w.rec.Answered(a, kind, now)
	}
	if kind != load.OK && w.complaint == "" {
		w.complaint = a.Complaint(kind, w.job.Scenario, raw)
	}
	return w.settled(c, a.Close, now)
}

// settled continues after a request's outcome on c; last says that c carries no more. It reports
// whether c is still usable.
func (w *worker) settled(c *conn, last bool, now int64) bool {
	w.pending--
	if last || c.budget == 0 && c.http.Pending() == 0 {
		w.lose(c, load.Closed, load.ErrAnnounced, now, false)
		w.again(c, now)
		return false
	}
	return true
}

// ended handles the end of file on c: it may complete a response that ends with the connection, but
// not if TLS was cut off.
func (w *worker) ended(c *conn, now int64) {
	cut := c.tls != nil && !c.tls.bye
	if cut {
		w.rec.Unnotified++
	}
	a, kind, err := c.http.End(cut)
	if a != nil {
		if !w.answered(c, a, nil, now) { // always: such a response closes
			return
		}
	}
	w.broke(c, kind, err, now)
}
