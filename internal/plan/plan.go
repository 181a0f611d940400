// Package plan determines the next trial of a run from its records. It runs nothing: the same
// records and seed give the same orders. It alone decides which trials count, by their causes and never
// by a metric.
package plan

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"dyno/internal/record"
)

// Order is one trial to be taken.
type Order struct {
	record.Key
	Contestant string
	Level      record.Level
	TrialNS    int64
	Pilot      bool
	Last       bool   // the round is the epoch's last
	Long       bool   // not a trial in an epoch, but a long load after all epochs
	Rated      bool   // likewise, an open loop after them
	LoadSeed   uint64 // seed for the drawn inputs: the same for all contestants in a round
}

// Stop is the reason why there is no further order.
type Stop string

// Reasons to stop.
const (
	Decided      Stop = "decided"       // every pair is decided
	LastAnalysis Stop = "last analysis" // the last interim analysis is over
	Budget       Stop = "budget"        // the budget ended, or another epoch would not fit
	Nobody       Stop = "failed"        // fewer than two contestants are left
	Done         Stop = "done"          // a run that compares no pairs has made all its loads
)

var stopWords = map[Stop]string{
	Decided: "every pair is decided", LastAnalysis: "with the last interim analysis", Budget: "the budget is used up",
	Nobody: "fewer than two contestants are left", Done: "",
}

// Words says why a run ended, in a few words.
func (s Stop) Words() string {
	if words, ok := stopWords[s]; ok {
		return words
	}
	return string(s)
}

// Next returns the next trial, or the reason why there is none. At each interim analysis it calls
// decided once, which reports whether the trials so far decide every pair.
func Next(run *record.Run, decided func() bool) (Order, Stop) {
	p := &run.Plan
	if nobody(run) {
		return Order{}, Nobody
	}
	if len(run.Trials) == 0 {
		return following(run, opening(p, 0, 0))
	}
	last := run.Trials[len(run.Trials)-1].Key
	o, over := following(run, last)
	if over != "" {
		if stop := afterEpoch(run, last.Epoch, decided); stop != "" { // a resumed run may have been cut off before that
			return Order{}, stop
		}
	}
	if n := len(run.Resumes); n > 0 && run.Resumes[n-1].Epoch > last.Epoch {
		return following(run, opening(p, run.Resumes[n-1].Epoch, 0))
	}
	for e := last.Epoch + 1; over != "" && e <= last.Epoch+len(parts(p)); e++ { // all in one part may have failed
		o, over = following(run, opening(p, e, 0))
	}
	return o, over
}

// nobody reports whether too few contestants are left: not two in any comparison or, in a plan
// without comparisons, none at all.
func nobody(run *record.Run) bool {
	p, left := &run.Plan, remaining(run, run.Plan.Contestants)
	if len(p.Family) == 0 {
		return len(left) == 0
	}
	return !slices.ContainsFunc(p.Family, func(f record.Comparison) bool {
		return slices.Contains(left, f.A.Contestant) && slices.Contains(left, f.B.Contestant)
	})
}

// Resumable returns the epoch at which an interrupted run can be resumed, or an error that says why
// it cannot be.
func Resumable(run *record.Run) (epoch int, err error) {
	switch {
	case run.End != nil && run.End.Reason != Interrupted:
		return 0, fmt.Errorf("the run has ended (%s); start a new run", run.End.Reason)
	case lastEpoch(run) < run.Plan.Pilots:
		return 0, errors.New("the run ended during its pilots and cannot be resumed; start a new run")
	}
	return lastEpoch(run) + 1, nil
}

// Interrupted is the reason of an End that the plan did not cause.
const Interrupted = "interrupted"

// afterEpoch returns whether and why the run stops after an epoch.
func afterEpoch(run *record.Run, epoch int, decided func() bool) Stop {
	if epoch < run.Plan.Pilots {
		return ""
	}
	if run.Plan.InRounds() {
		return analysed(run, epoch, decided)
	}
	if p := &run.Plan; epoch+1 >= p.Pilots+slices.Max(p.Epochs)*len(parts(p)) {
		return Done
	}
	return overspent(run)
}

