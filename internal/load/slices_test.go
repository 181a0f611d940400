package load

import (
	"math"
	"testing"
)

// The deviation and the maximum are of the whole slices of the steady part, of all event loops
// together; answers outside of them count for nothing.
func TestSlices(t *testing.T) {
	const ms = int64(1e6)
	start := 7 * ms
	a, b := newSlices(start, start+100*ms), newSlices(start, start+100*ms)
	add := func(s *Slices, slice, n int64) {
		for i := range n {
			s.count(start + slice*20*ms + i*ms/2)
		}
	}
	add(a, 0, 40) // before the steady part
	for slice, n := range map[int64]int64{1: 10, 2: 20, 3: 30, 4: 8} {
		add(a, slice, n/2)
		add(b, slice, n-n/2)
	}
	add(b, 5, 9) // after the end, where no slice is
	all := (*Slices)(nil).merge(a).merge(b)
	if again := (*Slices)(nil).merge(a); again.counts[1] != 5 {
		t.Errorf("merging changed what was merged: %v", again.counts)
	}
	if n, sd, most := all.rates(start+3*ms, start+80*ms); n != 3 || math.Abs(sd-500) > 1e-6 || most != 1500 {
		t.Errorf("%d slices, deviation %v, highest %v; want 3 of 500, 1000 and 1500 a second: 500, 1500", n, sd, most)
	}
	if n, _, _ := all.rates(start+3*ms, start+59*ms); n != 0 {
		t.Errorf("%d slices; one alone has no deviation", n)
	}
	if n, sd, most := newSlices(0, math.MaxInt64).rates(0, math.MaxInt64); n != maxSlices || sd != 0 || most != 0 {
		t.Errorf("%d slices of a window without an end, %v, %v", n, sd, most)
	}
	if n, _, _ := newSlices(5, 3).rates(5, 3); n != 0 {
		t.Errorf("%d slices of no time", n)
	}
}

// TestSilent: the longest time without an answer, right or wrong, is of whole samples.
func TestSilent(t *testing.T) {
	const slice = int64(Slice)
	for _, c := range []struct {
		until   int64
		answers []int64
		want    int64
	}{
		{5 * slice, nil, 5}, {5 * slice, []int64{0, 1, 2, 3, 4}, 0}, {5 * slice, []int64{1, 4}, 2}, {5 * slice, []int64{1}, 3},
		{math.MaxInt64, []int64{0, 3}, 2}, {math.MaxInt64, nil, 0},
	} {
		s := newSlices(7, max(c.until, c.until+7))
		for i, at := range c.answers {
			if s.count(7 + at*slice + 5); i%2 > 0 {
				s.miss(7 + at*slice + 5)
			}
		}
		if got := (&Part{rec: &Recorder{Slices: s}}).Silent(); int64(got) != c.want*slice {
			t.Errorf("answers in samples %v: silent for %v; want %d samples", c.answers, got, c.want)
		}
	}
	if got := (&Part{rec: &Recorder{}}).Silent(); got != 0 {
		t.Errorf("without samples: %v", got)
	}
}
