package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Between is how a pair's log ratio varies beyond what short loads in one session show.
type Between struct {
	SD   float64 // standard deviation between sessions
	DF   float64 // degrees of freedom of the estimate SD; 0: SD is not estimated, but given
	Bias float64 // standard deviation of the bias of short loads
	// State is the standard deviation of ratios between the states that the machine was in during the run.
	State float64
}

// Reach returns how far a family of k contestants may move between sessions: with probability conf
// no pair's log ratio moves further. It is the quantile of Tukey's range over √2, times SD. If SD is
// an estimate, Reach takes its upper 80 % confidence limit, and Student's quantile with DF degrees of
// freedom in place of the normal one with the same probability. Bias and State add to the variance.
func (b Between) Reach(k int, conf float64) float64 {
	z := RangeQuantile(k, conf) / math.Sqrt2
	own := z * math.Hypot(b.Bias, b.State)
	if b.DF <= 0 {
		return math.Hypot(z*b.SD, own)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: b.DF}.Quantile((1 + PairConfidence(k, conf)) / 2)
	return math.Hypot(t*b.Upper(), own)
}

// Detectable returns approximately the difference within a pair of k contestants, on the log scale, that the second
// verdict shows with probability 80 % after n epochs; sigma and alpha are as for the function Detectable.
func (b Between) Detectable(sigma float64, n, k int, alpha float64) float64 {
	if k < 2 || n < Least {
		return math.Inf(1)
	}
	t, se := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}, sigma/math.Sqrt(float64(n))
	own := t.Quantile(1-alpha/float64(k*(k-1))) * se
	return math.Hypot(own, b.Reach(k, 0.95)) + t.Quantile(0.8)*math.Hypot(math.Hypot(se, b.SD), b.Bias)
}

// Upper returns the upper 80 % confidence limit of SD, or SD if it is given.
func (b Between) Upper() float64 {
	if b.DF <= 0 {
		return b.SD
	}
	return b.SD * math.Sqrt(b.DF/distuv.ChiSquared{K: b.DF}.Quantile(0.2))
}

// PairConfidence returns the confidence of each pair's interval with which all pairs of k independent values
// hold together with probability conf.
func PairConfidence(k int, conf float64) float64 {
	return 2*distuv.UnitNormal.CDF(RangeQuantile(k, conf)/math.Sqrt2) - 1
}

// RangeQuantile returns the quantile, for probability p, of the range of k independent standard
// normal values: Tukey's studentized range with infinitely many degrees of freedom. It is 0 for
// fewer than two values.
func RangeQuantile(k int, p float64) float64 {
	if k < 2 {
		return 0
	}
	of := [2]float64{float64(k), p}
	if known, ok := rangeQuantiles.Load(of); ok {
		return known.(float64)
	}
	lo, hi := 0., 20.
	for range 40 {
		if mid := (lo + hi) / 2; rangeCDF(k, mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	rangeQuantiles.Store(of, hi)
	return hi
}

// rangeQuantiles has the results of RangeQuantile.
var rangeQuantiles sync.Map

// rangeCDF returns the probability that the range of k standard normal values is at most r. It
// integrates over the smallest value, by the trapezoidal rule.
func rangeCDF(k int, r float64) (p float64) {
	const step = 0.1 // exact to 1e-9, since all derivatives vanish at both ends
	for x := -8 - r; x < 8; x += step {
		p += distuv.UnitNormal.Prob(x) * math.Pow(distuv.UnitNormal.CDF(x+r)-distuv.UnitNormal.CDF(x), float64(k-1))
	}
	return p * step * float64(k)
}