// analysed calls decided at each interim analysis.
func analysed(run *record.Run, epoch int, decided func() bool) Stop {
	analyses, n, valid := Analyses(run), counted(run), Epochs(run)
	for i, l := range analyses {
		if l.N != n || !slices.Contains(valid, epoch) || l.N != among(run, valid, partAt(&run.Plan, epoch)) {
			continue // not reached, or by an earlier epoch
		}
		if decided() {
			return Decided
		}
		if i == len(analyses)-1 {
			return LastAnalysis
		}
	}
	return overspent(run)
}

// overspent stops a run whose next epoch would exceed its budget.
func overspent(run *record.Run) Stop {
	if done := lastEpoch(run) - run.Plan.Pilots + 1; reach(run, done+1) <= done {
		return Budget
	}
	return ""
}

// opening returns the key before a round's first trial.
func opening(p *record.Plan, epoch, round int) record.Key {
	return record.Key{Seed: p.Seed, Epoch: epoch, Round: round, Position: -1}
}

// following returns the trial after k in the same epoch, or Nobody.
func following(run *record.Run, k record.Key) (Order, Stop) {
	for o := range orders(run, k) {
		return o, ""
	}
	return Order{}, Nobody
}

// orders yields the trials after k in the same epoch. Each must be recorded before the next is asked for, or a round
// may begin with another one.
func orders(run *record.Run, k record.Key) iter.Seq[Order] {
	return func(yield func(Order) bool) {
		extra, rounds := extrasOf(run), roundsIn(&run.Plan, k.Epoch)
		for ; k.Round < rounds; k = opening(&run.Plan, k.Epoch, k.Round+1) {
			order := lineup(run, k, extra)
			for o, ok := inRound(run, k, order); ok; o, ok = inRound(run, k, order) {
				o.Last, k = k.Round == rounds-1, o.Key
				if !yield(o) {
					return
				}
			}
		}
	}
}

// lineup returns the loads in the round at k, in order. extra comes from extrasOf.
func lineup(run *record.Run, k record.Key, extra func(int) []slot) []slot {
	p := &run.Plan
	order := slots(p, k.Epoch)
	if k.Round == 0 {
		order = append(order, extra(k.Epoch)...)
	}
	if !inTurn(p) { // else in the order asked for, as in the articles
		order = chain(run, k, permutation(k, order))
		slices.SortStableFunc(order, func(a, b slot) int {
			return a.level.Step - b.level.Step
		})
	}
	return order
}

// inRound returns the next trial after k in a round with this lineup. It skips failed contestants.
func inRound(run *record.Run, k record.Key, order []slot) (Order, bool) {
	for pos := k.Position + 1; pos < len(order); pos++ {
		e := order[pos]
		if run.FailureOf(e.Contestant) != nil {
			continue
		}
		k.Position = pos
		return Order{Key: k, Contestant: e.Contestant, Level: e.level, Pilot: k.Epoch < run.Plan.Pilots,
			TrialNS: lengthOf(run, e.Contestant, e.level, k.Epoch), LoadSeed: mix(k, 1)}, true
	}
	return Order{}, false
}

// chain makes a round begin with the cell that was loaded last in its epoch. Each cell then
// follows itself as often as it follows any other, so the after-effects of a load fall on all
// cells equally. If the first cell were random, a cell would follow itself less often. Measured
// with two servers: if one slowed the next trial by 3 %, the other lost 1.5 %.
func chain(run *record.Run, k record.Key, order []slot) []slot {
	if p := &run.Plan; p.Processes != record.PerEpoch {
		return order
	}
	k.Position = math.MinInt
	i := after(run, k) - 1
	if i < 0 || run.Trials[i].Epoch != k.Epoch {
		return order
	}
	last := record.Cell{Contestant: run.Trials[i].Contestant, Level: run.Plan.At(run.Trials[i])}
	if j := slices.IndexFunc(order, func(e slot) bool { return e.Cell == last }); j > 0 {
		order[0], order[j] = order[j], order[0]
	}
	return order
}

