package study

import (
	"slices"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// TestLabRanksTheTail: in the lab an open loop's 99th percentile decides, at half the slower
// contestant's capacity; the closed loop is shown beside it.
func TestLabRanksTheTail(t *testing.T) {
	r := plan.Request{
		Profile: plan.Lab, Contestants: []string{"a", "b"}, Controls: []string{"ref", "ref'"}, Seed: 3, Primary: "p99",
		Connections: []int{10},
	}
	rates := map[float64]int{}
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		l := &tr.Load
		if !o.Level.Open() {
			if o.Contestant == "b" {
				l.Succeeded = 4000
			}
			return
		}
		rates[o.Level.RatePerSec]++
		noise := int64(1000 * (o.Epoch*7%5 + o.Position))
		l.Planned, l.ResponseP50NS, l.ResponseP99NS = l.Succeeded, 1e6, 2e6+noise
		if o.Contestant == "b" {
			l.ResponseP99NS += 1e6
		}
	})
	if len(rates) != 1 || rates[20_000] == 0 {
		t.Errorf("rates %v; want half of b's 4000 in 0.1 s", rates)
	}
	d := Evaluate(run)
	pair, ok := d.Analysis.Pair("a", "b", plan.Tail)
	if !ok || pair.Verdict != judge.Different || pair.Better != "a" || len(d.Analysis.Places) != 2 {
		t.Errorf("%+v", pair)
	}
	if len(d.Levels) != 1 || d.Levels[0].At != (record.Level{Connections: 10, Pipeline: 1}) {
		t.Errorf("beside it: %+v", d.Levels)
	}
	got := ids(d.Findings)
	for _, id := range []string{judge.Achieved, judge.Lag, judge.Backlog, judge.Starvation,
		judge.Calibrated} {
		if !slices.Contains(got, id) {
			t.Errorf("no %s: %v", id, got)
		}
	}
	for _, f := range d.Findings {
		if f.ID == judge.Calibrated && f.State != judge.Fail {
			t.Errorf("latency decides, and there is no calibration: %+v", f)
		}
		if (f.ID == judge.Ceiling || f.ID == judge.Busy) && f.State != judge.Pass {
			t.Errorf("an open loop need not reach a ceiling: %+v", f)
		}
	}
}

// A level beside a paired comparison is checked as an open loop, and by nothing else.
func TestLevelBesideAPairedRunIsChecked(t *testing.T) {
	r := plan.Request{
		Rates: []plan.OpenRate{{Share: 0.3}}, Contestants: []string{"a", "b"}, Controls: []string{"ref", "ref'"}, Seed: 3,
		Primary: "throughput", Connections: []int{10},
	}
	run := carriedOut(t, planned(t, r), func(o plan.Order, tr *record.Trial) {
		if o.Level.Open() {
			tr.Load.Planned, tr.Load.ResponseP50NS, tr.Load.StarvedNS = 2*tr.Load.Succeeded, 1e6, 5e7
		}
	})
	found := map[string]int{}
	for _, f := range Evaluate(run).Findings {
		if f.ID == judge.Achieved || f.ID == judge.Starvation {
			found[f.ID]++
			if f.State != judge.Fail {
				t.Errorf("%+v", f)
			}
		}
		if f.Contestant == "a" {
			found["of a, "+f.ID]++
		}
	}
	if found[judge.Achieved] != 2 || found[judge.Starvation] != 2 || found["of a, V01"] != 1 {
		t.Errorf("%v", found)
	}
}
