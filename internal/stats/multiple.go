package stats

import (
	"cmp"
	"math"
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

// Couples returns all pairs of k things.
func Couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