// First returns an epoch's first level. The epoch's processes are started with its launch part.
func First(p *record.Plan, epoch int) record.Level {
	return p.Levels[parts(p)[partAt(p, epoch)][0]]
}

// Rewarm returns the length of the uncounted load before a trial, in ns; 0 if the plan has none.
func Rewarm(p *record.Plan, level record.Level) int64 {
	if p.Load.RewarmNS == 0 {
		return 0
	}
	return max(p.Load.RewarmNS, 2*level.DelayNS)
}

// RewarmRequests returns the maximum number of requests in the load before a trial; 0 means no
// limit.
func RewarmRequests(p *record.Plan, level record.Level) int64 {
	if level.Work != record.CPUBound {
		return 0
	}
	return max(1, Rewarm(p, level)/int64(cpuTime))
}

// participants returns all servers that the plan loads, in the pilots or after them.
func participants(p *record.Plan, pilot bool) []string {
	names := slices.Concat(p.Contestants, p.Controls)
	if pilot && p.Ceiling != "" {
		names = append(names, p.Ceiling)
	}
	return names
}

// remaining returns the servers among names that have not failed.
func remaining(run *record.Run, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return run.FailureOf(n) != nil })
}

// launched returns the servers among entering that an epoch starts.
func launched(p *record.Plan, epoch int, entering []slot) []string {
	return slices.DeleteFunc(participants(p, epoch < p.Pilots), func(name string) bool {
		return !slices.ContainsFunc(entering, func(e slot) bool { return e.Contestant == name })
	})
}

// Starts returns the shuffled order in which an epoch's processes are started.
func Starts(run *record.Run, epoch int) []string {
	names := launched(&run.Plan, epoch, append(slots(&run.Plan, epoch), extras(run, epoch)...))
	return remaining(run, permutation(record.Key{Seed: run.Plan.Seed, Epoch: epoch, Round: -1}, names))
}

// Padding returns the number of bytes, 0 to 4095, that dyno adds to a contestant's environment
// in an epoch. This randomises the memory layout, so that it adds noise and not bias (Mytkowicz
// et al., ASPLOS 2009).
func Padding(seed uint64, epoch, start int) int {
	return int(mix(record.Key{Seed: seed, Epoch: epoch, Round: start}, 2) % 4096)
}

// Layout draws the function order, counted from 0, in which a contestant is started in an epoch.
// This adds noise and not bias, as Padding does. In each block with as many epochs as layouts every
// layout occurs once; so with fewer epochs than layouts none repeats, and the interval over the
// epochs covers all possible layouts, not only those that were linked.
func Layout(p *record.Plan, contestant string, epoch int) int {
	if p.Links.Layouts < 2 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(contestant))
	k := record.Key{Seed: p.Seed, Epoch: epoch / p.Links.Layouts, Round: int(h.Sum32())}
	return rand.New(rand.NewPCG(mix(k, 4), 0)).Perm(p.Links.Layouts)[epoch%p.Links.Layouts]
}

// permutation shuffles all with a seed from the round (epoch, round, attempt) in k.
func permutation[T any](k record.Key, all []T) []T {
	out := slices.Clone(all)
	rng := rand.New(rand.NewPCG(mix(k, 3), uint64(k.Attempt)))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// mix hashes k's seed, epoch, round and attempt with a stream number: splitmix64 over each in
// turn.
func mix(k record.Key, stream uint64) uint64 {
	x := k.Seed
	for _, v := range []uint64{uint64(k.Epoch), uint64(k.Round), uint64(k.Attempt), stream} {
		x += 0x9e3779b97f4a7c15 + v
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
