package load

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/internal/scenario"
)

// Sampler keeps a random sample of the answers to requests whose contract has a Shape, and of the
// answers without that shape. Its random numbers are those of the Go runtime, which no server can
// predict. It is safe for concurrent use.
type Sampler struct {
	answers atomic.Int64
	long    atomic.Int64
	mu      sync.Mutex
	kept    []Sampled
	odd     []Sampled
	odds    int64
	span    map[int][2]int64 // lengths of odd bodies, by request
	bytes   int
	every   uint64 // 0: 1
}

// Sampled is one answer.
type Sampled struct {
	scenario.Mark
	Index  int   // of the request within the scenario
	Status int   // status code
	Length int64 // of the body, bytes
	Body   []byte
	Cut    bool // Body lacks the end
}

const (
	// sampleAll answers of a Sampler are kept, of the next ones a falling share, down to 1 in
	// sampleEvery.
	sampleAll   = 128
	sampleEvery = 64

	mostOdd     = 256
	mostSampled = 64 << 20 // bytes of bodies
	longestBody = 8 << 20  // that is sampled whole, and compared with its shape
)

// take notes a complete answer to w. length is that of the body, of which b may lack the end.
func (s *Sampler) take(w *scenario.Want, status int, b []byte, length int64) {
	n := s.answers.Add(1)
	cut := int64(len(b)) < length
	if cut {
		s.long.Add(1)
	}
	if cut && w.Shape.Least <= length && length <= w.Shape.Most || !cut && w.Shape.Fits(b) {
		if rand.Uint64N(uint64(min(n, sampleAll*sampleEvery))) < sampleAll {
			s.keep(w, status, b, length)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.odds++
	one := Sampled{w.Mark(), w.Index, status, length, b, cut}
	span, ok := s.span[w.Index]
	if at := rand.Int64N(s.odds); !ok || length < span[0] || length > span[1] {
		if s.span == nil {
			s.span = map[int][2]int64{}
		}
		if !ok {
			span = [2]int64{length, length}
		}
		s.span[w.Index] = [2]int64{min(span[0], length), max(span[1], length)}
		s.odd = append(s.odd, one)
	} else if len(s.odd) < mostOdd && s.bytes < mostSampled {
		s.odd = append(s.odd, one)
	} else if at < int64(len(s.odd)) {
		s.bytes -= len(s.odd[at].Body)
		s.odd[at] = one
		s.odd[at].Body = slices.Clone(b)
		s.bytes += len(b)
		return
	} else {
		return
	}
	last := &s.odd[len(s.odd)-1]
	last.Body = slices.Clone(b)
	s.bytes += len(b)
}

// keep adds an answer to the sample. When the sample is full, it gives up every second answer, and
// takes half as many from then on.
func (s *Sampler) keep(w *scenario.Want, status int, b []byte, length int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.every > 1 && rand.Uint64N(s.every) > 0 {
		return
	}
	if s.bytes+len(b) > mostSampled {
		s.every = max(1, s.every) * 2
		half := s.kept[:0]
		for i := range s.kept {
			if i%2 == 0 {
				half = append(half, s.kept[i])
			} else {
				s.bytes -= len(s.kept[i].Body)
			}
		}
		clear(s.kept[len(half):])
		s.kept = half
	}
	s.kept = append(s.kept, Sampled{w.Mark(), w.Index, status, length, slices.Clone(b), int64(len(b)) < length})
	s.bytes += len(b)
}

// Seen returns the number of answers, the sample, those without their shape that were kept, and how
// many there were.
func (s *Sampler) Seen() (answers int64, kept, odd []Sampled, odds int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers.Load(), s.kept, s.odd, s.odds
}

// Long returns the number of answers whose bodies are too long to be compared with their shape.
func (s *Sampler) Long() int64 { return s.long.Load() }

// collected is a body on its way, up to longestBody.
type collected struct {
	b []byte
}

func (c *collected) Reset() { c.b = emptied(c.b) }

func (c *collected) Write(p []byte) (int, error) {
	c.b = append(c.b, p[:min(len(p), longestBody-len(c.b))]...)
	return len(p), nil
}
