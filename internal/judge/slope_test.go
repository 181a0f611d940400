package judge

import (
	"math"
	"testing"
)

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float64
		want float64
		ok   bool
	}{
		{"a line", []float64{1, 500, 1000, 2000}, []float64{5e6 + 8e3, 5e6 + 4e6, 5e6 + 8e6, 5e6 + 16e6}, 8e3, true},
		{"falling", []float64{2, 1}, []float64{1, 3}, -2, true},
		{"one wild point of five", []float64{0, 1, 2, 3, 4}, []float64{0, 2, 4, 6, 900}, 2, true},
		{"repeated readings", []float64{1, 1, 3, 3}, []float64{10, 12, 20, 22}, 5, true},         // 6 5 5 4
		{"an even number", []float64{0, 1, 2, 3}, []float64{0, 1, 3, 4}, (4./3 + 1.5) / 2, true}, // 1 2 1 3/2 3/2 4/3
		{"one point", []float64{1}, []float64{1}, 0, false},
		{"all at one place", []float64{7, 7}, []float64{1, 2}, 0, false},
		{"none", nil, nil, 0, false},
	} {
		got, ok := slopeOf(c.x, c.y)
		if ok != c.ok || math.Abs(got-c.want) > 1e-9*math.Abs(c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
}
