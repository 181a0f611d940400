package load

import (
	"fmt"

	"dyno/internal/scenario"
)

// Conn is a connection's protocol: HTTP/1.1, or HTTP/2 if two is set. Its methods are those of
// HTTP1 and HTTP2.
//
// Note: two fields and a branch, not an interface or a type parameter, keep the HTTP/1.1 calls
// direct.
type Conn struct {
	two *HTTP2
	one HTTP1
}

// NewConn returns the protocol for one of job's connections.
func (j *Job) NewConn(src *scenario.Source, heads *Heads) Conn {
	heads.samples.Sampler = j.Samples
	if j.HTTP2 {
		return Conn{two: NewHTTP2(src, heads, j.Pipeline)}
	}
	return Conn{one: NewHTTP1(src, heads, j.Pipeline)}
}

// Reset forgets the requests in flight, for a new connection, except those to be sent again on it
// (Held).
func (c *Conn) Reset() {
	if c.two != nil {
		c.two.Reset()
		return
	}
	c.one.Reset()
}

// Pending returns the number of requests in flight, including those to be sent again.
func (c *Conn) Pending() int {
	if c.two != nil {
		return c.two.Pending()
	}
	return c.one.pending
}

// Held returns how many requests wait to be sent again on a new connection: the server has not
// processed them (HTTP/2). They are the last in Slot's order.
func (c *Conn) Held() int {
	if c.two != nil {
		return len(c.two.held)
	}
	return 0
}

// Forget drops the requests that wait for a new connection, and returns their number.
func (c *Conn) Forget() int {
	n := c.Held()
	if n > 0 {
		c.two.Forget()
	}
	return n
}

// Slot returns the i-th request in flight.
func (c *Conn) Slot(i int) *Slot {
	if c.two != nil {
		return c.two.Slot(i)
	}
	return c.one.Slot(i)
}

// Oldest returns when the oldest request in flight was sent; without one, when the last request was
// sent.
func (c *Conn) Oldest() int64 {
	if c.two != nil {
		return c.two.Oldest()
	}
	return c.one.Oldest()
}

// Room returns how many requests may be sent now, if depth may be in flight.
func (c *Conn) Room(depth int) int {
	if c.two != nil {
		return c.two.Room(depth)
	}
	return depth - c.one.pending
}

// Allowed returns how many of depth requests the server allows in flight; depth if it has not said.
func (c *Conn) Allowed(depth int) int {
	if c.two != nil && c.two.settled {
		return min(depth, c.two.limit)
	}
	return depth
}

// Ask draws the next request, due at due and sent now, and appends it to b, except for a long
// HTTP/1.1 body, which it returns as tail.
func (c *Conn) Ask(b []byte, due, now int64) (_ []byte, tail string) {
	if c.two != nil {
		return c.two.Ask(b, due, now), ""
	}
	return c.one.Ask(b, due, now)
}

// Owes reports whether Out has something to append.
func (c *Conn) Owes() bool { return c.two != nil && c.two.Owes() }

// Out appends data besides new requests: HTTP/2 frames. It returns how many requests it sends again because the server has not processed them.
func (c *Conn) Out(b []byte) (_ []byte, again int) {
	if c.two != nil {
		return c.two.Out(b)
	}
	return b, 0
}

// Feed reads from b, which is not empty.
func (c *Conn) Feed(b []byte, now int64) (n int, answer *Answer, err error) {
	if c.two != nil {
		return c.two.Feed(b, now)
	}
	return c.one.Feed(b, now)
}

// Cancel takes a request that was sent no later than before out of flight. It returns nil if there
// is none, or if the connection has no streams.
func (c *Conn) Cancel(before int64) *Slot {
	if c.two != nil {
		return c.two.Cancel(before)
	}
	return nil
}

// Silent reports whether requests sent by since are lost together with their connection: it has no
// streams, or nothing came on it after since.
func (c *Conn) Silent(since int64) bool { return c.two == nil || c.two.Silent(since) }

// Barred reports whether the server takes no requests although none is in flight, and from when on.
func (c *Conn) Barred() (since int64, ok bool) {
	if c.two != nil {
		return c.two.Barred()
	}
	return 0, false
}

// Over reports whether the connection can carry no further request and none is in flight, for
// example after a GOAWAY.
func (c *Conn) Over() bool { return c.two != nil && c.two.Over() }

// End reports that the server has closed the connection; cut says that it did so without closing
// TLS. It returns the answer that this completes, or the kind and error for the requests in flight.
func (c *Conn) End(cut bool) (a *Answer, kind Kind, err error) {
	kind, err = Closed, ErrClosed
	switch {
	case c.two != nil:
		kind, err = c.two.Ended()
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
	if (kind == Closed || kind == GoAway) && (c.two != nil && i < len(c.two.active) && c.two.active[i].head ||
		c.two == nil && i == 0 && c.one.parser.Within()) {
		if err == ErrClosed {
			return Truncated, ErrTruncated
		}
		return Truncated, fmt.Errorf("%w, within the body of a response", err)
	}
	return kind, err
}
