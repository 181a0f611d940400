package plan

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// By default a paired comparison ends with open loops of some 10 s in all, for which epochs leave
// time; one that asks for none has none.
func TestRatedLoads(t *testing.T) {
	each := func(d time.Duration) record.LastLoads { return record.LastLoads{NS: int64(d)} }
	for name, c := range map[string]struct {
		r    Request
		want record.LastLoads
	}{
		"two":            {Request{Contestants: []string{"c0", "c1"}}, each(2 * time.Second)},
		"four":           {Request{Contestants: []string{"c0", "c1", "c2", "c3"}}, each(time.Second)},
		"a short budget": {Request{Contestants: []string{"c0", "c1"}, Budget: 100 * time.Second}, each(time.Second)},
		"too short a one": {Request{Contestants: []string{"c0", "c1"}, Budget: 40 * time.Second}, record.LastLoads{
			NS: 1e9, Absent: shortBudget}},
		"a long budget": {Request{Contestants: []string{"c0", "c1"}, Budget: time.Hour}, each(10 * time.Second)},
		"none":          {Request{Contestants: []string{"c0", "c1"}, NoRated: true}, record.LastLoads{}},
		"a sweep":       {Request{Contestants: []string{"c0", "c1"}, Protocol: sweep}, record.LastLoads{}},
		"a classic run": {Request{Contestants: []string{"c0", "c1"}, Protocol: classic}, record.LastLoads{}},
		"a study":       {Request{}, each(3500 * time.Millisecond)},
	} {
		c.r.Question = someQuestion()
		p, err := New(c.r, someWorld())
		if err != nil || p.Rated != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, p.Rated, err, c.want)
		}
		if cost := RatedCost(&record.Run{Plan: p}); cost > 13*time.Second && p.BudgetNS <= int64(5*time.Minute) {
			t.Errorf("%s takes %v", name, cost)
		}
	}
}

// The open loops have 70 % of the slowest one's throughput.
func TestRatedOrders(t *testing.T) {
	p := standardPlan("a", "b")
	p.Rated = record.LastLoads{NS: 5e9}
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

// Long loads have all contestants for which a quarter of the budget is enough, the first two at least, as
// long as the run still reaches a verdict. Their order is the same forwards and backwards, with the best in
// the middle.
func TestLongLoadsAsTheBudgetAllows(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for budget, want := range map[time.Duration][2]int{time.Hour: {8, 8}, 5 * time.Minute: {2, 8},
		2 * time.Minute: {0, 4}} {
		p := standardPlan(names...)
		p.Profile, p.BudgetNS = Standard, int64(budget)
		arranged(&p, paired)
		n := p.Long.Contestants
		if n < want[0] || n > want[1] || (n > 0) != (p.Long.NS > 0) || (n == 0) != (p.Long.Absent != "") {
			t.Errorf("%v: %+v", budget, p.Long)
		}
		if longCost(&record.Run{Plan: p}) > budget/longPart {
			t.Errorf("%v: %v for %d contestants", budget, longCost(&record.Run{Plan: p}), n)
		}
	}
	run := &record.Run{Plan: standardPlan(names[:4]...)}
	run.Plan.Long = record.LastLoads{NS: 2e9, Contestants: 3}
	run.Trials = []*record.Trial{{Key: record.Key{Epoch: 3}}}
	got := ""
	for _, o := range LongOrders(run, []record.Standing{{Name: "c"}, {Name: "a"}}, 0) {
		got += o.Contestant
		run.Long = append(run.Long, &record.Trial{Key: o.Key, Contestant: o.Contestant})
	}
	if got != "baccab" {
		t.Errorf("order %q", got)
	}
	for cut, want := range []int{6, 4, 0, 0} { // the middle counts
		part := &record.Run{Plan: run.Plan, Long: run.Long[:len(run.Long)-cut]}
		if loads, _ := Long(part); len(loads) != want {
			t.Errorf("without the last %d: %d count", cut, len(loads))
		}
	}
}

// Levels with processes of their own that compare nothing do not prevent the loads at the end, which contestants of
// these levels alone do not have. Where such an epoch was the last, there are none.
func TestLastLoadsBesideOtherProcesses(t *testing.T) {
	q := someQuestion()
	q.Contestants, q.Cells = append(q.Contestants, "c2"), append(q.Cells, cell("c2", 1))
	q.Levels[1].AsPublished = true
	p, err := New(Request{Question: q}, someWorld())
	if err != nil || len(parts(&p)) != 2 || p.Long.NS == 0 || p.Long.Contestants != 2 || p.Rated.NS == 0 {
		t.Fatalf("%d parts, %+v, %v", len(parts(&p)), p.Last, err)
	}
	run := &record.Run{Plan: p}
	names := func(all []Order) (list string) {
		for _, o := range all {
			list += " " + o.Contestant
		}
		return list
	}
	for o, stop := Next(run, func() bool { return true }); stop == ""; o, stop = Next(run, func() bool { return true }) {
		tr := &record.Trial{Key: o.Key, Contestant: o.Contestant, Load: record.Load{WindowNS: o.TrialNS, Connections: 125,
			Established: 125, Started: 1000, Succeeded: 1000, RateAnswers: 1000, RateNS: o.TrialNS, RateFromNS: 1}}
		if o.Level != p.First() {
			tr.Level = &o.Level
		}
		run.Trials = append(run.Trials, tr)
		long, rated := names(LongOrders(run, nil, 0)), names(RatedOrders(run))
		if part := partAt(&p, o.Epoch); (part == 0) != (long != "") || part == 1 && rated != "" ||
			strings.Contains(long+rated, "c2") {
			t.Fatalf("in an epoch of part %d:%s;%s", part, long, rated)
		}
	}
	if long, rated := names(LongOrders(run, nil, 0)), names(RatedOrders(run)); long != " c1 c0 c0 c1" ||
		rated != " c0 c1 c1 c0" {
		t.Errorf("after the decision:%s;%s", long, rated)
	}
}
