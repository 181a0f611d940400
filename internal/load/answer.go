package load

import (
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Answer is a complete response, as a load judges it.
type Answer struct {
	*Slot         // the request; valid until the next request is made
	Status  int   // status code
	Length  int64 // bytes in the body
	Equal   bool  // the body is the expected one
	Headers bool  // the headers that the contract asks for are present
	Surplus bool  // bytes follow that belong to no response
	Close   bool  // the connection must not be used again

	// Lost is the error kind of a request that gets no answer although its connection continues; OK
	// means that it has an answer. If Lost is set, only Slot, Err and Close are.
	Lost Kind
	Err  error

	last []byte // HTTP/2: the data read last: from the body, or else the fields
	why  string // how the rows in the body break their contract
}

// look judges a body that was collected.
func (a *Answer) look(s *Sampler, body []byte) {
	w := a.Want
	if w.Rows != nil && w.Accepts(a.Status) {
		a.why = w.Rows.Breach(body)
		a.Equal = a.why == ""
	}
	if w.Shape != nil {
		s.take(w, a.Status, body, a.Length)
	}
}

// Classify compares the response with its contract.
func (a *Answer) Classify() Kind {
	w := a.Want
	switch {
	case !w.Accepts(a.Status):
		return Status
	case !a.Headers:
		return Header
	case a.Surplus:
		return Length
	case w.Head:
		return OK
	case w.CheckBody:
		switch {
		case a.Equal:
			return OK
		case a.Length != int64(len(w.Body)):
			return Length
		}
		return Body
	case w.Rows != nil && !a.Equal:
		return Body
	}
	return OK
}

// CheckHeaders reports whether every wanted header is in fields, with a matching value.
func CheckHeaders(fields []byte, wanted []scenario.Header) bool {
	for i := range wanted {
		if !has(fields, &wanted[i]) {
			return false
		}
	}
	return true
}

func has(fields []byte, h *scenario.Header) bool {
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			return false
		}
		if wire.EqualFold(name, h.Name) && h.Match(value) {
			return true
		}
		fields = rest
	}
}
