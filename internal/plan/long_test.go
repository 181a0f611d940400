package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

// TestLongLoadsAreCounted: the time until a verdict has the long loads, and what a plan says is at most its budget.
func TestLongLoadsAreCounted(t *testing.T) {
	long := 0
	for budget := 10 * time.Second; budget < 2*time.Hour; budget = budget * 5 / 4 {
		p := standardPlan("a", "b")
		p.Profile, p.BudgetNS = Standard, int64(budget)
		arranged(&p, paired)
		run := &record.Run{Plan: p}
		with, err := Estimate(&p)
		if err != nil {
			continue
		}
		if with.Whole > budget || with.FirstVerdict > with.Whole {
			t.Errorf("%v of a budget of %v, the first verdict after %v", with.Whole, budget, with.FirstVerdict)
		}
		if p.Long.NS == 0 {
			continue
		}
		long++
		first, loads := p.Pilots+epochsUntil(&p, with.Analyses[0].N), 4*(time.Duration(p.Long.NS)+LongRewarm)
		var until time.Duration
		for e := range first {
			took := restOf(&record.Run{Plan: p}, record.Key{Epoch: e, Position: -1}).Whole
			until += took
		}
		if rest := with.FirstVerdict - until - verifyEstimate(run) - loads - RatedCost(run); rest < 0 || rest > 2*time.Second {
			t.Errorf("a budget of %v: %v for more than the epochs and the loads after them", budget, rest)
		}
	}
	if long < 5 {
		t.Errorf("%d plans have long loads", long)
	}
}
