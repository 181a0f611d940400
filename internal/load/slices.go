package load

import (
	"math"
	"slices"
	"time"
)

// Slice is the length of the samples of which a rate has its standard deviation and its maximum:
// that of bombardier, whose figures the Iris articles quote. Five of them, of one event loop, are a
// sample of wrk.
const Slice = 20 * time.Millisecond

// maxSlices bounds what a Slices holds where only a number of requests ends the window: the first
// eleven minutes.
const maxSlices = 1 << 15

// Slices counts the right and the wrong answers of one event loop in each Slice of a window. After
// its creation nothing in it allocates. All times are ns on the session's clock.
type Slices struct {
	start         int64
	counts, wrong []int32
}

// newSlices returns the Slices of a window from start to until; math.MaxInt64 means no end.
func newSlices(start, until int64) *Slices {
	n := int64(maxSlices)
	if until < math.MaxInt64 {
		n = min(n, max(until-start, 0)/int64(Slice))
	}
	return &Slices{start: start, counts: make([]int32, n), wrong: make([]int32, n)}
}

// count adds a right answer at now; s may be nil.
func (s *Slices) count(now int64) {
	if s != nil {
		s.in(s.counts, now)
	}
}

// miss adds a wrong answer at now; s may be nil.
func (s *Slices) miss(now int64) {
	if s != nil {
		s.in(s.wrong, now)
	}
}

// in adds one to the slice of counts in which now is.
func (s *Slices) in(counts []int32, now int64) {
	if i := (now - s.start) / int64(Slice); uint64(i) < uint64(len(counts)) {
		counts[i]++
	}
}

// merge adds all of o and returns the sum; s may be nil.
func (s *Slices) merge(o *Slices) *Slices {
	if s == nil { // not o itself, which may be merged into others, too
		return &Slices{o.start, slices.Clone(o.counts), slices.Clone(o.wrong)}
	}
	for i := range min(len(s.counts), len(o.counts)) {
		s.counts[i] += o.counts[i]
		s.wrong[i] += o.wrong[i]
	}
	return s
}

// rates returns how many slices lie wholly between from and until, and of their rates per second the
// standard deviation (of a sample) and the highest. Of fewer than two there is none; s may be nil.
func (s *Slices) rates(from, until int64) (n int64, sd, most float64) {
	if s == nil {
		return 0, 0, 0
	}
	first := (from - s.start + int64(Slice) - 1) / int64(Slice)
	last := min((until-s.start)/int64(Slice), int64(len(s.counts)))
	if n = last - first; n < 2 {
		return 0, 0, 0
	}
	sum, squares, top := 0., 0., int32(0)
	for _, c := range s.counts[first:last] {
		sum, squares, top = sum+float64(c), squares+float64(c)*float64(c), max(top, c)
	}
	perSec := float64(time.Second) / float64(Slice)
	variance := max(squares-sum*sum/float64(n), 0) / float64(n-1)
	return n, perSec * math.Sqrt(variance), perSec * float64(top)
}
