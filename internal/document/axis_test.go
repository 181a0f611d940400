package document

import (
	"slices"
	"testing"
)

func TestLogAxis(t *testing.T) {
	for _, values := range [][]float64{{0.01, 30}, {1e-5, 1e6}} {
		a := newValueAxis(append(values, 1), false)
		if ticks := a.marks(1, 3); !slices.Contains(ticks, 1) || len(ticks) < 2 || len(ticks) > 12 || !a.log {
			t.Errorf("ticks of %v: %v", values, ticks)
		}
	}
}

func TestTickValues(t *testing.T) {
	for v, want := range map[float64]string{0: "0", .25: "0.25", 20_000: "20,000", 500_000: "500,000", 1e6: "1 M",
		2.5e6: "2.5 M"} {
		if got := tickValue(v); got != want {
			t.Errorf("%v: %q; want %q", v, got, want)
		}
	}
}

func TestValueAxis(t *testing.T) {
	if a := newValueAxis([]float64{1, 95}, true); a.log || a.lo != 0 {
		t.Errorf("a linear axis is %+v", a)
	}
	if m := newValueAxis([]float64{-30, 95}, true).marks(1, 5); !slices.Equal(m, []float64{0, 50, 100}) {
		t.Errorf("marks %v of an axis from below 0", m)
	}
	for _, values := range [][]float64{nil, {5}, {90000, 95000}, {1000, 95000}, {3e4, 8e8}} {
		a := newValueAxis(values, false)
		marks := a.marks(1, 5)
		if len(marks) < 2 || len(marks) > 9 {
			t.Errorf("%v: marks %v", values, marks)
		}
		for _, v := range values {
			if y := a.at(v); y <= 0 || y >= 1 {
				t.Errorf("%v lies at %v", v, y)
			}
		}
	}
}
