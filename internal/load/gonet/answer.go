package gonet

import (
	"io"

	"dyno/internal/http1"
	"dyno/internal/load"
)

// took handles the result of one read. What arrived after the timeout of the oldest request is not
// parsed.
func (c *conn) took(w *window, r read) *lost {
	c.book.Lock()
	defer c.book.Unlock()
	c.book.BytesRead += int64(len(r.b))
	if c.pending > 0 && r.at > c.limit() {
		return &lost{kind: load.Timeout, err: load.ErrTimeout}
	}
	if len(r.b) > 0 {
		if broken := c.feed(w, r.b, r.at); broken != nil {
			return broken
		}
	}
	switch {
	case r.err == nil:
		return nil
	case r.err != io.EOF:
		return &lost{kind: load.Reset, err: r.err}
	case c.pending > 0 && c.parser.End() == nil:
		return c.answered(w, false, r.at) // not nil: such an answer closes
	}
	return &lost{kind: load.Closed, err: load.ErrClosed}
}

// feed parses b and keeps an incomplete rest. The book is locked.
func (c *conn) feed(w *window, b []byte, now int64) *lost {
	if len(c.rest) > 0 {
		c.rest = append(c.rest, b...)
		b = c.rest
	}
	for c.pending > 0 {
		if s := &c.slots[c.first]; s.began == 0 && len(b) > 0 {
			s.began = now
		}
		n, event, err := c.parser.Feed(b)
		if w.Observe != nil {
			c.raw = append(c.raw, b[:min(n, load.Shown-len(c.raw))]...)
		}
		b = b[n:]
		switch {
		case err != nil:
			return &lost{kind: load.Parse, err: err}
		case event == http1.More:
			c.rest = append(c.rest[:0], b...)
			return nil
		case event == http1.AtHead:
			want := &c.slots[c.first].want
			c.headers = c.src.Learn(&c.parser, want) && load.CheckHeaders(c.parser.Fields(), want.Headers)
		case event == http1.Done:
			if broken := c.answered(w, len(b) > 0, now); broken != nil {
				return broken
			}
		}
	}
	c.rest = c.rest[:0]
	if len(b) > 0 { // bytes that nobody asked for; the answer before them was judged for it
		return &lost{kind: load.Closed}
	}
	return nil
}

// answered judges the complete response to the oldest request and removes that request. The book is
// locked.
func (c *conn) answered(w *window, more bool, now int64) *lost {
	slot := &c.slots[c.first]
	kind := load.Classify(&c.parser, &slot.want, c.headers, more && c.pending == 1)
	c.book.Done(kind, c.parser.Status, slot.due, slot.sent, now)
	c.heard++
	w.edge.Heard(c.heard, now)
	if c.book.FirstByte != nil {
		c.book.FirstByte.Record(slot.began - slot.sent)
		c.book.Answered(slot.want.Index, kind, slot.due, slot.sent, now)
	}
	if kind != load.OK {
		w.complain(c, kind, slot)
	}
	c.first = (c.first + 1) % len(c.slots)
	if c.pending--; c.pending == 0 {
		c.think(w, now)
	}
	switch {
	case c.parser.Close:
		return &lost{kind: load.Closed, err: load.ErrAnnounced}
	case c.pending > 0:
		c.expect()
	case c.asked == c.session.job.PerConnection: // it is ours to close
		return &lost{kind: load.Closed}
	}
	return nil
}

// expect configures the parser for the oldest request in flight.
func (c *conn) expect() {
	c.headers, c.raw = true, c.raw[:0]
	load.Expect(&c.parser, &c.slots[c.first].want)
}

// complain keeps the first answer that broke its contract, if the window is observed.
func (w *window) complain(c *conn, kind load.Kind, s *slot) {
	if w.Observe == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == "" {
		w.first = load.Complaint(kind, &c.parser, &s.want, c.session.job.Scenario, c.raw)
	}
}
