package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno/internal/stats"
)

// Intervals exclude 1 exactly if a pair is different, and contain the truth for all pairs together.
func TestIntervals(t *testing.T) {
	const families, epochs = 1000, 12
	servers := []float64{0, 0, .01, .03, .1}
	analyses := []stats.Interim{{N: epochs, Alpha: .05}}
	rng := rand.New(rand.NewPCG(4, 2))
	seen, missed := map[Verdict]int{}, 0
	for range families {
		d := make([][]float64, len(twosOf(len(servers))))
		for range epochs {
			x := make([]float64, len(servers))
			for i := range x {
				x[i] = servers[i] + .02*rng.NormFloat64()
			}
			for i, c := range twosOf(len(servers)) {
				d[i] = append(d[i], x[c[0]]-x[c[1]])
			}
		}
		all := true
		for i, j := range Decide(d, nil, epochs, analyses, .05, .05, 12) {
			differs := j.Verdict == Different || j.Verdict == Negligible
			if excludes := j.Ratio.Lo >= 1 || j.Ratio.Hi <= 1; excludes != differs || differs != (j.P <= .05) {
				t.Fatalf("interval and verdict disagree: %+v", j)
			}
			c := twosOf(len(servers))[i]
			truth := math.Exp(servers[c[0]] - servers[c[1]])
			all = all && j.Ratio.Lo <= truth && truth <= j.Ratio.Hi
			seen[j.Verdict]++
		}
		if !all {
			missed++
		}
	}
	if share := float64(missed) / families; share > .075 {
		t.Errorf("in %.1f %% of the families an interval misses its truth", 100*share)
	}
	if seen[Different] == 0 || seen[Inconclusive] == 0 || seen[Equivalent] == 0 {
		t.Errorf("%v: the test tests nothing", seen)
	}
}

// The last analysis that the epochs allow decides, an epoch without a value is left out, and epochs
// that resemble the previous one widen the interval.
func TestDecide(t *testing.T) {
	up, none, tie := make([]float64, 12), make([]float64, 12), make([]float64, 12)
	for i := range up {
		up[i], tie[i] = .6+.001*float64(i*i%7), .001*float64(i*i%7-3)
		none[i] = .2*float64(i%2) - .1
	}
	missing := append([]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}, up[:7]...)
	d := [][]float64{up, none, tie, missing}
	analyses := []stats.Interim{{N: 3, Alpha: .005, Early: true}, {N: 12, Alpha: .04}}
	for _, c := range []struct {
		epochs int
		want   [4]Verdict
		n      int
	}{
		{0, [4]Verdict{Inconclusive, Inconclusive, Inconclusive, Inconclusive}, 0},
		{2, [4]Verdict{Inconclusive, Inconclusive, Inconclusive, Inconclusive}, 2},
		{3, [4]Verdict{Different, Inconclusive, Inconclusive, Inconclusive}, 3},
		{11, [4]Verdict{Different, Inconclusive, Inconclusive, Inconclusive}, 3},
		{12, [4]Verdict{Different, Inconclusive, Equivalent, Inconclusive}, 12},
	} {
		js := Decide(d, nil, c.epochs, analyses, .05, .03, 12)
		for i, want := range c.want {
			if js[i].Verdict != want {
				t.Errorf("after %d epochs pair %d: %+v; want %s", c.epochs, i, js[i], want)
			}
		}
		if js[0].Ratio.N != c.n || c.n > 0 && !js[0].Up() {
			t.Errorf("after %d epochs: %+v", c.epochs, js[0])
		}
	}
	rng := rand.New(rand.NewPCG(8, 1))
	var runs, mixed []float64 // for four equal servers
	for range 6 {
		v := .03 + .03*rng.NormFloat64()
		runs = append(runs, v, v+.001, v-.001, v+.002)
	}
	for i := range runs {
		mixed = append(mixed, runs[i%4*6+i/4])
	}
	wide, plain := RatioOf(runs, .95), RatioOf(mixed, .95)
	if got := math.Log(wide.Hi/wide.Lo) / math.Log(plain.Hi/plain.Lo); got < 1.5 {
		t.Errorf("the interval of dependent epochs is %.2f times as wide", got)
	}
}

// twosOf returns all pairs of k things.
func twosOf(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
