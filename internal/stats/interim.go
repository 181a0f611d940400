package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interim is one analysis, in which the pairs in a family are judged: after N valid epochs, at
// level Alpha for the family.
type Interim struct {
	N     int
	Alpha float64
	Early bool // by Early, else by Joint
}

// Least is the smallest number of epochs in an analysis that is not early, except for a single pair and
// the last of few epochs: Joint then has 128 flips.
const Least = 8

// Shares of alpha: for each early analysis, before Least epochs, and for all others together.
const (
	earlyShare = 0.1
	lateShare  = 0.8
)

// pairAnalyses lists the analyses by Joint for a single pair in a run in which at most fits epochs
// fit: those before the last one, and the last one's level. Levels are shares of alpha.
type pairAnalyses struct {
	fits   int
	before []Interim
	last   float64
}

// onePair has pairAnalyses for all runs, the shortest first.
//
// Note: the levels sum to more than alpha, because analyses with mostly the same epochs seldom err
// apart. They are simulated (go run ./validation cases) for alpha 5 %.
var onePair = []pairAnalyses{
	{Least, nil, lateShare},
	{11, []Interim{{N: 7, Alpha: .32}, {N: 8, Alpha: .48}}, .32},
	{19, []Interim{{N: 8, Alpha: .32}, {N: 10, Alpha: .32}, {N: 12, Alpha: .2}}, .2},
	{math.MaxInt, []Interim{{N: 8, Alpha: .32}, {N: 10, Alpha: .2}, {N: 12, Alpha: .12}, {N: 24, Alpha: .2}}, .2},
}

// Candidates returns the numbers of epochs after which a run with at most so many may be analysed. single
// says that it has a single pair.
func Candidates(single bool, most int) []int {
	all := []int{3, 5, Least, 12, 24}
	if single {
		for _, p := range onePair {
			for _, a := range p.before {
				all = append(all, a.N)
			}
		}
	}
	slices.Sort(all)
	return append(slices.DeleteFunc(slices.Compact(all), func(n int) bool { return n >= most }), most)
}

// Interims returns the analyses for a run in which fits epochs fit: the last one after as many
// epochs as fit, at most the largest candidate; before it every early candidate, below Least
// epochs, and the later candidates that leave a third of the epochs to come. Early analyses have a
// tenth of alpha each, the others share eight tenths. Candidates for a single pair have the later
// analyses in onePair. A last one after Least-1 epochs, if it is a candidate, is not early. Interims
// returns nil if fewer than Fewest epochs fit.
//
// With at most two early candidates and more than one pair the levels sum to at most alpha, so by
// Bonferroni the chance of any false verdict in any analysis is at most alpha, whatever their
// dependence. This holds only for analyses that are fixed before the first count.
func Interims(candidates []int, fits int, alpha float64) (all []Interim) {
	if len(candidates) == 0 || fits < Fewest(candidates) {
		return nil
	}
	last, late := min(fits, slices.Max(candidates)), 1
	joint := last >= Least || last == Least-1 && math.Exp2(2-Least) <= lateShare*alpha // its smallest p-value
	single := joint && slices.Contains(candidates, Least-1)
	for _, n := range slices.Compact(slices.Sorted(slices.Values(candidates))) {
		switch {
		case n < 1 || n >= last || single && n >= Least-1 || n >= Least && 3*n > 2*last:
		case n < Least:
			all = append(all, Interim{n, earlyShare * alpha, true})
		default:
			all = append(all, Interim{N: n})
			late++
		}
	}
	if last < Least && !single {
		return append(all, Interim{last, earlyShare * alpha, true})
	}
	share := lateShare / float64(late)
	if single {
		p := onePair[slices.IndexFunc(onePair, func(p pairAnalyses) bool { return last <= p.fits })]
		for _, a := range p.before {
			if a.N < last {
				all = append(all, Interim{N: a.N, Alpha: a.Alpha * alpha})
			}
		}
		share = p.last
	}
	all = append(all, Interim{N: last})
	for i := range all {
		if all[i].Alpha == 0 {
			all[i].Alpha = share * alpha
		}
	}
	return all
}

// Remaining returns the last analysis for a run with these candidates that ended after n epochs before all its
// analyses, where that one and those to come had left of alpha. If n is too small for Joint, it is one more early one.
func Remaining(candidates []int, n int, left, alpha float64) Interim {
	if n >= Least || n == Least-1 && slices.Contains(candidates, n) {
		return Interim{N: n, Alpha: min(left, lateShare*alpha)}
	}
	return Interim{n, earlyShare * alpha, true}
}

// Fewest returns the number of epochs after which a run with these candidates can be judged: Least,
// or the smallest candidate if all are early.
func Fewest(candidates []int) int {
	if len(candidates) > 0 && slices.Max(candidates) < Least {
		return slices.Min(candidates)
	}
	return Least
}

// Detectable returns approximately the difference within a pair, on the log scale, that an analysis
// with n epochs and m pairs at level alpha finds with probability 80 %, if a pair's log ratios have
// standard deviation sigma:
//
//	(t_{1−alpha/2m} + t_.8) · sigma / √n, t with n−1 degrees of freedom
//
// Pairs that share servers depend on each other, and are judged less strictly than Bonferroni's 1/m.
// Detectable returns +Inf for n < Least or m < 1.
func Detectable(sigma float64, n, m int, alpha float64) float64 {
	if m < 1 || n < Least {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
	return (t.Quantile(0.8) - t.Quantile(alpha/float64(2*m))) * sigma / math.Sqrt(float64(n))
}
