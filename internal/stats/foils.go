package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Two tests that dyno does not decide by. Package validate compares them with its own.

// PairedT returns the two-sided p-value of Student's t-test that the mean of d is 0. It is 1 for
// fewer than two values, or if all are 0, and NaN if d holds a NaN.
func PairedT(d []float64) (p float64) {
	n := float64(len(d))
	mean := sum(d) / n
	var squares float64
	for _, v := range d {
		squares += (v - mean) * (v - mean)
	}
	switch {
	case len(d) < 2 || mean == 0:
		return 1
	case squares == 0:
		return 0
	}
	t := mean / math.Sqrt(squares/(n-1)/n)
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(t))
}

// RankSum returns the two-sided p-value of the test of Wilcoxon, Mann and Whitney that neither of x
// and y tends to be larger: by the normal approximation, with continuity and tie corrections. It is
// 1 if either is empty or all values are alike, and NaN if either holds a NaN.
func RankSum(x, y []float64) (p float64) {
	both := slices.Concat(x, y)
	if math.IsNaN(sum(both)) {
		return math.NaN()
	}
	n := float64(len(both))
	var w, squares float64 // doubled mid-ranks: of x, and the squares of all from their mean
	for i, r := range midranks(both) {
		if i < len(x) {
			w += float64(r)
		}
		squares += (float64(r) - (n + 1)) * (float64(r) - (n + 1))
	}
	if len(x) == 0 || len(y) == 0 || squares == 0 {
		return 1
	}
	nx, ny := float64(len(x)), float64(len(y))
	sd := math.Sqrt(squares / n * nx * ny / (n - 1))
	z := max(0, math.Abs(w-nx*(n+1))-1) / sd
	return 2 * distuv.UnitNormal.CDF(-z)
}
