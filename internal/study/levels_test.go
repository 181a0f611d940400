package study

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// carriedOut returns a run that did all its plan says, with trials made up by of.
func carriedOut(t *testing.T, p record.Plan, of func(plan.Order, *record.Trial)) *record.Run {
	t.Helper()
	p.BudgetNS = 1e15
	return carriedOutWithin(t, p, of)
}

// carriedOutWithin is carriedOut within the plan's budget, if a trial takes a second.
func carriedOutWithin(t *testing.T, p record.Plan, of func(plan.Order, *record.Trial)) *record.Run {
	t.Helper()
	run := &record.Run{Plan: p}
	for {
		o, stop := plan.Next(run, func() bool { return false })
		if stop != "" {
			run.Add(record.Record{End: &record.End{Reason: string(stop)}})
			return run
		}
		n := int64(len(run.Trials))
		cpu, pss := o.TrialNS, int64(1e7)
		tr := &record.Trial{Key: o.Key, Contestant: o.Contestant, StartedUnixNS: n * 1e9, EndedUnixNS: n*1e9 + 1,
			Server:    record.Usage{CPUNS: &cpu, PrivateBytes: &pss, Processes: 1},
			Generator: record.Usage{CPUNS: &cpu}, ClocksNS: 1e8,
			Causes: record.Causes{WallNS: 1e8, ServerCPUs: 1, GeneratorCPUs: 1},
			Load: record.Load{WindowNS: 1e8, Connections: o.Level.Connections, Established: o.Level.Connections,
				Started: 5000, Succeeded: 5000, ServiceP50NS: 1e6, ServiceP99NS: 2e6, ServiceMaxNS: 3e6}}
		if o.Level != p.First() {
			tr.Level = &o.Level
		}
		of(o, tr)
		run.Add(record.Record{Trial: tr})
		if tr.Load.Errored() > 0 {
			run.Add(record.Record{Failure: &record.Failure{Contestant: o.Contestant, Stage: "load", Epoch: o.Epoch,
				Reason: "no answer"}})
		}
	}
}

