package load

import (
	"errors"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// ErrUnasked is the error for bytes that belong to no response.
var ErrUnasked = errors.New("the server sent bytes without a request")

// KindOf returns the kind that requests in flight count as if Feed fails with err.
func KindOf(err error) Kind {
	if err == ErrUnasked {
		return Closed
	}
	if err == errRefused {
		return StreamReset
	}
	if _, ok := err.(*leftError); ok {
		return GoAway
	}
	return Parse
}

// Slot is a request in flight. Times are ns on the session's clock.
type Slot struct {
	Due, Sent int64
	Began     int64          // when the first byte of the response was read; 0: not yet
	Want      *scenario.Want // own, or shared with other requests
	own       scenario.Want
}

// HTTP1 is the client side of an HTTP/1.1 connection: it renders requests, holds those in flight,
// oldest first, and reads their responses. It neither sends nor receives, so that the
// engine decides how. Once its buffers have grown, it allocates only when cookies change.
type HTTP1 struct {
	src     *scenario.Source
	heads   *Heads
	slots   []Slot // requests in flight, as a ring
	first   int
	pending int
	headers bool      // the response being read has the wanted ones
	body    collected // body of the response being read, if the contract needs it whole
	sampled bool      // the Sampler takes this response's header section
	parser  wire.HTTP1Parser
}

// Heads holds the last header section with its verdict, because servers repeat header sections, and
// the last request drawn and the last answer. One goroutine's connections share it, so that it
// stays in the CPU's cache, which a Heads per connection would exceed.
type Heads struct {
	memo    wire.Memo
	id      uint64        // identifies the header section
	index   int           // the request's index in the scenario
	good    bool          // it has the headers that the request wants
	draw    scenario.Draw // the last request drawn, in HTTP/1.1
	samples turns
	answer  Answer
}

// NewHTTP1 returns an HTTP1 for src's requests, with up to depth in flight.
func NewHTTP1(src *scenario.Source, heads *Heads, depth int) HTTP1 {
	return HTTP1{src: src, heads: heads, slots: make([]Slot, depth), parser: wire.HTTP1Parser{Memo: &heads.memo}}
}

// Reset forgets the requests in flight, for a new connection.
func (h *HTTP1) Reset() {
	h.first, h.pending = 0, 0
}

// Pending returns the number of requests in flight.
func (h *HTTP1) Pending() int { return h.pending }

// Slot returns the i-th request in flight, the oldest first.
func (h *HTTP1) Slot(i int) *Slot {
	if i += h.first; i >= len(h.slots) {
		i -= len(h.slots)
	}
	return &h.slots[i]
}

// Oldest returns when the oldest request in flight was sent; without one, when the last was sent,
// which may have been answered before it was written in full.
func (h *HTTP1) Oldest() int64 {
	if h.pending == 0 {
		return h.Slot(len(h.slots) - 1).Sent
	}
	return h.slots[h.first].Sent
}

// Ask draws the next request, due at due and sent now, and appends it to b, except for a long body,
// which it returns as tail.
func (h *HTTP1) Ask(b []byte, due, now int64) (_ []byte, tail string) {
	s := h.Slot(h.pending)
	s.Due, s.Sent, s.Began = due, now, 0
	d := &h.heads.draw
	s.Want = h.src.Draw(d, &s.own)
	if h.pending++; h.pending == 1 {
		h.expect(s.Want)
	}
	return d.HTTP1(b)
}

// Feed reads from b, which is not empty, as wire.HTTP1Parser.Feed does. It returns at a response's end,
// which answer describes until the next call, or with a nil answer once it has used all it can of
// b. After an error (KindOf) the connection cannot be used any more.
func (h *HTTP1) Feed(b []byte, now int64) (n int, answer *Answer, err error) {
	if h.pending == 0 {
		return 0, nil, ErrUnasked
	}
	s := &h.slots[h.first]
	begins := s.Began == 0
	if begins {
		s.Began = now
	}
	for {
		k, event, err := h.parser.Feed(b[n:])
		n += k
		switch {
		case err != nil && begins && wire.IsPreface(b):
			return n, nil, ErrHTTP2
		case err != nil:
			return n, nil, err
		case event == wire.Done:
			return n, h.answered(s, n < len(b)), nil
		case event == wire.HTTP1More:
			return n, nil, nil
		}
		h.headers = h.check(s.Want)
	}
}

// End reports that the connection has closed. It returns the answer that this completes, or nil.
func (h *HTTP1) End() *Answer {
	s := &h.slots[h.first]
	if h.pending == 0 || h.parser.End() != nil {
		return nil
	}
	return h.answered(s, false)
}

// expect configures the parser for the next response, to w. It does not allocate.
func (h *HTTP1) expect(w *scenario.Want) {
	h.headers, h.sampled = true, h.heads.samples.next()
	var sink wire.Sink
	if w.Collect {
		sink = &h.body
	}
	h.parser.Expect(wire.Want{
		Body: w.Body, CheckBody: w.CheckBody, Sink: sink, Head: w.Head,
		StopAt: len(w.Headers) > 0 || w.Cookies || h.sampled,
	})
}

// check judges the header section at hand, or reuses the verdict on an identical one.
func (h *HTTP1) check(w *scenario.Want) bool {
	p, m := &h.parser, h.heads
	if h.sampled {
		m.samples.head(w, p.Status, p.Fields())
	}
	kept := h.src.Learn(p.Fields(), p.HeadID, w)
	if p.HeadID == 0 || p.HeadID != m.id || w.Index != m.index {
		m.id, m.index, m.good = p.HeadID, w.Index, CheckHeaders(p.Fields(), w.Headers)
	}
	return m.good && kept
}

// answered takes the oldest request, whose response is complete, out of flight. more says that
// bytes follow.
func (h *HTTP1) answered(s *Slot, more bool) *Answer {
	if h.first++; h.first == len(h.slots) {
		h.first = 0
	}
	h.pending--
	p, a := &h.parser, &h.heads.answer
	// Field by field: a composite literal would be built apart, then copied.
	a.Slot, a.Status, a.Length, a.Equal = s, p.Status, p.Length, p.Matches()
	a.Headers, a.Surplus, a.Close = h.headers, more && h.pending == 0, p.Close
	if s.Want.Collect {
		a.look(h.heads.samples.Sampler, h.body.b)
	}
	if h.pending > 0 {
		h.expect(h.slots[h.first].Want)
	}
	return a
}
