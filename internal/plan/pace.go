package plan

import (
	"slices"
	"time"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Analyses returns the interim analyses of the run. They are fixed when the pilots end: the
// candidates that fit the rest of the budget at the pace of the pilots. Before that they are those
// of the estimate.
//
// If the run ends between two analyses, with stats.Least epochs or more, the remaining ones are made there,
// as one: the length of an epoch does not depend on which contestant is faster, so their levels may be
// spent together. This does not apply to an interrupted run, which may go on, nor to a raised budget, because the
// user who raised it may have seen the figures.
func Analyses(run *result.Run) []stats.Interim {
	analyses := planned(run)
	n, taken, left := counted(run), len(analyses), 0.
	if run.End == nil || run.End.Reason == Interrupted || n < stats.Least || budgeted(run) != run.Plan.BudgetNS {
		return analyses
	}
	for ; taken > 0 && analyses[taken-1].N > n; taken-- {
		left += analyses[taken-1].Alpha
	}
	if left == 0 || taken > 0 && analyses[taken-1].N == n {
		return analyses
	}
	return append(analyses[:taken], stats.Interim{N: n, Alpha: left})
}

// planned returns the interim analyses as they are fixed when the pilots end.
func planned(run *result.Run) []stats.Interim {
	p := &run.Plan
	if !pilotsOver(run) {
		if c, err := Estimate(p); err == nil {
			return c.Analyses
		}
		return nil
	}
	if !decides(p) {
		return nil
	}
	left := float64(p.BudgetNS-int64(LongCost(p))-verifying(run)-pilotsEnd(run)-atPace(run, extraCost(p))) * (1 - reserve)
	fits := max(int(left/float64(turnAtPace(run))), stats.Fewest(p.Analyses)) // the pace may still get better
	return interims(p, fits)
}

// pilotsOver reports whether the last trial is the last one of the pilots, or a later one.
func pilotsOver(run *result.Run) bool {
	p, e := &run.Plan, lastEpoch(run)
	if e != p.Pilots-1 || e < 0 {
		return e >= p.Pilots
	}
	last := run.Trials[len(run.Trials)-1].Key
	_, more := following(run, last)
	return !more && last.Round+1 == roundsIn(p, e)
}

// elapsed returns the time from the start of the first trial's epoch to the end of the last trial,
// in ns. Pauses of a resumed run are excluded.
func elapsed(run *result.Run) int64 {
	if len(run.Trials) == 0 {
		return 0
	}
	last := run.Trials[len(run.Trials)-1]
	paused := int64(0)
	for _, r := range run.Resumes {
		if r.Epoch <= last.Epoch {
			paused += r.PausedNS
		}
	}
	for _, l := range run.Lost {
		if l.Epoch <= last.Epoch {
			paused += l.PausedNS
		}
	}
	return last.EndedUnixNS - begin(run) - paused
}

// Left returns how much of the budget is left for epochs, from the end of the last trial. What it has to pay
// begins with the first verification, for the builds are no part of it, and ends with the long loads.
func Left(run *result.Run) time.Duration {
	return time.Duration(budgeted(run)-verifying(run)-elapsed(run)) - LongCost(&run.Plan)
}

// verifying returns the time from the first verification to the first measured process, in ns; 0 in records
// that do not tell.
func verifying(run *result.Run) int64 {
	i := slices.IndexFunc(run.Contestants, func(c result.Contestant) bool { return c.VerifyUnixNS > 0 })
	if i < 0 || len(run.Trials) == 0 {
		return 0
	}
	return max(0, begin(run)-run.Contestants[i].VerifyUnixNS)
}

// budgeted returns the current budget of the run in ns: the plan's, or the one that a resume has
// raised it to.
func budgeted(run *result.Run) int64 {
	for _, r := range slices.Backward(run.Resumes) {
		if r.BudgetNS > 0 {
			return r.BudgetNS
		}
	}
	return run.Plan.BudgetNS
}

// begin returns the start time of the first measured process of the run.
func begin(run *result.Run) int64 {
	if len(run.Launches) > 0 {
		return run.Launches[0].StartedUnixNS
	}
	return run.Trials[0].StartedUnixNS
}

// pilotsEnd returns how long the pilots took, in ns.
func pilotsEnd(run *result.Run) int64 {
	var end int64
	for i := range run.Trials {
		if t := run.Trials[i]; t.Epoch < run.Plan.Pilots {
			end = t.EndedUnixNS
		}
	}
	if end == 0 {
		return 0
	}
	return end - begin(run)
}

// atPace converts an estimated time to the pace of the pilots, in ns. Without pilots it returns the
// estimate.
func atPace(run *result.Run, estimate time.Duration) int64 {
	return int64(pace(run) * float64(estimate))
}

// turnAtPace returns turnCost at the pace of the pilots, in ns, with the warm-up times that the
// pilots found.
func turnAtPace(run *result.Run) int64 {
	return atPace(run, turnCost(&run.Plan)) + int64(len(parts(&run.Plan)))*moreWarmup(run)
}

// moreWarmup returns by how much the warm-ups of an epoch exceed their estimate, in ns, according
// to the pilots. The pace does not apply to it.
func moreWarmup(run *result.Run) int64 {
	p := &run.Plan
	names := launched(p, p.Pilots, slices.Concat(slots(p, p.Pilots), sidesAt(p, p.Pilots)))
	return int64(max(0, warmEstimate(run, p.Pilots, names)-warmEstimate(&result.Run{Plan: *p}, p.Pilots, names)))
}

// pace returns the ratio of the pilots' duration to its estimate, without warm-ups. It is 1 if
// there are no pilots.
func pace(run *result.Run) float64 {
	est, took := pilotsEstimate(&run.Plan), pilotsEnd(run)
	if est == 0 || took == 0 {
		return 1
	}
	return float64(took-min(warmExcess(run), took/2)) / float64(est)
}

// epochCost returns the mean time of the epochs so far in ns, without the pilots.
func epochCost(run *result.Run) int64 {
	n := int64(lastEpoch(run) - run.Plan.Pilots + 1)
	if n <= 0 {
		return atPace(run, estimateEpoch(&run.Plan, run.Plan.Pilots)) + moreWarmup(run)
	}
	return (elapsed(run) - pilotsEnd(run)) / n
}
