package load

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/foreign"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// HTTP2 is the client side of an HTTP/2 connection, as HTTP1 is for HTTP/1.1: its requests in
// flight are streams, answered in any order. It neither sends nor receives. Once its memory has
// grown, it allocates only when cookies change.
type HTTP2 struct {
	src     *scenario.Source
	samples turns
	parser  wire.HTTP2Parser
	active  []*stream // streams in flight, in no order
	free    []*stream
	held    []*stream // not processed by the server, for the next connection
	index   []*stream // streams by number, modulo the index's length; a guess, which find checks
	next    uint32    // the next stream's number
	sent    int64     // when the last request was sent
	answer  Answer
	verdict verdict

	control []byte    // frames to be sent before anything else
	sending []*stream // streams with unsent body
	more    bool      // some unsent body may be sent now

	window int64 // granted to the connection and to each stream
	got    int64 // bytes received since we last widened the connection's window

	// The server's announcements.
	heard   int64 // when it last sent something; 0: not yet
	barred  int64 // when it last said that it takes no streams
	settled bool  // the server's SETTINGS have come
	limit   int   // streams at a time
	fewest  int   // least limit since Allowed was called; 0: none was given
	initial int64 // a new stream's window
	room    int64 // left in the connection's window
	shrunk  bool  // it shrank the header table, and was not answered
	left    error // its GOAWAY, or why it did not process a stream; nil: none

	dropped []uint32 // streams that we cancelled, on which the server may still send
	forgot  uint32   // all cancelled streams up to this number
}

// stream is a request in flight.
type stream struct {
	Slot
	id     uint32 // 0: it is free
	at     int    // index in active
	head   bool   // the header section has come
	status int
	length int64 // Content-Length; -1: unknown
	got    int64 // body bytes received
	due    int64 // bytes received since we last widened its window
	equal  bool
	good   bool // the headers are as wanted

	room    int64     // left in its window, for body
	body    string    // unsent rest of whole
	whole   string    // the whole body
	memory  []byte    // memory for a drawn body
	block   []byte    // the request's header block
	refused int       // how often the server did not process it
	queued  bool      // the stream is in sending
	taken   collected // the answer's body, if the contract needs it whole
}

// verdict is the result for the last header section, because servers repeat header sections.
type verdict struct {
	id    uint64
	index int // the request's index in the scenario
	good  bool
}

const (
	grant = 1 << 30 // the window we grant: the client must not limit a server

	mostOut   = 64 << 10 // body bytes that Out appends at a time
	mostOwed  = 1 << 20  // bytes owed to a server that does not read
	mostKnown = 256      // cancelled streams that are remembered one by one
	mostAgain = 10       // times a request is sent again
)

// NewHTTP2 returns an HTTP2 for src's requests, with up to depth in flight.
func NewHTTP2(src *scenario.Source, heads *Heads, depth int) *HTTP2 {
	size := 2
	for size < 2*depth {
		size *= 2
	}
	h := &HTTP2{src: src, samples: heads.samples, index: make([]*stream, size), window: grant}
	all := make([]stream, depth)
	for i := range all {
		h.free = append(h.free, &all[i])
	}
	h.Reset()
	return h
}

// Reset forgets the requests in flight, for a new connection, which Out begins, except those to be
// sent again on it.
func (h *HTTP2) Reset() {
	for len(h.active) > 0 {
		h.take(h.active[len(h.active)-1])
	}
	for _, s := range h.sending {
		s.queued = false
	}
	h.parser.Reset()
	h.sending, h.dropped = h.sending[:0], h.dropped[:0]
	h.next, h.forgot, h.got, h.heard = 1, 0, 0, 0
	h.settled, h.shrunk, h.more, h.left = false, false, false, nil
	h.limit, h.initial, h.room = math.MaxInt, wire.InitialWindow, wire.InitialWindow
	slices.SortStableFunc(h.held, func(a, b *stream) int { return cmp.Compare(a.Sent, b.Sent) })
	h.control = append(h.control[:0], wire.Preface...)
	h.control = wire.AppendSettings(h.control, wire.HTTP2Setting{ID: wire.EnablePush},
		wire.HTTP2Setting{ID: wire.InitialWindowSize, Value: uint32(h.window)})
	if more := h.window - wire.InitialWindow; more > 0 {
		h.control = wire.AppendWindow(h.control, 0, uint32(more))
	}
}

// Pending returns the number of requests in flight, including those to be sent again.
func (h *HTTP2) Pending() int { return len(h.active) + len(h.held) }

