package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// GroupEffect tests whether y differs between groups. It returns the largest minus the smallest
// mean of a group, in the unit of y, and the p-value of the one-way F test, by random permutations
// of the groups' labels within each stratum, drawn from seed (Pitman 1937; Good, Permutation Tests,
// §2.2). Within a stratum the values must be exchangeable; between strata they may differ in
// spread, as contestants do.
//
// critical is the effect that one in a hundred of the permutations reaches, from which on it would
// have been shown; +Inf where no permutation changes anything, for each stratum has one group.
//
// p is (1 + permutations that reach the F seen) / (1 + all), so that it is never 0 and the test is
// exact, whatever the distribution. It is 1, and the effect 0, if there are fewer than two groups;
// NaN both if y holds a NaN. group and stratum are small numbers from 0; the three slices are of
// one length, else GroupEffect panics.
func GroupEffect(y []float64, group, stratum []int, permutations int, seed uint64) (effect, p, critical float64) {
	if len(y) != len(group) || len(y) != len(stratum) {
		panic("stats: GroupEffect on slices of different lengths")
	}
	if math.IsNaN(sum(y)) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	size := make([]float64, upTo(group))
	for _, g := range group {
		size[g]++
	}
	mean := sum(y) / float64(max(1, len(y)))
	sums := make([]float64, len(size))
	// Within one set of values F grows with the squares between groups alone.
	squares := func(labels []int) (between float64) {
		clear(sums)
		for i, g := range labels {
			sums[g] += y[i] - mean
		}
		for g, n := range size {
			if n > 0 {
				between += sums[g] * sums[g] / n
			}
		}
		return between
	}
	seen := squares(group)
	span := func() (span float64, groups int) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for g, n := range size {
			if n > 0 {
				lo, hi, groups = min(lo, sums[g]/n), max(hi, sums[g]/n), groups+1
			}
		}
		return hi - lo, groups
	}
	effect, groups := span()
	if groups < 2 {
		return 0, 1, math.Inf(1)
	}
	members := make([][]int, upTo(stratum))
	for i, s := range stratum {
		members[s] = append(members[s], i)
	}
	labels := slices.Clone(group)
	rng := rand.New(rand.NewPCG(seed, uint64(len(y))))
	reached, moved := 1, false
	spans := make([]float64, 0, permutations)
	for range permutations {
		for _, in := range members {
			rng.Shuffle(len(in), func(a, b int) { labels[in[a]], labels[in[b]] = labels[in[b]], labels[in[a]] })
		}
		if squares(labels) >= seen*(1-1e-12) { // the same sums in another order
			reached++
		}
		s, _ := span()
		spans, moved = append(spans, s), moved || math.Abs(s-effect) > 1e-12
	}
	critical = math.Inf(1)
	if moved {
		critical = quantile(spans, 0.99)
	}
	return effect, float64(reached) / float64(permutations+1), critical
}

// upTo returns one more than the largest of the labels; 0 of none.
func upTo(labels []int) int { return slices.Max(append([]int{-1}, labels...)) + 1 }
