package refserver

import (
	"bytes"
	"errors"
	"slices"
)

// servedAnswer is an answer ready to be sent.
type servedAnswer struct {
	Answer
	start      []byte
	head, many []byte        // head begins Bytes; many repeats it
	given      *uint64       // sessions
	kept       *servedAnswer // the same to HTTP/1.0 whose connection stays
}

// served prepares an answer, and the same to HTTP/1.0 whose connection stays.
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

// ready returns an answer whose header section has head bytes.
func ready(a Answer, head int, given *uint64) *servedAnswer {
	copies := max(1, min(64, 64<<10/len(a.Bytes)))
	return &servedAnswer{
		Answer: a, start: []byte(a.Start), head: a.Bytes[:head], many: bytes.Repeat(a.Bytes, copies), given: given,
	}
}

// fitting returns the answer to the request whose head is h.
func (s *nullServer) fitting(h []byte, cookie bool) *servedAnswer {
	for _, a := range s.others {
		if bytes.HasPrefix(h, a.start) && !(a.Opens && cookie) {
			return a
		}
	}
	return s.base
}

// count gives each of the first k answers in many a session that none had before.
func (a *servedAnswer) count(many []byte, k, size int) {
	for i := range k {
		*a.given++
		putNumber(many[i*size+a.number:][:sessionDigits], *a.given)
	}
}

// putNumber fills digits with the decimal digits of v, zeros before them.
func putNumber(digits []byte, v uint64) {
	for i := len(digits) - 1; i >= 0; i, v = i-1, v/10 {
		digits[i] = byte('0' + v%10)
	}
}
