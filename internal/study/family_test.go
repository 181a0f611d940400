package study

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// familyRequest asks for a paired comparison of a and b at two levels, and beside it at a third.
func familyRequest() plan.Request {
	q := plan.Question{
		Contestants: []string{"a", "b"}, Primary: "throughput",
		Levels: []record.Level{{Connections: 10, Pipeline: 1}, {Connections: 100, Pipeline: 1},
			{Connections: 50, Pipeline: 1}},
	}
	for l := range 2 {
		q.Family = append(q.Family, record.Comparison{A: record.Cell{Contestant: "a", Level: l},
			B: record.Cell{Contestant: "b", Level: l}})
	}
	return plan.Request{Question: q, Seed: 3}
}

// madeUp gives a twice the rate of b with few connections, and the same with many.
func madeUp(o plan.Order, tr *record.Trial) {
	l := &tr.Load
	n := int64(len(o.Contestant)*100 + o.Epoch*7 + o.Round*3 + o.Position) // a small difference from trial to trial
	switch {
	case o.Contestant == "null":
		l.Succeeded = 20_000 + n
	case o.Contestant == "b" && o.Level.Connections == 10:
		l.Succeeded = 4000 + n
	default:
		l.Succeeded = 8000 + n
	}
	l.Started, l.Service = l.Succeeded, ""
}

func TestEvaluateNamedPairs(t *testing.T) {
	run := carriedOut(t, planned(t, familyRequest()), madeUp)
	if run.End.Reason != string(plan.LastAnalysis) {
		t.Fatalf("%+v", run.End)
	}
	d := Evaluate(run)
	if len(d.Levels) != 3 || d.Analysis == nil || d.Analysis.Interim == 0 {
		t.Fatalf("%d levels, %+v", len(d.Levels), d.Analysis)
	}
	for i, want := range []judge.Verdict{judge.Different, judge.Equivalent} {
		f := run.Plan.Family[i]
		if p, ok := d.Analysis.Compared(f.A, f.B, "throughput"); !ok || p.Verdict != want {
			t.Errorf("%v: %+v", f, p)
		}
	}
	if !d.Analysis.Decided() {
		t.Error("a different pair and a tie are decided")
	}
	if l := d.Levels[2]; l.Compared || l.Analysis.Cell("a", "throughput").Level.N != 6 ||
		strings.Join(l.Loaded, " ") != "a b" || len(l.Absent) > 0 {
		t.Errorf("beside the family: %+v", l)
	}
	if l := d.Levels[1]; !l.Compared || l.Analysis.Cell("a", "throughput").Ratio.N == 0 || l.Analysis.Shares["a"] == 0 {
		t.Errorf("a level of the family: %+v", l.Analysis)
	}
	if r := judge.Tabulate(plan.Valid(run), run.Plan.At).Compare(metricOf(t, "throughput"),
		record.Cell{Contestant: "a", Level: 2},
		record.Cell{Contestant: "b", Level: 2}, 0.95); r.N != 6 || math.Abs(r.Value-1) > .05 {
		t.Errorf("beside the family: %+v", r)
	}
	checked(t, d.Findings,
		[]string{judge.GeneratorShare, judge.Ceiling, judge.ServerCPUs, judge.GeneratorCPUs, judge.Withheld,
			judge.Discarded, judge.Contract, judge.Errors, judge.Busy, judge.WarmUp, judge.Drift, judge.Twins,
			judge.Order, judge.FreshStarts, judge.Calibrated, judge.SameProcesses,
			judge.Edges, judge.Apart},
		[]string{judge.CheckCarryOver, judge.Pauses, judge.Complete, judge.Achieved, judge.Lag,
			judge.Backlog, judge.Starvation, judge.TailSample})
	for _, f := range d.Findings {
		if f.ID == judge.Drift && !strings.HasPrefix(f.Text, "at c=10") {
			t.Errorf("no level: %+v", f)
		}
		if f.ID == judge.Order && f.State == judge.Warn && strings.Contains(f.Text, "too few epochs") {
			t.Errorf("a level beside the family was checked: %+v", f)
		}
	}
	seen := map[string]bool{}
	for _, s := range Standing(run) {
		seen[s.Name] = true
		if s.PerSec == 0 {
			t.Errorf("%+v", s)
		}
	}
	if len(seen) != 2 || !seen["a at c=10"] && !seen["a at c=100"] {
		t.Errorf("standing %v", seen)
	}
}

func metricOf(t *testing.T, name string) judge.Metric {
	t.Helper()
	m, ok := judge.MetricNamed(name)
	if !ok {
		t.Fatal(name)
	}
	return m
}
