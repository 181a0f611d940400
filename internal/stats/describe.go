// Package stats holds estimates, intervals and tests on plain []float64: those that doc/method.md
// needs, and no more.
//
// Invariant: every function is a pure function of its arguments. No function modifies its argument
// slices, reads a clock, or draws a random number except from a given or fixed seed, so that the
// same trials always give the same verdict.
//
// Values that are not numbers never become a claim: a NaN among the observations gives a NaN
// estimate, a NaN p-value (which is below no alpha) and an unbounded interval. Intervals that n is
// too small for are unbounded too.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean of x; NaN if x is empty.
func Mean(x []float64) (mean float64) {
	if len(x) == 0 {
		return math.NaN()
	}
	for _, v := range x {
		mean += v / float64(len(x))
	}
	return mean
}

// StdDev returns the standard deviation of a sample, NaN for one value.
func StdDev(x []float64) float64 { return math.Sqrt(variance(x)) }

// Median returns the median of x, in x's unit: the middle value, or the mean of the two middle
// values. It is NaN if x is empty or holds a NaN.
func Median(x []float64) float64 {
	s, ok := sorted(x)
	if !ok {
		return math.NaN()
	}
	below, above := s[(len(s)-1)/2], s[len(s)/2]
	if below == above { // also keeps infinities from turning into NaN
		return above
	}
	return 0.5*below + 0.5*above
}

// MAD returns the median absolute deviation of x from its median, in x's unit, times 1.4826 =
// 1/z(3/4), so that it estimates the standard deviation if x is normal (Hampel, JASA 69 (1974); R's
// mad uses this scale). It is NaN if x is empty or holds a NaN.
func MAD(x []float64) float64 {
	m := Median(x)
	dev := make([]float64, len(x))
	for i, v := range x {
		dev[i] = math.Abs(v - m)
	}
	return 1.4826 * Median(dev)
}

// sorted returns a sorted copy of x, and false if x is empty or holds a NaN.
func sorted(x []float64) ([]float64, bool) {
	s := slices.Clone(x)
	slices.Sort(s) // NaNs come first
	return s, len(s) > 0 && !math.IsNaN(s[0])
}

// NormalLimit returns the limit that the absolute value of a standard normal variable exceeds with
// probability alpha: 1.96 for 0.05.
func NormalLimit(alpha float64) float64 { return -distuv.UnitNormal.Quantile(alpha / 2) }
