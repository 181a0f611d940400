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
// analysis. beside are the differences of pairs with controls: they are not judged, and help to
// tell whether epochs depend on one another. ranking is nil or, where the pairs are all those of some
// contestants (stats.Couples), what the pilots rank these by: pairs are then tested in series.
func Decide(d, beside [][]float64, ranking []float64, epochs int, analyses []stats.Interim, margin float64) []Decision {
	var js []Decision
	for _, interim := range analyses {
		if interim.N > epochs {
			break
		}
		js = DecideAt(js, d, beside, ranking, interim, margin)
	}
	return js
}

// DecideAt tests the pairs of a family once, by the first n values of each. before is its result at
// the previous analysis, or nil. Verdicts are final: later analyses do not retract them,
// but by the strict rules a difference may become negligible.
func DecideAt(before []Decision, d, beside [][]float64, ranking []float64, interim stats.Interim,
	margin float64,
) []Decision {
	js := make([]Decision, len(d))
	ps := make([]float64, len(d))
	seen := make([][]float64, len(d))
	for i := range d {
		seen[i] = present(d[i], interim.N)
	}
	if interim.Strict {
		spread, all := stats.SerialSpread(seen), seen
		for _, d := range beside {
			all = append(all, present(d, interim.N))
		}
		spread = max(spread, stats.SerialSpread(all))
		for i := range seen {
			seen[i] = stats.SpreadOut(seen[i], spread)
		}
	}
	for i := range seen {
		ps[i] = stats.SignedRank(seen[i])
	}
	holm := adjust(ps, stats.FromGaps(ranking))
	alike := equivalent(seen, ranking, interim, margin)
	for i, adjusted := range holm {
		j := Decision{P: ps[i], Adjusted: adjusted, Verdict: Inconclusive}
		if ranking == nil {
			j.Ratio = intervalAt(interim, seen[i], holm, i)
		} else {
			j.Ratio = rankedInterval(interim, seen[i], adjusted, stats.RankedTests(len(ranking)))
		}
		switch {
		case before == nil || before[i].Verdict == Inconclusive:
			j.decide(alike[i], interim.Alpha, margin)
		case interim.Strict && before[i].Verdict == Different && j.within(margin):
			j.Verdict, j.Up = Negligible, before[i].Up
		default:
			j.Verdict, j.Up = before[i].Verdict, before[i].Up
		}
		js[i] = j
	}
	return js
}

// adjust corrects p-values for the family: by Holm, where there are series in these.
func adjust(ps []float64, series [][]int) []float64 {
	if series == nil {
		return stats.Holm(ps)
	}
	return stats.HolmInSeries(ps, series)
}

// equivalent reports of each pair of a family, with values d, whether it is shown to be equivalent at
// an interim analysis. By the strict rules the p-values are corrected for the pairs.
func equivalent(d [][]float64, ranking []float64, interim stats.Interim, margin float64) []bool {
	out, ps := make([]bool, len(d)), make([]float64, len(d))
	for i := range d {
		if interim.Strict {
			ps[i] = stats.EquivalenceP(d[i], margin)
		} else {
			out[i] = stats.Equivalent(d[i], margin, interim.Alpha)
		}
	}
	if interim.Strict {
		for i, p := range adjust(ps, stats.IntoGroups(ranking)) {
			out[i] = p <= interim.Alpha
		}
	}
	return out
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

// rankedInterval estimates the ratio of a pair of a ranking, with an interval at 1 − alpha/tests: those
// of all neighbours hold together, and so do those against any one contestant. It ends at 1 at the
// latest if the pair is different, and includes 1 if not.
func rankedInterval(interim stats.Interim, d []float64, adjusted float64, tests int) Estimate {
	e := ratio(d, 1-interim.Alpha/float64(tests))
	switch {
	case adjusted > interim.Alpha:
		e.Lo, e.Hi = min(e.Lo, 1), max(e.Hi, 1)
	case e.Value > 1:
		e.Lo = max(e.Lo, 1)
	default:
		e.Hi = min(e.Hi, 1)
	}
	return e
}

// decide gives the pair, which is or is not shown to be equivalent, its verdict at an interim
// analysis of level alpha.
func (j *Decision) decide(equivalent bool, alpha, margin float64) {
	switch {
	case j.Adjusted <= alpha && j.Ratio.N > 0:
		j.Verdict = Different
		if j.within(margin) {
			j.Verdict = Negligible
		}
		j.Up = j.Ratio.Value > 1
	case equivalent:
		j.Verdict = Equivalent
	}
}

// within reports whether the interval lies within the margin.
func (j *Decision) within(margin float64) bool {
	limit := math.Log1p(margin)
	return math.Log(j.Ratio.Lo) > -limit && math.Log(j.Ratio.Hi) < limit
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
