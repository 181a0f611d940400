package bench

import (
	"testing"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// Progress counts every trial.
func TestProgressCountsEveryTrial(t *testing.T) {
	b, _, _, _ := set(t)
	n := 0
	b.Event = func(e record.Event) {
		if e.Trial == nil {
			return
		}
		if n++; e.Done != n || e.Total < n {
			t.Errorf("%d of %d after %d trials", e.Done, e.Total, n)
		}
		if now := plan.ProgressOf(b.run, &b.cost); now.Total != e.Total || e.Text != now.Epoch {
			t.Errorf("%q, %d trials; want %q, %d", e.Text, e.Total, now.Epoch, now.Total)
		}
	}
	if _, err := b.Run(t.Context(), wholePlan(small("a", "b"))); err != nil {
		t.Fatal(err)
	}
}
