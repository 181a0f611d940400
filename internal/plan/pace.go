package plan

import (
	"slices"
	"time"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Analyses returns the run's interim analyses: those that fit its budget by the estimate.
//
// If the run ends before the last one, and none decided it, the remaining ones, and one at its end, are made as one: an
// epoch's length does not depend on which contestant is faster, so their levels may be spent together. With
// fewer than stats.Least epochs it is one more early analysis. This does not apply to an interrupted run,
// which may go on.
func Analyses(run *record.Run) []stats.Interim {
	if !run.Plan.InRounds() {
		return nil
	}
	analyses := interims(&run.Plan, fits(run))
	n, taken, left := counted(run), len(analyses), 0.
	if taken == 0 || run.End == nil || run.End.Reason == Interrupted || run.End.Reason == string(Decided) ||
		n < min(stats.Least, analyses[0].N) {
		return analyses
	}
	for ; taken > 0 && analyses[taken-1].N >= n; taken-- {
		left += analyses[taken-1].Alpha
	}
	return append(analyses[:taken], stats.Remaining(run.Plan.Epochs, n, left, run.Plan.Alpha))
}

// pilotsOver reports whether the pilots are complete.
func pilotsOver(run *record.Run) bool {
	e := lastEpoch(run)
	if e >= 0 && e == run.Plan.Pilots-1 {
		_, over := following(run, run.Trials[len(run.Trials)-1].Key)
		return over != ""
	}
	return e >= run.Plan.Pilots
}

// elapsed returns the time from the first server's start to the last trial's end, in ns. Pauses
// before a resumed epoch are excluded.
func elapsed(run *record.Run) int64 {
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
	return last.EndedUnixNS - begin(run) - paused
}

// Left returns how much of the budget is left after the last trial. The budget starts with the first
// verification, after the builds.
func Left(run *record.Run) time.Duration {
	return time.Duration(run.Plan.BudgetNS - verifying(run) - elapsed(run))
}

// Reserve returns the part of the budget that epochs must leave to the loads after them. It is 0 until the
// epochs reach the first analysis: a verdict comes before its check.
func Reserve(run *record.Run) time.Duration { return reserveAfter(run, counted(run)) }

// reserveAfter returns Reserve for a run in which so many epochs count.
func reserveAfter(run *record.Run, epochs int) time.Duration {
	last := lastCost(run)
	if last == 0 || epochs < interims(&run.Plan, slices.Max(run.Plan.Epochs))[0].N {
		return 0
	}
	return last
}

// reach returns how many epochs after the pilots a run begins within its budget, at most that many, if
// those to come take as much longer than estimated as those before.
func reach(run *record.Run, most int) int {
	const report = 2 * time.Second
	slower, _ := pace(run)
	left, valid := Left(run)-report, counted(run)
	for e, next := range play(run) {
		n := e - run.Plan.Pilots
		left -= time.Duration(slower * float64(next.Whole))
		if e > lastEpoch(run) {
			if n >= most || left < reserveAfter(run, valid) {
				return n
			}
			valid++
		}
	}
	return 0 // play has no end
}

// verifying returns the time from the first verification to the first measured process, in ns; 0
// if the record does not tell.
func verifying(run *record.Run) int64 {
	for _, c := range run.Contestants {
		if c.VerifyUnixNS > 0 && len(run.Trials) > 0 {
			return max(0, begin(run)-c.VerifyUnixNS)
		}
	}
	return 0
}

// begin returns the start time of the first measured process.
func begin(run *record.Run) int64 {
	if len(run.Launches) > 0 {
		return run.Launches[0].StartedUnixNS
	}
	return run.Trials[0].StartedUnixNS
}

// pace returns the factor by which the trials after the pilots, with the starts and warm-ups before
// them, took longer than estimated. It is 1, and not measured, before there are any.
func pace(run *record.Run) (slower float64, measured bool) {
	estimated, started, pilots := time.Duration(0), map[int][]string{}, *run
	pilots.Trials = run.Trials[:after(run, record.Key{Epoch: run.Plan.Pilots, Round: -1})]
	for _, t := range run.Trials[len(pilots.Trials):] {
		estimated += trialTime(run, t.Contestant, t.Epoch, run.Plan.LevelOf(t))
		if !slices.Contains(started[t.Epoch], t.Contestant) {
			started[t.Epoch] = append(started[t.Epoch], t.Contestant)
		}
	}
	for e, names := range started {
		estimated += besideTrials(run, e, names)
	}
	if estimated <= 0 {
		return 1, false
	}
	return float64(elapsed(run)-elapsed(&pilots)) / float64(estimated), true
}
