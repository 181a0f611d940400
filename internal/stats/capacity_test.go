package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// search plays the probes in a search against a server whose capacity is 44,000 and whose p99 at
// rate r is base/(1-r/C), times log-normal noise, and now and then twice that.
func search(rng *rand.Rand, noise, outliers float64) (rate, lo, hi float64) {
	const capacity, limit = 44_000.0, 10.0
	full := capacity / 0.8 // where the server saturates; the limit is met at capacity
	base := limit * (1 - capacity/full)
	try := func(r float64) Probe {
		p99 := math.Inf(1)
		if r < full {
			p99 = base / (1 - r/full) * math.Exp(noise*rng.NormFloat64())
		}
		if rng.Float64() < outliers {
			p99 *= 2
		}
		return Probe{r, p99 < limit}
	}
	var probes []Probe
	low, high := 0.05*full, 1.2*full
	for range 12 {
		probes = append(probes, try(Bisect(low, high, probes)))
	}
	around := Bisect(low, high, probes)
	for _, shift := range []float64{-.12, -.06, -.03, .03, .06, .12, -.12, -.06, -.03, .03, .06, .12} {
		probes = append(probes, try(around*(1+shift)))
	}
	return Capacity(probes)
}

func TestCapacityIsFoundUnderNoise(t *testing.T) {
	for _, c := range []struct{ noise, outliers, p50, p90 float64 }{
		{.10, .02, .012, .035}, {.30, .05, .03, .08}, {.30, .15, .05, .14},
	} {
		if testing.Short() && c.noise > .10 {
			continue // each simulates 100 searches
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var errs []float64
		held := 0
		const reps = 100
		for range reps {
			rate, lo, hi := search(rng, c.noise, c.outliers)
			errs = append(errs, math.Abs(rate/44_000-1))
			if lo <= 44_000 && 44_000 <= hi {
				held++
			}
		}
		slices.Sort(errs)
		t.Logf("noise %.2f, outliers %.2f: |error| median %.3f, p90 %.3f, p99 %.3f; the interval holds it in %.1f %%",
			c.noise, c.outliers,
			errs[reps/2], errs[reps*9/10], errs[reps*99/100], 100*float64(held)/reps)
		if held < 85*reps/100 {
			t.Errorf("noise %.2f, outliers %.2f: the interval holds the capacity in %d of %d", c.noise, c.outliers,
				held, reps)
		}
		if errs[reps/2] > c.p50 || errs[reps*9/10] > c.p90 {
			t.Errorf("noise %.2f, outliers %.2f: |error| median %.3f, p90 %.3f", c.noise, c.outliers, errs[reps/2],
				errs[reps*9/10])
		}
	}
}

func TestCapacityAtTheEdges(t *testing.T) {
	if rate, lo, hi := Capacity([]Probe{{100, true}, {200, true}}); rate != 200 && math.Abs(rate-200) > 1e-9 ||
		lo <= 0 || !math.IsInf(hi, 1) {
		t.Errorf("all pass: %v (%v–%v)", rate, lo, hi)
	}
	if _, lo, hi := Capacity([]Probe{{100, false}, {200, false}}); lo != 0 || math.Abs(hi-100) > 1e-9 {
		t.Errorf("all fail: %v–%v", lo, hi)
	}
	if rate, _, _ := Capacity(nil); !math.IsNaN(rate) {
		t.Error("no probes gave a rate")
	}
	if got := Bisect(100, 10_000, nil); math.Abs(got-1000) > 20 {
		t.Errorf("the first probe is at %v, not in the middle", got)
	}
	if got := Bisect(100, 10_000, []Probe{{1000, true}}); got <= 1000 {
		t.Errorf("after a pass at 1000: %v", got)
	}
}
