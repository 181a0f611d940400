package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFitScalingFindsTheLaw: of throughputs that keep it, whatever its parameters, the bounds among them.
func TestFitScalingFindsTheLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		want := Scaling{math.Exp(20 * rng.Float64()), rng.Float64(), rng.Float64() * 0.1}
		if i%3 == 1 {
			want.Sigma = 0
		}
		if i%5 == 1 {
			want.Kappa = 0
		}
		n := []float64{1, 2, 4, 8, 16, 32, 64, 128}[rng.IntN(2):]
		n = n[:3+rng.IntN(len(n)-2)]
		var x []float64
		for _, n := range n {
			x = append(x, want.At(n))
		}
		got := FitScaling(n, x)
		if math.Abs(got.Lambda/want.Lambda-1) > 1e-6 || math.Abs(got.Sigma-want.Sigma) > 1e-6 ||
			math.Abs(got.Kappa-want.Kappa) > 1e-6 {
			t.Fatalf("of %v: %+v; want %+v", n, got, want)
		}
	}
}

// TestFitScalingDoesNotDependOnUnitOrOrder: nor does a repeated level change the law.
func TestFitScalingDoesNotDependOnUnitOrOrder(t *testing.T) {
	n, x := []float64{1, 2, 4, 8}, []float64{100, 188, 320, 410}
	a := FitScaling(n, x)
	b := FitScaling([]float64{8, 2, 1, 4}, []float64{410e3, 188e3, 100e3, 320e3})
	c := FitScaling(append(n, n...), append(x, x...))
	for _, o := range []Scaling{{b.Lambda / 1000, b.Sigma, b.Kappa}, c} {
		if math.Abs(o.Lambda-a.Lambda) > 1e-9*a.Lambda || math.Abs(o.Sigma-a.Sigma) > 1e-9 ||
			math.Abs(o.Kappa-a.Kappa) > 1e-9 {
			t.Errorf("%+v and %+v", o, a)
		}
	}
}

// TestFitScalingIsTheLeastSquares: nothing near a fit fits better, and its parameters keep their bounds.
func TestFitScalingIsTheLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	n := []float64{1, 2, 4, 8, 16}
	for range 300 {
		var x []float64
		for _, n := range n {
			x = append(x, Scaling{1000, 0.02 * rng.Float64(), 0.001 * rng.Float64()}.At(n)*math.Exp(0.1*rng.NormFloat64()))
		}
		s := FitScaling(n, x)
		if !(s.Lambda > 0 && s.Sigma >= 0 && s.Kappa >= 0) {
			t.Fatalf("%+v", s)
		}
		cost := func(s Scaling) (sum float64) {
			for i := range n {
				d := x[i]/s.At(n[i]) - 1
				sum += d * d
			}
			return sum
		}
		for range 100 {
			o := Scaling{s.Lambda * (1 + 0.01*rng.NormFloat64()), max(s.Sigma+0.01*rng.NormFloat64(), 0),
				max(s.Kappa+0.001*rng.NormFloat64(), 0)}
			if cost(o) < cost(s)*(1-1e-9) {
				t.Fatalf("%+v fits worse than %+v", s, o)
			}
		}
	}
}

func TestScalingPeak(t *testing.T) {
	for _, c := range []struct {
		s    Scaling
		want float64
	}{{Scaling{1, 0.02, 0.0005}, math.Sqrt(0.98 / 0.0005)}, {Scaling{1, 0, 0}, math.Inf(1)},
		{Scaling{1, 0.5, 0}, math.Inf(1)}, {Scaling{1, 1.5, 0.1}, 0}, {Scaling{1, 1.5, 0}, 0}} {
		got := c.s.Peak()
		if got != c.want {
			t.Errorf("%+v: %v; want %v", c.s, got, c.want)
		}
		if got > 1 && !math.IsInf(got, 1) && (c.s.At(got) < c.s.At(got*1.01) || c.s.At(got) < c.s.At(got/1.01)) {
			t.Errorf("%+v: the peak is not at %v", c.s, got)
		}
	}
}

func TestNoScaling(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"two levels": {{1, 2, 2}, {1, 2, 2}}, "nothing": {nil, nil}, "no throughput": {{1, 2, 4}, {1, 0, 2}},
		"NaN": {{1, 2, 4}, {1, math.NaN(), 2}}, "below one": {{0.5, 2, 4}, {1, 2, 3}}, "lengths": {{1, 2, 4}, {1, 2}},
		"infinite": {{1, 2, 4}, {1, 2, math.Inf(1)}},
	} {
		if s := FitScaling(c[0], c[1]); !math.IsNaN(s.Lambda) || !math.IsNaN(s.Sigma) || !math.IsNaN(s.Peak()) {
			t.Errorf("%s: %+v, peak %v", name, s, s.Peak())
		}
	}
	n := []float64{1, 2, 4}
	for name, epochs := range map[string][][]float64{
		"none": nil, "four": {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
		"one lacks a level": {{1, 2, 3}, {1, 2}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}},
	} {
		if f := FitScalingEpochs(n, epochs, 0.95, 1); f.Low.Sigma != 0 ||
			!math.IsInf(f.High.Sigma, 1) || !math.IsInf(f.PeakHigh, 1) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestScalingIntervalsCover: over made runs whose epochs share a factor, the intervals hold the true
// parameters about as often as they say; at a bound more often.
func TestScalingIntervalsCover(t *testing.T) {
	runs := 200
	if testing.Short() {
		runs = 50
	}
	n := []float64{1, 2, 4, 8}
	for _, want := range []Scaling{{10_000, 0.05, 0.002}, {10_000, 0.03, 0}, {10_000, 0, 0}} {
		for _, size := range []int{6, 12} {
			rng := rand.New(rand.NewPCG(5, uint64(size)))
			var inside [3]int
			for run := range runs {
				var epochs [][]float64
				for range size {
					common := math.Exp(0.02 * rng.NormFloat64())
					var x []float64
					for _, n := range n {
						x = append(x, want.At(n)*common*math.Exp(0.01*rng.NormFloat64()))
					}
					epochs = append(epochs, x)
				}
				f := FitScalingEpochs(n, epochs, 0.95, uint64(run))
				for i, v := range [][3]float64{{f.Low.Lambda, want.Lambda, f.High.Lambda},
					{f.Low.Sigma, want.Sigma, f.High.Sigma}, {f.Low.Kappa, want.Kappa, f.High.Kappa}} {
					if v[0] <= v[1] && v[1] <= v[2] {
						inside[i]++
					}
				}
				if f.Sigma < f.Low.Sigma || f.Sigma > f.High.Sigma || f.PeakLow > f.PeakHigh {
					t.Fatalf("a fit outside its interval: %+v", f)
				}
			}
			t.Logf("%+v, %d epochs: %v of %d", want, size, inside, runs)
			for i, k := range inside { // 0.95 less four standard errors, and two points for the bootstrap
				p := float64(k) / float64(runs)
				if p < 0.93-4*math.Sqrt(0.95*0.05/float64(runs)) {
					t.Errorf("%+v, %d epochs: parameter %d lies in %.3f of the intervals", want, size, i, p)
				}
			}
		}
	}
}
