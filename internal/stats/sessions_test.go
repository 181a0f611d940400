package stats

import (
	"math"
	"testing"
)

// The upper 5 % and 1 % points of the studentized range with infinitely many degrees of freedom
// (Harter, Ann. Math. Stat. 31 (1960), table 3).
func TestRangeQuantile(t *testing.T) {
	for _, c := range []struct {
		k       int
		p, want float64
	}{{1, .95, 0}, {2, .95, 2.772}, {3, .95, 3.314}, {8, .95, 4.286}, {20, .95, 5.012}, {2, .99, 3.643}, {8, .99, 4.987}} {
		if got := RangeQuantile(c.k, c.p); math.Abs(got-c.want) > .001 {
			t.Errorf("%d values, %g: %.4f, want %.3f", c.k, c.p, got, c.want)
		}
	}
}

// With nothing between sessions, the second verdict shows the same differences as the first.
func TestDetectableBetween(t *testing.T) {
	for _, k := range []int{2, 8} {
		if own, got := Detectable(.028, 10, k*(k-1)/2, .05), (Between{}).Detectable(.028, 10, k, .05); math.Abs(own-got) > 1e-12 {
			t.Errorf("%d: %g, %g", k, own, got)
		}
	}
	if b := (Between{SD: .015}); b.Detectable(.028, 10, 2, .05) < .0294+.8*.015 || !math.IsInf(b.Detectable(.02, 7, 2, .05), 1) {
		t.Error(b.Detectable(.028, 10, 2, .05))
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		b    Between
		k    int
		want float64
	}{
		{Between{SD: .015}, 2, .015 * 1.95996},
		{Between{SD: .015}, 8, .015 * 4.2863 / math.Sqrt2},
		{Between{SD: .015, DF: 20}, 2, .015 * math.Sqrt(20/14.578) * 2.08596}, // χ² and t from tables
		{Between{SD: .015}, 1, 0},
	} {
		if got := c.b.Reach(c.k, .95); math.Abs(got-c.want) > 2e-6 {
			t.Errorf("%+v, %d: %.6f, want %.6f", c.b, c.k, got, c.want)
		}
	}
}
