package bench

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// standing ranks a before b before c.
func standing(run *record.Run) (out []record.Standing) {
	for _, name := range run.Plan.Contestants {
		if run.FailureOf(name) == nil {
			out = append(out, record.Standing{Name: name})
		}
	}
	return out
}

func unranked(*record.Run) []record.Standing { return nil }

// After the epochs the first two are loaded in the order B A A B, the others frozen
// (fakeServer.Thaw), in the time that the budget reserves.
func TestLongLoads(t *testing.T) {
	for name, c := range map[string]struct {
		budget time.Duration
		slow   time.Duration // more than planned, of each trial
		stop   plan.Stop
		loads  string
		why    string
	}{
		"decided":           {time.Hour, 0, plan.Decided, "b a a b", ""},
		"the budget ended":  {65 * time.Second, 150 * time.Millisecond, plan.Budget, "b a a b", ""},
		"before a verdict":  {62 * time.Second, 150 * time.Millisecond, plan.Budget, "", "not all of them"},
		"no budget":         {0, 0, plan.Decided, "", "too short"},
		"ended in a start":  {25 * time.Second, 0, plan.Budget, "", "not all of them"},
		"once more, noise":  {time.Hour, 0, plan.Decided, "b a a b b a a b", ""},
		"noise twice":       {time.Hour, 0, plan.Decided, "b a a b b a a b", "disturbed them"},
		"the first is gone": {time.Hour, 0, plan.Decided, "c b b c", ""},
		"all three":         {time.Hour, 0, plan.Decided, "c b a a b c", ""},
		"noise in one":      {time.Hour, 0, plan.Decided, "c b a a b c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, h, d, records := set(t)
			b.Standing = standing
			p := small("a", "b", "c")
			p.Long.NS, p.Long.Contestants = int64(2*time.Second), 2
			if p.BudgetNS = int64(c.budget); c.budget == 0 {
				p.BudgetNS, p.Long.NS, p.Long.Absent = int64(time.Hour), 0, "the budget is too short for them"
			}
			if name == "the budget ended" { // after the first analysis, which the long loads check
				p.Epochs, b.Decided = []int{3, 8, 24}, func(*record.Run) bool { return false }
			}
			if name == "all three" || name == "noise in one" {
				p.Long.Contestants = 3
			}
			if name == "the first is gone" {
				h.exits = map[string]int{"a": 2}
			}
			if name == "ended in a start" { // of the second epoch
				h.launch = func(who string, n int) error {
					if n > 2 {
						d.clock += 10 * time.Second
					}
					return nil
				}
			}
			paused, long := map[string]int{"once more, noise": 1, "noise twice": 2, "noise in one": 1}[name], 0
			d.trouble = func(who string, l *record.Load) {
				switch {
				case l.WindowNS == p.Long.NS:
					if long++; long%4 == 1 && long/4 < paused {
						l.GapNS = 1e9
					}
				case l.WindowNS == p.Load.NS:
					d.clock += c.slow
				}
			}
			run, err := b.Run(t.Context(), wholePlan(p))
			if err != nil || run.End.Reason != string(c.stop) {
				t.Fatalf("%+v, %v", run.End, err)
			}
			var loads []string
			for _, l := range run.Long {
				loads = append(loads, l.Contestant)
				if l.Load.WindowNS != p.Long.NS || l.Epoch != run.Trials[len(run.Trials)-1].Epoch {
					t.Errorf("%+v", l)
				}
			}
			if got := strings.Join(loads, " "); got != c.loads {
				t.Errorf("loads %q; want %q", got, c.loads)
			}
			judged, why := plan.Long(run)
			if (len(judged) >= 4) != (c.why == "") || (name == "all three") != (len(judged) == 6) ||
				!strings.Contains(why, c.why) {
				t.Errorf("%d loads are judged: %q", len(judged), why)
			}
			again := &record.Run{}
			for _, r := range *records {
				again.Add(r)
			}
			if len(again.Long) != len(run.Long) || len(again.Trials) != len(run.Trials) {
				t.Errorf("stored: %d of %d, %d of %d trials", len(again.Long), len(run.Long), len(again.Trials), len(run.Trials))
			}
			if err := stored(t, *records); err != nil {
				t.Error(err)
			}
			if took := d.clock; took > c.budget+3*time.Second && c.stop == plan.Budget && c.slow > 0 {
				t.Errorf("%v of a budget of %v", took, c.budget)
			}
		})
	}
}

