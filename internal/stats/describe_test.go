package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether a and b differ by at most tol; equal infinities and two
// NaNs are near.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol || math.IsNaN(a) && math.IsNaN(b)
}

var nan, inf = math.NaN(), math.Inf(1)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, nan},
		{[]float64{7}, 7},
		{[]float64{3, 1}, 2},
		{[]float64{5, 1, 3}, 3},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{1, nan, 3}, nan},
		{[]float64{1, inf, inf}, inf},
		{[]float64{-inf, 1, 2, inf}, 1.5},
		{[]float64{inf, inf, 1, inf}, inf},
	} {
		before := slices.Clone(c.x)
		if got := Median(c.x); !near(got, c.want, 0) {
			t.Errorf("Median(%v) = %v, want %v", c.x, got, c.want)
		}
		if !slices.EqualFunc(before, c.x, func(a, b float64) bool { return near(a, b, 0) }) {
			t.Errorf("Median changed its argument to %v", c.x)
		}
	}
}

func TestMAD(t *testing.T) {
	if got := MAD([]float64{1, 1, 2, 2, 4, 6, 9}); !near(got, 1.4826, 1e-15) {
		t.Errorf("MAD = %v, want 1.4826", got)
	}
	if got := MAD(nil); !math.IsNaN(got) {
		t.Errorf("MAD of nothing = %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = 5 + 3*r.NormFloat64()
	}
	if got := MAD(x); !near(got, 3, .05) {
		t.Errorf("MAD of a normal with SD 3 = %v", got)
	}
}
