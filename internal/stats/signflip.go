package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// flipsAll is the largest number of epochs whose signs are flipped in all ways; of more, flipsDrawn
// ways are drawn.
const (
	flipsAll   = 12
	flipsDrawn = 4095
)

// SignFlips returns the adjusted p-values of a family of questions, each whether its values d[i]
// are symmetric about 0: of all questions, one value an epoch, in the same order of epochs; NaN
// where an epoch has none. Rejecting those at most alpha keeps the chance of any false rejection at
// most alpha (Westfall and Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1: step-down
// maxT).
//
// The statistic is the sum of signed ranks of Wilcoxon over its standard deviation. Its joint
// distribution comes from flipping the signs of whole epochs, of all questions at once, so that it
// holds however the questions hang together, as long as epochs are independent and the values of an
// epoch, taken together, are as likely as their negatives. Up to 12 epochs all flips are made; of
// more, 4,095 are drawn from seed, and those seen count among them.
//
// Note: Holm over SignedRank cannot reject at alpha before log2(2m/alpha) epochs, 9 for m = 7. This
// can from log2(2/alpha), 6, whatever m is, and questions that hang together cost little.
func SignFlips(d [][]float64, seed uint64) []float64 {
	epochs := 0
	for _, x := range d {
		epochs = max(epochs, len(x))
	}
	ranks := make([][]float64, len(d))
	seen := make([]float64, len(d))
	for i, x := range d {
		ranks[i] = signedRanks(x, epochs)
		seen[i] = math.Abs(sum(ranks[i]))
	}
	order := orderOf(len(d), func(a, b int) int { return cmp.Compare(seen[a], seen[b]) }) // the clearest last
	reached, all := make([]int, len(d)), 0
	signs := make([]float64, epochs)
	count := func() {
		all++
		most := 0.
		for _, i := range order {
			s := 0.
			for e, r := range ranks[i] {
				s += signs[e] * r
			}
			most = max(most, math.Abs(s))
			if most >= seen[i]-1e-9 {
				reached[i]++
			}
		}
	}
	eachFlip(signs, seed, count)
	p, floor := make([]float64, len(d)), 0.
	for _, i := range slices.Backward(order) {
		floor = max(floor, float64(reached[i])/float64(all))
		p[i] = floor
		if seen[i] == 0 {
			p[i] = 1
		}
	}
	return p
}

// eachFlip calls f for each flip, with its signs in signs; first without any flip. To flip all
// signs gives the same statistics, so one sign stays.
func eachFlip(signs []float64, seed uint64, f func()) {
	n := len(signs)
	if n <= flipsAll {
		for mask := range 1 << max(0, n-1) {
			for e := range signs {
				signs[e] = 1 - 2*float64(mask>>e&1)
			}
			f()
		}
		return
	}
	for e := range signs {
		signs[e] = 1
	}
	f()
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for range flipsDrawn {
		for e := range signs {
			signs[e] = 1 - 2*float64(rng.Uint64()&1)
		}
		f()
	}
}

// signedRanks returns the mid-ranks of |x| with the signs of x, over the square root of the sum of
// their squares; 0 for a zero and where there is no value.
func signedRanks(x []float64, epochs int) []float64 {
	out := make([]float64, epochs)
	var abs []float64
	var at []int
	for e, v := range x {
		if !math.IsNaN(v) {
			abs, at = append(abs, math.Abs(v)), append(at, e)
		}
	}
	squares := 0.
	for i, r := range midranks(abs) {
		if v := x[at[i]]; v != 0 {
			out[at[i]] = math.Copysign(float64(r), v)
			squares += float64(r) * float64(r)
		}
	}
	for e := range out {
		if squares > 0 {
			out[e] /= math.Sqrt(squares)
		}
	}
	return out
}
