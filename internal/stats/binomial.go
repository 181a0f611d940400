package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MedianCI returns an interval, in x's unit, that holds the population median with probability at
// least conf, whatever the distribution: two order statistics of x (Conover, Practical
// Nonparametric Statistics, §3.2; "sign test interval"). If n is too small for conf (n < 6 at 95
// %), or x holds a NaN, ok is false and the interval is unbounded.
func MedianCI(x []float64, conf float64) (lo, hi float64, ok bool) {
	s, clean := sorted(x)
	l := medianRank(len(x), (1-conf)/2)
	if !clean || l < 1 {
		return math.Inf(-1), math.Inf(1), false
	}
	return s[l-1], s[len(s)-l], true
}

// medianRank returns the largest l such that P(Bin(n, 1/2) < l) <= tail: the l-th smallest and the
// l-th largest among n observations enclose the median.
//
// It walks from the normal approximation, which is a few ranks off at worst, and so stays in the
// tail.
//
// Note: a binary search from the middle would cost a dozen evaluations more, and gonum's incomplete
// beta does not converge there for n >= 1e7.
func medianRank(n int, tail float64) int {
	bin := distuv.Binomial{N: float64(n), P: 0.5}
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

// ClopperPearson returns the exact interval for a proportion after k successes in n trials, at
// confidence conf with (1-conf)/2 on each side (Clopper and Pearson, Biometrika 26 (1934)):
// quantiles of Beta(k, n-k+1) and Beta(k+1, n-k). The one-sided 95 % bounds are the ends at conf =
// 0.90. The interval is [0, 1] if n is 0. ClopperPearson panics unless 0 <= k <= n and 0 < conf <
// 1.
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
