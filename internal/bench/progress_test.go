package bench

import (
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

// Progress counts every trial, though it is computed anew in the first trial of a round alone, and
// as time passes less is left.
func TestProgressCountsEveryTrial(t *testing.T) {
	b, _, _, _ := set(t)
	n := 0
	b.Event = func(e result.Event) {
		if e.Trial == nil {
			return
		}
		if n++; e.Done != n || e.Total < n {
			t.Errorf("%d of %d after %d trials", e.Done, e.Total, n)
		}
		if now := plan.ProgressOf(b.run); now.Total != e.Total || e.Text != now.Epoch && e.Trial.Round == 0 {
			t.Errorf("%q, %d trials; want %q, %d", e.Text, e.Total, now.Epoch, now.Total)
		}
	}
	if _, err := b.Run(t.Context(), small("a", "b")); err != nil {
		t.Fatal(err)
	}
	b.reckoned.at, b.reckoned.Left = time.Now().Add(-time.Minute), 3*time.Minute
	if left := b.progressOf(b.reckoned.epoch, false).Left; left > 2*time.Minute || left < time.Second {
		t.Errorf("%v are left", left)
	}
}
