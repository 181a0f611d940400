package validate

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
// runs of one program against itself, one of them with a hog, and two of a known cost. Their order is
// drawn, so that an unfinished file is balanced.
type LiveTask struct {
	Number      int
	Kind        string
	Hog         bool
	Contestants [2]string // the second costs more, or is the same under another name
	Seed        uint64
}

// Kinds of live runs.
const (
	LiveSame = "aa"   // one program against itself
	LiveCost = "ab"   // the second costs more
	LiveFull = "full" // the same with profile full
)

const (
	liveRuns = 20 // of aa, and of ab
	liveCost = .05
	liveSeed = 20170819
)

// LiveAll is how many live runs a validation has.
const LiveAll = 1 + 2*liveRuns

// LiveTaskAt returns the task of that number.
func LiveTaskAt(n int) LiveTask {
	t := LiveTask{Number: n, Kind: LiveFull, Seed: source(liveSeed, "live", n).Uint64() >> 32}
	if n > 0 {
		block, at := (n-1)/4, (n-1)%4
		which := source(liveSeed, "live order", block).Perm(4)[at]
		t.Kind, t.Hog = []string{LiveSame, LiveSame, LiveCost, LiveCost}[which], which == 0
	}
	t.Contestants = [2]string{"ref", "ref+5%"}
	if t.Kind == LiveSame {
		t.Contestants[1] = "ref'"
	}
	return t
}

// LiveOptions are the options of RunLive.
type LiveOptions struct {
	Done []Live // made before
	More int    // how many more; 0: until there are all
	// Play carries out a run. It returns the record, and by how many ns a request of the second server
	// costs more than one of the first.
	Play func(context.Context, LiveTask) (run *result.Run, addedNS float64, err error)
	Keep func(Live) error // called as soon as a run is over
}

// RunLive makes the live runs that are missing, in their order, each once. A run that comes to no interim analysis
// is kept, but still missing the next time. When a run is interrupted or a server fails, RunLive
// returns an error; the runs before it are kept.
func RunLive(ctx context.Context, o *LiveOptions) error {
	made := func(n int) bool {
		return slices.ContainsFunc(o.Done, func(l Live) bool { return l.Number == n && l.analysed() })
	}
	for n, left := 0, o.More; o.More == 0 && n < LiveAll || left > 0; n++ {
		if made(n) {
			continue
		}
		left--
		t := LiveTaskAt(n)
		run, added, err := o.Play(ctx, t)
		if err = cmp.Or(err, ctx.Err(), unfit(run)); err != nil {
			return fmt.Errorf("live run %d (%s): %w", n, t.Kind, err)
		}
		if err := o.Keep(live(t, run, added)); err != nil {
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
func live(t LiveTask, run *result.Run, addedNS float64) Live {
	a := study.Analyse(run)
	discarded, all := plan.Discarded(run)
	last := run.Trials[len(run.Trials)-1].EndedUnixNS
	l := Live{
		Number: t.Number, Kind: t.Kind, Hog: t.Hog, Seed: run.Plan.Seed, Primary: run.Plan.Primary,
		Epochs: a.Epochs, Analyses: a.Interim, DiscardedShare: float64(discarded) / float64(max(1, all)),
		Seconds: float64(last-run.Launches[0].StartedUnixNS) / 1e9, Started: started(run), Machine: machine(run),
	}
	var better string
	l.Side, better = sideOf(a, t, run.Plan.Primary)
	l.Throughput, _ = sideOf(a, t, "throughput")
	if t.Kind != LiveSame {
		l.Cost = liveCost
		l.Found = l.Verdict == string(analysis.Different) && better == t.Contestants[0]
		if base := a.Cell(t.Contestants[0], "cpu_per_request"); base != nil && base.Level.Value > 0 {
			l.Added = addedNS / base.Level.Value
		}
	}
	return l
}

// sideOf returns the result of a run for the two contestants of the task, and which of them is
// better.
func sideOf(a *analysis.Analysis, t LiveTask, metric string) (s Side, better string) {
	p, ok := a.Pair(t.Contestants[0], t.Contestants[1], metric)
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
