package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno/internal/stats"
)

// Simultaneous intervals exclude 1 exactly where Holm's procedure rejects, are never narrower than
// those of one pair, and hold the truth of all pairs together in 95 % of the families.
func TestSimultaneousIntervals(t *testing.T) {
	const families, epochs, alpha = 2000, 12, .05
	truth := []float64{0, 0, .01, .03, .06, .1}
	rng := rand.New(rand.NewPCG(4, 2))
	apart := map[Verdict]int{}
	missed := 0
	for range families {
		d := make([][]float64, len(truth))
		for i := range d {
			for range epochs {
				d[i] = append(d[i], truth[i]+.03*rng.NormFloat64())
			}
		}
		look := stats.Interim{N: epochs, Alpha: alpha}
		alone := DecideAt(nil, d, look, .03)
		look.Simultaneous = true
		together := DecideAt(nil, d, look, .03)
		all := true
		for i, j := range together {
			excludes := j.Ratio.Lo >= 1 || j.Ratio.Hi <= 1
			if rejected := j.Adjusted <= alpha; excludes != rejected {
				t.Fatalf("%+v: interval and Holm disagree", j)
			}
			a := alone[i].Ratio
			if j.Ratio.Lo > max(a.Lo, 1) || j.Ratio.Hi < min(a.Hi, 1) {
				t.Fatalf("%+v is narrower than %+v", j.Ratio, a)
			}
			apart[j.Verdict]++
			all = all && j.Ratio.Lo <= math.Exp(truth[i]) && math.Exp(truth[i]) <= j.Ratio.Hi
		}
		if !all {
			missed++
		}
	}
	if share := float64(missed) / families; share > alpha+.012 {
		t.Errorf("in %.1f %% of the families an interval misses its truth", 100*share)
	}
	if apart[Different] == 0 || apart[Inconclusive] == 0 {
		t.Errorf("%v: the test tests nothing", apart)
	}
}
