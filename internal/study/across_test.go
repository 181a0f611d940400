package study

import (
	"testing"

	"dyno/internal/judge"
)

// An interval is compared with the mean of the other runs; a run without an interval does not
// count.
func TestHeld(t *testing.T) {
	e := func(value, lo, hi float64) judge.Estimate {
		return judge.Estimate{Value: value, Lo: lo, Hi: hi, N: 8}
	}
	a := &Across{Pairs: []AcrossPair{{
		Each:  []judge.Estimate{e(1, 0, 0), e(1, 0, 0), e(1.2, 0, 0), e(1.1, 0, 0)},
		Shown: []judge.Estimate{e(1, .9, 1.2), e(1, .9, 1), e(1.2, 1.1, 1.3), {}},
	}}}
	if held, all := a.Held(); held != 1 || all != 3 {
		t.Errorf("%d of %d; want 1 of 3", held, all)
	}
}
