package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ranks for the median at 95 % and 99 % (any table of sign-test
// intervals).
func TestMedianRank(t *testing.T) {
	for _, c := range []struct {
		n    int
		conf float64
		want int
	}{
		{5, .95, 0}, {6, .95, 1}, {8, .95, 1}, {9, .95, 2}, {10, .95, 2}, {12, .95, 3}, {15, .95, 4}, {20, .95, 6},
		{25, .95, 8}, {30, .95, 10}, {50, .95, 18}, {100, .95, 40}, {7, .99, 0}, {8, .99, 1}, {10, .99, 1},
		{20, .99, 4}, {0, .95, 0},
	} {
		if l := medianRank(c.n, (1-c.conf)/2); l != c.want {
			t.Errorf("medianRank of %d at %v = %d, want %d", c.n, c.conf, l, c.want)
		}
	}
}

// binomialCDF sums the mass outwards from the mode, with no special function.
func binomialCDF(n, k int, p float64) float64 {
	mode := min(int(float64(n+1)*p), n)
	var below, all float64
	add := func(i int, mass float64) {
		all += mass
		if i <= k {
			below += mass
		}
	}
	mass := 1.0
	for i := mode; i >= 0 && mass > 1e-25; i-- {
		add(i, mass)
		mass *= float64(i) / float64(n-i+1) * (1 - p) / p
	}
	mass = float64(n-mode) / float64(mode+1) * p / (1 - p)
	for i := mode + 1; i <= n && mass > 1e-25; i++ {
		add(i, mass)
		mass *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return below / all
}

// The rank is the largest that the tail allows, from one observation up to the hundred million
// requests in a long run.
func TestMedianRankTight(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40, 500, 12_345, 1_000_000, 100_000_000} {
		for _, conf := range []float64{.8, .95, .999} {
			tail := (1 - conf) / 2
			l := medianRank(n, tail)
			const tol = 1e-5 // gonum's CDF, relative
			below := func(r int) float64 { return binomialCDF(n, r-1, .5) }
			if l > 0 && below(l) > tail*(1+tol) || l < n && below(l+1) <= tail*(1-tol) {
				t.Errorf("n %d, conf %v: l = %d leaves %g, the next %g", n, conf, l, below(l), below(l+1))
			}
		}
	}
}

func TestMedianCI(t *testing.T) {
	x := []float64{9, 3, 7, 1, 10, 4, 6, 2, 8, 5}
	if lo, hi, ok := MedianCI(x, .95); lo != 2 || hi != 9 || !ok {
		t.Errorf("MedianCI of 1..10 = %v, %v, %v, want 2, 9, true", lo, hi, ok)
	}
	if x[0] != 9 || x[9] != 5 {
		t.Errorf("MedianCI sorted its argument: %v", x)
	}
	for _, bad := range [][]float64{nil, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6, nan}} {
		if lo, hi, ok := MedianCI(bad, .95); lo != -inf || hi != inf || ok {
			t.Errorf("MedianCI(%v) = %v, %v, %v, want no interval", bad, lo, hi, ok)
		}
	}
}

// Skewed on purpose: the interval assumes no symmetry.
func TestMedianCICoverage(t *testing.T) {
	const reps = 4000
	for _, n := range []int{6, 10, 23} {
		r := rand.New(rand.NewPCG(3, uint64(n)))
		x := make([]float64, n)
		held := 0
		for range reps {
			for i := range x {
				x[i] = math.Exp(2 * r.NormFloat64())
			}
			if lo, hi, _ := MedianCI(x, .95); lo <= 1 && 1 <= hi {
				held++
			}
		}
		l := medianRank(n, .025)
		exact := binomialCDF(n, n-l, .5) - binomialCDF(n, l-1, .5)
		if got := float64(held) / reps; got < .945 || !near(got, exact, 4*math.Sqrt(exact*(1-exact)/reps)) {
			t.Errorf("n = %d: covers %.3f, by theory %.3f", n, got, exact)
		}
	}
}

// The first four are method 5 in table I of Newcombe, Statistics in Medicine 17
// (1998); zero out of 10 is the textbook 1 - .025^(1/10).
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		k, n         int
		conf, lo, hi float64
	}{
		{81, 263, .95, .2527, .3676}, {15, 148, .95, .0578, .1617}, {0, 20, .95, 0, .1684}, {1, 29, .95, .0009, .1776},
		{0, 10, .95, 0, .3085}, {10, 10, .95, .6915, 1}, {5, 10, .95, .1871, .8129}, {0, 0, .95, 0, 1},
		{0, 59, .90, 0, .0495}, // the rule of three, one-sided 95 %
	} {
		if lo, hi := ClopperPearson(c.k, c.n, c.conf); !near(lo, c.lo, 6e-5) || !near(hi, c.hi, 6e-5) {
			t.Errorf("ClopperPearson(%d, %d, %v) = %.4f, %.4f, want %.4f, %.4f", c.k, c.n, c.conf, lo, hi, c.lo, c.hi)
		}
	}
}

// The bounds are where the binomial tails equal (1-conf)/2: the definition.
func TestClopperPearsonInverts(t *testing.T) {
	for _, n := range []int{1, 2, 13, 300, 5000} {
		for k := 0; k <= n; k += 1 + n/9 {
			lo, hi := ClopperPearson(k, n, .95)
			if k > 0 && !near(binomialCDF(n, n-k, 1-lo), .025, 1e-8) {
				t.Errorf("%d of %d: P(X >= k) at lo = %g is %g", k, n, lo, binomialCDF(n, n-k, 1-lo))
			}
			if k < n && !near(binomialCDF(n, k, hi), .025, 1e-8) {
				t.Errorf("%d of %d: P(X <= k) at hi = %g is %g", k, n, hi, binomialCDF(n, k, hi))
			}
		}
	}
}
