package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

func TestLab(t *testing.T) {
	p := standardPlan("a", "b")
	p.Profile, p.Controls, p.BudgetNS = Lab, []string{"ref", "ref'", "ref+5%"}, int64(time.Hour)
	arranged(&p, paired)
	if p.Load.NS != 2e9 || p.Load.RewarmNS != 2e8 || p.Rounds != 6 || p.Pilots != 2 || len(p.Epochs) != 8 {
		t.Errorf("%+v", p)
	}
	c, err := Estimate(&p)
	if err != nil {
		t.Fatal(err)
	}
	// Five processes, each started, warmed for 3 s, and loaded for 2 s six times.
	least := 5 * (3*time.Second + 6*2*time.Second)
	epoch := playEpoch(&record.Run{Plan: p}, record.Key{Epoch: p.Pilots + 100, Position: -1}).Whole
	if epoch < least || epoch > least*6/5 || c.FirstVerdict > time.Hour/2 {
		t.Errorf("an epoch takes %v, the first verdict %v", epoch, c.FirstVerdict)
	}
	if l := c.Analyses[0]; l.N != 3 {
		t.Errorf("analyses %+v", c.Analyses)
	}
	open := p.First()
	open.RateShare = .5
	if len(p.Levels) != 1 || p.Rated.NS != 10e9 {
		t.Errorf("levels %+v, then %+v", p.Levels, p.Rated)
	}
	p.Levels, p.Primary, p.Cells, p.Family = []record.Level{open, p.First()}, Tail, nil, nil
	if arranged(&p, paired); p.Rounds != 3 || p.Load.NS != 2e9 {
		t.Errorf("%d rounds of a tail", p.Rounds)
	}
	for _, e := range append(slots(&p, p.Pilots), cellsIn(&p, p.Pilots, true)...) {
		if want := map[int]int64{0: 10e9, 1: 2e9}[e.Cell.Level]; trialOf(&p, e) != want {
			t.Errorf("a trial of %+v takes %v", e, time.Duration(trialOf(&p, e)))
		}
	}
	if c, err := Estimate(&p); err != nil || c.Analyses[0].N != 8 {
		t.Errorf("of an hour's p99 in five: %+v, %v", c.Analyses, err)
	}
	slow := standardPlan("a", "b")
	slow.Profile, slow.Levels = Lab, []record.Level{{DelayNS: 3e8, Connections: 10, Pipeline: 1}}
	if arranged(&slow, paired); slow.Rounds != 4 || trialOf(&slow, slots(&slow, 2)[0]) != 6e9 {
		t.Errorf("%d rounds with a delay", slow.Rounds)
	}
	for profile, want := range map[string]time.Duration{Lab: 3 * time.Second, Standard: WarmLeast, brief: WarmLeast} {
		p.Profile = profile
		if got := Warmup(&record.Run{Plan: p}, "a", 0).Least; got != want {
			t.Errorf("%s warms up for %v, want %v", profile, got, want)
		}
	}
}

// TestLongRestIsCounted: the time until a verdict has the long loads and the least watch after them, and what a plan
// says is at most its budget, also where each watch lasts the longest.
func TestLongRestIsCounted(t *testing.T) {
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
		if most := with.Whole + lastCost(run) - longCost(run) - RatedCost(run); most > budget || with.FirstVerdict > with.Whole {
			t.Errorf("%v of a budget of %v, the first verdict after %v", most, budget, with.FirstVerdict)
		}
		if p.Long.NS == 0 {
			continue
		}
		long++
		first, loads := p.Pilots+epochsUntil(&p, with.Analyses[0].N), 4*(time.Duration(p.Long.NS)+LongRewarm)
		var until time.Duration
		for e := range first {
			took := playEpoch(&record.Run{Plan: p}, record.Key{Epoch: e, Position: -1}).Whole
			until += took
		}
		if rest := with.FirstVerdict - until - verifyEstimate(run) - loads - RatedCost(run); rest < 2*LongRest ||
			rest > 2*LongRest+2*time.Second {
			t.Errorf("a budget of %v: %v for the watch after the long loads", budget, rest)
		}
	}
	if long < 5 {
		t.Errorf("%d plans have long loads", long)
	}
}
