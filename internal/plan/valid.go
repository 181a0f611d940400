package plan

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"dyno/internal/checks"
	"dyno/internal/result"
)

// Valid returns the valid trials: those of the last attempt of each round that are not discarded, in valid epochs
// after the pilots.
func Valid(run *result.Run) []*result.Trial {
	out := slices.Grow([]*result.Trial(nil), len(run.Trials))
	for e := run.Plan.Pilots; e <= lastEpoch(run); e++ {
		if rounds := attemptsOf(run, e); enough(rounds) {
			out = appendValid(out, rounds)
		}
	}
	return out
}

// Pilot returns the valid trials of the pilot epochs.
func Pilot(run *result.Run) []*result.Trial {
	var out []*result.Trial
	for e := range run.Plan.Pilots {
		out = appendValid(out, attemptsOf(run, e))
	}
	return out
}

// Epochs lists the valid epochs after the pilots: complete, with at least half of their rounds
// valid.
func Epochs(run *result.Run) []int {
	var out []int
	for e := run.Plan.Pilots; e <= lastEpoch(run); e++ {
		if epochCounts(run, e) {
			out = append(out, e)
		}
	}
	return out
}

// counted returns the smallest number of valid epochs of any part with comparisons.
func counted(run *result.Run) int {
	n, valid := math.MaxInt, Epochs(run)
	for _, part := range partsWith(&run.Plan, false) {
		n = min(n, among(run, valid, part))
	}
	return n
}

// countedOf returns the number of valid epochs of the part that an epoch belongs to.
func countedOf(run *result.Run, epoch int) int {
	return among(run, Epochs(run), partAt(&run.Plan, epoch))
}

// among returns how many of the epochs belong to a part.
func among(run *result.Run, epochs []int, part int) (n int) {
	for _, e := range epochs {
		if partAt(&run.Plan, e) == part {
			n++
		}
	}
	return n
}

// attempt is the last one at a round.
type attempt struct {
	trials   []*result.Trial // that count
	all      int
	complete bool
}

// attemptsOf returns the last attempt at each round of an epoch.
func attemptsOf(run *result.Run, epoch int) []attempt {
	out := make([]attempt, roundsIn(&run.Plan, epoch))
	for r := range out {
		if k, ok := lastAttempt(run, epoch, r); ok && complete(run, k) {
			out[r] = attempt{trials: standing(run, k), all: len(trials(run, k)), complete: true}
		}
	}
	return out
}

// epochCounts reports whether an epoch ended and enough of its rounds are valid.
func epochCounts(run *result.Run, epoch int) bool {
	return enough(attemptsOf(run, epoch))
}

// enough reports whether all rounds of an epoch are complete and at least half of their trials valid.
func enough(rounds []attempt) bool {
	valid, all := 0, 0
	for _, a := range rounds {
		if !a.complete {
			return false
		}
		valid, all = valid+len(a.trials), all+a.all
	}
	return 2*valid >= all
}

// appendValid appends the trials of the rounds that count.
func appendValid(out []*result.Trial, rounds []attempt) []*result.Trial {
	for _, a := range rounds {
		out = append(out, a.trials...)
	}
	return out
}

// complete reports whether every contestant that had not failed by then has its trial in the round
// of k.
func complete(run *result.Run, k result.Key) bool {
	ts := trials(run, k)
	if k.Position = -1; len(ts) > 0 {
		k = ts[len(ts)-1].Key
	}
	_, more := following(run, k)
	return len(ts) > 0 && !more
}

// standing returns the trials of the round and attempt of k that count: those that no cause outside the contestants
// spoilt.
func standing(run *result.Run, k result.Key) []*result.Trial {
	if wasLost(run, k) {
		return nil
	}
	return slices.DeleteFunc(trials(run, k), func(t *result.Trial) bool { return spoilt(&run.Plan, t) })
}

// spoilt reports whether a trial does not count. Those of a search are not compared round by round, so what others
// did beside them spoils them, too.
func spoilt(p *result.Plan, t *result.Trial) bool {
	if p.SLO != nil {
		return checks.Disturbed([]*result.Trial{t})
	}
	return checks.Discard(t)
}

// wasLost reports whether a machine was lost in the round and attempt of k.
func wasLost(run *result.Run, k result.Key) bool {
	return slices.ContainsFunc(run.Lost, func(l result.Lost) bool {
		return l.Epoch == k.Epoch && l.Round == k.Round && l.Attempt == k.Attempt
	})
}

// cutOff returns the next attempt at the round in which a machine was lost, if that was the last thing
// that was tried and no later epoch was begun since. Machines may have been lost again while servers were
// built and started for it.
func cutOff(run *result.Run) (k result.Key, ok bool) {
	for _, l := range slices.Backward(run.Lost) {
		if k = l.Key; k.Round >= 0 {
			ok = true
			break
		}
	}
	if n := len(run.Resumes); !ok || n > 0 && run.Resumes[n-1].Epoch > k.Epoch {
		return k, false
	}
	k.Position = math.MaxInt
	if n := len(run.Trials); n > 0 && after(run, k) < n { // there are trials since
		return k, false
	}
	k.Attempt++
	return k, true
}

// Discarded counts the trials that do not count, those that are spoilt and of which there is a later take among them; and
// all trials, pilots left out.
func Discarded(run *result.Run) (out, all int) {
	for i, t := range run.Trials {
		bad := spoilt(&run.Plan, t) || wasLost(run, t.Key)
		if t.Epoch < run.Plan.Pilots || !bad && superseded(run.Trials, i) { // the generator was at its limit
			continue
		}
		if all++; bad {
			out++
		}
	}
	return out, all
}

// superseded reports whether there is a later take of the i-th trial.
func superseded(all []*result.Trial, i int) bool {
	if i+1 == len(all) {
		return false
	}
	next := all[i+1].Key
	next.Take = all[i].Take
	return next == all[i].Key
}

// trials returns the trials of the round and attempt of k, of each its last take.
func trials(run *result.Run, k result.Key) []*result.Trial {
	all := takes(run, k)
	last := make([]*result.Trial, 0, len(all))
	for i, t := range all {
		if !superseded(all, i) {
			last = append(last, t)
		}
	}
	return last
}

// takes returns all trials of the round and attempt of k. Trials are recorded in order of their keys.
func takes(run *result.Run, k result.Key) []*result.Trial {
	k.Position = math.MinInt
	from := after(run, k)
	k.Position = math.MaxInt
	return run.Trials[from:after(run, k)]
}

// after returns the index of the first trial whose key is greater than k.
func after(run *result.Run, k result.Key) int {
	return sort.Search(len(run.Trials), func(i int) bool {
		t := run.Trials[i]
		return cmp.Or(cmp.Compare(t.Epoch, k.Epoch), cmp.Compare(t.Round, k.Round),
			cmp.Compare(t.Attempt, k.Attempt), cmp.Compare(t.Position, k.Position),
			cmp.Compare(t.Take, k.Take)) > 0
	})
}

// lastAttempt returns the latest attempt at a round.
func lastAttempt(run *result.Run, epoch, round int) (result.Key, bool) {
	i := after(run, result.Key{Epoch: epoch, Round: round, Attempt: math.MaxInt}) - 1
	if i < 0 || run.Trials[i].Epoch != epoch || run.Trials[i].Round != round {
		return result.Key{}, false
	}
	return run.Trials[i].Key, true
}

func lastEpoch(run *result.Run) int {
	if len(run.Trials) == 0 {
		return -1
	}
	return run.Trials[len(run.Trials)-1].Epoch
}
