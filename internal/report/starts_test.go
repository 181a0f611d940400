package report

import (
	"math"
	"testing"

	"dyno/internal/judge"
)

// Where every contestant is warm at once, the intervals say in what unit that stands.
func TestScaleOfStartsAtOnce(t *testing.T) {
	v := &View{}
	for _, hi := range []float64{0, 101e6, math.Inf(1)} {
		r := Row{}
		r.Starts = judge.Starts{N: 3, Steady: judge.Estimate{N: 3, Hi: hi}}
		v.rows = append(v.rows, r)
	}
	warm := startColumns[1]
	if got := v.startScale(warm).Name; got != "ms" {
		t.Errorf("the unit is %s; want ms", got)
	}
	v.rows[0].Starts.Steady.Value = 5e3
	if got := v.startScale(warm).Name; got != "µs" {
		t.Errorf("with one of 5 µs it is %s", got)
	}
}
