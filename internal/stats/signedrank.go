package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactN is the largest number of signed ranks whose null distribution is
// computed exactly. Above it the normal approximation with continuity correction
// errs to the safe side wherever p < .05: by a quarter at p = .001 and n = 61.
const exactN = 60

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test that
// the differences d are symmetric about 0 (Wilcoxon, Biometrics 1 (1945)). d has
// one value per epoch, of any unit; their order does not matter.
//
// It is exact, given |d|, for up to 60 non-zero differences, ties included: the
// sum of the positive mid-ranks is referred to its distribution over all 2^n
// signs, p = min(1, 2 P(W <= min(W+, W-))). Above 60 it is the normal
// approximation with the variance of those same mid-ranks, which is the tie
// correction, and a continuity correction of half a rank.
//
// Zeros are ranked and then lose their rank (Pratt, JASA 54 (1959)). p is 1 if
// nothing else is left, and NaN if d is empty or holds a NaN. The smallest p that
// n non-zero differences can give is 2^(1-n); see MinEpochs.
//
// Note: dropping zeros before ranking, as Wilcoxon did, is exact too, but then
// adding the same amount to every difference can *raise* the p-value of a
// positive effect, and two equal readings (a p50 on a coarse clock) would not
// count as the evidence for a tie that they are.
func SignedRank(d []float64) (p float64) {
	abs := make([]float64, len(d))
	for i, v := range d {
		abs[i] = math.Abs(v)
		if math.IsNaN(v) {
			return math.NaN()
		}
	}
	if len(d) == 0 {
		return math.NaN()
	}
	var ranks []int // doubled mid-ranks of the non-zero differences
	plus, total := 0, 0
	for i, r := range midranks(abs) {
		switch {
		case d[i] == 0:
			continue
		case d[i] > 0:
			plus += r
		}
		total += r
		ranks = append(ranks, r)
	}
	w := min(plus, total-plus)
	squares := 0
	for _, r := range ranks {
		squares += r * r
	}
	n := len(ranks)
	switch {
	case n <= exactN && n == len(d) && squares == n*(n+1)*(2*n+1)/6*4: // ties make it less
		return min(1, 2*untied(n)[w/2])
	case n <= exactN:
		return min(1, 2*signCDF(ranks, w)[w])
	}
	// W has mean Σr/2 and variance Σr²/4; half a rank is 1 here.
	z := (float64(w) + 1 - float64(total)/2) / (math.Sqrt(float64(squares)) / 2)
	return min(1, 2*distuv.UnitNormal.CDF(z))
}

// nulls are what untied returns, each made when it is first asked for.
var nulls [exactN + 1]struct {
	once sync.Once
	cdf  []float64
}

// untied returns signCDF of the ranks 1..n up to half of their sum, for n <= exactN.
func untied(n int) []float64 {
	null := &nulls[n]
	null.once.Do(func() {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		null.cdf = signCDF(ranks, n*(n+1)/4)
	})
	return null.cdf
}

// signCDF returns P(W <= w) for w = 0..top, where W is the sum of those ranks
// whose fair coin shows heads, all coins independent:
//
//	p_n(w) = (p_{n-1}(w) + p_{n-1}(w - r_n)) / 2
//
// The values are sums of multiples of 2^-n, hence exact for n <= 53.
func signCDF(ranks []int, top int) []float64 {
	p := make([]float64, top+1)
	p[0] = 1
	reach := 0 // the largest sum so far
	for _, r := range ranks {
		reach = min(reach+r, top)
		for w := reach; w >= r; w-- {
			p[w] = (p[w] + p[w-r]) / 2
		}
		for w := min(r-1, reach); w >= 0; w-- {
			p[w] /= 2
		}
	}
	for w := 1; w <= top; w++ {
		p[w] += p[w-1]
	}
	return p
}
