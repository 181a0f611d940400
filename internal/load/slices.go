package load

import (
	"math"
	"slices"
	"time"
)

// Slice is the length of the samples for a rate's standard deviation and maximum: bombardier's,
// whose figures the Iris articles quote. wrk samples five times as long, per thread.
const Slice = 20 * time.Millisecond

// maxSlices bounds a Slices if only a number of requests ends the window: the first eleven minutes.
const maxSlices = 1 << 15

// Slices counts one event loop's right and wrong answers in each Slice of a window, and the
// requests that waited throughout it. Counting does not allocate. All times are ns on the session's
// clock.
type Slices struct {
	start         int64
	Counts, Wrong []int32
	Waits         []int32 // change in the number of waiting requests from the slice before; only long waits
}

// newSlices returns the Slices for a window from start to until; math.MaxInt64 means no end.
func newSlices(start, until int64) *Slices {
	n := int64(maxSlices)
	if until < math.MaxInt64 {
		n = min(n, max(until-start, 0)/int64(Slice))
	}
	return &Slices{start: start, Counts: make([]int32, n), Wrong: make([]int32, n), Waits: make([]int32, n+1)}
}

// count adds a right answer at now; s may be nil.
func (s *Slices) count(now int64) {
	if s != nil {
		s.in(s.Counts, now)
	}
}

// miss adds a wrong answer at now; s may be nil.
func (s *Slices) miss(now int64) {
	if s != nil {
		s.in(s.Wrong, now)
	}
}

// in adds one to the slice of counts that contains now.
func (s *Slices) in(counts []int32, now int64) {
	if i := (now - s.start) / int64(Slice); uint64(i) < uint64(len(counts)) {
		counts[i]++
	}
}

// long is the shortest wait that counts.
const long = 5 * int64(Slice)

// wait notes that a request waited from due until now; s may be nil.
func (s *Slices) wait(due, now int64) {
	if s == nil || now-due < long {
		return
	}
	first := max(due-s.start+int64(Slice)-1, 0) / int64(Slice)
	if last := min((now-s.start)/int64(Slice), int64(len(s.Counts))); first < last {
		s.Waits[first]++
		s.Waits[last]--
	}
}

// silence returns the longest time before until without any answer although requests waited, in
// whole slices, if it is as long as a long wait; else 0. s may be nil.
func (s *Slices) silence(until int64) (ns int64) {
	if s == nil {
		return 0
	}
	waiting, silent := int32(0), int64(0)
	for i := range min((until-s.start)/int64(Slice), int64(len(s.Counts))) {
		if waiting += s.Waits[i]; waiting > 0 && s.Counts[i]+s.Wrong[i] == 0 {
			silent += int64(Slice)
			ns = max(ns, silent)
		} else {
			silent = 0
		}
	}
	if ns < long {
		return 0
	}
	return ns
}

// complete reports whether the numbers of samples agree.
func (s *Slices) complete() bool {
	return len(s.Wrong) == len(s.Counts) && len(s.Waits) == len(s.Counts)+1
}

// merge adds o and returns the sum; s may be nil.
func (s *Slices) merge(o *Slices) *Slices {
	if s == nil { // a copy, because o may be merged into others too
		return &Slices{o.start, slices.Clone(o.Counts), slices.Clone(o.Wrong), slices.Clone(o.Waits)}
	}
	for i := range min(len(s.Counts), len(o.Counts)) {
		s.Counts[i] += o.Counts[i]
		s.Wrong[i] += o.Wrong[i]
		s.Waits[i] += o.Waits[i]
	}
	return s
}

// rates returns how many slices lie wholly between from and until, and the standard deviation (for
// a sample) and maximum over their rates per second; zeros below two slices. s may be nil.
func (s *Slices) rates(from, until int64) (n int64, sd, most float64) {
	if s == nil {
		return 0, 0, 0
	}
	first := (from - s.start + int64(Slice) - 1) / int64(Slice)
	last := min((until-s.start)/int64(Slice), int64(len(s.Counts)))
	if n = last - first; n < 2 {
		return 0, 0, 0
	}
	sum, squares, top := 0., 0., int32(0)
	for _, c := range s.Counts[first:last] {
		sum, squares, top = sum+float64(c), squares+float64(c)*float64(c), max(top, c)
	}
	perSec := float64(time.Second) / float64(Slice)
	variance := max(squares-sum*sum/float64(n), 0) / float64(n-1)
	return n, perSec * math.Sqrt(variance), perSec * float64(top)
}
