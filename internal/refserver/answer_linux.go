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

func served(a Answer) (*servedAnswer, error) {
	end := bytes.Index(a.Bytes, nullBlank)
	if end < 0 {
		return nil, errors.New("serve null: a response has no end of its header section")
	}
	end += len(nullBlank)
	one := ready(a, end, new(uint64))
	a.Bytes = slices.Insert(slices.Clone(a.Bytes), end-len("\r\n"), nullKept...)
	one.kept = ready(a, end+len(nullKept), one.given)
	return one, nil
}

// ready is an answer whose header section has so many bytes. A session's number stands before the end of that.
func ready(a Answer, head int, given *uint64) *servedAnswer {
	return &servedAnswer{Answer: a, start: []byte(a.Start), head: a.Bytes[:head], many: bytes.Repeat(a.Bytes, max(1, min(64, 64<<10/len(a.Bytes)))), given: given}
}

// fitting is the answer to the request that h begins.
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
		digits := many[i*size+a.number:][:sessionDigits]
		for j, v := sessionDigits-1, *a.given; j >= 0; j, v = j-1, v/10 {
			digits[j] = byte('0' + v%10)
		}
	}
}
