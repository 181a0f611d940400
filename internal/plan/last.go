package plan

import (
	"cmp"
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// The loads after a paired comparison, on the last epoch's processes (doc/method.md): long ones of longLoad, then open
// loops at CommonShare of the slowest contestant's throughput. Each contestant has two of them, in an order that is the
// same forwards and backwards. Of the budget, the long loads get at most one part in longPart; the open loops get
// about one part in ratedPart, and at most one in ratedMost.
const (
	longLoad  = 2 * time.Second
	longPart  = 4
	ratedPart = 30
	ratedMost = 8

	ratedLeast   = time.Second
	ratedLongest = 10 * time.Second

	shortBudget = "the budget is too short for them"
	disturbed   = "other programs, the hypervisor or a pause disturbed them"
)

// CommonShare times the slowest contestant's throughput is the rate of the open loops.
const CommonShare = 0.7

// LongRewarm is the time for which a contestant is loaded after its thaw, before a load after the epochs counts.
const LongRewarm = 500 * time.Millisecond

// unloadedNS is the time for which a contestant is watched without load after an epoch's last
// trial: several times as long as a server needs to become idle.
const unloadedNS = int64(50 * time.Millisecond)

// longLoads plans long loads on all contestants.
func longLoads(p *record.Plan) record.LastLoads {
	l := record.LastLoads{NS: int64(max(longLoad, 20*time.Duration(p.First().DelayNS)))}
	for _, name := range p.Contestants {
		if comparedAt(p, 0, name) {
			l.Contestants++
		}
	}
	switch {
	case p.Load.NS >= l.NS || len(p.Contestants) < 2:
		return record.LastLoads{}
	case !endsAtFirst(p) || l.Contestants < 2:
		return record.LastLoads{Absent: "they are made only where all processes that are compared serve the first level"}
	}
	return l
}

// endsAtFirst reports whether the processes that are compared serve the first level: the last of them are there at the
// end.
func endsAtFirst(p *record.Plan) bool {
	return !p.Fresh() && comparedAt(p, 0, "") && slices.Equal(partsWith(p, false), []int{0})
}

// atTheEnd returns the contestants that are compared at the first level, if the last epoch's processes serve it.
func atTheEnd(run *record.Run) []string {
	p := &run.Plan
	if partAt(p, max(0, lastEpoch(run))) > 0 {
		return nil
	}
	return slices.DeleteFunc(remaining(run, p.Contestants), func(name string) bool { return !comparedAt(p, 0, name) })
}

// ratedLoads plans open loops. There are none if the plan has open loops of its own or compares processes that do not
// serve its first level, or if the request omits them.
func ratedLoads(p *record.Plan, r *Request) record.LastLoads {
	if r.NoRated || len(p.Contestants) == 0 || !p.Ranks() || !endsAtFirst(p) ||
		slices.ContainsFunc(p.Levels, record.Level.Open) {
		return record.LastLoads{}
	}
	part := time.Duration(p.BudgetNS / ratedPart / int64(2*len(p.Contestants)))
	least := max(ratedLeast, 20*time.Duration(p.First().DelayNS))
	return record.LastLoads{NS: int64(max(least, min(ratedLongest, part-LongRewarm)).Truncate(100 * time.Millisecond))}
}

// fewerLast omits the least needed loads after a run's epochs if they would take more than their parts of the budget,
// or if the budget is too short for a verdict. It reports whether it did. No time is kept for open loops that it omits:
// they are made if the epochs end early.
func fewerLast(run *record.Run, short bool) bool {
	p := &run.Plan
	over := func(cost time.Duration, part int64) bool { return short || cost > time.Duration(p.BudgetNS/part) }
	switch {
	case RatedCost(run) > 0 && over(RatedCost(run), ratedMost):
		p.Rated.Absent = shortBudget
	case p.Long.NS > 0 && over(longCost(run), longPart):
		if p.Long.Contestants--; p.Long.Contestants < 2 {
			p.Long = record.LastLoads{Absent: shortBudget}
		}
	default:
		return false
	}
	return true
}

// lastCost returns the time that epochs leave to the loads after them.
func lastCost(run *record.Run) time.Duration { return longCost(run) + RatedCost(run) }

// longCost returns the time for the long loads, and for the last trial before them if it takes too long.
func longCost(run *record.Run) time.Duration {
	p, each := &run.Plan, time.Duration(0)
	if p.Long.NS == 0 {
		return 0
	}
	for _, name := range p.Contestants {
		each = max(each, LongRewarm+time.Duration(p.Long.NS)+around(run, name, p.First())+3*trialOverhead)
	}
	return time.Duration(p.Long.Contestants) * 2 * each
}

// RatedCost returns the time that is kept for the open loops after a run's epochs.
func RatedCost(run *record.Run) (sum time.Duration) {
	p := &run.Plan
	for _, name := range p.Contestants {
		if p.Rated.NS > 0 && p.Rated.Absent == "" {
			sum += 2 * (LongRewarm + time.Duration(p.Rated.NS) + around(run, name, p.First()))
		}
	}
	return sum
}

// twice returns two loads like o on each contestant after a run's epochs, in two rounds of which the second
// reverses the first. begin is the number of rounds after the epoch's own.
func twice(run *record.Run, names []string, begin int, o Order) (all []Order) {
	back := slices.Clone(names)
	slices.Reverse(back)
	for i, name := range slices.Concat(names, back) {
		o.Seed, o.Epoch, o.Position, o.Contestant = run.Plan.Seed, lastEpoch(run), i%len(names), name
		o.Round = roundsIn(&run.Plan, o.Epoch) + begin + i/len(names)
		o.LoadSeed = mix(o.Key, 1)
		if o.Long {
			o.Level = run.Plan.First()
		}
		all = append(all, o)
	}
	return all
}

// LongOrders returns the long loads, on the best contestants of a ranking, which are in the middle of the order. The
// attempt counts from 0.
func LongOrders(run *record.Run, ranking []record.Standing, attempt int) []Order {
	p, names := &run.Plan, atTheEnd(run)
	rank := func(name string) uint { // the largest for those without a place
		return uint(slices.IndexFunc(ranking, func(s record.Standing) bool { return s.Name == name }))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	names = names[:min(len(names), p.Long.Contestants)]
	if p.Long.NS == 0 || len(names) < 2 {
		return nil
	}
	slices.Reverse(names)
	return twice(run, names, 0, Order{Key: record.Key{Attempt: attempt}, TrialNS: p.Long.NS, Long: true})
}

// RatedOrders returns the open loops after a run's epochs; none if no throughput was measured.
func RatedOrders(run *record.Run) []Order {
	p, at, names, slowest := &run.Plan, run.Plan.First(), atTheEnd(run), math.Inf(1)
	for _, name := range names {
		if own := ratesOf(p, Valid(run), name); len(own) > 0 {
			slowest = min(slowest, stats.Median(own))
		}
	}
	if p.Rated.NS == 0 || math.IsInf(slowest, 1) {
		return nil
	}
	at.RatePerSec, at.RateShare = math.Ceil(CommonShare*slowest), CommonShare
	return twice(run, names, 2, Order{Level: at, TrialNS: p.Rated.NS, Rated: true})
}

// Long returns the long loads that count, both of each contestant, or why there are none. Both are empty if none were
// planned, for a reason other than the budget. The best contestant comes first. One whose two loads were not made or
// were disturbed has none.
func Long(run *record.Run) (loads []*record.Trial, why string) {
	if run.Plan.Long.NS == 0 {
		return nil, run.Plan.Long.Absent
	}
	why = "not all of them were made"
	for i, l := range run.Long {
		last := run.Long[len(run.Long)-1]
		for _, first := range run.Long[:i] {
			switch {
			case first.Contestant != l.Contestant || first.Epoch != last.Epoch || first.Attempt != last.Attempt:
			case judge.Disturbed([]*record.Trial{first, l}):
				why = disturbed
			default:
				loads = append(loads, first, l)
			}
		}
	}
	if len(loads) < 4 {
		return nil, why
	}
	return loads, ""
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
	case len(loads) > 0 || run.End == nil:
		return loads, ""
	case len(run.Rated) > 0:
		return nil, disturbed
	case run.Plan.Rated.NS > 0:
		why = "the run ended before them"
	}
	return nil, cmp.Or(run.Plan.Rated.Absent, why)
}

// ratesOf returns a contestant's throughputs at the first level in some trials.
func ratesOf(p *record.Plan, trials []*record.Trial, name string) (rates []float64) {
	for _, t := range trials {
		if t.Contestant == name && p.At(t) == 0 {
			if perSec, ok := t.Load.PerSec(); ok {
				rates = append(rates, perSec)
			}
		}
	}
	return rates
}
