package load

import (
	"math"
	"slices"
	"time"
)

// Slice is the length of the samples for a rate's standard deviation and maximum: bombardier's,
// whose figures the Iris articles quote. wrk samples five times as long, per thread.
const Slice = 20 * time.Millisecond

// someSlices are made at a time: those of eleven minutes.
const someSlices = 1 << 15

// Slices counts one event loop's right and wrong answers in each Slice of a window, and the
// requests that waited throughout it. Counting seldom allocates. All times are ns on the session's
// clock.
type Slices struct {
	start, most   int64 // of a window, and the number of slices that it has
	Counts, Wrong []int32
	Waits         []int32 // change in the number of waiting requests from the slice before; only long waits
}

// newSlices returns the Slices for a window from start to until; math.MaxInt64 means no end.
func newSlices(start, until int64) *Slices {
	s := &Slices{start: start, most: max(until-start, 0) / int64(Slice), Waits: make([]int32, 1)}
	s.grow(0)
	return s
}

// grow makes room for the slice i and some more, as far as the window has them.
func (s *Slices) grow(i int64) {
	if more := min(i+someSlices, s.most) - int64(len(s.Counts)); i >= int64(len(s.Counts)) && more > 0 {
		s.Counts = append(s.Counts, make([]int32, more)...)
		s.Wrong = append(s.Wrong, make([]int32, more)...)
		s.Waits = append(s.Waits, make([]int32, more)...)
	}
}

// count adds a right answer at now; s may be nil.
func (s *Slices) count(now int64) {
	if s != nil {
		s.in(&s.Counts, now)
	}
}

// miss adds a wrong answer at now; s may be nil.
func (s *Slices) miss(now int64) {
	if s != nil {
		s.in(&s.Wrong, now)
	}
}

// in adds one to the slice of counts that contains now.
func (s *Slices) in(counts *[]int32, now int64) {
	i := (now - s.start) / int64(Slice)
	if i >= int64(len(*counts)) {
		s.grow(i)
	}
	if uint64(i) < uint64(len(*counts)) {
		(*counts)[i]++
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
	s.grow((now - s.start) / int64(Slice))
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
		return &Slices{o.start, o.most, slices.Clone(o.Counts), slices.Clone(o.Wrong), slices.Clone(o.Waits)}
	}
	s.most = max(s.most, o.most, int64(len(o.Counts)))
	s.grow(int64(len(o.Counts)) - 1)
	for i := range o.Counts {
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
	last := min((until-s.start)/int64(Slice), max(s.most, int64(len(s.Counts))))
	if n = last - first; n < 2 {
		return 0, 0, 0
	}
	sum, squares, top := 0., 0., int32(0)
	for _, c := range s.Counts[min(first, int64(len(s.Counts))):min(last, int64(len(s.Counts)))] {
		sum, squares, top = sum+float64(c), squares+float64(c)*float64(c), max(top, c)
	}
	perSec := float64(time.Second) / float64(Slice)
	variance := max(squares-sum*sum/float64(n), 0) / float64(n-1)
	return n, perSec * math.Sqrt(variance), perSec * float64(top)
}
