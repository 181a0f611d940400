package load

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"dyno/internal/wire"
)

// Feed reads from b as HTTP1.Feed does. It also returns at the end of a stream without an answer
// (Answer.Lost). After an error (KindOf) the connection cannot be used any more; the error for a
// GOAWAY or a refused stream comes once nothing is in flight.
func (h *HTTP2) Feed(b []byte, now int64) (n int, answer *Answer, err error) {
	p := &h.parser
	h.heard = now
	for answer == nil && err == nil {
		k, event, broken := p.Feed(b[n:])
		if broken != nil {
			return n + k, nil, broken
		}
		if event == wire.GoAway {
			if answer = h.leave(); answer != nil {
				return n + p.Start, answer, nil // Feed sees the GOAWAY again, for the next request that it leaves out
			}
		}
		n += k
		switch event {
		case wire.HTTP2More:
			return n, nil, nil
		case wire.Headers:
			answer, err = h.section(now)
		case wire.Data:
			answer, err = h.data(now)
		case wire.Reset:
			if s := h.find(p.Stream); s != nil && p.Code == wire.RefusedStream {
				h.left = cmp.Or(h.left, errRefused)
				if answer = h.refuse(s, StreamReset, errRefused); len(h.active) == 0 && answer == nil {
					err = h.left
				}
			} else if s != nil {
				answer = h.lose(s, StreamReset, fmt.Errorf("the server reset the stream: %v", p.Code))
			} else {
				err = h.idle()
			}
		case wire.Settled:
			err = h.settle()
		case wire.Pinged:
			h.control = wire.AppendPong(h.control, p.Opaque)
		case wire.Window:
			answer, err = h.widen()
		case wire.GoAway:
			if len(h.active) == 0 {
				err = h.left
			}
		}
		if answer == nil && len(h.control) > mostOwed { // else after the next event: an answer has priority
			err = &wire.HTTP2Error{Code: wire.EnhanceYourCalm,
				Reason: "the server does not read the answers to its frames"}
		}
	}
	return n, answer, err
}

// section handles a header section.
func (h *HTTP2) section(now int64) (*Answer, error) {
	p := &h.parser
	s := h.find(p.Stream)
	if s == nil {
		return nil, h.stray()
	}
	if s.Began == 0 {
		s.Began = now
	}
	head := p.Head
	switch {
	case head.Malformed != "":
		return h.fail(s, wire.ProtocolError, head.Malformed), nil
	case s.head && head.Status > 0:
		return h.fail(s, wire.ProtocolError, ":status in trailers (RFC 9113 8.1)"), nil
	case s.head && !p.End:
		return h.fail(s, wire.ProtocolError, "trailers that do not end the stream (RFC 9113 8.1)"), nil
	case s.head:
		return h.finish(s, head.Fields), nil
	case head.Status == 0:
		return h.fail(s, wire.ProtocolError, "no :status (RFC 9113 8.3.2)"), nil
	case head.Status == 101 || head.Status < 200 && p.End:
		return h.fail(s, wire.ProtocolError, "an interim response that cannot be one (RFC 9113 8.1, 8.6)"), nil
	case head.Status < 200:
		return nil, nil
	}
	s.head, s.status, s.length = true, head.Status, head.Length
	s.good = h.check(s)
	if p.End {
		return h.finish(s, head.Fields), nil
	}
	return nil, nil
}

// check judges the header section at hand, or reuses the verdict on an identical one.
func (h *HTTP2) check(s *stream) bool {
	head, w, v := h.parser.Head, s.Want, &h.verdict
	if h.samples.next() {
		h.samples.head(w, head.Status, head.Fields)
	}
	kept := h.src.Learn(head.Fields, head.ID, w)
	if head.ID != v.id || w.Index != v.index {
		v.id, v.index, v.good = head.ID, w.Index, CheckHeaders(head.Fields, w.Headers)
	}
	return v.good && kept
}

// data handles a piece of DATA.
func (h *HTTP2) data(now int64) (*Answer, error) {
	p := &h.parser
	if h.got += p.Size; h.got > h.window {
		return nil, &wire.HTTP2Error{Code: wire.FlowControlError,
			Reason: fmt.Sprintf("DATA beyond the window of the connection, %d bytes (RFC 9113 6.9.1)", h.window)}
	}
	if h.got >= h.window/2 {
		h.control = wire.AppendWindow(h.control, 0, uint32(h.got))
		h.got = 0
	}
	s := h.find(p.Stream)
	if s == nil {
		return nil, h.stray()
	}
	if s.Began == 0 {
		s.Began = now
	}
	if !s.head {
		return h.fail(s, wire.ProtocolError, "DATA before HEADERS (RFC 9113 8.1)"), nil
	}
	if s.due += p.Size; s.due > h.window {
		return h.fail(s, wire.FlowControlError,
			fmt.Sprintf("DATA beyond the window of the stream, %d bytes (RFC 9113 6.9.1)", h.window)), nil
	}
	if s.due >= h.window/2 && !p.End {
		h.control = wire.AppendWindow(h.control, s.id, uint32(s.due))
		s.due = 0
	}
	w := s.Want
	if w.CheckBody && s.equal {
		rest := int64(len(w.Body)) - s.got
		s.equal = int64(len(p.Piece)) <= rest && bytes.Equal(p.Piece, w.Body[s.got:s.got+int64(len(p.Piece))])
	}
	s.got += int64(len(p.Piece))
	if w.Collect {
		s.taken.Write(p.Piece)
	}
	if p.End {
		return h.finish(s, p.Piece), nil
	}
	return nil, nil
}

