package analysis

import (
	"math"

	"dyno/internal/stats"
)

// Decision is the outcome of one pair's comparison so far.
type Decision struct {
	Ratio    Estimate // of the first over the second, with the interval of intervalAt
	P        float64  // exact two-sided signed-rank
	Adjusted float64  // Holm
	Verdict  Verdict
	Up       bool // where a difference was found: the first has the larger value
}

// Decide is the whole decision procedure on numbers: it judges the pairs of a family at each
// interim analysis that the epochs allow. d[i] are the differences of pair i, as log ratios, in
// order of the epochs, with NaN for an epoch without one. It returns nil before the first interim
// analysis.
func Decide(d [][]float64, epochs int, analyses []stats.Interim, margin float64) []Decision {
	var js []Decision
	for _, interim := range analyses {
		if interim.N > epochs {
			break
		}
		js = DecideAt(js, d, interim, margin)
	}
	return js
}

// DecideAt tests the pairs of a family once, by the first n values of each. before is its result at
// the previous analysis, or nil. Verdicts are final: later analyses do not retract them.
func DecideAt(before []Decision, d [][]float64, interim stats.Interim, margin float64) []Decision {
	js := make([]Decision, len(d))
	ps := make([]float64, len(d))
	seen := make([][]float64, len(d))
	for i := range d {
		seen[i] = present(d[i], interim.N)
		ps[i] = stats.SignedRank(seen[i])
	}
	holm := stats.Holm(ps)
	for i, adjusted := range holm {
		j := Decision{Ratio: intervalAt(interim, seen[i], holm, i), P: ps[i], Adjusted: adjusted, Verdict: Inconclusive}
		if before != nil && before[i].Verdict != Inconclusive {
			j.Verdict, j.Up = before[i].Verdict, before[i].Up
		} else {
			j.decide(seen[i], interim.Alpha, margin)
		}
		js[i] = j
	}
	return js
}

// intervalAt estimates the ratio of pair i, whose differences are d. Its interval is at 1 − alpha
// of the interim analysis. For simultaneous intervals of the family, that of a pair that Holm's
// procedure rejects is at 1 − alpha/m and is cut at 1, and that of each of the r other pairs is at
// 1 − alpha/r. So an interval excludes 1 exactly if the pair is different (Strassburger and Bretz
// 2008; Guilbaud 2008).
func intervalAt(interim stats.Interim, d, holm []float64, i int) Estimate {
	if !interim.Simultaneous {
		return ratio(d, 1-interim.Alpha)
	}
	left := 0
	for _, adjusted := range holm {
		if adjusted > interim.Alpha {
			left++
		}
	}
	if holm[i] > interim.Alpha {
		return ratio(d, 1-interim.Alpha/float64(left))
	}
	e := ratio(d, 1-interim.Alpha/float64(len(holm)))
	if e.Value > 1 {
		e.Lo = max(e.Lo, 1)
	} else {
		e.Hi = min(e.Hi, 1)
	}
	return e
}

// decide gives the pair its verdict at an interim analysis of level alpha.
func (j *Decision) decide(d []float64, alpha, margin float64) {
	limit := math.Log1p(margin)
	switch {
	case j.Adjusted <= alpha && len(d) > 0:
		j.Verdict = Different
		if math.Log(j.Ratio.Lo) > -limit && math.Log(j.Ratio.Hi) < limit {
			j.Verdict = Negligible
		}
		j.Up = j.Ratio.Value > 1
	case stats.Equivalent(d, margin, alpha):
		j.Verdict = Equivalent
	}
}

// present returns the known values of the first n epochs.
func present(d []float64, n int) []float64 {
	var out []float64
	for _, v := range d[:min(n, len(d))] {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// Ranks returns the rank intervals of k contestants, counted from 1 (doc/method.md). lo is one more
// than the number of contestants that beat it; hi is k minus the number that it beats.
func Ranks(k int, beats func(i, j int) bool) (lo, hi []int) {
	lo, hi = make([]int, k), make([]int, k)
	for i := range k {
		lo[i], hi[i] = 1, k
		for j := range k {
			if i != j && beats(j, i) {
				lo[i]++
			}
			if i != j && beats(i, j) {
				hi[i]--
			}
		}
	}
	return lo, hi
}
