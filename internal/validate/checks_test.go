package validate

import (
	"bytes"
	"strings"
	"testing"

	"dyno/internal/checks"
)

// Two equal servers alone, one of which makes what follows it slower, are not called different:
// where a round begins with whom it draws, they are.
func TestCarryOverBetweenTwo(t *testing.T) {
	for _, c := range carried(t.Context(), &Options{Reps: 150, Seed: 7}) {
		if lo, _ := c.Chained.Interval(); lo > Alpha {
			t.Errorf("%s: different in %v %%", c.Fault, c.Chained)
		}
		if lo, _ := c.Drawn.Interval(); c.Fault == "carry-over of 3 %" && lo <= Alpha {
			t.Errorf("%s, orders drawn: different in %v %% only: the test tests nothing", c.Fault, c.Drawn)
		}
	}
}

// A check that has the power tells, and one that has not says that it cannot: of a rise of a fifth
// all tell, of a twin that is not there none does.
func TestChecksTell(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of runs")
	}
	p := &Results{Options: Options{Only: "checks"}, Carried: []Carried{{Fault: "none"}}, Checked: checked(t.Context(), &Options{Reps: 4 * checkRuns, Seed: 7})}
	for _, c := range p.Checked {
		for i, told := range c.Detected {
			switch {
			case c.Check == checks.Drift && strings.Contains(c.Fault, "20 %") && told.Share() < 1,
				c.Check == checks.Twins && i > 0 && told.Share() < .5,
				c.Check == checks.Twins && i == 0 && told.Hits > 0:
				t.Errorf("%s, %s, %s: %v", c.Check, c.Fault, c.Setups[i], told)
			}
		}
	}
	var page bytes.Buffer
	if err := Page(&page, p); err != nil || !strings.Contains(page.String(), "| V20 | carry-over |") {
		t.Errorf("%v: %s", err, page.String())
	}
}
