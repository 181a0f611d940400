package study

import (
	"math"
	"slices"

	"dyno/internal/stats"
)

// shift returns by how much the values of x lie above those of y, in their unit, and an interval
// that holds it with confidence conf: the median of all differences x − y (Hodges and Lehmann, Ann.
// Math. Stat. 34 (1963)), and D_(c+1) to D_(mn−c) of them, c being the largest number such that P(U
// ≤ c) ≤ (1−conf)/2 (Moses 1953; Hollander and Wolfe, §4.3). It assumes that both samples have the
// same shape. The interval is unbounded where there are too few values.
func shift(x, y []float64, conf float64) (hl, lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	var d []float64
	for _, v := range x {
		for _, w := range y {
			d = append(d, v-w)
		}
	}
	if len(d) == 0 {
		return math.NaN(), lo, hi
	}
	slices.Sort(d)
	c := -1
	for u, p := range uCDF(len(x), len(y)) {
		if p > (1-conf)/2 || 2*u >= len(d)-1 {
			break
		}
		c = u
	}
	if c >= 0 {
		lo, hi = d[c], d[len(d)-1-c]
	}
	return stats.Median(d), lo, hi
}

// rankSum returns the exact two-sided p-value of the Mann–Whitney test that x and y are of one
// distribution. A tie counts one half, and a half is rounded so that p is larger.
func rankSum(x, y []float64) float64 {
	var u float64
	for _, v := range x {
		for _, w := range y {
			switch {
			case v > w:
				u++
			case v == w:
				u += 0.5
			}
		}
	}
	n := len(x) * len(y)
	if n == 0 {
		return 1
	}
	return min(1, 2*uCDF(len(x), len(y))[int(math.Ceil(min(u, float64(n)-u)))])
}

// uCDF returns P(U ≤ u) for u from 0 to m·n, U being the Mann–Whitney statistic of samples of m and
// n values without ties, by the recurrence P_mn(u) = m/(m+n)·P_(m−1)n(u−n) + n/(m+n)·P_m(n−1)(u)
// (Mann and Whitney, Ann. Math. Stat. 18 (1947)). Time grows with m²n²; runs have tens of epochs.
func uCDF(m, n int) []float64 {
	before := make([][]float64, n+1) // by n, for one m less
	for j := range before {
		before[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		row := make([][]float64, n+1)
		row[0] = []float64{1}
		for j := 1; j <= n; j++ {
			p := make([]float64, i*j+1)
			share := float64(i) / float64(i+j)
			for u, v := range before[j] {
				p[u+j] += share * v
			}
			for u, v := range row[j-1] {
				p[u] += (1 - share) * v
			}
			row[j] = p
		}
		before = row
	}
	cdf := before[n]
	sum := 0.0
	for u, p := range cdf {
		sum += p
		cdf[u] = sum
	}
	return cdf
}
