package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanCI returns the mean of d with Student's interval, which is unbounded for fewer than two
// values. All are NaN if d is empty or holds a NaN.
func MeanCI(d []float64, conf float64) (mean, lo, hi float64) {
	n := float64(len(d))
	mean = sum(d) / n
	if math.IsNaN(mean) || conf >= 1 {
		return mean, math.NaN(), math.NaN()
	}
	if len(d) < 2 {
		return mean, math.Inf(-1), math.Inf(1)
	}
	var squares float64
	for _, v := range d {
		squares += (v - mean) * (v - mean)
	}
	half := math.Sqrt(squares/(n-1)/n) * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+conf)/2)
	return mean, mean - half, mean + half
}

// EquivalenceP returns the p-value that the log ratios d are equivalent: the largest of those of
// four one-sided tests, that the pseudomedian (signed ranks) and the mean (Student's t) of d lie
// below log(1+margin) and above its negative (Schuirmann 1987). Where some starts are much slower
// than others, one of the two may be within the margin while the other is not. It is 1 if d is
// empty or holds a NaN.
func EquivalenceP(d []float64, margin float64) float64 {
	edge := math.Log1p(margin)
	centre, _, _ := HodgesLehmann(d, 1) // without its interval
	mean := sum(d) / float64(len(d))
	if !(math.Abs(centre) < edge && math.Abs(mean) < edge) {
		return 1
	}
	p := 0.
	for _, side := range []float64{-edge, edge} {
		apart := make([]float64, len(d))
		for i, v := range d {
			apart[i] = v - side
		}
		p = max(p, SignedRank(apart)/2, PairedT(apart)/2)
	}
	return p
}
