// Package plan says what to do next, given what is recorded, and runs nothing: the same records and seed give the same orders. It alone
// decides which rounds are void and repeated, and it decides so on causes, never on a metric.
package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"dyno/internal/result"
)

// Order is one trial to be taken.
type Order struct {
	result.Key
	Contestant string
	Pilot      bool
	LoadSeed   uint64 // of the drawn inputs: the same for all contestants of a round
}

// Stop says why there is no further order.
type Stop string

// Reasons to stop.
const (
	Decided Stop = "decided" // every pair is
	Looked  Stop = "looks"   // the last planned look is over
	Budget  Stop = "budget"  // another epoch would not fit
	Nobody  Stop = "failed"  // fewer than two contestants are left
)

// Next returns the next trial of a duel, or why there is none. decided answers for the trials so far whether every pair is decided
// at the look just reached; it is asked once per look.
func Next(run *result.Run, decided func() bool) (Order, Stop) {
	p := &run.Plan
	if len(active(run, false)) < min(2, len(p.Contestants)) {
		return Order{}, Nobody
	}
	if len(run.Trials) == 0 {
		return first(run, result.Key{Seed: p.Seed})
	}
	last := run.Trials[len(run.Trials)-1].Key
	if n := len(run.Resumes); n > 0 && run.Resumes[n-1].Epoch > last.Epoch {
		return first(run, result.Key{Seed: p.Seed, Epoch: run.Resumes[n-1].Epoch})
	}
	if o, ok := following(run, last); ok {
		return o, ""
	}
	if void(run, last) && repeats(run, last.Epoch) < p.Rounds {
		return first(run, result.Key{Seed: p.Seed, Epoch: last.Epoch, Round: last.Round, Attempt: last.Attempt + 1})
	}
	if last.Round+1 < p.Rounds {
		return first(run, result.Key{Seed: p.Seed, Epoch: last.Epoch, Round: last.Round + 1})
	}
	if stop := afterEpoch(run, last.Epoch, decided); stop != "" {
		return Order{}, stop
	}
	return first(run, result.Key{Seed: p.Seed, Epoch: last.Epoch + 1})
}

// Resumable says at which epoch an interrupted run can go on, or why it cannot.
func Resumable(run *result.Run) (epoch int, err error) {
	switch {
	case run.End != nil && run.End.Reason != Interrupted:
		return 0, fmt.Errorf("the run is over (%s)", run.End.Reason)
	case lastEpoch(run) < run.Plan.Pilots:
		return 0, errors.New("it was interrupted before its pilots were over: there is nothing to go on with; start it anew")
	}
	return lastEpoch(run) + 1, nil
}

// Interrupted is the reason of an End that is none of the plan's.
const Interrupted = "interrupted"

// afterEpoch judges the end of an epoch.
func afterEpoch(run *result.Run, epoch int, decided func() bool) Stop {
	if epoch < run.Plan.Pilots {
		return ""
	}
	looks, n := Looks(run), len(Epochs(run))
	for i, l := range looks {
		if l.N != n || !epochCounts(run, epoch) {
			continue
		}
		if decided() {
			return Decided
		}
		if i == len(looks)-1 {
			return Looked
		}
	}
	if elapsed(run)+epochCost(run) > run.Plan.BudgetNS {
		return Budget
	}
	return ""
}

// first is the first trial of the round at k.
func first(run *result.Run, k result.Key) (Order, Stop) {
	k.Position = -1
	o, ok := following(run, k)
	if !ok {
		return Order{}, Nobody
	}
	return o, ""
}

// following is the trial after k in the same round, failed contestants left out.
func following(run *result.Run, k result.Key) (Order, bool) {
	pilot := k.Epoch < run.Plan.Pilots
	order := permutation(k, starters(&run.Plan, pilot))
	for pos := k.Position + 1; pos < len(order); pos++ {
		if run.FailureOf(order[pos]) != nil {
			continue
		}
		k.Position = pos
		return Order{Key: k, Contestant: order[pos], Pilot: pilot, LoadSeed: mix(k, 1)}, true
	}
	return Order{}, false
}

// starters are all that a round of the plan would load.
func starters(p *result.Plan, pilot bool) []string {
	var names []string
	names = append(names, p.Contestants...)
	names = append(names, p.Controls...)
	if pilot && p.Ceiling != "" {
		names = append(names, p.Ceiling)
	}
	return names
}

// active are the contestants that have not failed; with controls, those too.
func active(run *result.Run, controls bool) []string {
	var names []string
	all := run.Plan.Contestants
	if controls {
		all = starters(&run.Plan, false)
	}
	for _, n := range all {
		if run.FailureOf(n) == nil {
			names = append(names, n)
		}
	}
	return names
}

// Starts is the shuffled order in which the processes of an epoch are started.
func Starts(run *result.Run, epoch int) []string {
	names := starters(&run.Plan, epoch < run.Plan.Pilots)
	shuffled := permutation(result.Key{Seed: run.Plan.Seed, Epoch: epoch, Round: -1}, names)
	var left []string
	for _, n := range shuffled {
		if run.FailureOf(n) == nil {
			left = append(left, n)
		}
	}
	return left
}

// Padding is the number of bytes, 0 to 4095, by which the environment of a contestant is padded in an epoch: layout is randomised, so
// that it is noise and not bias (Mytkowicz et al., ASPLOS 2009).
func Padding(seed uint64, epoch, start int) int {
	return int(mix(result.Key{Seed: seed, Epoch: epoch, Round: start}, 2) % 4096)
}

// permutation shuffles names as the round (epoch, round, attempt) of k wants it.
func permutation(k result.Key, names []string) []string {
	out := append([]string(nil), names...)
	rng := rand.New(rand.NewPCG(mix(k, 3), uint64(k.Attempt)))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// mix hashes seed, epoch, round and attempt of k with a stream number: splitmix64 over each in turn.
func mix(k result.Key, stream uint64) uint64 {
	x := k.Seed
	for _, v := range []uint64{uint64(k.Epoch), uint64(k.Round), uint64(k.Attempt), stream} {
		x += 0x9e3779b97f4a7c15 + v
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
