package judge

import (
	"testing"

	"dyno/internal/record"
)

// TestUnsteady: one unsteady trial in twenty is not reported; a load without a rate does not count.
func TestUnsteady(t *testing.T) {
	steady := record.Load{Succeeded: 9, WindowNS: 10, RateAnswers: 9, RateNS: 10, RateFromNS: 1, ServiceP50NS: 2}
	short := steady
	short.ServiceP50NS = 3
	for unsteady, want := range []int{0, 0, 2} {
		trials := []*record.Trial{{}}
		for i := range 20 {
			load := steady
			if i < unsteady {
				load = short
			}
			trials = append(trials, &record.Trial{Load: load})
		}
		if n, all := Unsteady(trials); n != want || all != 20 {
			t.Errorf("%d unsteady: %d of %d", unsteady, n, all)
		}
	}
}
