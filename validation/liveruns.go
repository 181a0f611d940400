package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// LiveTask is a live run to make. Task 0 has profile full. Then come blocks of four: two runs with one
// program against itself, one of them with a hog, and two with a known cost. Then come blocks of three: two
// runs with programs linked anew from one source, and one with four servers, three of which cost more. The
// order within a block is random, so that an unfinished file is balanced. The last runs compare programs
// whose ratio is known from other sessions, on each boot anew; each session has calibrations of its own.
type LiveTask struct {
	Number      int
	Kind        string
	Hog         bool
	Contestants []string  // the first is compared with each of the others
	Costs       []float64 // added cost relative to the first
	Seed        uint64
	Scenario    string   // "": values
	Calibrated  []string // of pairs: the other sessions that measured both
	Expected    float64  // the ratio that they found
	Programs    []string // the contestants as they had them, as judge.Program
	// Relinks are the seeds of the contestants' first layouts; no two runs share a program. Only relinked
	// runs have them.
	Relinks []int
}

// Kinds of live runs.
const (
	LiveSame     = "aa"       // one program against itself
	LiveCost     = "ab"       // the second server costs more
	LiveFull     = "full"     // as ab, with profile full
	LiveRelinked = "relinked" // one source, linked in different orders of functions
	LiveCosts    = "costs"    // one server against three that cost more
	LivePairs    = "pairs"    // different programs whose ratio other sessions know

	LiveCalibrate = "calibrate" // programs, and reference servers
)

var liveKinds = []string{LiveSame, LiveCost, LiveFull, LiveRelinked, LiveCosts, LivePairs, LiveCalibrate}

const (
	liveRuns     = 20 // aa, and as many ab
	liveCost     = .05
	liveSeed     = 20170819
	relinkedRuns = 40
	costsRuns    = 20
	pairsRuns    = 20 // a boot

	firstOfThree = 1 + 2*liveRuns                          // number of the first run in the first block of three
	firstPair    = firstOfThree + relinkedRuns + costsRuns // number of the first run of pairs
)

// liveCosts are the added costs in a LiveCosts run.
var liveCosts = []float64{.02, .05, .10}

// LiveAll is the number of live runs in a validation, without calibrations. These have the numbers that follow.
const LiveAll = firstPair + pairsRuns

// LiveRelinks are the contestants in a LiveRelinked run, built from the contestant LiveSource.
var (
	LiveRelinks = []string{"relinked-a", "relinked-b"}
	LiveSource  = "net-http"
)

// layoutsApart is the distance between the seeds of two contestants' first layouts.
const layoutsApart = 100

