package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranks for the median at 95 % and 99 % (any table of sign-test
// intervals).
func TestQuantileRanksMedian(t *testing.T) {
	for _, c := range []struct {
		n    int
		conf float64
		l, u int
		ok   bool
	}{
		{5, .95, 0, 6, false}, {6, .95, 1, 6, true}, {8, .95, 1, 8, true}, {9, .95, 2, 8, true},
		{10, .95, 2, 9, true}, {12, .95, 3, 10, true}, {15, .95, 4, 12, true}, {20, .95, 6, 15, true},
		{25, .95, 8, 18, true}, {30, .95, 10, 21, true}, {50, .95, 18, 33, true}, {100, .95, 40, 61, true},
		{7, .99, 0, 8, false}, {8, .99, 1, 8, true}, {10, .99, 1, 10, true}, {20, .99, 4, 17, true},
		{0, .95, 0, 1, false}, {10, 0, 0, 11, false}, {10, 1, 0, 11, false}, {10, nan, 0, 11, false},
	} {
		l, u, ok := quantileRanks(c.n, .5, c.conf)
		if l != c.l || u != c.u || ok != c.ok {
			t.Errorf("quantileRanks(%d, .5, %v) = %d, %d, %v, want %d, %d, %v", c.n, c.conf, l, u, ok, c.l, c.u, c.ok)
		}
	}
}

// The smallest n with a two-sided 95 % interval.
func TestQuantileRanksSmallestN(t *testing.T) {
	for p, n := range map[float64]int{.99: 368, .999: 3688, .9999: 36887} {
		if _, u, ok := quantileRanks(n-1, p, .95); ok || u != n {
			t.Errorf("p = %v: n = %d has an upper rank %d", p, n-1, u)
		}
		if _, u, ok := quantileRanks(n, p, .95); !ok || u != n {
			t.Errorf("p = %v: n = %d has no interval (u = %d)", p, n, u)
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

// l is the largest and u the smallest rank that the tails allow, from one
// observation up to the hundred million requests of a long run.
func TestQuantileRanksTight(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40, 500, 12_345, 1_000_000, 100_000_000} {
		for _, p := range []float64{.01, .5, .9, .99, .999, .9999} {
			for _, conf := range []float64{.8, .95, .999} {
				l, u, _ := quantileRanks(n, p, conf)
				tail := (1 - conf) / 2
				const tol = 1e-5 // of gonum's CDF, relative
				below := func(r int) float64 { return binomialCDF(n, r-1, p) }
				above := func(r int) float64 { return binomialCDF(n, n-r, 1-p) } // P(Bin >= r)
				if l > 0 && below(l) > tail*(1+tol) || l < n && below(l+1) <= tail*(1-tol) {
					t.Errorf("n %d, p %v, conf %v: l = %d leaves %g, the next %g", n, p, conf, l, below(l), below(l+1))
				}
				if u <= n && above(u) > tail*(1+tol) || u > 1 && above(u-1) <= tail*(1-tol) {
					t.Errorf("n %d, p %v, conf %v: u = %d leaves %g, the next %g", n, p, conf, u, above(u), above(u-1))
				}
			}
		}
	}
}

func TestQuantileRanksCoverage(t *testing.T) {
	const n, reps = 400, 3000
	for _, pop := range []struct {
		name string
		draw func(*rand.Rand) float64
		inv  func(p float64) float64
	}{
		{"exponential", (*rand.Rand).ExpFloat64, func(p float64) float64 { return -math.Log1p(-p) }},
		{"pareto 1.5", func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -1/1.5) },
			func(p float64) float64 { return math.Pow(1-p, -1/1.5) }},
	} {
		for _, p := range []float64{.5, .9, .98} {
			l, u, ok := quantileRanks(n, p, .95)
			if !ok {
				t.Fatalf("no ranks for p = %v", p)
			}
			r := rand.New(rand.NewPCG(2, uint64(1000*p)))
			x := make([]float64, n)
			held := 0
			for range reps {
				for i := range x {
					x[i] = pop.draw(r)
				}
				slices.Sort(x)
				if q := pop.inv(p); x[l-1] <= q && q <= x[u-1] {
					held++
				}
			}
			exact := binomialCDF(n, u-1, p) - binomialCDF(n, l-1, p)
			if got := float64(held) / reps; got < .94 || got > .98 ||
				!near(got, exact, 4*math.Sqrt(exact*(1-exact)/reps)) {
				t.Errorf("%s p = %v: [x(%d), x(%d)] covers %.3f, by theory %.3f", pop.name, p, l, u, got, exact)
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
		l, u, _ := quantileRanks(n, .5, .95)
		exact := binomialCDF(n, u-1, .5) - binomialCDF(n, l-1, .5)
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
