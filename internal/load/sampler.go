package load

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Sampler keeps random samples: of header sections, and of answers to requests whose contract has a
// Shape, separately those without that shape. Its random numbers come from the Go runtime; no
// server can predict them. It is safe for concurrent use.
type Sampler struct {
	OnlyBodies bool // no header sections; fixed during a load

	answers   atomic.Int64
	long      atomic.Int64
	mu        sync.Mutex
	kept      []Sampled
	odd       []Sampled
	odds      int64
	span      map[int]*[2]int // the shortest and the longest in odd, by request
	bytes     int
	every     uint64 // sampling interval; 0 means 1
	heads     []Sampled
	headBytes int
	taken     int // header sections taken
}

// Sampled is one sampled answer.
type Sampled struct {
	scenario.Mark
	Index  int   // the request's index in the scenario
	Status int   // status code
	Length int64 // body bytes
	Body   []byte
	Cut    bool         // Body lacks its end
	Fields []wire.Field // only in Heads
	Nth    int          // index among all header sections taken, from 0
	size   int          // bytes in Fields
}

const (
	// A Sampler keeps the first sampleAll answers, then a falling share, down to 1 in sampleEvery.
	sampleAll   = 128
	sampleEvery = 64

	mostOdd     = 256
	mostSampled = 64 << 20 // limit for body bytes in the sample
	longestBody = 8 << 20  // the longest body that is sampled in full, and compared with its shape

	mostHeads     = 4096 // limit for header sections in the sample
	mostHeadBytes = 4 << 20
)

// take notes a complete answer to w. length is the body's length; b may lack the body's end.
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
	if s.span == nil {
		s.span = map[int]*[2]int{}
	}
	span := s.span[w.Index]
	full := len(s.odd) >= mostOdd || s.bytes >= mostSampled
	at := len(s.odd)
	switch random := int(rand.Int64N(s.odds)); {
	case span == nil: // always keep one for each request
		s.span[w.Index] = &[2]int{at, at}
	case length < s.odd[span[0]].Length:
		if full && span[0] != span[1] {
			at = span[0]
		}
		span[0] = at
	case length > s.odd[span[1]].Length:
		if full && span[0] != span[1] {
			at = span[1]
		}
		span[1] = at
	case !full:
	case random < len(s.odd) && !s.extreme(random):
		at = random
	default:
		return
	}
	one := Sampled{Mark: w.Mark(), Index: w.Index, Status: status, Length: length, Cut: cut}
	if at == len(s.odd) {
		s.odd = append(s.odd, Sampled{})
	}
	s.bytes -= len(s.odd[at].Body)
	if s.bytes+len(b) <= mostSampled {
		one.Body = slices.Clone(b)
	} else {
		one.Cut = true // only its length is judged
	}
	s.bytes += len(one.Body)
	s.odd[at] = one
}

// extreme reports whether an odd answer is its request's shortest or longest.
func (s *Sampler) extreme(at int) bool {
	span := s.span[s.odd[at].Index]
	return span[0] == at || span[1] == at
}

// keep adds an answer to the sample. A full sample drops every second answer, and takes half as
// many from then on.
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
	s.kept = append(s.kept, Sampled{Mark: w.Mark(), Index: w.Index, Status: status, Length: length,
		Body: slices.Clone(b), Cut: int64(len(b)) < length})
	s.bytes += len(b)
}

// Seen returns the number of answers, the sample, the kept answers without their shape, and how
// many of these there were.
func (s *Sampler) Seen() (answers int64, kept, odd []Sampled, odds int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers.Load(), s.kept, s.odd, s.odds
}

// Long returns the number of answers whose bodies are too long to be compared with their shape.
func (s *Sampler) Long() int64 { return s.long.Load() }

// Heads returns the sampled header sections, without bodies, from answers to all requests.
func (s *Sampler) Heads() []Sampled {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heads
}

// head keeps the header section of an answer to w. It makes room by dropping random ones.
func (s *Sampler) head(w *scenario.Want, status int, fields []byte) {
	one := Sampled{Mark: w.Mark(), Index: w.Index, Status: status, size: len(fields)}
	for {
		name, value, rest, ok := wire.NextField(fields)
		if !ok {
			break
		}
		one.Fields, fields = append(one.Fields, wire.Field{Name: string(name), Value: string(value)}), rest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.heads) >= mostHeads || len(s.heads) > 0 && s.headBytes+one.size > mostHeadBytes {
		at, last := rand.IntN(len(s.heads)), len(s.heads)-1
		s.headBytes -= s.heads[at].size
		s.heads[at], s.heads[last] = s.heads[last], Sampled{}
		s.heads = s.heads[:last]
	}
	one.Nth, s.taken = s.taken, s.taken+1
	s.heads, s.headBytes = append(s.heads, one), s.headBytes+one.size
}

// gap returns how many answers to skip before the next header section: at first none, finally about
// sampleEvery.
func (s *Sampler) gap() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heads) < sampleAll {
		return 0
	}
	return rand.IntN(2 * min(sampleEvery, len(s.heads)*sampleEvery/mostHeads*2+1))
}

// turns decides which header sections a Sampler keeps. The connections that share it belong to one
// goroutine.
type turns struct {
	*Sampler // the shared sampler; nil: none
	left     int
}

func (t *turns) next() bool {
	if t.Sampler == nil || t.OnlyBodies {
		return false
	}
	if t.left--; t.left >= 0 {
		return false
	}
	t.left = t.gap()
	return true
}

// collected is a body being read, up to longestBody.
type collected struct {
	b []byte
}

func (c *collected) Reset() { c.b = emptied(c.b) }

func (c *collected) Write(p []byte) (int, error) {
	c.b = append(c.b, p[:min(len(p), longestBody-len(c.b))]...)
	return len(p), nil
}

// mostKept is the most memory, in bytes, that is kept for the next body.
const mostKept = 4 << 20

// emptied returns b empty, and without its memory if that is large.
func emptied(b []byte) []byte {
	if cap(b) > mostKept {
		return nil
	}
	return b[:0]
}
