package refserver

import (
	"bytes"
	"errors"
	"slices"
)

// servedAnswer is a response ready to be sent.
type servedAnswer struct {
	Answer
	start      []byte
	head, many []byte        // head begins Bytes; many repeats it
	given      *uint64       // count of sessions
	kept       *servedAnswer // the response to HTTP/1.0 with keep-alive
}

// served prepares a response, and a second form for HTTP/1.0 with keep-alive.
func served(a Answer) (*servedAnswer, error) {
	end := bytes.Index(a.Bytes, nullBlank)
	if end < 0 {
		return nil, errors.New("serve null: a response's header section does not end")
	}
	end += len(nullBlank)
	one := ready(a, end, new(uint64))
	a.Bytes = slices.Insert(slices.Clone(a.Bytes), end-len("\r\n"), nullKept...)
	one.kept = ready(a, end+len(nullKept), one.given)
	return one, nil
}

// ready returns a response whose header section has head bytes.
func ready(a Answer, head int, given *uint64) *servedAnswer {
	copies := max(1, min(64, 64<<10/len(a.Bytes)))
	return &servedAnswer{
		Answer: a, start: []byte(a.Start), head: a.Bytes[:head], many: bytes.Repeat(a.Bytes, copies), given: given,
	}
}

// fitting returns the response to the request with head h.
func (s *nullServer) fitting(h []byte, cookie bool) *servedAnswer {
	for _, a := range s.others {
		if bytes.HasPrefix(h, a.start) && !(a.Opens && cookie) {
			return a
		}
	}
	return s.base
}

// count gives each of the first k responses in many a new session.
func (a *servedAnswer) count(many []byte, k, size int) {
	for i := range k {
		*a.given++
		putNumber(many[i*size+a.number:][:sessionDigits], *a.given)
	}
}

// putNumber writes v into digits in decimal, with leading zeros.
func putNumber(digits []byte, v uint64) {
	for i := len(digits) - 1; i >= 0; i, v = i-1, v/10 {
		digits[i] = byte('0' + v%10)
	}
}
