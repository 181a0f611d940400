package truth

import (
	"bytes"
	"errors"
)

// servedAnswer is an answer ready to be sent.
type servedAnswer struct {
	Answer
	start      []byte
	head, many []byte // head begins Bytes; many repeats it
	given      uint64 // sessions
}

func served(a Answer) (*servedAnswer, error) {
	end := bytes.Index(a.Bytes, nullBlank)
	if end < 0 {
		return nil, errors.New("serve null: a response has no end of its header section")
	}
	return &servedAnswer{
		Answer: a, start: []byte(a.Start), head: a.Bytes[:end+len(nullBlank)], many: bytes.Repeat(a.Bytes, max(1, min(64, 64<<10/len(a.Bytes)))),
	}, nil
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
		a.given++
		digits := many[i*size+a.number:][:sessionDigits]
		for j, v := sessionDigits-1, a.given; j >= 0; j, v = j-1, v/10 {
			digits[j] = byte('0' + v%10)
		}
	}
}