// A contestant's use outside its windows is recorded in each trial, and its use without load in the
// last round's.
func TestCPUWithoutLoad(t *testing.T) {
	b, h, d, _ := set(t)
	used := map[*fakeServer]time.Duration{}
	h.compiles = func(s *fakeServer) time.Duration { used[s] += 7 * time.Millisecond; return used[s] }
	p := small("a", "b")
	p.Load.UnloadedNS = 5e7
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || d.clock == 0 {
		t.Fatal(err)
	}
	for _, x := range run.Trials {
		last := x.Round == run.Plan.Rounds-1 && slices.Contains(run.Plan.Contestants, x.Contestant)
		if x.OutsideCPUNS == nil || *x.OutsideCPUNS != 14e6 || x.RewarmRequests <= 0 ||
			(x.UnloadedNS == p.Load.UnloadedNS) != last || last && *x.UnloadedCPUNS != 7e6 {
			t.Errorf("%s, round %d: outside %v in %d requests, %d ns without load", x.Contestant, x.Round, x.OutsideCPUNS,
				x.RewarmRequests, x.UnloadedNS)
		}
	}
}

// After the long loads all contestants are loaded at 70 % of the slowest one's throughput, in the order
// A B B A, and their response times are stored whole.
func TestRatedLoads(t *testing.T) {
	b, _, _, records := set(t)
	b.Standing = standing
	p := small("a", "b", "c") // c serves 30,000/s
	p.Long = record.LastLoads{NS: 2e9, Contestants: 2}
	p.Rated = record.LastLoads{NS: 2e9, Absent: "no time is kept for them"} // and the epochs leave it
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || len(run.Long) != 4 {
		t.Fatalf("%+v, %v", run.End, err)
	}
	var loads []string
	for _, x := range run.Rated {
		loads = append(loads, x.Contestant)
		all, err := record.Decode(x.Load.Responses)
		if err != nil || all.Count() != 1 || x.Level == nil || math.Abs(x.Level.RatePerSec/21_000-1) > .02 ||
			x.Load.WindowNS != 2e9 {
			t.Errorf("%+v, %v", x, err)
		}
	}
	if got := strings.Join(loads, " "); got != "a b c c b a" {
		t.Errorf("loads %q", got)
	}
	if loads, why := plan.Rated(run); len(loads) != 6 || why != "" {
		t.Errorf("%d, %q", len(loads), why)
	}
	if err := stored(t, *records); err != nil {
		t.Error(err)
	}
}

// stored writes records and reads them back.
func stored(t *testing.T, records []record.Record) error {
	dir := t.TempDir()
	s, err := record.Create(dir)
	if err != nil {
		return err
	}
	for _, r := range records {
		err = errors.Join(err, s.Append(r))
	}
	if err = errors.Join(err, s.Close()); err == nil {
		_, err = record.Open(dir)
	}
	return err
}

// The first figures come in the pilot, after its first whole round: those of one server compare
// nothing.
func TestFirstFigures(t *testing.T) {
	b, _, _, _ := set(t)
	b.Standing = standing
	var first *record.Key
	b.Event = func(e record.Event) {
		if e.Standing != nil && first == nil {
			first = &e.Trial.Key
		}
	}
	if _, err := b.Run(t.Context(), wholePlan(small("a", "b"))); err != nil {
		t.Fatal(err)
	}
	if first == nil || first.Epoch != 0 || first.Round != 1 || first.Position != 0 {
		t.Errorf("first figures after %+v", first)
	}
}
