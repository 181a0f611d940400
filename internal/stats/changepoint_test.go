package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSegmentsOfKnownSeries(t *testing.T) {
	for _, c := range []struct {
		name    string
		x       []float64
		penalty float64
		want    []int
	}{
		{"empty", nil, 1, nil},
		{"one value", []float64{4}, 1, []int{0}},
		{"constant", []float64{.1, .1, .1, .1, .1}, 0, []int{0}},
		{"a step", []float64{0, 0, 0, 5, 5, 5, 5}, 1, []int{0, 3}},
		{"two steps", []float64{0, 0, 0, 5, 5, 5, 9, 9, 9}, 1, []int{0, 3, 6}},
		{"there and back", []float64{1, 1, 1, 4, 4, 4, 1, 1, 1}, 1, []int{0, 3, 6}},
		// A step of 1 after two of four values is worth Σ(x-½)² = 1, no more.
		{"a step just worth its price", []float64{0, 0, 1, 1}, .99, []int{0, 2}},
		{"a step that costs what it is worth", []float64{0, 0, 1, 1}, 1, []int{0}},
		{"no number", []float64{0, 0, math.NaN(), 9, 9}, 1, []int{0}},
	} {
		if got := Segments(c.x, c.penalty); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", c.name, got, c.want)
		}
	}
}

// costOf is what Segments minimises.
func costOf(x []float64, starts []int, penalty float64) float64 {
	cost := penalty * float64(len(starts)-1)
	for k, from := range starts {
		to := len(x)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		mean := sum(x[from:to]) / float64(to-from)
		for _, v := range x[from:to] {
			cost += (v - mean) * (v - mean)
		}
	}
	return cost
}

func TestSegmentsAgainstAllSegmentations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		n := 1 + rng.IntN(12)
		x := make([]float64, n)
		level := 0.0
		for i := range x {
			if rng.IntN(4) == 0 {
				level = 4 * rng.NormFloat64()
			}
			x[i] = 11 + level + rng.NormFloat64()
		}
		penalty := []float64{0, .5, 3, 3 * math.Log(float64(n))}[rng.IntN(4)]
		least := math.Inf(1)
		for set := range 1 << (n - 1) { // a bit for each place between two values
			starts := []int{0}
			for i := range n - 1 {
				if set>>i&1 == 1 {
					starts = append(starts, i+1)
				}
			}
			least = min(least, costOf(x, starts, penalty))
		}
		if got := Segments(x, penalty); math.Abs(costOf(x, got, penalty)-least) > 1e-9 {
			t.Fatalf("%v at %v of %.3v costs %.6f; the least is %.6f", got, penalty, x, costOf(x, got, penalty), least)
		}
	}
}

// With the penalty of doc/method.md a series of noise alone is hardly ever split, and a step of
// three of its standard deviations is found.
func TestSegmentsOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	split, found := 0, 0
	const reps, n = 400, 60
	for range reps {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		penalty := func() float64 { s := Jitter(x); return 3 * s * s * math.Log(n) }
		if len(Segments(x, penalty())) > 1 {
			split++
		}
		for i := n / 3; i < n; i++ {
			x[i] += 3
		}
		if s := Segments(x, penalty()); len(s) > 1 && slices.ContainsFunc(s,
			func(at int) bool { return at >= n/3-2 && at <= n/3+2 }) {
			found++
		}
	}
	if split > reps/10 || found < reps*95/100 {
		t.Errorf("of %d series of noise %d were split, of those with a step it was found in %d", reps, split, found)
	}
}

func TestJitter(t *testing.T) {
	// Differences 1, 1, 9, 1, 2: median 1, deviations 0, 0, 8, 0, 1, whose median is 0.
	if got := Jitter([]float64{0, 1, 2, 11, 12, 14}); got != 0 {
		t.Errorf("%v; want 0", got)
	}
	// Differences 2, -2, 2, -2: median 0, deviations 2.
	if got, want := Jitter([]float64{5, 7, 5, 7, 5}), 1.4826*2/math.Sqrt2; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v; want %v", got, want)
	}
	if got := Jitter([]float64{5}); !math.IsNaN(got) {
		t.Errorf("of one value: %v", got)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = .2 * rng.NormFloat64()
		if i > 4000 {
			x[i] += 30
		}
	}
	if got := Jitter(x); math.Abs(got-.2) > .01 {
		t.Errorf("with a step: %.4f; want 0.2", got)
	}
}

func TestDespike(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{nil, nil},
		{[]float64{9}, []float64{9}},
		{[]float64{9, 1, 1, 1}, []float64{9, 1, 1, 1}},                   // a cold first window stays
		{[]float64{1, 9, 1, 1}, []float64{1, 1, 1, 1}},                   // a spike goes
		{[]float64{1, 1, 9, 9, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1}}, // so do two
		{[]float64{1, 1, 1, 5, 5, 5}, []float64{1, 1, 1, 5, 5, 5}},       // a step stays
		{[]float64{1, 1, 1, 1, 9}, []float64{1, 1, 1, 1, 9}},             // the last may be the first of a step
		{[]float64{1, 1.5, 1, 1}, []float64{1, 1.5, 1, 1}},               // within the limit
	} {
		if got := Despike(c.x, 2); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v; want %v", c.x, got, c.want)
		}
	}
}
