package plan

import (
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// The long loads in a paired comparison (doc/method.md): after the epochs, the first and the
// second in the ranking so far are loaded in the order A B B A, each for longLoad, with the last
// epoch's processes. They get at most one part in longPart from the budget.
const (
	longLoad = 2 * time.Second
	longPart = 6

	shortBudget = "the budget is too short for them"
)

// LongRewarm is the time for which a contestant is loaded after its thaw, before a load after the epochs
// counts.
const LongRewarm = 500 * time.Millisecond

// unloadedNS is the time for which a contestant is watched without load after an epoch's last
// trial: several times as long as a server needs to become idle.
const unloadedNS = int64(50 * time.Millisecond)

// After a contestant's last long load, it is watched until it is quiet: at least LongRest, and
// at most longRestMost, or one part in restPart if the budget is short.
const (
	LongRest     = time.Second
	longRestMost = 5 * time.Second
	restPart     = 60
)

// LongRestMost returns the longest time for which a contestant is watched after its long loads.
func LongRestMost(p *record.Plan) time.Duration {
	return max(LongRest, min(longRestMost, time.Duration(p.BudgetNS/restPart)))
}

// longLoads returns the length for a plan's long loads, or why it has none. Both are empty if
// all its trials are long ones, or it has no pair.
func longLoads(p *record.Plan) (ns int64, why string) {
	q := *p
	q.Long.NS = int64(max(longLoad, 20*time.Duration(p.First().DelayNS)))
	switch {
	case p.Load.NS >= q.Long.NS || len(p.Contestants) < 2:
		return 0, ""
	case p.Fresh() || !p.Ranks():
		return 0, "they are made only where all pairs are compared at one level"
	case longTooLong(&record.Run{Plan: q}):
		return 0, shortBudget
	}
	return q.Long.NS, ""
}

// longTooLong reports whether the long loads would take more than their part of the budget.
func longTooLong(run *record.Run) bool {
	return longCost(run, 0) > time.Duration(run.Plan.BudgetNS/longPart)
}

// LongCost returns the time for the long loads and, at most, for the watch after them.
func LongCost(run *record.Run) time.Duration {
	return longCost(run, LongRestMost(&run.Plan))
}

// longCost returns the time for the long loads, for the last trial before them if it takes too
// long, and for a rest after each contestant's last one.
func longCost(run *record.Run, rest time.Duration) time.Duration {
	p := &run.Plan
	if p.Long.NS == 0 {
		return 0
	}
	each := time.Duration(0)
	for _, name := range p.Contestants {
		each = max(each, time.Duration(p.Long.NS)+around(run, name, p.First())+3*trialOverhead)
	}
	return 4*each + 2*rest
}

// LongOrders returns the long loads for a and b. The attempt counts from 0.
func LongOrders(run *record.Run, a, b string, attempt int) (all []Order) {
	p := &run.Plan
	for i, name := range []string{a, b, b, a} {
		k := record.Key{Seed: p.Seed, Epoch: lastEpoch(run), Position: i, Attempt: attempt}
		k.Round = roundsIn(p, k.Epoch) // the one after its last
		e := slot{Cell: record.Cell{Contestant: name}, level: p.First()}
		if level, ok := resolve(run, e); ok {
			all = append(all, Order{Key: k, Contestant: name, Level: level, TrialNS: p.Long.NS, Long: true,
				LoadSeed: mix(k, 1)})
		}
	}
	return all
}

// Long returns the long loads that count, or why there are none. Both are empty if none were
// planned, for a reason other than the budget.
func Long(run *record.Run) (loads []*record.Trial, why string) {
	n := len(run.Long)
	switch {
	case run.Plan.Long.NS == 0:
		return nil, run.Plan.Long.Absent
	case n < 4 || run.Long[n-1].Position != 3:
		return nil, "not all of them were made"
	case judge.Disturbed(run.Long[n-4:]):
		return nil, "other programs, the hypervisor or a pause disturbed them"
	}
	return run.Long[n-4:], ""
}
