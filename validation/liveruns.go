package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/study"
)

// LiveTask is a live run that is to be made. Task 0 has profile full. Then come blocks of four: two
// runs of one program against itself, one of them with a hog, and two of a known cost. Then come
// blocks of three: two runs of programs that are linked anew of one source, and one of four servers,
// three of which cost more. The order within a block is drawn, so that an unfinished file is
// balanced.
type LiveTask struct {
	Number      int
	Kind        string
	Hog         bool
	Contestants []string  // the first, and those that are held against it
	Costs       []float64 // by which each costs more than the first
	Seed        uint64
	// Relinks are the seeds of the contestants' first layouts: no two runs have a program in common.
	// Nil but of relinked.
	Relinks []int
}

// Kinds of live runs.
const (
	LiveSame     = "aa"       // one program against itself
	LiveCost     = "ab"       // the second costs more
	LiveFull     = "full"     // the same with profile full
	LiveRelinked = "relinked" // programs of one source in other orders of their functions
	LiveCosts    = "costs"    // a server against three that cost more

	liveFewer = "relinked in fewer orders" // as runs of two did before
)

var liveKinds = []string{LiveSame, LiveCost, LiveFull, LiveRelinked, LiveCosts}

const (
	liveRuns     = 20 // of aa, and of ab
	liveCost     = .05
	liveSeed     = 20170819
	relinkedRuns = 40
	costsRuns    = 20

	firstOfThree = 1 + 2*liveRuns // the number of the first run in a block of three
)

// liveCosts are the costs of a run of LiveCosts.
var liveCosts = []float64{.02, .05, .10}

// LiveAll is how many live runs a validation has.
const LiveAll = firstOfThree + relinkedRuns + costsRuns

// LiveRelinks are the contestants of a run of LiveRelinked, and LiveSource the one that they are
// built of.
var (
	LiveRelinks = []string{"relinked-a", "relinked-b"}
	LiveSource  = "net-http"
)

// layoutsApart is the least distance between the seeds of two contestants' first layouts.
const layoutsApart = 100

// liveTaskAt returns the task of that number.
func liveTaskAt(n int) LiveTask {
	t := LiveTask{Number: n, Kind: LiveFull, Seed: source(liveSeed, "live", n).Uint64() >> 32}
	switch {
	case n >= firstOfThree:
		block, at := (n-firstOfThree)/3, (n-firstOfThree)%3
		which := source(liveSeed, "live threes", block).Perm(3)[at]
		t.Kind = []string{LiveRelinked, LiveRelinked, LiveCosts}[which]
	case n > 0:
		block, at := (n-1)/4, (n-1)%4
		which := source(liveSeed, "live order", block).Perm(4)[at]
		t.Kind, t.Hog = []string{LiveSame, LiveSame, LiveCost, LiveCost}[which], which == 0
	}
	switch t.Kind {
	case LiveSame:
		t.Contestants, t.Costs = []string{"ref", "ref'"}, []float64{0, 0}
	case LiveRelinked:
		t.Contestants, t.Costs = LiveRelinks, []float64{0, 0}
		t.Relinks = []int{layoutsApart * 2 * n, layoutsApart * (2*n + 1)}
	case LiveCosts:
		t.Contestants, t.Costs = []string{"ref"}, append([]float64{0}, liveCosts...)
		for _, c := range liveCosts {
			t.Contestants = append(t.Contestants, fmt.Sprintf("ref+%g%%", 100*c))
		}
	default:
		t.Contestants, t.Costs = []string{"ref", "ref+5%"}, []float64{0, liveCost}
	}
	return t
}

// LiveOptions are the options of RunLive.
type LiveOptions struct {
	Done []Live // made before
	More int    // how many more; 0: until there are all
	// Play carries out a run. It returns the record, and what the servers say of their costs; nil if
	// they say nothing.
	Play func(context.Context, LiveTask) (*result.Run, []Cost, error)
	Keep func(Live) error // called as soon as a run is over
}

// Cost is what a server says of its cost, against the first of its run.
type Cost struct {
	AddedNS float64 // that a request of it takes longer, as it timed what it adds
	Own     float64 // the share by which a request costs it more in all; 0: not known
}

