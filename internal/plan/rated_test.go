package plan

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// By default a paired comparison ends with open loops of some 10 s in all, for which epochs leave
// time; a plan with open loops of its own, and one that asks for none, has none.
func TestRatedLoads(t *testing.T) {
	each := func(d time.Duration) record.LongLoads { return record.LongLoads{NS: int64(d)} }
	for name, c := range map[string]struct {
		r    Request
		want record.LongLoads
	}{
		"two":            {Request{Contestants: []string{"c0", "c1"}}, each(2 * time.Second)},
		"four":           {Request{Contestants: []string{"c0", "c1", "c2", "c3"}}, each(time.Second)},
		"a short budget": {Request{Contestants: []string{"c0", "c1"}, Budget: 90 * time.Second}, each(time.Second)},
		"too short a one": {Request{Contestants: []string{"c0", "c1"}, Budget: 40 * time.Second}, record.LongLoads{
			Absent: shortBudget}},
		"a long budget": {Request{Contestants: []string{"c0", "c1"}, Budget: time.Hour}, each(10 * time.Second)},
		"none":          {Request{Contestants: []string{"c0", "c1"}, Rates: []OpenRate{}}, record.LongLoads{}},
		"its own":       {Request{Contestants: []string{"c0", "c1"}, Rates: []OpenRate{{PerSec: 9}}}, record.LongLoads{}},
		"a sweep":       {Request{Contestants: []string{"c0", "c1"}, Protocol: sweep}, record.LongLoads{}},
		"a search":      {Request{Contestants: []string{"c0", "c1"}, Protocol: search}, record.LongLoads{}},
		"a classic run": {Request{Contestants: []string{"c0", "c1"}, Protocol: classic}, record.LongLoads{}},
		"a study":       {Request{}, each(3500 * time.Millisecond)},
	} {
		c.r.Question = someQuestion()
		p, err := New(c.r, someWorld())
		if err != nil || p.Rated != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, p.Rated, err, c.want)
		}
		if cost := ratedCost(&record.Run{Plan: p}); cost > 13*time.Second && p.BudgetNS <= int64(5*time.Minute) {
			t.Errorf("%s takes %v", name, cost)
		}
	}
}

// The open loops have 70 % of the slowest one's throughput.
func TestRatedOrders(t *testing.T) {
	p := standardPlan("a", "b")
	p.Rated = record.LongLoads{NS: 5e9}
	run := &record.Run{Plan: p}
	for {
		o, stop := Next(run, func() bool { return true })
		if stop != "" {
			break
		}
		per := map[string]float64{"a": 20_000, "b": 10_000}[o.Contestant]
		n := int64(per * float64(o.TrialNS) / 1e9)
		tr := &record.Trial{Key: o.Key, Contestant: o.Contestant, Load: record.Load{WindowNS: o.TrialNS, Connections: 125,
			Established: 125, Started: n, Succeeded: n, RateAnswers: float64(n), RateNS: o.TrialNS, RateFromNS: 1}}
		if o.Level != p.First() {
			tr.Level = &o.Level
		}
		run.Trials = append(run.Trials, tr)
	}
	all, names := RatedOrders(run), ""
	for _, o := range all {
		names += o.Contestant
		if o.Level.RatePerSec != 7000 || o.TrialNS != 5e9 || !o.Rated {
			t.Errorf("%+v", o)
		}
	}
	if names != "abba" || all[0].Round != all[1].Round || all[1].Round == all[2].Round ||
		all[0].LoadSeed != all[1].LoadSeed {
		t.Errorf("%s: %+v", names, all)
	}
	run.End = &record.End{Reason: string(Budget)}
	if _, why := Rated(run); why != "the run ended before them" {
		t.Errorf("%q", why)
	}
	for _, o := range all {
		run.Rated = append(run.Rated, &record.Trial{Key: o.Key, Contestant: o.Contestant, Level: &o.Level,
			Load: record.Load{WindowNS: 5e9}, Causes: record.Causes{WallNS: 5e9, ServerCPUs: 1, GeneratorCPUs: 1}})
	}
	run.Rated[1].Causes.BackgroundServerNS = 1e9
	if loads, why := Rated(run); len(loads) != 3 || why != "" {
		t.Errorf("%d loads, %q", len(loads), why)
	}
	run.Rated = run.Rated[1:2]
	if loads, why := Rated(run); loads != nil || !strings.HasPrefix(why, "other programs") {
		t.Errorf("%+v, %q", loads, why)
	}
}
