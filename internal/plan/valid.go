package plan

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Count says which trials of a run count.
func Count(run *record.Run) *judge.Counted {
	p, c := &run.Plan, judge.Counted{Pilot: Pilot(run), Analyses: Analyses(run)}
	c.Epochs, c.Valid = counting(run)
	c.Discarded, c.All = Discarded(run)
	if c.Long, c.NoLong = Long(run); len(c.Long) > 0 {
		c.Beside, _ = validOf(run, c.Long[0].Epoch, extrasOf(run))
	}
	c.Rated, c.NoRated = Rated(run)
	for i := range p.Levels {
		var l judge.PlannedLevel
		l.Loaded, l.Compared = Loaded(p, i)
		c.Levels = append(c.Levels, l)
	}
	return &c
}

// Valid returns the valid trials: those in each round's last attempt that are not discarded, in
// valid epochs after the pilots.
func Valid(run *record.Run) []*record.Trial {
	_, out := counting(run)
	return out
}

// Epochs lists the valid epochs after the pilots: complete, with at least half their trials
// valid.
func Epochs(run *record.Run) []int {
	epochs, _ := counting(run)
	return epochs
}

func counting(run *record.Run) (epochs []int, out []*record.Trial) {
	out = slices.Grow(out, len(run.Trials))
	extra := extrasOf(run)
	for e := run.Plan.Pilots; e <= lastEpoch(run); e++ {
		if trials, ok := validOf(run, e, extra); ok {
			epochs, out = append(epochs, e), append(out, trials...)
		}
	}
	return epochs, out
}

// Pilot returns the trials in the pilot epochs that count.
func Pilot(run *record.Run) (out []*record.Trial) {
	for e := range run.Plan.Pilots {
		for r := range roundsIn(&run.Plan, e) {
			out = append(out, standing(lastAttempt(run, e, r))...)
		}
	}
	return out
}

// counted returns the smallest number of valid epochs that any part with comparisons has.
func counted(run *record.Run) int {
	n, valid := math.MaxInt, Epochs(run)
	for _, part := range partsWith(&run.Plan, false) {
		n = min(n, among(run, valid, part))
	}
	return n
}

// among returns the number of epochs that belong to a part.
func among(run *record.Run, epochs []int, part int) (n int) {
	for _, e := range epochs {
		if partAt(&run.Plan, e) == part {
			n++
		}
	}
	return n
}

// validOf returns an epoch's valid trials, and whether it is complete and at least half its
// trials are valid. extra comes from extrasOf.
func validOf(run *record.Run, epoch int, extra func(int) []slot) (valid []*record.Trial, ok bool) {
	all, ok := 0, true
	for r := range roundsIn(&run.Plan, epoch) {
		trials := lastAttempt(run, epoch, r)
		if !complete(run, trials, extra) {
			ok = false
			continue
		}
		all += len(trials)
		valid = append(valid, standing(trials)...)
	}
	return valid, ok && 2*len(valid) >= all
}

// complete reports whether a round, which has these trials, has one for every contestant that
// has not failed.
func complete(run *record.Run, trials []*record.Trial, extra func(int) []slot) bool {
	if len(trials) == 0 {
		return false
	}
	k := trials[len(trials)-1].Key
	_, more := inRound(run, k, lineup(run, k, extra))
	return !more
}

// standing returns the trials in a round that count: that no cause outside the contestants
// spoilt.
func standing(trials []*record.Trial) (out []*record.Trial) {
	for _, t := range trials {
		if !judge.Discard(t) {
			out = append(out, t)
		}
	}
	return out
}

// Discarded counts the trials after the pilots that are spoilt, also if there is a later take, and all trials.
func Discarded(run *record.Run) (out, all int) {
	for i, t := range run.Trials {
		bad := judge.Discard(t)
		if t.Epoch < run.Plan.Pilots || !bad && superseded(run.Trials, i) {
			continue
		}
		if all++; bad {
			out++
		}
	}
	return out, all
}

// superseded reports whether there is a later take of the i-th trial, as older versions made of disturbed ones.
func superseded(all []*record.Trial, i int) bool {
	if i+1 == len(all) {
		return false
	}
	next := all[i+1].Key
	next.Take = all[i].Take
	return next == all[i].Key
}

// after returns the index of the first trial whose key is greater than k.
func after(run *record.Run, k record.Key) int {
	return sort.Search(len(run.Trials), func(i int) bool {
		t := run.Trials[i]
		return cmp.Or(cmp.Compare(t.Epoch, k.Epoch), cmp.Compare(t.Round, k.Round),
			cmp.Compare(t.Attempt, k.Attempt), cmp.Compare(t.Position, k.Position),
			cmp.Compare(t.Take, k.Take)) > 0
	})
}

// lastAttempt returns the trials in the latest attempt at a round, each trial's last take; none
// if there is no attempt. Trials are recorded in key order.
func lastAttempt(run *record.Run, epoch, round int) (trials []*record.Trial) {
	to := after(run, record.Key{Epoch: epoch, Round: round, Attempt: math.MaxInt})
	from := to
	for from > 0 && run.Trials[from-1].Epoch == epoch && run.Trials[from-1].Round == round &&
		run.Trials[from-1].Attempt == run.Trials[to-1].Attempt {
		from--
	}
	for i := from; i < to; i++ {
		if !superseded(run.Trials, i) {
			trials = append(trials, run.Trials[i])
		}
	}
	return trials
}

func lastEpoch(run *record.Run) int {
	if len(run.Trials) == 0 {
		return -1
	}
	return run.Trials[len(run.Trials)-1].Epoch
}
