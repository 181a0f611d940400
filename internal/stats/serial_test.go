package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// autoregressive returns n values from a stationary process of order 1.
func autoregressive(rng *rand.Rand, n int, rho float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		if i > 0 {
			x[i] = rho*x[i-1] + math.Sqrt(1-rho*rho)*x[i]
		}
	}
	return x
}

func TestAutocorrelation(t *testing.T) {
	// By hand: deviations −2 … 2 have products 2+0+0+2 over squares 10; two such series pool to the same.
	rise := []float64{1, 2, 3, 4, 5}
	if r, n := lagged([][]float64{rise, {3, 5, 7, 9, 11}}); math.Abs(r-.4) > 1e-12 || n != 5 {
		t.Errorf("r %v, n %v", r, n)
	}
	for name, series := range map[string][][]float64{"none": nil, "short": {{1, 2, 3}}, "constant": {{2, 2, 2, 2, 2}}} {
		if r := autocorrelation(series); r != 0 || SerialOf(series).Spread() != 1 {
			t.Errorf("%s: %v", name, r)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rho := range []float64{0, .3, .6} {
		var mean float64
		const reps = 4000
		for range reps {
			mean += autocorrelation([][]float64{autoregressive(rng, 16, rho), autoregressive(rng, 16, rho)}) / reps
		}
		if math.Abs(mean-rho) > .06 { // without the correction it is off by .06 at 0 and .2 at .6
			t.Errorf("ρ %v is estimated as %.3f", rho, mean)
		}
	}
	if f := SerialOf([][]float64{autoregressive(rng, 200, .6)}).Spread(); math.Abs(f-2) > 1e-9 {
		t.Errorf("spread %.3f where dependence is shown", f)
	}
	for range 200 {
		x := [][]float64{autoregressive(rng, 12, .3)}
		f, r := SerialOf(x).Spread(), autocorrelation(x)
		if want := math.Sqrt((1 + r) / (1 - r)); r > 0 && r < .45 && math.Abs(f-want) > 1e-12 || r <= 0 && f != 1 {
			t.Fatalf("r %.3f: spread %.3f", r, f)
		}
	}
}

// Dependence is shown for series that have it, and for others at the test's level.
func TestSerialShown(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := map[float64]int{}
	const reps = 600
	for _, rho := range []float64{0, .6} {
		for range reps {
			var series [][]float64
			for range 3 {
				series = append(series, autoregressive(rng, 19, rho))
			}
			if SerialOf(series).Shown {
				found[rho]++
			}
		}
	}
	if found[0] > reps*7/100 || found[.6] < reps*95/100 {
		t.Errorf("of %d runs it finds %v", reps, found)
	}
	if SerialOf([][]float64{{1, 2, 3}}).Shown {
		t.Error("shown by three values")
	}
}
