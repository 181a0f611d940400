package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Three groups by hand: means 2, 4, 9; squares within 2+8+2 over 6 degrees of freedom; S2² = 13.
func TestComponentsByHand(t *testing.T) {
	x := [][]float64{{1, 2, 3}, {2, 4, 6}, nil, {8, 9, 10}}
	within, between, _, p := Components(x)
	if !near(within, math.Sqrt(2), 1e-15) || !near(between, math.Sqrt(13-2./3), 1e-15) {
		t.Errorf("within %v, between %v", within, between)
	}
	if f := 3 * 13 / 2.; !near(p, math.Pow(1+2*f/6, -3), 1e-12) { // the F tail for 2 and 6 degrees of freedom
		t.Errorf("p = %v at F = %v", p, f)
	}
}

func TestComponentsEdges(t *testing.T) {
	for _, x := range [][][]float64{nil, {{1, 2}}, {{1}, {2}, {3}}, {{1, nan}, {2, 3}}} {
		if w, b, _, p := Components(x); !math.IsNaN(w) || !math.IsNaN(b) || !math.IsNaN(p) {
			t.Errorf("Components(%v) = %v, %v, %v", x, w, b, p)
		}
	}
	if w, b, _, p := Components([][]float64{{1, 1}, {1, 1}}); w != 0 || b != 0 || p != 1 {
		t.Errorf("constant: %v, %v, %v", w, b, p)
	}
	if w, b, _, p := Components([][]float64{{1, 1}, {3, 3}}); w != 0 || !near(b, math.Sqrt2, 1e-15) || p != 0 {
		t.Errorf("constant within: %v, %v, %v", w, b, p)
	}
}

// Both components are found again, and if there is no second one its test rejects in 5 % of the
// cases.
func TestComponentsOfKnownNoise(t *testing.T) {
	const reps, groups, size = 20_000, 12, 10
	r := rand.New(rand.NewPCG(22, 1))
	draw := func(between float64) [][]float64 {
		x := make([][]float64, groups)
		for g := range x {
			shift := between * r.NormFloat64()
			for range size {
				x[g] = append(x[g], shift+.04*r.NormFloat64())
			}
		}
		return x
	}
	var w2, b2 float64
	rejected := 0
	for range reps {
		w, b, _, _ := Components(draw(.02))
		w2 += w * w / reps
		b2 += b * b / reps
		if _, _, _, p := Components(draw(0)); p <= .05 {
			rejected++
		}
	}
	if !near(math.Sqrt(w2), .04, .0005) || !near(math.Sqrt(b2), .02, .0008) {
		t.Errorf("within %v, between %v; drawn .04 and .02", math.Sqrt(w2), math.Sqrt(b2))
	}
	if got := float64(rejected) / reps; !near(got, .05, .005) {
		t.Errorf("without a second component the test rejects in %v", got)
	}
}
