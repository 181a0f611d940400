package load

import (
	"math"
	"testing"
	"time"
)

// The deviation and the maximum cover the whole slices in the steady part, over all event loops;
// answers outside do not count.
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
	if again := (*Slices)(nil).merge(a); again.Counts[1] != 5 {
		t.Errorf("merging changed what was merged: %v", again.Counts)
	}
	if n, sd, most := all.rates(start+3*ms, start+80*ms); n != 3 || math.Abs(sd-500) > 1e-6 || most != 1500 {
		t.Errorf("%d slices, deviation %v, highest %v; want 3 of 500, 1000 and 1500 a second: 500, 1500", n, sd, most)
	}
	if n, _, _ := all.rates(start+3*ms, start+59*ms); n != 0 {
		t.Errorf("%d slices; one alone has no deviation", n)
	}
	for _, until := range []int64{math.MaxInt64, 3600e9} { // a window without an end, and one that is as long
		s := newSlices(0, until)
		if n, sd, most := s.rates(0, 3600e9); n != 180_000 || sd != 0 || most != 0 {
			t.Errorf("%d slices of an hour, %v, %v", n, sd, most)
		}
		s.wait(800e9, 808e9)
		s.count(1500e9)
		if all := newSlices(0, until).merge(s); all.silence(3600e9) != 8e9 || all.Counts[75_000] != 1 || !all.complete() {
			t.Errorf("after 13 minutes nothing is counted: %d", all.silence(3600e9))
		}
	}
	if n, _, _ := newSlices(5, 3).rates(5, 3); n != 0 {
		t.Errorf("%d slices of no time", n)
	}
}

// TestSilence: a server that answers nothing although requests wait stands still, on any event
// loops and generators. Between rarely due requests none waits; the time after sending ends is the
// wait for the last answers.
func TestSilence(t *testing.T) {
	const ms = int64(time.Millisecond)
	for name, c := range map[string]struct {
		requests [][2]int64 // sent, answered, in ms, of both event loops in turn
		want     int64
	}{
		"none":                {nil, 0},
		"idle":                {[][2]int64{{0, 10}, {500, 510}, {1900, 1905}}, 0},
		"short":               {[][2]int64{{0, 10}, {10, 90}, {90, 95}}, 0},
		"a stop":              {[][2]int64{{0, 10}, {0, 10}, {10, 490}, {10, 490}}, 460},
		"a stop, one sent it": {[][2]int64{{0, 10}, {300, 500}, {10, 505}}, 480},
		"a loop alone":        {[][2]int64{{0, 900}, {0, 100}, {0, 1000}, {100, 200}, {0, 300}, {200, 400}}, 480},
		"at first":            {[][2]int64{{0, 400}, {0, 401}}, 400},
		"to the end":          {[][2]int64{{0, 1000}, {1000, 2700}}, 1000},
		"one in the drain":    {[][2]int64{{1950, 3500}, {1950, 1990}}, 0},
	} {
		edge := NewEdge(&Window{For: 2 * time.Second}, &Job{Connections: 8}, 1, 7, 7+2000*ms)
		loops := []*Recorder{NewRecorder(), newDetailed(false)}
		for i, r := range loops {
			r.Begin(edge)
			for k, q := range c.requests {
				switch due, now := 7+q[0]*ms, 7+q[1]*ms; {
				case k%2 != i:
				case now > 3000*ms:
					r.Sent(1, due)
					r.Broken(Timeout, due, due, now)
				default:
					r.Sent(1, due)
					r.Done(OK, 200, due, due, now)
				}
			}
		}
		if got := (*Slices)(nil).merge(loops[0].Slices).merge(loops[1].Slices).silence(7 + 2000*ms); got != c.want*ms {
			t.Errorf("%s: %d ms; want %d", name, got/ms, c.want)
		}
		if l, _ := Merge(loops, 3500*ms); l.SilentNS != c.want*ms {
			t.Errorf("%s: %d ms of a load; want %d", name, l.SilentNS/ms, c.want)
		}
	}
}
