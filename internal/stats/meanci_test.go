package stats

import (
	"math"
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
