package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