// Slot returns the i-th request in flight, in no order; those to be sent again come last.
func (h *HTTP2) Slot(i int) *Slot {
	if i >= len(h.active) {
		return &h.held[i-len(h.active)].Slot
	}
	return &h.active[i].Slot
}

// Held returns how many requests wait to be sent again on a new connection: the server has not
// processed them. They are the last in Slot's order.
func (h *HTTP2) Held() int {
	if h == nil {
		return 0
	}
	return len(h.held)
}

// Forget drops the requests that are to be sent again, and returns their number.
func (h *HTTP2) Forget() (n int) {
	if n = h.Held(); n > 0 {
		h.free = append(h.free, h.held...)
		h.held = h.held[:0]
	}
	return n
}

// Oldest returns when the oldest request in flight was sent; without one, when the last was sent.
func (h *HTTP2) Oldest() int64 {
	oldest := h.sent
	for _, s := range h.active {
		oldest = min(oldest, s.Sent)
	}
	for _, s := range h.held {
		oldest = min(oldest, s.Sent)
	}
	return oldest
}

// Room returns how many requests may be sent now, if depth may be in flight. Until the server has
// said how many streams it allows, that is one.
func (h *HTTP2) Room(depth int) int {
	switch {
	case h.left != nil || h.next > wire.MaxStream:
		return 0
	case !h.settled:
		depth = 1
	}
	return max(0, min(depth, h.limit)-len(h.active)-len(h.held))
}

// Allowed returns how many of depth requests the server allowed in flight at all times since the last call; depth if it
// has not said.
func (h *HTTP2) Allowed(depth int) int {
	if h == nil || h.fewest == 0 {
		return depth
	}
	fewest := h.fewest
	if h.fewest = 0; h.limit < math.MaxInt {
		h.fewest = h.limit
	}
	return min(depth, fewest)
}

// resends reports whether a request may be sent again now.
func (h *HTTP2) resends() bool {
	return len(h.held) > 0 && h.left == nil && h.next <= wire.MaxStream && len(h.active) < h.limit &&
		(h.settled || len(h.active) == 0)
}

// Ask draws the next request, due at due and sent now, and appends it to b, with as much body as
// the server accepts now. There must be Room for it.
func (h *HTTP2) Ask(b []byte, due, now int64) []byte {
	b = h.say(b)
	last := len(h.free) - 1
	s := h.free[last]
	h.free = h.free[:last]
	s.Due, s.Sent, s.refused = due, now, 0
	h.sent = now
	var d scenario.Draw
	s.Want = h.src.Draw(&d, &s.own)
	s.block, s.memory, s.whole = d.HTTP2(s.block[:0], s.memory)
	return h.begin(b, s)
}

// begin appends s's request, on a new stream.
func (h *HTTP2) begin(b []byte, s *stream) []byte {
	s.id, s.at, s.room, s.Began = h.next, len(h.active), h.initial, 0
	s.head, s.status, s.length, s.got, s.due, s.equal = false, 0, -1, 0, 0, true
	h.active = append(h.active, s)
	h.index[h.place(s.id)] = s
	h.next += 2

	at := len(b)
	b = wire.BeginHeaders(b)
	if h.shrunk {
		b, h.shrunk = append(b, wire.NoTable), false
	}
	s.body = s.whole
	b = wire.EndHeaders(append(b, s.block...), at, s.id, s.body == "")
	s.taken.Reset()
	if b = h.send(b, s, len(b)+mostOut); s.body != "" {
		if !s.queued { // else it is queued since its last request, whose body was cut short
			s.queued = true
			h.sending = append(h.sending, s)
		}
		h.more = h.more || min(h.room, s.room) > 0
	}
	return b
}

// Owes reports whether Out has something to append.
func (h *HTTP2) Owes() bool { return h != nil && h.owes() }

func (h *HTTP2) owes() bool { return len(h.control) > 0 || h.more || h.resends() }

// Out appends data besides new requests: the connection's beginning, answers to the server's
// frames, requests that are sent again, and bodies, a part at a time. It returns how many requests
// it sends again.
func (h *HTTP2) Out(b []byte) (_ []byte, again int) {
	b = h.say(b)
	for ; h.resends(); again++ {
		s := h.held[0]
		h.held = h.held[:copy(h.held, h.held[1:])]
		b = h.begin(b, s)
	}
	if !h.more {
		return b, again
	}
	most := len(b) + mostOut
	kept := h.sending[:0]
	for _, s := range h.sending {
		if b = h.send(b, s, most); s.body != "" {
			kept = append(kept, s)
		} else {
			s.queued = false
		}
	}
	h.sending, h.more = kept, len(b) >= most
	return b, again
}

