package plan

import (
	"cmp"
	"sort"

	"dyno/internal/result"
	"dyno/internal/validity"
)

// Valid returns the trials that count: of rounds that are not void, in valid epochs after the pilots, of the last attempt of each round.
func Valid(run *result.Run) []result.Trial {
	var out []result.Trial
	for _, e := range Epochs(run) {
		out = append(out, roundsOf(run, e)...)
	}
	return out
}

// Pilot returns the valid trials of the pilot epochs.
func Pilot(run *result.Run) []result.Trial {
	var out []result.Trial
	for e := range run.Plan.Pilots {
		out = append(out, roundsOf(run, e)...)
	}
	return out
}

// Epochs lists the valid epochs after the pilots: complete, with at least half of their rounds valid.
func Epochs(run *result.Run) []int {
	var out []int
	for e := run.Plan.Pilots; e <= lastEpoch(run); e++ {
		if epochCounts(run, e) {
			out = append(out, e)
		}
	}
	return out
}

// epochCounts reports whether an epoch ended and enough of its rounds are valid.
func epochCounts(run *result.Run, epoch int) bool {
	valid, done := 0, 0
	for r := range run.Plan.Rounds {
		k, ok := lastAttempt(run, epoch, r)
		if !ok || !complete(run, k) {
			return false
		}
		done++
		if !void(run, k) {
			valid++
		}
	}
	return 2*valid >= done
}

// roundsOf returns the trials of an epoch's complete rounds that are not void.
func roundsOf(run *result.Run, epoch int) []result.Trial {
	var out []result.Trial
	for r := range run.Plan.Rounds {
		k, ok := lastAttempt(run, epoch, r)
		if ok && complete(run, k) && !void(run, k) {
			out = append(out, trials(run, k)...)
		}
	}
	return out
}

// complete reports whether every contestant that still stood then has its trial in the round of k.
func complete(run *result.Run, k result.Key) bool {
	k.Position = -1
	ts := trials(run, k)
	if len(ts) > 0 {
		k.Position = ts[len(ts)-1].Position
	}
	_, more := following(run, k)
	return len(ts) > 0 && !more
}

// void reports whether a cause outside the contestants spoilt the round of k: it is judged over the whole round, because a 10 ms tick is
// 2.5 % of one trial.
func void(run *result.Run, k result.Key) bool {
	return validity.Void(trials(run, k))
}

// Voided counts the trials of void rounds, repeated ones among them, and all trials, pilots left out.
func Voided(run *result.Run) (void, all int) {
	seen := map[result.Key]bool{}
	for i := range run.Trials {
		k := run.Trials[i].Key
		if k.Epoch < run.Plan.Pilots {
			continue
		}
		k.Position = 0
		if seen[k] {
			continue
		}
		seen[k] = true
		ts := trials(run, k)
		all += len(ts)
		if validity.Void(ts) {
			void += len(ts)
		}
	}
	return void, all
}

// trials returns the trials of the round and attempt of k. Trials are recorded in order, so those of a round lie together.
func trials(run *result.Run, k result.Key) []result.Trial {
	from, to := find(run, k.Epoch, k.Round, k.Attempt), find(run, k.Epoch, k.Round, k.Attempt+1)
	return run.Trials[from:to:to]
}

// lastAttempt is the latest attempt at a round.
func lastAttempt(run *result.Run, epoch, round int) (result.Key, bool) {
	if i := find(run, epoch, round+1, 0) - 1; i >= 0 && run.Trials[i].Epoch == epoch && run.Trials[i].Round == round {
		return run.Trials[i].Key, true
	}
	return result.Key{}, false
}

// find is the place of the first trial that is not before the given attempt at a round.
func find(run *result.Run, epoch, round, attempt int) int {
	return sort.Search(len(run.Trials), func(i int) bool {
		t := &run.Trials[i]
		return cmp.Or(cmp.Compare(t.Epoch, epoch), cmp.Compare(t.Round, round), cmp.Compare(t.Attempt, attempt)) >= 0
	})
}

// repeats counts the attempts beyond the first of all rounds of an epoch.
func repeats(run *result.Run, epoch int) int {
	n := 0
	for r := range run.Plan.Rounds {
		if k, ok := lastAttempt(run, epoch, r); ok {
			n += k.Attempt
		}
	}
	return n
}

func lastEpoch(run *result.Run) int {
	if len(run.Trials) == 0 {
		return -1
	}
	return run.Trials[len(run.Trials)-1].Epoch
}
