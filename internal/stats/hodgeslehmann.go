package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// HodgesLehmann returns the pseudomedian of d and an interval that holds it with
// confidence conf, in the unit of d (a log ratio: report exp of all three).
//
// The estimate is the median of the M = n(n+1)/2 Walsh averages
// w_ab = (d_a+d_b)/2, a <= b (Hodges and Lehmann, Ann. Math. Stat. 34 (1963)).
// The interval is [w_(c+1), w_(M-c)], c being the largest number such that
// P(W <= c) <= (1-conf)/2 under the null of SignedRank without equal ranks (Tukey 1949;
// Hollander and Wolfe, §3.3). So it excludes 0 exactly when SignedRank gives
// p <= 1-conf, if d has no equal ranks and no zeros. Coverage is at least conf for any
// continuous symmetric distribution, up to n = 60 (95.8 % at n = 12 and conf =
// .95), and also for a quantised symmetric one. Above 60, c is from the normal
// approximation.
//
// The interval is (-Inf, +Inf) where n is too small for conf (n < 6 at 95 %). hl
// is NaN, and the interval unbounded, if d is empty, or holds a NaN or both
// infinities.
func HodgesLehmann(d []float64, conf float64) (hl, lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	s, ok := sorted(d)
	if !ok || math.IsNaN(s[0]+s[len(s)-1]) {
		return math.NaN(), lo, hi
	}
	m := len(s) * (len(s) + 1) / 2
	hl = walsh(s, m/2)
	if m%2 == 0 {
		hl = (walsh(s, m/2-1) + hl) / 2
	}
	if c := walshRank(len(s), (1-conf)/2); c >= 0 {
		lo, hi = walsh(s, c), walsh(s, m-1-c)
	}
	return hl, lo, hi
}

// walsh returns the r-th smallest, from 0, of the Walsh averages of s, which is
// sorted and has at most one of the infinities.
//
// It halves the range of float64s in which that lies, by how many averages are at
// most its middle, until few are left to be sorted: in time about n log n, where
// making and sorting them all takes n² log n. With this and what untied keeps, the
// analysis of a pair of 48 values (BenchmarkPair) takes 12 µs of CPU instead of 100.
func walsh(s []float64, r int) float64 {
	const few = 16
	n := len(s)
	lo, hi := ordinal((s[0]+s[0])/2), ordinal((s[n-1]+s[n-1])/2)
	below, most := 0, n*(n+1)/2 // how many lie below lo, and up to hi
	for most-below > few && lo < hi {
		mid := lo + (hi-lo)/2
		if c := atMost(s, number(mid), nil); c > r {
			hi, most = mid, c
		} else {
			lo, below = mid+1, c
		}
	}
	if lo == hi {
		return number(lo)
	}
	left := make([]float64, 0, most-below)
	from := number(lo)
	atMost(s, number(hi), func(a, b float64) bool {
		w := (a + b) / 2
		if w >= from {
			left = append(left, w)
		}
		return w >= from
	})
	slices.Sort(left)
	return left[r-below]
}

// atMost counts the Walsh averages of s, which is sorted, that are at most x. Of
// each row of them, those of one value and all from it on, it shows the pairs
// to see, if that is not nil, from the largest downwards until see says no.
func atMost(s []float64, x float64, see func(a, b float64) bool) (count int) {
	b := len(s) - 1
	for a := range s {
		for b >= a && (s[a]+s[b])/2 > x {
			b--
		}
		if b < a {
			break
		}
		count += b - a + 1
		for at := b; see != nil && at >= a && see(s[a], s[at]); at-- {
		}
	}
	return count
}

// ordinal numbers the float64s in their order, -0 as 0 and NaNs left aside;
// number is its inverse.
func ordinal(x float64) uint64 {
	const zero = 1 << 63
	if b := math.Float64bits(x); b >= zero {
		return zero - (b - zero)
	}
	return zero + math.Float64bits(x)
}

func number(ordinal uint64) float64 {
	const zero = 1 << 63
	if ordinal < zero {
		return -math.Float64frombits(zero - ordinal)
	}
	return math.Float64frombits(ordinal - zero)
}

// walshRank returns the largest c with P(W <= c) <= tail for the signed-rank
// statistic W of n untied differences, at most (M-1)/2, or -1 if there is none.
func walshRank(n int, tail float64) int {
	if !(tail > 0) {
		return -1
	}
	m := n * (n + 1) / 2
	half := (m - 1) / 2
	if n > exactN {
		sd := math.Sqrt(float64(m) * float64(2*n+1) / 12) // of W: √(n(n+1)(2n+1)/24)
		c := math.Floor(float64(m)/2 + sd*distuv.UnitNormal.Quantile(tail) - 0.5)
		return int(min(max(c, -1), float64(half)))
	}
	cdf := untied(n)[:half+1]
	return sort.Search(len(cdf), func(w int) bool { return !(cdf[w] <= tail) }) - 1
}
