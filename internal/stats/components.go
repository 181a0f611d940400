package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Components splits the spread of x, one slice per group, into the spread within the groups and the
// spread that the groups add, both as standard deviations in x's unit (Kalibera and Jones, ISMM
// 2013, in the form that libkalibera corrected):
//
//	within² = S1², the variance within groups, pooled
//	between² = S2² - S1²/r, S2² the variance between group means and r their harmonic mean size;
//	           0 where that is negative
//
// most is the one-sided 95 % upper bound for between, by the chi-squared distribution of S2².
//
// p is the p-value of the F test that the groups add nothing: F = r·S2²/S1² with (n-1, N-n) degrees
// of freedom, exact if x is normal and the groups have equal sizes. Empty groups are left out. All
// results are NaN for fewer than two groups, if no group has two values, and if x holds a NaN.
func Components(x [][]float64) (within, between, most, p float64) {
	var means []float64
	var squares, inverse float64 // Σ(x-mean)², Σ1/size
	count := 0
	for _, group := range x {
		if len(group) == 0 {
			continue
		}
		mean := sum(group) / float64(len(group))
		for _, v := range group {
			squares += (v - mean) * (v - mean)
		}
		means = append(means, mean)
		inverse += 1 / float64(len(group))
		count += len(group)
	}
	n := len(means)
	if n < 2 || count == n || math.IsNaN(squares) {
		return math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	grand := sum(means) / float64(n)
	var s2 float64
	for _, m := range means {
		s2 += (m - grand) * (m - grand) / float64(n-1)
	}
	s1 := squares / float64(count-n)
	r := float64(n) / inverse
	p = distuv.F{D1: float64(n - 1), D2: float64(count - n)}.Survival(r * s2 / s1)
	switch {
	case s2 == 0:
		p = 1
	case s1 == 0:
		p = 0
	}
	upper := s2 * float64(n-1) / distuv.ChiSquared{K: float64(n - 1)}.Quantile(0.05)
	return math.Sqrt(s1), math.Sqrt(max(0, s2-s1/r)), math.Sqrt(max(0, upper-s1/r)), p
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