// planned returns the plan for a request when everything is available.
func planned(t *testing.T, r plan.Request) record.Plan {
	t.Helper()
	p, err := plan.New(r, plan.World{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sweepRequest() plan.Request {
	return plan.Request{
		Protocol: "sweep", Contestants: []string{"a", "b"}, Connections: []int{10, 100},
		Delays:  []time.Duration{0, 5 * time.Millisecond},
		Primary: "throughput", Seed: 3,
	}
}

// checked requires findings from some checks, and none from others.
func checked(t *testing.T, found []judge.Finding, made, left []string) {
	t.Helper()
	got := ids(found)
	for _, id := range made {
		if !slices.Contains(got, id) {
			t.Errorf("no finding of %s: %v", id, got)
		}
	}
	for _, id := range left {
		if slices.Contains(got, id) {
			t.Errorf("a finding of %s: %v", id, got)
		}
	}
}

func ids(fs []judge.Finding) (list []string) {
	for _, f := range fs {
		if !slices.Contains(list, f.ID) {
			list = append(list, f.ID)
		}
	}
	slices.Sort(list)
	return list
}

func TestEvaluateSweep(t *testing.T) {
	run := carriedOut(t, planned(t, sweepRequest()), func(o plan.Order, tr *record.Trial) {
		switch {
		case o.Contestant == "null":
			tr.Load.Succeeded = 6000
		case o.Contestant == "b":
			tr.Load.Succeeded = 4000
		}
		if o.Level.Connections == 100 {
			tr.Load.Succeeded /= 2
			if o.Contestant == "null" {
				tr.Load.Succeeded *= 3 // the ceiling is far away
			}
		}
	})
	d := Evaluate(run)
	if run.End.Reason != string(plan.LastAnalysis) || len(d.Levels) != 4 || len(d.Analysis.Pairs) == 0 {
		t.Fatalf("%+v, %d levels", run.End, len(d.Levels))
	}
	for i, want := range []float64{40000, 20000, 40000, 20000} {
		l := d.Levels[i]
		c := l.Analysis.Cell("b", "throughput")
		if c.Level.Value != want || c.Level.Lo != want || c.Level.N != 8 || len(l.Trials) != 8*4*4 ||
			len(l.Absent) > 0 {
			t.Errorf("%s: %+v of %d trials, absent %v", l.Title(), c.Level, len(l.Trials), l.Absent)
		}
		if l.Analysis.Interim != 0 {
			t.Errorf("%s: a look", l.Title())
		}
	}
	checked(t, d.Findings,
		[]string{judge.GeneratorShare, judge.Ceiling, judge.ServerCPUs, judge.GeneratorCPUs, judge.Withheld,
			judge.Discarded, judge.Contract, judge.Errors, judge.WarmUp, judge.Calibrated,
			judge.SameProcesses, judge.Edges, judge.Apart, judge.Busy, judge.Drift, judge.Twins, judge.Order,
			judge.FreshStarts},
		[]string{judge.TailSample, judge.Achieved, judge.Lag, judge.Backlog, judge.Starvation,
			judge.CheckCarryOver, judge.Pauses, judge.Complete})
	for _, f := range d.Findings {
		if f.ID == judge.Ceiling && f.Contestant == "a" && (f.State != judge.Fail ||
			!strings.HasPrefix(f.Text, "at c=10 ")) {
			t.Errorf("not the worst level: %v %s", f.State, f.Text)
		}
	}
	for _, s := range Standing(run) {
		if !strings.Contains(s.Name, " at 5 ms, c=") {
			t.Errorf("%+v", s)
		}
	}
}

// A discarded level, and a level that was not reached, are absent with the reason.
func TestEvaluateSweepAbsent(t *testing.T) {
	r := sweepRequest()
	r.Epochs, r.Budget = 1, 10*time.Minute
	run := carriedOutWithin(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		if o.Level.DelayNS > 0 {
			tr.Causes.StealNS = 18e7
		}
	})
	d := Evaluate(run)
	if why := d.Levels[3].Absent["a"]; !strings.Contains(why, "discarded") || len(d.Levels[0].Absent) > 0 {
		t.Errorf("%q; %v", why, d.Levels[0].Absent)
	}
	run.Trials = slices.DeleteFunc(run.Trials, func(tr *record.Trial) bool { return tr.Epoch >= 3 })
	if why := Evaluate(run).Levels[3].Absent["a"]; !strings.Contains(why, "before its first trial") {
		t.Errorf("%q", why)
	}
}

func TestEvaluateClassic(t *testing.T) {
	r := plan.Request{
		Protocol: "classic", Contestants: []string{"a", "b"}, Connections: []int{10}, Seed: 3, Primary: "throughput",
		Epochs: 2, Requests: 5000,
	}
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		if o.Epoch == 1 {
			tr.Causes.BackgroundServerNS, tr.Load.WindowNS = 5e7, int64(1e8*(1+o.Attempt)) // discarded in a paired comparison
		}
		if o.Contestant == "b" && o.Epoch == 1 && o.Attempt > 0 {
			tr.Load.Errors = map[string]int64{"reset": 1}
		}
	})
	d := Evaluate(run)
	again := 0
	for _, l := range d.Loads {
		again += l.Attempt
	}
	if len(d.Loads) != 4 || d.Analysis != nil || d.Discarded != len(run.Trials)-4 || again != d.Discarded {
		t.Errorf("%d loads of %d trials, %d again, %d superseded", len(d.Loads), len(run.Trials), again, d.Discarded)
	}
	checked(t, d.Findings,
		[]string{judge.Contract, judge.Errors, judge.Calibrated, judge.Edges, judge.Apart},
		[]string{judge.GeneratorShare, judge.Ceiling, judge.ServerCPUs, judge.GeneratorCPUs, judge.Withheld,
			judge.Discarded, judge.Achieved, judge.Lag, judge.Backlog, judge.Starvation,
			judge.Busy, judge.WarmUp, judge.Drift, judge.Twins, judge.Order,
			judge.CheckCarryOver, judge.FreshStarts, judge.TailSample, judge.SameProcesses, judge.Pauses,
			judge.Complete})
	if q := judge.Summary(d.Findings)[judge.EnoughData].Plain(); q != "not asked" {
		t.Errorf("single figures are enough data: %s", q)
	}
	if s := Standing(run); len(s) == 0 || s[0].PerSec == 0 || s[0].Ratio != 1 {
		t.Errorf("%+v", s)
	}
}

// Open-loop checks apply only at an open-loop level.
func TestEvaluateSweepOpenLoop(t *testing.T) {
	r := sweepRequest()
	r.Question = plan.Question{Contestants: r.Contestants, Levels: planned(t, r).Levels}
	r.Contestants, r.Connections, r.Delays, r.Question.Levels[1].RatePerSec = nil, nil, nil, 50_000
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		if o.Level.Open() {
			tr.Load.Planned, tr.Load.ResponseP50NS, tr.Load.StarvedNS = 5000, 1e6, 1e7
		}
	})
	found := map[string]int{}
	for _, f := range Evaluate(run).Findings {
		if f.ID < judge.Achieved || f.ID > judge.Starvation {
			continue
		}
		found[f.ID]++
		if !strings.HasPrefix(f.Text, "at c=100, 50,000/s ") || f.ID == judge.Starvation != (f.State == judge.Fail) {
			t.Errorf("%+v", f)
		}
	}
	if len(found) != 4 || found[judge.Achieved] != 2 {
		t.Errorf("%v", found)
	}
}
