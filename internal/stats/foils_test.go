package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Student's own data, the additional sleep of ten patients (Biometrika 6 (1908)): t = 4.0621, p =
// .00283.
func TestPairedT(t *testing.T) {
	sleep := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, .8, 4.6, 1.4}
	if p := PairedT(sleep); !near(p, .002833, 1e-6) {
		t.Errorf("p = %v", p)
	}
	for _, c := range []struct {
		d    []float64
		want float64
	}{{nil, 1}, {[]float64{3}, 1}, {[]float64{0, 0}, 1}, {[]float64{2, 2}, 0}, {[]float64{-1, 1}, 1}} {
		if p := PairedT(c.d); p != c.want {
			t.Errorf("PairedT(%v) = %v, want %v", c.d, p, c.want)
		}
	}
	if p := PairedT([]float64{1, nan}); !math.IsNaN(p) {
		t.Errorf("p = %v of a NaN", p)
	}
}

// Against the share of all ways to choose five of ten whose rank sum is as far from its mean.
func TestRankSumAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for range 50 {
		x, y := make([]float64, 5), make([]float64, 5)
		for i := range x {
			x[i], y[i] = r.NormFloat64()+.5, r.NormFloat64()
		}
		both := append(slices.Clone(x), y...)
		ranks := midranks(both)
		far := func(set int) int {
			w := 0
			for i, rank := range ranks {
				w += set >> i & 1 * rank
			}
			return max(w-55, 55-w)
		}
		hits, all := 0, 0
		for set := range 1 << 10 {
			ones := 0
			for i := range 10 {
				ones += set >> i & 1
			}
			if ones == 5 {
				all++
				if far(set) >= far(31) {
					hits++
				}
			}
		}
		if exact := float64(hits) / float64(all); !near(RankSum(x, y), exact, .02) {
			t.Errorf("p = %v, by enumeration %v", RankSum(x, y), exact)
		}
	}
	if p := RankSum([]float64{1, 1}, []float64{1}); p != 1 {
		t.Errorf("all alike: %v", p)
	}
	if p := RankSum(nil, []float64{1}); p != 1 {
		t.Errorf("nothing: %v", p)
	}
}
