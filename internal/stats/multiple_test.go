package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		// en.wikipedia.org/wiki/Holm–Bonferroni_method: at .05 it rejects the first and the last.
		{"worked example", []float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{"never above 1", []float64{.9, .6, .7}, []float64{1, 1, 1}},
		{"monotone", []float64{.02, .021, .5}, []float64{.06, .06, .5}},
		{"ties", []float64{.01, .01, .01}, []float64{.03, .03, .03}},
		{"one", []float64{.04}, []float64{.04}},
		{"none", nil, nil},
		{"a failed test stays in the family", []float64{nan, .01, .02}, []float64{nan, .03, .04}},
		{"all failed", []float64{nan, nan}, []float64{nan, nan}},
	} {
		before := slices.Clone(c.p)
		same := func(a, b float64) bool { return near(a, b, 1e-15) }
		if got := Holm(c.p); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: Holm(%v) = %v, want %v", c.name, c.p, got, c.want)
		}
		if !slices.EqualFunc(before, c.p, same) {
			t.Errorf("%s: Holm changed its argument", c.name)
		}
	}
}

// holmSteps is the procedure as Holm states it: reject the smallest while
// p_(i) <= alpha/(m-i+1), stop at the first that fails.
func holmSteps(p []float64, alpha float64) []bool {
	rejected := make([]bool, len(p))
	for left := len(p); left > 0; left-- {
		least := -1
		for i := range p {
			if !rejected[i] && (least < 0 || p[i] < p[least]) {
				least = i
			}
		}
		if p[least]*float64(left) > alpha {
			break
		}
		rejected[least] = true
	}
	return rejected
}

func TestHolmIsTheStepProcedure(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for range 2000 {
		p := make([]float64, 1+r.IntN(10))
		for i := range p {
			p[i] = r.Float64() * r.Float64() * .2
			if i > 0 && r.IntN(4) == 0 {
				p[i] = p[r.IntN(i)]
			}
		}
		adjusted, steps := Holm(p), holmSteps(p, .05)
		for i := range p {
			if (adjusted[i] <= .05) != steps[i] {
				t.Fatalf("Holm(%v) = %v, the steps reject %v", p, adjusted, steps)
			}
		}
	}
}
