package load

import (
	"fmt"

	"dyno/internal/scenario"
)

// Conn is a connection's protocol: HTTP/1.1, or HTTP/2 if that is set. Its methods are those of HTTP1 and
// HTTP2; those that HTTP1 lacks are HTTP2's, which say what holds for HTTP/1.1 if h is nil.
//
// Note: two fields and a branch, not an interface or a type parameter, keep the HTTP/1.1 calls
// direct.
type Conn struct {
	*HTTP2
	one HTTP1
}

// NewConn returns the protocol for one of job's connections.
func (j *Job) NewConn(src *scenario.Source, heads *Heads) Conn {
	heads.samples.Sampler = j.Samples
	if j.HTTP2 {
		return Conn{HTTP2: NewHTTP2(src, heads, j.Pipeline)}
	}
	return Conn{one: NewHTTP1(src, heads, j.Pipeline)}
}

// Reset forgets the requests in flight, for a new connection, except those to be sent again on it
// (Held).
func (c *Conn) Reset() {
	if c.HTTP2 != nil {
		c.HTTP2.Reset()
		return
	}
	c.one.Reset()
}

// Pending returns the number of requests in flight, including those to be sent again.
func (c *Conn) Pending() int {
	if c.HTTP2 != nil {
		return c.HTTP2.Pending()
	}
	return c.one.pending
}

// Slot returns the i-th request in flight.
func (c *Conn) Slot(i int) *Slot {
	if c.HTTP2 != nil {
		return c.HTTP2.Slot(i)
	}
	return c.one.Slot(i)
}

// Oldest returns when the oldest request in flight was sent; without one, when the last request was
// sent.
func (c *Conn) Oldest() int64 {
	if c.HTTP2 != nil {
		return c.HTTP2.Oldest()
	}
	return c.one.Oldest()
}

// Room returns how many requests may be sent now, if depth may be in flight.
func (c *Conn) Room(depth int) int {
	if c.HTTP2 != nil {
		return c.HTTP2.Room(depth)
	}
	return depth - c.one.pending
}

// Ask draws the next request, due at due and sent now, and appends it to b, except for a long
// HTTP/1.1 body, which it returns as tail.
func (c *Conn) Ask(b []byte, due, now int64) (_ []byte, tail string) {
	if c.HTTP2 != nil {
		return c.HTTP2.Ask(b, due, now), ""
	}
	return c.one.Ask(b, due, now)
}

// Feed reads from b, which is not empty.
func (c *Conn) Feed(b []byte, now int64) (n int, answer *Answer, err error) {
	if c.HTTP2 != nil {
		return c.HTTP2.Feed(b, now)
	}
	return c.one.Feed(b, now)
}

// End reports that the server has closed the connection; cut says that it did so without closing
// TLS. It returns the answer that this completes, or the kind and error for the requests in flight.
func (c *Conn) End(cut bool) (a *Answer, kind Kind, err error) {
	kind, err = Closed, ErrClosed
	switch {
	case c.HTTP2 != nil:
		kind, err = c.HTTP2.Ended()
	case !cut:
		a = c.one.End()
	}
	if cut && kind == Closed {
		err = ErrUnnotified
	}
	return a, kind, err
}

// Lost returns the kind and error for the i-th request in flight if its connection is lost with
// kind and err: Truncated if the server closed it within the response body.
func (c *Conn) Lost(i int, kind Kind, err error) (Kind, error) {
	if (kind == Closed || kind == GoAway) && (c.HTTP2 != nil && i < len(c.HTTP2.active) && c.HTTP2.active[i].head ||
		c.HTTP2 == nil && i == 0 && c.one.parser.Within()) {
		if err == ErrClosed {
			return Truncated, ErrTruncated
		}
		return Truncated, fmt.Errorf("%w, within the body of a response", err)
	}
	return kind, err
}
