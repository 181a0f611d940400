package gonet

import (
	"io"

	"dyno/internal/load"
)

// took handles the result of one read. It does not answer requests that had timed out before.
func (c *conn) took(w *window, r read) *lost {
	c.book.Lock()
	defer c.book.Unlock()
	c.book.BytesRead += r.size
	if c.http.Pending() > 0 && r.at > c.limit() {
		if l := c.late(w, r.at-1); l != nil {
			return l
		}
	}
	if len(r.b) > 0 {
		if broken := c.feed(w, r.b, r.at); broken != nil {
			return broken
		}
	}
	if r.err == nil {
		return nil
	}
	cut := c.wire != nil && c.wire.ended.Load() // otherwise TLS announced the end before
	if cut {
		c.book.Unnotified++
	}
	if r.err != io.EOF {
		kind, err := load.Severed(r.err)
		return &lost{kind: kind, err: err}
	}
	a, kind, err := c.http.End(cut)
	if a != nil {
		return c.answered(w, a, r.at) // not nil: such an answer closes
	}
	return &lost{kind: kind, err: err}
}

// feed parses b and keeps an incomplete rest. The book is locked.
func (c *conn) feed(w *window, b []byte, now int64) *lost {
	if len(c.rest) > 0 {
		c.rest = append(c.rest, b...)
		b = c.rest
	}
	for len(b) > 0 {
		n, a, err := c.http.Feed(b, now)
		if w.Observe != nil {
			c.raw = append(c.raw, b[:min(n, load.Shown-len(c.raw))]...)
		}
		switch b = b[n:]; {
		case err != nil:
			return &lost{kind: load.KindOf(err), err: err}
		case a == nil:
			c.rest = append(c.rest[:0], b...)
			return nil
		}
		if broken := c.answered(w, a, now); broken != nil {
			return broken
		}
	}
	c.rest = c.rest[:0]
	return nil
}

// answered judges a response. The book is locked.
func (c *conn) answered(w *window, a *load.Answer, now int64) *lost {
	if a.Lost != load.OK {
		return c.dropped(w, a.Slot, a.Lost, a.Err, a.Close, now)
	}
	kind := a.Classify()
	c.book.Done(kind, a.Status, a.Due, a.Sent, now)
	c.heard++
	w.edge.Heard(c.heard, kind, a.Sent, now)
	if c.book.FirstByte != nil {
		c.book.FirstByte.Record(a.Began - a.Sent)
		c.book.Answered(a, kind, now)
	}
	if kind != load.OK {
		w.complain(c, kind, a)
	}
	c.raw = c.raw[:0]
	pending := c.http.Pending()
	if pending == 0 {
		c.think(w, now)
	}
	switch {
	case a.Close:
		return &lost{kind: load.Closed, err: load.ErrAnnounced}
	case pending == 0 && c.asked == c.session.job.PerConnection: // the connection is ours to close
		return &lost{kind: load.Closed}
	}
	return nil
}

// dropped counts a request that is lost without its connection, unless it was the last. The book is
// locked.
func (c *conn) dropped(w *window, s *load.Slot, k load.Kind, err error, last bool, now int64) *lost {
	c.book.Broken(k, s.Due, s.Sent, now)
	c.book.Unanswered(s.Want.Index, s.Due, s.Sent, now)
	w.text(k, err)
	c.raw = c.raw[:0]
	pending := c.http.Pending()
	if pending > 0 && !last {
		return nil
	}
	if pending == 0 {
		c.think(w, now)
	}
	if last || c.asked == c.session.job.PerConnection {
		return &lost{kind: k, err: err}
	}
	return nil
}

// complain keeps the first answer that broke its contract, if the window is observed.
func (w *window) complain(c *conn, kind load.Kind, a *load.Answer) {
	if w.Observe == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == "" {
		w.first = a.Complaint(kind, c.session.job.Scenario, c.raw)
	}
}
