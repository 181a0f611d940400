package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interim is one time at which the pairs of a family are judged: after N valid epochs, at level Alpha
// for the family.
type Interim struct {
	N     int
	Alpha float64
}

// Least is the fewest epochs that Joint judges: 128 flips.
const Least = 8

// The shares of alpha of one early analysis, before Least epochs, and of all others together.
const (
	earlyShare = 0.1
	lateShare  = 0.8
)

// Interims returns the analyses of a run that fits so many epochs: the last one at all that fit, at most
// the largest candidate, and before it those candidates that leave a third of the epochs to come. Early
// ones, before Least epochs, have a tenth of alpha each, the others share eight tenths. It returns nil if fewer than
// Fewest fit.
//
// The levels sum to at most alpha, so by Bonferroni the chance of any false verdict at any of them is at
// most alpha, whatever their dependence. That holds only for analyses that are fixed before the first count.
func Interims(candidates []int, fits int, alpha float64) (all []Interim) {
	if len(candidates) == 0 || fits < Fewest(candidates) {
		return nil
	}
	last, late := min(fits, slices.Max(candidates)), 1
	for _, n := range slices.Compact(slices.Sorted(slices.Values(candidates))) {
		switch {
		case n < 1 || n >= last || n >= Least && 3*n > 2*last:
		case n < Least:
			all = append(all, Interim{n, earlyShare * alpha})
		default:
			all = append(all, Interim{N: n})
			late++
		}
	}
	all = append(all, Interim{N: last})
	if last < Least {
		all[len(all)-1].Alpha = earlyShare * alpha
	}
	for i := range all {
		if all[i].Alpha == 0 {
			all[i].Alpha = lateShare * alpha / float64(late)
		}
	}
	return all
}

// Fewest returns after how many epochs a run with these candidates can be judged: the first of them, if all are early.
func Fewest(candidates []int) int {
	if len(candidates) > 0 && slices.Max(candidates) < Least {
		return slices.Min(candidates)
	}
	return Least
}

// Detectable returns about the difference of a pair, on the log scale, that an analysis of n epochs and m
// pairs at level alpha finds with probability 80 %, where a pair's log ratios have standard deviation sigma:
//
//	(t_{1−alpha/2m} + t_.8) · sigma / √n, t with n−1 degrees of freedom
//
// Pairs that share servers depend on each other, and are judged less strictly than Bonferroni's 1/m.
// It is +Inf for n < Least.
func Detectable(sigma float64, n, m int, alpha float64) float64 {
	if m < 1 || n < Least {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
	return (t.Quantile(0.8) - t.Quantile(alpha/float64(2*m))) * sigma / math.Sqrt(float64(n))
}
