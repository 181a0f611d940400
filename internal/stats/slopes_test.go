package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An existing slope is found, a missing one is left out.
func TestSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	var x [][]float64
	var y []float64
	for range 300 {
		row := []float64{rng.NormFloat64(), rng.NormFloat64(), 0}
		x, y = append(x, row), append(y, .8*row[0]+.1*rng.NormFloat64())
	}
	if b := Slopes(x, y, 3); math.Abs(b[0]-.8) > .03 || b[1] != 0 || b[2] != 0 {
		t.Errorf("%v; want .8, 0, 0", b)
	}
	if b := Slopes(x[:5], y[:5], 3); b[1] != 0 || Slopes(nil, nil, 3) != nil {
		t.Errorf("of five rows: %v", b)
	}
}