// say appends the waiting control frames.
func (h *HTTP2) say(b []byte) []byte {
	b = append(b, h.control...)
	h.control = h.control[:0]
	return b
}

// send appends s's body, as far as the windows allow and b stays below most bytes.
func (h *HTTP2) send(b []byte, s *stream, most int) []byte {
	for s.body != "" && len(b) < most {
		n := min(int64(len(s.body)), h.room, s.room, wire.MaxFrame)
		if n <= 0 {
			break
		}
		b = wire.AppendData(b, s.id, s.body[:n], int(n) == len(s.body))
		s.body = s.body[n:]
		s.room -= n
		h.room -= n
	}
	return b
}

// Cancel takes a request that was sent at before, or earlier, out of flight, and cancels its
// stream. It returns nil if there is none, or if the connection has no streams.
func (h *HTTP2) Cancel(before int64) *Slot {
	if h == nil {
		return nil
	}
	for _, s := range h.active {
		if s.Sent <= before {
			h.reset(s, wire.Cancel)
			return &s.Slot
		}
	}
	for i, s := range h.held {
		if s.Sent <= before {
			h.held = slices.Delete(h.held, i, i+1)
			h.free = append(h.free, s)
			return &s.Slot
		}
	}
	return nil
}

// Over reports whether the connection can carry no further request and none is in flight: after a
// GOAWAY, or when the stream numbers are used up.
func (h *HTTP2) Over() bool {
	return h != nil && len(h.active) == 0 && (h.left != nil || h.next > wire.MaxStream)
}

// Silent reports whether requests sent by since are lost together with their connection: it has no
// streams, or nothing came on it after since.
func (h *HTTP2) Silent(since int64) bool { return h == nil || h.heard <= since }

// Barred reports whether the server takes no streams although none is in flight, and from when on.
func (h *HTTP2) Barred() (since int64, ok bool) {
	if h == nil {
		return 0, false
	}
	return h.barred, h.limit == 0 && len(h.active) == 0
}

// Ended returns the kind and error for requests in flight after the server closed the connection.
func (h *HTTP2) Ended() (Kind, error) {
	if kind := KindOf(h.left); kind == GoAway {
		return kind, h.left
	}
	return Closed, ErrClosed
}

// place returns the index for a stream number in h.index.
func (h *HTTP2) place(id uint32) int { return int(id>>1) & (len(h.index) - 1) }

// find returns the stream in flight with this number, or nil.
func (h *HTTP2) find(id uint32) *stream {
	if s := h.index[h.place(id)]; s != nil && s.id == id {
		return s
	}
	for _, s := range h.active { // a later stream took its place
		if s.id == id {
			return s
		}
	}
	return nil
}

// take takes s out of flight.
func (h *HTTP2) take(s *stream) {
	h.remove(s)
	h.free = append(h.free, s)
}

func (h *HTTP2) remove(s *stream) {
	last := len(h.active) - 1
	h.active[s.at] = h.active[last]
	h.active[s.at].at = s.at
	h.active = h.active[:last]
	s.id, s.body = 0, ""
}

// refuse handles a stream that the server did not process, according to err: its request is sent
// again on the next connection (RFC 9113, section 8.7), up to mostAgain times. After that, or if
// the server did process it, refuse returns its answer.
func (h *HTTP2) refuse(s *stream, k Kind, err error) *Answer {
	if s.head { // it did process it
		return h.lose(s, k, err)
	}
	if s.refused++; s.refused > mostAgain {
		return h.lose(s, k, fmt.Errorf("%w, after the request was sent again %d times", err, mostAgain))
	}
	h.remove(s)
	h.held = append(h.held, s)
	return nil
}

// reset takes s out of flight and tells the server, which may have sent more by then.
func (h *HTTP2) reset(s *stream, c wire.HTTP2Code) {
	h.control = wire.AppendReset(h.control, s.id, c)
	if len(h.dropped) == mostKnown {
		h.forgot = max(h.forgot, h.dropped[0])
		h.dropped = h.dropped[:copy(h.dropped, h.dropped[1:])]
	}
	h.dropped = append(h.dropped, s.id)
	h.take(s)
}

// errRefused is the error for a stream that the server did not process.
var errRefused = fmt.Errorf("the server reset the stream: %v", wire.RefusedStream)

// leftError is the server's GOAWAY.
type leftError struct {
	code  wire.HTTP2Code
	debug string
}

func (e *leftError) Error() string {
	text := fmt.Sprintf("the server sent GOAWAY: %v", e.code)
	if e.debug != "" {
		text += fmt.Sprintf(", %.*q", Shown, foreign.Received(e.debug))
	}
	return text
}
