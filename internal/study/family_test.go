package study

import (
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// familyRequest asks for a paired comparison of a and b at two levels, and beside it at a common rate.
func familyRequest() plan.Request {
	q := plan.Question{
		Contestants: []string{"a", "b"}, Primary: "throughput",
		Levels: []record.Level{{Connections: 10, Pipeline: 1}, {Connections: 100, Pipeline: 1},
			{Connections: 10, Pipeline: 1, RateShare: 0.5}},
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
	case o.Level.Open():
		l.Succeeded, l.ResponseP50NS, l.ResponseP99NS = 2000, map[string]int64{"a": 1e5, "b": 2e5}[o.Contestant]+n, 1e6
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
	if l := d.Levels[2]; l.Compared || l.At.RatePerSec == 0 || l.Analysis.Cell("a", "response_p50").Level.N != 6 ||
		strings.Join(l.Loaded, " ") != "a b" || len(l.Absent) > 0 {
		t.Errorf("the common rate: %+v", l)
	}
	if l := d.Levels[1]; !l.Compared || l.Analysis.Cell("a", "throughput").Ratio.N == 0 || l.Analysis.Shares["a"] == 0 {
		t.Errorf("a level of the family: %+v", l.Analysis)
	}
	if r := judge.Tabulate(plan.Valid(run), run.Plan.At).Compare(metricOf(t, "response_p50"),
		record.Cell{Contestant: "a", Level: 2},
		record.Cell{Contestant: "b", Level: 2}, 0.95); r.N != 6 || r.Value > 0.6 {
		t.Errorf("beside the family: %+v", r)
	}
	checked(t, d.Findings,
		[]string{judge.GeneratorShare, judge.Ceiling, judge.ServerCPUs, judge.GeneratorCPUs, judge.Withheld,
			judge.Discarded, judge.Achieved, judge.Lag, judge.Backlog, judge.Starvation,
			judge.Contract, judge.Errors, judge.Busy, judge.WarmUp, judge.Drift, judge.Twins,
			judge.Order, judge.FreshStarts, judge.TailSample, judge.Calibrated, judge.SameProcesses,
			judge.Edges, judge.Apart},
		[]string{judge.KnownDifference, judge.CheckCarryOver, judge.Pauses, judge.Complete})
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

// A paired comparison ranks only at its own level, and shows a common rate beside it.
func TestEvaluateACommonRate(t *testing.T) {
	r := plan.Request{
		Rates: []plan.OpenRate{{Share: 0.3}}, Contestants: []string{"a", "b"}, Controls: []string{"ref", "ref'"}, Primary: "throughput",
		Connections: []int{10}, Seed: 3,
	}
	run := carriedOut(t, planned(t, r), madeUp)
	d := Evaluate(run)
	if len(d.Levels) != 1 || d.Levels[0].At.RateShare != 0.3 || len(d.Analysis.Places) != 2 ||
		d.Analysis.Places[0].Contestant != "a" {
		t.Fatalf("%+v, %+v", d.Levels, d.Analysis.Places)
	}
	if c := d.Analysis.Cell("a", "throughput"); c.Level.Value < 80_000 {
		t.Errorf("the common rate is in the duel's figure: %+v", c.Level)
	}
	if c := d.Levels[0].Analysis.Cell("b", "response_p50"); c == nil || c.Level.N != 6 {
		t.Errorf("%+v", c)
	}
	var out strings.Builder
	d.Verbose = true
	if err := report.Text(&out, d); err != nil || !strings.Contains(out.String(), "At a common rate: c=10, ") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// With shares of its own capacity each contestant has a different rate. A contestant that does not
// keep it has no response time, and the report says why, in all forms.
func TestOwnRates(t *testing.T) {
	r := plan.Request{
		Contestants: []string{"a", "b"}, Controls: []string{"ref", "ref'"}, Primary: "throughput",
		Connections: []int{10}, Seed: 3, Rates: []plan.OpenRate{{Share: .5, Own: true}, {Share: .8, Own: true}},
	}
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		madeUp(o, tr)
		if !o.Level.Open() {
			return
		}
		l := &tr.Load
		l.Planned = int64(o.Level.RatePerSec * float64(o.TrialNS) / 1e9)
		if l.Succeeded = l.Planned; o.Contestant == "b" && o.Level.RateShare > .5 && o.Epoch > 2 {
			l.Succeeded = l.Planned * 9 / 10
		}
	})
	d := Evaluate(run)
	if len(d.Levels) != 2 || len(d.Analysis.Places) != 2 || d.Levels[0].At.RatePerSec != 0 {
		t.Fatalf("%+v, %+v", d.Levels, d.Analysis.Places)
	}
	if a, b := d.Levels[1].Kept["a"], d.Levels[1].Kept["b"]; a.Missed != 0 || a.Loads != 6 || b.Missed != 4 || b.Most() {
		t.Errorf("a %+v, b %+v", a, b)
	}
	for name, want := range map[string]float64{"a": 40_000, "b": 20_000} {
		c := d.Levels[0].Analysis.Cell(name, "due_rate")
		if c == nil || c.Level.Value < want || c.Level.Value > 1.2*want || c.Level.Lo != c.Level.Hi {
			t.Errorf("%s: %+v; want half of what it showed, the same in each epoch", name, c)
		}
	}
	const told = "did not keep the rate in 4 of 6 loads"
	for name, write := range report.Formats {
		var out strings.Builder
		told := told
		if name == "text" {
			told = "loads in which it did not keep the rate: b at 80 % (4 of 6)"
		}
		if err := write(&out, d); err != nil || name != "svg" && !strings.Contains(out.String(), told) {
			t.Errorf("%s: %v; it does not say that b %s:\n%s", name, err, told, out.String())
		}
		if name == "html" && !strings.Contains(out.String(), "chart-load-response_p99") {
			t.Error("the page has no chart by load")
		}
		if name == "text" && !strings.Contains(out.String(), "response p99 ms  50 %  80 %") {
			t.Errorf("no table by load:\n%s", out.String())
		}
	}
}

// A sweep and a comparison of named pairs have the same table of loads.
func TestRatesInOtherRuns(t *testing.T) {
	named := familyRequest()
	named.Question.Levels = named.Question.Levels[:2]
	for _, r := range []plan.Request{named, {Protocol: "sweep", Contestants: []string{"a", "b"}, Primary: "throughput",
		Controls: []string{"ref"}, Connections: []int{10}, Seed: 3}} {
		r.Rates = []plan.OpenRate{{Share: .5, Own: true}, {PerSec: 4000}}
		d := Evaluate(carriedOut(t, planned(t, r), madeUp))
		var out strings.Builder
		if err := report.Text(&out, d); err != nil || !strings.Contains(out.String(), "response p99 ms  50 %  4,000/s") {
			t.Errorf("%v; no table by load:\n%s", err, out.String())
		}
		out.Reset()
		if err := report.HTML(&out, d); err != nil || !strings.Contains(out.String(), "share of its own capacity") {
			t.Errorf("%v; the page has no axis of shares", err)
		}
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
