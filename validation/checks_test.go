package main

import (
	"slices"
	"testing"

	"dyno/internal/judge"
)

// Two equal servers, one of which slows down the next trial, are not called different. With random orders
// they are.
func TestCarryOverBetweenTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of comparisons")
	}
	for _, c := range carried(t.Context(), &Options{Reps: 150, Seed: 7}) {
		if lo, _ := c.Chained.Interval(); lo > Alpha {
			t.Errorf("%s: different in %v %%", c.Fault, c.Chained)
		}
		if lo, _ := c.Drawn.Interval(); c.Fault == "carry-over of 3 %" && lo <= Alpha {
			t.Errorf("%s, orders drawn: different in %v %% only: the test tests nothing", c.Fault, c.Drawn)
		}
	}
}

// A check with enough power warns; a check without says that it cannot tell. All setups find a 20 % rise;
// none reports a missing twin.
func TestChecksTell(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of runs")
	}
	faults := slices.DeleteFunc(slices.Clone(checkFaults), func(f Foe) bool {
		return f.Catch != judge.Twins && f.Name != rise(.2).Name
	})
	found := checked(t.Context(), &Options{Reps: 4 * checkRuns, Seed: 7}, faults)
	if len(found) != 2 {
		t.Fatalf("%d faults", len(found))
	}
	for _, c := range found {
		for i, told := range c.Detected {
			switch {
			// An early analysis ends a run with two servers before V16 can tell.
			case c.Check == judge.Drift && told.Hits+c.CannotTell[i].Hits < told.Of,
				c.Check == judge.Drift && i > 0 && told.Share() < 1,
				c.Check == judge.Twins && i > 0 && told.Share() < .5,
				c.Check == judge.Twins && i == 0 && told.Hits > 0:
				t.Errorf("%s, %s, %s: %v", c.Check, c.Fault, c.Setups[i], told)
			}
		}
	}
}