// finish makes the answer for s, which is complete. last is the data read last.
func (h *HTTP2) finish(s *stream, last []byte) *Answer {
	w, a := s.Want, &h.answer
	bare := w.Head || s.status == 204 || s.status == 304 // it has no content, whatever its length says
	if s.length >= 0 && s.length != s.got && !bare {
		a := h.fail(s, wire.ProtocolError,
			fmt.Sprintf("content-length %d, but %d bytes of DATA (RFC 9113 8.1.1)", s.length, s.got))
		if s.got < s.length {
			a.Lost = Truncated
		}
		return a
	}
	if s.body != "" { // it was answered before its body was sent
		h.control = wire.AppendReset(h.control, s.id, wire.Cancel)
	}
	h.take(s)
	a.Slot, a.Status, a.Length, a.Equal = &s.Slot, s.status, s.got, s.equal && s.got == int64(len(w.Body))
	a.Headers, a.Surplus, a.Close, a.Lost = s.good, bare && s.got > 0, h.Over(), OK
	a.last = last
	if w.Collect {
		a.look(h.samples.Sampler, s.taken.b)
	}
	return a
}

// lose takes s, which will have no answer, out of flight.
func (h *HTTP2) lose(s *stream, k Kind, err error) *Answer {
	h.take(s)
	a := &h.answer
	a.Slot, a.Lost, a.Err, a.Close = &s.Slot, k, err, h.Over()
	return a
}

// fail gives up s, on which the server broke RFC 9113: a stream error (5.4.2).
func (h *HTTP2) fail(s *stream, c wire.HTTP2Code, why string) *Answer {
	h.reset(s, c)
	if h.parser.End {
		h.dropped = h.dropped[:len(h.dropped)-1]
	}
	a := &h.answer
	a.Slot, a.Lost, a.Err, a.Close = &s.Slot, Parse, &wire.HTTP2Error{Code: c, Reason: why}, h.Over()
	return a
}

// idle returns an error if the event's stream has not begun.
func (h *HTTP2) idle() error {
	if id := h.parser.Stream; id%2 == 0 || id >= h.next {
		return &wire.HTTP2Error{Code: wire.ProtocolError,
			Reason: fmt.Sprintf("a frame of stream %d, which is idle (RFC 9113 5.1)", id)}
	}
	return nil
}

// stray handles HEADERS or DATA on a stream that is not in flight. Frames on a stream that we
// cancelled may have been under way.
func (h *HTTP2) stray() error {
	id := h.parser.Stream
	if err := h.idle(); err != nil || id <= h.forgot {
		return err
	}
	i := slices.Index(h.dropped, id)
	if i < 0 {
		return &wire.HTTP2Error{Code: wire.StreamClosed,
			Reason: fmt.Sprintf("a frame of stream %d, which is closed (RFC 9113 5.1)", id)}
	}
	if h.parser.End {
		h.dropped = slices.Delete(h.dropped, i, i+1)
	}
	return nil
}

// leave handles a GOAWAY. It returns a request that the server leaves out and that is not sent
// again, if there is one.
func (h *HTTP2) leave() *Answer {
	p := &h.parser
	if old, ok := h.left.(*leftError); !ok || old.code != p.Code {
		h.left = &leftError{p.Code, string(p.Piece[:min(len(p.Piece), mostRead)])}
	}
	for i := len(h.active) - 1; i >= 0; i-- {
		if s := h.active[i]; s.id > p.Stream {
			if a := h.refuse(s, GoAway, h.left); a != nil {
				return a
			}
		}
	}
	return nil
}

// settle adopts the server's SETTINGS (RFC 9113 6.5).
func (h *HTTP2) settle() error {
	h.control = wire.AppendSettingsAck(h.control)
	h.settled = true
	for i := 0; ; i++ {
		one, ok := h.parser.Setting(i)
		if !ok {
			return nil
		}
		if err := one.Check(); err != nil {
			return err
		}
		switch v := one.Value; one.ID {
		case wire.HeaderTableSize:
			h.shrunk = h.shrunk || v < wire.TableSize
		case wire.MaxConcurrentStreams:
			h.limit, h.fewest = int(v), int(least(int64(h.fewest), int64(v)))
			if v == 0 {
				h.barred = h.heard
			}
		case wire.InitialWindowSize:
			if !h.shift(int64(v) - h.initial) {
				return one.Wrong(wire.FlowControlError)
			}
			h.initial = int64(v)
			h.more = len(h.sending) > 0
		}
	}
}

// shift changes all streams' windows. It returns false if one becomes too large.
func (h *HTTP2) shift(by int64) bool {
	for _, s := range h.active {
		if s.room += by; s.room > wire.MaxWindow {
			return false
		}
	}
	return true
}

// widen handles a WINDOW_UPDATE (RFC 9113 6.9).
func (h *HTTP2) widen() (*Answer, error) {
	p := &h.parser
	room, s := &h.room, (*stream)(nil)
	if p.Stream > 0 {
		if s = h.find(p.Stream); s == nil {
			return nil, h.idle()
		}
		room = &s.room
	}
	code := wire.NoError
	switch *room += p.Size; {
	case p.Size == 0:
		code = wire.ProtocolError
	case *room > wire.MaxWindow:
		code = wire.FlowControlError
	default:
		h.more = len(h.sending) > 0
		return nil, nil
	}
	why := fmt.Sprintf("WINDOW_UPDATE of %d bytes, which makes %d (RFC 9113 6.9)", p.Size, *room)
	if s == nil {
		return nil, &wire.HTTP2Error{Code: code, Reason: why}
	}
	p.End = false // it belongs to another frame
	return h.fail(s, code, why), nil
}
