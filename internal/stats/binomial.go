package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MedianCI returns an interval, in the unit of x, that holds the median of the
// population with probability at least conf, whatever the distribution: two
// order statistics of x, their ranks from quantileRanks at p = 1/2 (Conover,
// Practical Nonparametric Statistics, §3.2; "sign test interval"). Where n is
// too small for conf (n < 6 at 95 %), or x holds a NaN, ok is false and the
// interval is unbounded.
func MedianCI(x []float64, conf float64) (lo, hi float64, ok bool) {
	s, clean := sorted(x)
	l, u, ok := quantileRanks(len(x), 0.5, conf)
	if !clean || !ok {
		return math.Inf(-1), math.Inf(1), false
	}
	return s[l-1], s[u-1], true
}

// quantileRanks returns the ranks l and u, counted from 1, such that the l-th
// and the u-th smallest of n independent observations enclose the p-quantile of
// their population with probability at least conf:
//
//	P(l <= Bin(n, p) < u) >= conf, with at most (1-conf)/2 missing on each side
//
// (David and Nagaraja, Order Statistics, §7.1). Here l is the
// largest and u the smallest rank that allows it. A side that n cannot bound
// has l = 0 or u = n+1, and ok is then false. It is also false, with both sides
// open, unless n > 0, 0 < p < 1 and 0 < conf < 1.
//
// Note: the normal form, np ± z√(np(1-p)), is what Lancet uses; it misses the
// skewness near p = 1, which is where latencies are asked about.
func quantileRanks(n int, p, conf float64) (l, u int, ok bool) {
	if n < 1 || !(p > 0 && p < 1) || !(conf > 0 && conf < 1) {
		return 0, max(n, 0) + 1, false
	}
	tail := (1 - conf) / 2
	l = lowerRank(n, p, tail)
	u = n + 1 - lowerRank(n, 1-p, tail) // mirrored: n - Bin(n, p) is Bin(n, 1-p)
	return l, u, l >= 1 && u <= n
}

// lowerRank returns the largest l such that P(Bin(n, p) < l) <= tail.
//
// It walks from the normal approximation, which is a few ranks off at worst,
// and so stays in the tail.
//
// Note: a binary search from the middle would cost a dozen evaluations more,
// and gonum's incomplete beta does not converge there for n >= 1e7.
func lowerRank(n int, p, tail float64) int {
	bin := distuv.Binomial{N: float64(n), P: p}
	at := bin.Mean() + bin.StdDev()*distuv.UnitNormal.Quantile(tail)
	l := min(max(int(at), 0), n)
	for l > 0 && bin.CDF(float64(l-1)) > tail {
		l--
	}
	for l < n && bin.CDF(float64(l)) <= tail {
		l++
	}
	return l
}

// ClopperPearson returns the exact interval of a proportion of which k out of n
// were seen, at confidence conf with (1-conf)/2 on each side (Clopper and
// Pearson, Biometrika 26 (1934)): quantiles of Beta(k, n-k+1) and
// Beta(k+1, n-k). The one-sided 95 % bounds are the ends at conf = 0.90. It is
// [0, 1] if n is 0, and panics unless 0 <= k <= n and 0 < conf < 1.
func ClopperPearson(k, n int, conf float64) (lo, hi float64) {
	if k < 0 || k > n || !(conf > 0 && conf < 1) {
		panic("stats: ClopperPearson wants 0 <= k <= n and 0 < conf < 1")
	}
	lo, hi = 0, 1
	tail := (1 - conf) / 2
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}
