package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm returns the adjusted p-values of the family p, in the order of p:
// rejecting those at most alpha keeps the chance of any false rejection in the
// family at most alpha, whatever the dependence between the tests (Holm,
// Scand. J. Stat. 6 (1979)). With p_(1) <= … <= p_(m),
//
//	adjusted_(i) = max over j <= i of min(1, (m-j+1) p_(j))
//
// A NaN, a test that could not be done, stays NaN and still counts in m: a
// family does not get easier because one of its members failed.
func Holm(p []float64) (adjusted []float64) {
	order := orderOf(len(p), func(a, b int) int {
		if x, y := math.IsNaN(p[a]), math.IsNaN(p[b]); x || y {
			return cmp.Compare(p[b], p[a]) // cmp puts NaN first; we want it last
		}
		return cmp.Compare(p[a], p[b])
	})
	adjusted = make([]float64, len(p))
	floor := 0.0
	for j, i := range order {
		if math.IsNaN(p[i]) {
			adjusted[i] = math.NaN()
			continue
		}
		floor = max(floor, min(1, float64(len(p)-j)*p[i]))
		adjusted[i] = floor
	}
	return adjusted
}

// HolmInSeries returns the adjusted p-values of tests that are made in series, each a list of
// indices of p: a test is made once those before it in its series have rejected. Not the tests share
// alpha but the series, and one that is through passes its share on:
//
//	among the tests that are next in a series, the smallest p is rejected if p <= alpha/(series left)
//
// Rejecting those that are adjusted to at most alpha keeps the chance of any false rejection at most
// alpha, whatever the dependence between the tests. The reason: up to the first false rejection, only
// the first true hypothesis of a series can be next in it. So at most as many true ones are ever
// tested as there are series that have one, none of which is through; by Bonferroni one of them is
// rejected with a chance of at most alpha. (Goeman and Solari, Ann. Stat. 38 (2010): the general case.)
//
// A test may be in several series: rejected in one, it is passed over in the others. A NaN, a test
// that could not be done, stays NaN and ends its series. Tests in no series are 1.
func HolmInSeries(p []float64, series [][]int) (adjusted []float64) {
	adjusted, rejected := make([]float64, len(p)), make([]bool, len(p))
	for i := range adjusted {
		adjusted[i] = 1
	}
	at := func(s []int) float64 { // the p-value of what is next
		if v := p[s[0]]; !math.IsNaN(v) {
			return v
		}
		return 1
	}
	left := slices.Clone(series)
	for floor := 0.0; ; {
		for s := range left {
			for len(left[s]) > 0 && rejected[left[s][0]] {
				left[s] = left[s][1:]
			}
		}
		left = slices.DeleteFunc(left, func(s []int) bool { return len(s) == 0 })
		if len(left) == 0 {
			return adjusted
		}
		next := slices.MinFunc(left, func(a, b []int) int { return cmp.Compare(at(a), at(b)) })
		i := next[0]
		floor = max(floor, min(1, float64(len(left))*at(next)))
		if adjusted[i], rejected[i] = floor, true; math.IsNaN(p[i]) {
			adjusted[i] = p[i]
		}
	}
}

// Couples returns all pairs of k things.
func Couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// RankedTests returns the number of series in which FromGaps puts the pairs of k contestants.
func RankedTests(k int) int {
	if k < 3 {
		return max(1, k-1)
	}
	return k
}

// FromGaps returns the pairs of contestants, as indices of Couples, in series that begin at the gaps
// of a ranking by scores: first the two neighbours on both sides of a gap, then the pairs that have
// no wider gap between them, those furthest apart first. One more series has all pairs but the
// neighbours, those furthest apart first.
func FromGaps(scores []float64) (series [][]int) {
	series = acrossGaps(scores, -1)
	var all []int
	for _, s := range series {
		all = append(all, s[1:]...)
	}
	if slices.SortStableFunc(all, furthest(scores, -1)); all != nil {
		series = append(series, all)
	}
	return series
}

// IntoGroups returns the pairs in the same series, those nearest to each other first, without the
// one of all.
func IntoGroups(scores []float64) (series [][]int) { return acrossGaps(scores, 1) }

// acrossGaps returns the series of the gaps. Behind the neighbours the pairs are in ascending order of
// their distance times sign.
func acrossGaps(scores []float64, sign float64) (series [][]int) {
	k, order := len(scores), make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for g := range max(0, k-1) {
		series = append(series, []int{pairOf(k, order[g], order[g+1])})
	}
	for i := range order {
		widest, at := -1.0, 0
		for j := i + 1; j < k; j++ {
			if gap := scores[order[j-1]] - scores[order[j]]; gap > widest {
				widest, at = gap, j-1
			}
			if j > i+1 {
				series[at] = append(series[at], pairOf(k, order[i], order[j]))
			}
		}
	}
	for _, s := range series {
		slices.SortStableFunc(s[1:], furthest(scores, sign))
	}
	return series
}

// furthest compares pairs by the distance of their scores times sign.
func furthest(scores []float64, sign float64) func(a, b int) int {
	pairs := Couples(len(scores))
	apart := func(i int) float64 { return sign * math.Abs(scores[pairs[i][0]]-scores[pairs[i][1]]) }
	return func(a, b int) int { return cmp.Compare(apart(a), apart(b)) }
}

// pairOf returns the index of a pair among the Couples of k.
func pairOf(k, i, j int) int {
	i, j = min(i, j), max(i, j)
	return i*(2*k-i-1)/2 + j - i - 1
}

// Scores returns a score for each of k things of which only differences are known, so that their
// differences are as those: apart returns that of i over that of j, NaN if it is not known.
func Scores(k int, apart func(i, j int) float64) []float64 {
	scores := make([]float64, k)
	for _, c := range Couples(k) {
		if d := apart(c[0], c[1]); !math.IsNaN(d) && !math.IsInf(d, 0) {
			scores[c[0]] += d / float64(k)
			scores[c[1]] -= d / float64(k)
		}
	}
	return scores
}
