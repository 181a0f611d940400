package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The trials of the BCG vaccine (Colditz et al., JAMA 271 (1994)), as log risk ratios with their
// variances: by Paule and Mandel τ² is 0.318 and the mean −0.715 (Viechtbauer, J. Stat. Softw. 36
// (2010), whose package metafor has them).
func TestCombineRuns(t *testing.T) {
	y := []float64{-.8893, -1.5854, -1.3481, -1.4416, -.2175, -.7861, -1.6209, .0120, -.4694, -1.3713, -.3394,
		.4459, -.0173}
	v := []float64{.3256, .1946, .4154, .0200, .0512, .0069, .2230, .0040, .0564, .0730, .0124, .5325, .0714}
	se := make([]float64, len(v))
	for i := range v {
		se[i] = math.Sqrt(v[i])
	}
	r := CombineRuns(y, se, .95)
	for what, c := range map[string]struct{ got, want, off float64 }{
		"mean": {r.Mean, -.7150, .001}, "τ²": {r.Between * r.Between, .3181, .002},
		"lower": {r.Lo, -1.1085, .01}, "upper": {r.Hi, -.3214, .01},
	} {
		if math.Abs(c.got-c.want) > c.off {
			t.Errorf("%s %.4f, want %.4f", what, c.got, c.want)
		}
	}
	if !(r.NextLo < r.Lo-.5 && r.NextHi > r.Hi+.5) {
		t.Errorf("the next: %.3f to %.3f", r.NextLo, r.NextHi)
	}
}

func TestCombineFewRuns(t *testing.T) {
	// By hand: two runs of equal error .1 at 0 and 1: τ² = 0.5 − 0.01, q = 1, so 0.5 ± 12.7062·√(0.5/2).
	r := CombineRuns([]float64{0, 1}, []float64{.1, .1}, .95)
	if math.Abs(r.Mean-.5) > 1e-9 || math.Abs(r.Between*r.Between-.49) > 1e-9 || math.Abs(r.Hi-.5-6.3531) > 1e-3 ||
		!math.IsInf(r.NextHi, 1) {
		t.Errorf("two runs: %+v", r)
	}
	// Runs that agree better than their errors: no narrower than the errors allow, t(.975, 2)·.1/√3.
	r = CombineRuns([]float64{0, .001, -.001}, []float64{.1, .1, .1}, .95)
	if r.Between != 0 || math.Abs(r.Hi-4.30265*.1/math.Sqrt(3)) > 1e-4 {
		t.Errorf("runs that agree: %+v", r)
	}
	if r := CombineRuns([]float64{2}, []float64{.1}, .95); r.Mean != 2 || !math.IsInf(r.Lo, -1) {
		t.Errorf("one run: %+v", r)
	}
	for _, r := range []RandomEffects{CombineRuns(nil, nil, .95), CombineRuns([]float64{1, 2}, []float64{0, 1}, .95)} {
		if !math.IsNaN(r.Mean) {
			t.Errorf("nothing known: %+v", r)
		}
	}
}

// Where runs differ by more than their own errors, the interval holds the effect in 95 % all the
// same, and the prediction interval the next run.
func TestCombinedRunsCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const reps = 2000
	for _, k := range []int{3, 5, 8} {
		var held, next int
		for range reps {
			y, se := make([]float64, k), make([]float64, k)
			for i := range y {
				se[i] = .01 * (.7 + .6*rng.Float64())
				y[i] = .016*rng.NormFloat64() + se[i]*rng.NormFloat64()
			}
			r := CombineRuns(y, se, .95)
			if r.Lo <= 0 && 0 <= r.Hi {
				held++
			}
			if one := .016 * rng.NormFloat64(); r.NextLo <= one && one <= r.NextHi {
				next++
			}
		}
		if held < reps*94/100 || next < reps*90/100 {
			t.Errorf("%d runs: the interval holds in %d of %d, the next in %d", k, held, reps, next)
		}
	}
}
