package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMeanCI(t *testing.T) {
	// By hand: s = √2.5, s/√5 = .70711, t(.975, 4) = 2.77645.
	mean, lo, hi := MeanCI([]float64{1, 2, 3, 4, 5}, .95)
	if mean != 3 || math.Abs(lo-1.03676) > 1e-5 || math.Abs(hi-4.96324) > 1e-5 {
		t.Errorf("%v (%v, %v)", mean, lo, hi)
	}
	if _, lo, hi := MeanCI([]float64{1}, .95); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("of one value (%v, %v)", lo, hi)
	}
}

// p is at most alpha exactly where both intervals at 1 − 2·alpha lie within the margin.
func TestEquivalenceP(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	edge := math.Log1p(.03)
	both := map[bool]int{}
	for range 2000 {
		d := make([]float64, 8+rng.IntN(12))
		for i := range d {
			d[i] = .01 + .02*rng.NormFloat64()
		}
		_, lo, hi := MeanCI(d, .9)
		want := Equivalent(d, .03, .05) && -edge <= lo && hi <= edge
		if got := EquivalenceP(d, .03) <= .05; got != want {
			t.Fatalf("%v: equivalent %v, by the intervals %v", d, got, want)
		}
		both[want]++
	}
	if both[true] < 100 || both[false] < 100 {
		t.Errorf("%v: the test tests nothing", both)
	}
	// A typical start is within the margin, the mean is not.
	slow := []float64{0, .001, -.001, .002, -.002, .001, 0, .001, .002, -.001, 0, -.3}
	if !Equivalent(slow, .03, .2) || EquivalenceP(slow, .03) < .2 {
		t.Error("a mean outside of the margin is called equivalent")
	}
	if p := EquivalenceP(nil, .03); p != 1 {
		t.Errorf("of nothing p is %v", p)
	}
}