// RunLive makes the live runs that are missing, in their order, each once. A run that comes to no interim analysis
// is kept, but still missing the next time, and so is one that was judged otherwise. When a run is interrupted
// or a server fails, RunLive returns an error; the runs before it are kept.
func RunLive(ctx context.Context, o *LiveOptions) error {
	made := func(n int) bool {
		return slices.ContainsFunc(o.Done, func(l Live) bool { return l.Number == n && l.analysed() && !l.old() })
	}
	for n, left := 0, o.More; o.More == 0 && n < LiveAll || left > 0; n++ {
		if made(n) {
			continue
		}
		left--
		t := liveTaskAt(n)
		run, costs, err := o.Play(ctx, t)
		if err = cmp.Or(err, ctx.Err(), unfit(run)); err != nil {
			return fmt.Errorf("live run %d (%s): %w", n, t.Kind, err)
		}
		if err := o.Keep(live(t, run, costs)); err != nil {
			return fmt.Errorf("store live run %d: %w", n, err)
		}
	}
	return nil
}

// unfit returns why a run does not count, or nil. The run may be nil if there was an error.
func unfit(run *result.Run) error {
	switch {
	case run == nil:
		return errors.New("no record")
	case len(run.Failures) > 0:
		f := run.Failures[0]
		return fmt.Errorf("%s failed: %s: %s", f.Contestant, f.Stage, f.Reason)
	case run.End == nil || len(run.Trials) == 0:
		return errors.New("the run did not end")
	}
	return nil
}

// started returns when a run was planned, RFC 3339, UTC.
func started(run *result.Run) string {
	return time.Unix(0, run.Plan.StartedUnixNS).UTC().Format(time.RFC3339)
}

// machine describes the machine of a run.
func machine(run *result.Run) string {
	return fmt.Sprintf("%s, %d CPUs", run.Host.CPU, run.Host.CPUs)
}

// live returns the record of a run.
func live(t LiveTask, run *result.Run, costs []Cost) Live {
	a := study.Analyse(run)
	discarded, all := plan.Discarded(run)
	last := run.Trials[len(run.Trials)-1].EndedUnixNS
	l := Live{
		Number: t.Number, Kind: t.Kind, Hog: t.Hog, Judge: liveJudge, Seed: run.Plan.Seed, Primary: run.Plan.Primary,
		Epochs: a.Epochs, Analyses: a.Interim, DiscardedShare: float64(discarded) / float64(max(1, all)),
		Seconds: float64(last-run.Launches[0].StartedUnixNS) / 1e9, Started: started(run), Machine: machine(run),
	}
	for i, other := range t.Contestants[1:] {
		c := Couple{Cost: t.Costs[i+1]}
		var better string
		c.Side, better = sideOf(a, t.Contestants[0], other, run.Plan.Primary)
		c.Throughput, _ = sideOf(a, t.Contestants[0], other, "throughput")
		if c.Cost > 0 {
			c.Found = c.Verdict == string(analysis.Different) && better == t.Contestants[0]
			if base := a.Cell(t.Contestants[0], "cpu_per_request"); base != nil && base.Level.Value > 0 && costs != nil {
				c.Added, c.Own = costs[i+1].AddedNS/base.Level.Value, costs[i+1].Own
			}
		}
		l.Couples = append(l.Couples, c)
	}
	if len(l.Couples) == 1 {
		l.Couple, l.Couples = &l.Couples[0], nil
	}
	for _, name := range t.Contestants {
		if c := run.Contestant(name); c != nil && t.Relinks != nil {
			l.Programs = append(append(l.Programs, c.BinaryHash), c.Layouts...)
		}
	}
	return l
}

// sideOf returns the result of a run for two contestants, and which of them is better.
func sideOf(a *analysis.Analysis, first, other, metric string) (s Side, better string) {
	p, ok := a.Pair(first, other, metric)
	if !ok {
		return Side{Verdict: string(analysis.Inconclusive)}, ""
	}
	s = Side{Ratio: finite(p.Ratio.Value), P: p.P, Verdict: string(p.Verdict)}
	if !math.IsInf(p.Ratio.Hi, 0) {
		s.Lo, s.Hi = finite(p.Ratio.Lo), finite(p.Ratio.Hi)
	}
	return s, p.Better
}

// finite returns x, or 0 where JSON cannot hold it.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
