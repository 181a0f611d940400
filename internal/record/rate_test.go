package record

import (
	"math"
	"testing"
)

// TestPerSec: the rate covers the time in which requests were sent, or the window for loads without
// it.
func TestPerSec(t *testing.T) {
	const d = 100_000_000
	for _, c := range []struct {
		name   string
		load   Load
		want   float64
		steady bool
	}{
		{"a window", Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d}, 20_000 / 2.1, true},
		{"with its steady part", Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d,
			RateAnswers: 18_000, RateNS: 18 * d, RateFromNS: 2 * d}, 10_000, true},
		{"a short one", Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d, RateAnswers: 4000,
			RateNS: 4 * d, RateFromNS: 2 * d}, 10_000, false},
		{"none", Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d, RateAnswers: 20_000,
			RateNS: 25 * d}, 8_000, false},
	} {
		if got, ok := c.load.PerSec(); !ok || math.Abs(got/c.want-1) > 1e-12 || c.load.Steady() != c.steady {
			t.Errorf("%s: %v/s, %v; want %v, %v", c.name, got, c.load.Steady(), c.want, c.steady)
		}
	}
	if v, ok := (&Load{WindowNS: 5}).PerSec(); ok || v != 0 {
		t.Errorf("%v/s of no answer", v)
	}
}
