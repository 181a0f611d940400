package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interim is one time at which the data are tested: after N valid epochs, at level
// Alpha for the family of pairs (reject what Holm adjusts to at most Alpha).
type Interim struct {
	N            int
	Alpha        float64
	Simultaneous bool // the intervals of the family hold together, at level Alpha
	Ranked       bool // the pairs are tested in series that follow a ranking, which was made before: HolmInSeries
	// Strict: epochs that resemble the one before count for less; equivalence is corrected over the
	// family, and is of the mean too; a difference that later turns out to lie within the margin is
	// negligible.
	Strict bool
}

// Interims returns the interim analyses that a run which fits that many epochs takes, early
// ones first: those candidates that fit, alpha split evenly over them. While the
// earliest is of no use to Holm over m pairs (N < MinEpochs at its Alpha), it is
// dropped and alpha split again over the rest. Nil if none can be used.
//
// The Alphas sum to alpha, so by Bonferroni the chance of any false rejection at
// any of them is at most alpha, under any dependence. That holds only for analyses that
// are fixed before the first count (doc/method.md, Statistics).
func Interims(candidates []int, fits, m int, alpha float64) []Interim {
	ns := slices.Clone(candidates)
	slices.Sort(ns)
	ns = slices.Compact(ns)
	ns = slices.DeleteFunc(ns, func(n int) bool { return n < 1 || n > fits })
	for len(ns) > 0 && ns[0] < MinEpochs(m, alpha/float64(len(ns))) {
		ns = ns[1:]
	}
	var interims []Interim
	for _, n := range ns {
		interims = append(interims, Interim{N: n, Alpha: alpha / float64(len(ns))})
	}
	return interims
}

// MinEpochs returns the fewest epochs after which the first step of Holm over m
// pairs can reject anything at level alphaLook: SignedRank gives at least
// 2^(1-n), so n >= log2(2m/alphaLook). It is 0 if there is no
// pair, and math.MaxInt if alphaLook is not positive.
func MinEpochs(m int, alpha float64) int {
	if m < 1 {
		return 0
	}
	if !(alpha > 0) {
		return math.MaxInt
	}
	n := 1
	for math.Ldexp(float64(m), 1-n) > alpha { // what Holm will compute, exactly
		n++
	}
	return n
}

// MDE returns about the minimum detectable effect of one analysis, on the log scale
// (math.Expm1 of it is a share): the shift that SignedRank finds with
// probability 80 % after n epochs when its p-value must pass the first step of
// Holm over m pairs at level alphaLook.
//
//	(t_{1-alphaLook/2m} + t_.8) · sigma · √((π/3)/n), t with n-1 degrees of freedom
//
// sigma is the standard deviation of one pair's d, on the log scale, best
// estimated by MAD from the pilot epochs; 3/π is the Pitman efficiency of the
// test against the t test where d is normal. It is
// +Inf for n < MinEpochs(m, alphaLook), when no effect can be found.
//
// Note: normal quantiles instead of those of t promise too much. By simulation, where d is
// normal, the power is then .76 for (n, m, alphaLook) = (48, 1, .01) and .46 for
// (12, 15, .05); with t it is .79 and .70. Outliers in d take another .03 to .2.
func MDE(sigma float64, n, m int, alpha float64) float64 {
	if m < 1 || n < 2 || n < MinEpochs(m, alpha) {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
	return (t.Quantile(0.8) - t.Quantile(alpha/float64(2*m))) * sigma * math.Sqrt(math.Pi/3/float64(n))
}
