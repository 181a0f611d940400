package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanCI returns the mean of d with Student's interval, which is unbounded for fewer than two
// values. All results are NaN if d is empty or holds a NaN.
func MeanCI(d []float64, conf float64) (mean, lo, hi float64) {
	n := float64(len(d))
	mean = sum(d) / n
	if math.IsNaN(mean) || conf >= 1 {
		return mean, math.NaN(), math.NaN()
	}
	if len(d) < 2 {
		return mean, math.Inf(-1), math.Inf(1)
	}
	half := math.Sqrt(variance(d)/n) * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+conf)/2)
	return mean, mean - half, mean + half
}