// liveTaskAt returns task n.
func liveTaskAt(n int) LiveTask {
	t := LiveTask{Number: n, Kind: LiveFull, Seed: source(liveSeed, "live", n).Uint64() >> 32}
	switch {
	case n >= LiveAll:
		t.calibrate(calibrations[n-LiveAll])
	case n >= firstPair:
		t.Kind, t.Costs = LivePairs, []float64{0, 0}
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
	case LivePairs, LiveCalibrate: // pairUp and calibrate name them
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

// LiveOptions configures RunLive.
type LiveOptions struct {
	Done    []Live // runs already made
	Kind    string // only runs of this kind; "": all but calibrations
	More    int    // runs to make; 0: all missing ones
	Session string // this one; calibrations of others, and pairs of other boots, are missing in it
	// Play carries out a run, and completes one of pairs. It returns the record and the costs that the servers report;
	// nil if they report none.
	Play func(context.Context, *LiveTask) (*record.Run, []Cost, error)
	Keep func(Live) error // called after each run
}

// Cost is a server's reported cost relative to the first server in the run.
type Cost struct {
	AddedNS float64 // extra time per request, as the server timed its added work
	Own     float64 // share by which a request costs more in total; 0: unknown
}

// RunLive makes the missing live runs in order. A run without an interim analysis is kept but repeated the
// next time, and so is a run that another statistic judged. After an interrupt or a server failure RunLive
// returns an error; earlier runs are kept.
func RunLive(ctx context.Context, o *LiveOptions) error {
	made := func(n int) bool {
		return slices.ContainsFunc(o.Done, func(l Live) bool {
			return l.Number == n && l.analysed() && !l.old() &&
				(n < firstPair || l.Session == o.Session || n < LiveAll && bootOf(l.Session) == bootOf(o.Session))
		})
	}
	left := o.More
	for n := 0; n < LiveAll+len(calibrations) && (o.More == 0 || left > 0); n++ {
		t := liveTaskAt(n)
		if made(n) || o.Kind == "" && n >= LiveAll || o.Kind != "" && t.Kind != o.Kind {
			continue
		}
		left--
		run, costs, err := o.Play(ctx, &t)
		if err = cmp.Or(err, ctx.Err(), t.unfit(run)); err != nil {
			return fmt.Errorf("live run %d (%s): %w", n, t.Kind, err)
		}
		if err := o.Keep(live(t, run, costs)); err != nil {
			return fmt.Errorf("store live run %d: %w", n, err)
		}
	}
	return nil
}

// unfit returns why a run does not count, or nil. run may be nil.
func (t *LiveTask) unfit(run *record.Run) error {
	switch {
	case run == nil:
		return errors.New("no record")
	case len(run.Failures) > 0:
		f := run.Failures[0]
		return fmt.Errorf("%s failed: %s: %s", f.Contestant, f.Stage, f.Reason)
	case run.End == nil || len(run.Trials) == 0:
		return errors.New("the run did not end")
	}
	for i, program := range t.Programs {
		if program != judge.Program(run.Contestant(t.Contestants[i])) {
			return fmt.Errorf("%s has other sources than the calibrated %s", t.Contestants[i], program)
		}
	}
	return nil
}

// started returns when the run was planned, in RFC 3339, UTC.
func started(run *record.Run) string {
	return time.Unix(0, run.Plan.Origin.StartedUnixNS).UTC().Format(time.RFC3339)
}

// machineOf describes the machine on which the run was made.
func machineOf(run *record.Run) string {
	return fmt.Sprintf("%s, %d CPUs", run.Host.CPU, run.Host.CPUs)
}

// live summarizes a run as a line in live.jsonl.
func live(t LiveTask, run *record.Run, costs []Cost) Live {
	a := study.Analyse(run)
	discarded, all := plan.Discarded(run)
	last := run.Trials[len(run.Trials)-1].EndedUnixNS
	l := Live{
		Number: t.Number, Kind: t.Kind, Hog: t.Hog, Judge: liveJudge, Seed: run.Plan.Seed, Primary: run.Plan.Primary,
		Epochs: a.Epochs, Analyses: a.Interim, DiscardedShare: float64(discarded) / float64(max(1, all)),
		Seconds: float64(last-run.Launches[0].StartedUnixNS) / 1e9, Started: started(run), Machine: machineOf(run),
	}
	if t.Scenario != "" {
		l.Contestants, l.Scenario, l.Session = t.Contestants, t.Scenario, judge.SessionOf(run)
		l.Calibrated, l.Expected = t.Calibrated, t.Expected
	}
	for i, other := range t.Contestants[1:] {
		c := Couple{Cost: t.Costs[i+1]}
		p, _ := a.Pair(t.Contestants[0], other, run.Plan.Primary)
		rates, _ := a.Pair(t.Contestants[0], other, "throughput")
		c.Side, c.Throughput = sideOf(p.Ratio, p.P, p.Verdict), sideOf(rates.Ratio, rates.P, rates.Verdict)
		if e := p.Elsewhere; e != nil {
			c.Elsewhere = sideOf(e.Ratio, 0, e.Verdict)
		}
		if c.Cost > 0 {
			c.Found = p.Verdict == judge.Different && p.Better == t.Contestants[0]
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
		if c := run.Contestant(name); t.Relinks != nil {
			l.Programs = append(append(l.Programs, c.BinaryHash), c.Layouts...)
		} else if t.Kind == LiveCalibrate {
			l.Programs = append(l.Programs, judge.Program(c))
		}
	}
	return l
}

// sideOf returns an estimate and its verdict as a Side.
func sideOf(e judge.Estimate, p float64, v judge.Verdict) Side {
	s := Side{Ratio: finite(e.Value), P: finite(p), Verdict: string(cmp.Or(v, judge.Inconclusive))}
	if !math.IsInf(e.Hi, 0) {
		s.Lo, s.Hi = finite(e.Lo), finite(e.Hi)
	}
	return s
}

// finite returns x, or 0 where JSON cannot hold it.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
