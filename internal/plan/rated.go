package plan

import (
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// The open loops after a paired comparison (doc/method.md): each contestant is loaded twice, in the
// order A B B A, at CommonShare of the slowest one's throughput, with the last epoch's processes.
// They take about one part in ratedPart of the budget, and at most one in ratedMost.
const (
	ratedPart = 30
	ratedMost = 8
)

// ratedLoads returns the open loops after a plan's epochs. There are none if the plan has open loops
// of its own or starts servers differently for its levels, or if the request omits them.
func ratedLoads(p *record.Plan, r *Request) record.LongLoads {
	if r.Rates != nil || len(p.Contestants) == 0 || !p.Ranks() || p.Fresh() || len(parts(p)) > 1 ||
		slices.ContainsFunc(p.Levels, record.Level.Open) {
		return record.LongLoads{}
	}
	q, part := *p, time.Duration(p.BudgetNS/ratedPart/int64(2*len(p.Contestants)))
	least := max(openSideTrial, 20*time.Duration(p.First().DelayNS))
	q.Rated.NS = int64(max(least, min(openLongest, part-LongRewarm)).Truncate(100 * time.Millisecond))
	if ratedTooLong(&record.Run{Plan: q}) {
		return record.LongLoads{Absent: shortBudget}
	}
	return q.Rated
}

// ratedTooLong reports whether the open loops would take more than their part of the budget.
func ratedTooLong(run *record.Run) bool {
	return ratedCost(run) > time.Duration(run.Plan.BudgetNS/ratedMost)
}

// ratedCost returns the time for the open loops after a run's epochs.
func ratedCost(run *record.Run) (sum time.Duration) {
	p := &run.Plan
	for _, name := range p.Contestants {
		if p.Rated.NS > 0 {
			sum += 2 * (LongRewarm + time.Duration(p.Rated.NS) + around(run, name, p.First()))
		}
	}
	return sum
}

// RatedOrders returns the open loops after a run's epochs; none if no throughput was measured.
func RatedOrders(run *record.Run) (all []Order) {
	p, at, names, slowest := &run.Plan, run.Plan.First(), remaining(run, run.Plan.Contestants), math.Inf(1)
	for _, name := range names {
		if own := ratesOf(p, Valid(run), name, 0); len(own) > 0 {
			slowest = min(slowest, stats.Median(own))
		}
	}
	if p.Rated.NS == 0 || math.IsInf(slowest, 1) {
		return nil
	}
	at.RatePerSec, at.RateShare = math.Ceil(CommonShare*slowest), CommonShare
	back := slices.Clone(names)
	slices.Reverse(back)
	for i, name := range append(names, back...) {
		k := record.Key{Seed: p.Seed, Epoch: lastEpoch(run), Position: i % len(back)}
		k.Round = roundsIn(p, k.Epoch) + 1 + i/len(back) // after its last one, and the long loads
		all = append(all, Order{Key: k, Contestant: name, Level: at, TrialNS: p.Rated.NS, Rated: true, LoadSeed: mix(k, 1)})
	}
	return all
}

// Rated returns the open loops after a run's epochs that count, or why there are none although there
// could be.
func Rated(run *record.Run) (loads []*record.Trial, why string) {
	for _, t := range run.Rated { // an interrupted run may have some from before
		if t.Epoch == lastEpoch(run) && !judge.Disturbed([]*record.Trial{t}) {
			loads = append(loads, t)
		}
	}
	switch {
	case run.Plan.Rated.NS == 0 || len(loads) > 0 || run.End == nil:
		return loads, run.Plan.Rated.Absent
	case len(run.Rated) > 0:
		return nil, "other programs, the hypervisor or a pause disturbed them"
	}
	return nil, "the run ended before them"
}
