package plan

import (
	"fmt"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// The time left falls with the clock; it rises by no more than a tenth where nothing is repeated,
// also where warm-ups and loads take longer than estimated, once an epoch that counts has shown it.
func TestTimeLeft(t *testing.T) {
	for name, p := range map[string]*player{
		"as planned": {}, "slow": {slow: 1.3}, "warming": {warms: map[string]int64{"a": 5e9, "b": 3e9}},
	} {
		p.run.Plan = standardPlan("a", "b", "c")
		p.run.Plan.Epochs = []int{12}
		type moment struct{ at, left time.Duration }
		var seen []moment
		least := time.Duration(0)
		cost := costOf(t, &p.run.Plan)
		p.after = func() {
			now := ProgressOf(&p.run, cost)
			if lastEpoch(&p.run) <= p.run.Plan.Pilots && name != "as planned" { // the estimate is all there is
				return
			}
			if least > 0 && now.Left > least+least/10+time.Second {
				t.Errorf("%s: epoch %d: %v left after %v", name, lastEpoch(&p.run), now.Left, least)
			}
			if least == 0 || now.Left < least {
				least = now.Left
			}
			seen = append(seen, moment{time.Duration(p.clock), now.Left})
		}
		p.play(t, never)
		m := seen[len(seen)/2]
		if rest := time.Duration(p.clock) - m.at; m.left < rest*3/4 || m.left > rest*5/4 {
			t.Errorf("%s: %v left were said where it took %v", name, m.left, rest)
		}
	}
}

// TestTimeLeftOfRequests: loads of a number of requests take as long as those before them; before the first
// nothing is said.
func TestTimeLeftOfRequests(t *testing.T) {
	p := record.Plan{Profile: Standard, Scenario: "values", Contestants: []string{"a", "b"},
		Epochs: []int{2}, Levels: []record.Level{{Connections: 8, Pipeline: 1}},
		Load:     record.LoadLength{NS: 30e9, Requests: 5e6},
		BudgetNS: int64(wholeBudget)}
	arranged(&p, classic)
	p.Epochs = []int{2}
	run, cost := &record.Run{Plan: p}, costOf(t, &p)
	for i, want := range []time.Duration{0, 300 * time.Second, 200 * time.Second, 100 * time.Second, 0} {
		if got := ProgressOf(run, cost); got.Left != want || got.Done != i {
			t.Errorf("after %d loads of 100 s: %d of %d, %v left, want %v", i, got.Done, got.Total, got.Left, want)
		}
		if o, stop := Next(run, func() bool { return false }); stop == "" {
			run.Add(record.Record{Trial: &record.Trial{Key: o.Key, Contestant: o.Contestant,
				StartedUnixNS: 1 + int64(i)*100e9, EndedUnixNS: 1 + int64(i+1)*100e9}})
		}
	}
}

// During the pilots the time left is that of the estimate, not of a run as quick as their first trial.
func TestTimeLeftInPilots(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c")}}
	p.run.Plan.Epochs = []int{12}
	cost := costOf(t, &p.run.Plan)
	p.after = func() {
		if pilotsOver(&p.run) {
			return
		}
		whole := time.Duration(elapsed(&p.run)) + ProgressOf(&p.run, cost).Left
		if whole < cost.Whole*9/10 || whole > cost.Whole*11/10 {
			t.Errorf("after %d trials: %v in all, where %v are estimated", len(p.run.Trials), whole, cost.Whole)
		}
	}
	p.play(t, never)
}

// The epoch is said, of as many as there will be at the pace so far.
func TestProgressSaysTheEpoch(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}}
	p.run.Plan.Epochs, p.run.Plan.BudgetNS = []int{24}, int64(5*time.Minute)
	c := costOf(t, &p.run.Plan)
	var all []Progress
	p.after = func() { all = append(all, ProgressOf(&p.run, c)) }
	p.play(t, never)
	if first := all[0]; first.Epoch != "which does not count" || first.Total < 100 || first.Left <= 0 {
		t.Errorf("%+v", first)
	}
	n := lastEpoch(&p.run)
	if half := all[len(all)/2]; half.Epoch != fmt.Sprintf("epoch %d of about %d at most", p.run.Trials[len(all)/2].Epoch, n) {
		t.Errorf("%+v; there were %d", half, n)
	}
	c.Epochs, c.Analyses = 2, nil
	if last := ProgressOf(&p.run, c); last.Epoch != fmt.Sprintf("epoch %d", n) {
		t.Errorf("%+v", last)
	}
}

func costOf(t *testing.T, p *record.Plan) *Cost {
	t.Helper()
	c, err := Estimate(p)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// The budget covers the verification before the first epoch, and the report.
func TestBudgetCoversVerification(t *testing.T) {
	ends := func(before time.Duration) time.Duration {
		p := player{run: record.Run{Plan: standardPlan("a", "b", "c")}}
		p.run.Plan.Epochs = []int{100}
		p.run.Contestants = []record.Contestant{{Name: "a"}, {Name: "b", VerifyUnixNS: 1}} // a was not built
		p.clock = int64(before)
		p.foul = func(o Order) (causes record.Causes) {
			if o.Epoch > 0 && o.Attempt == 0 { // every round is taken twice
				causes.StealNS = 4e8
			}
			return causes
		}
		if stop := p.play(t, never); stop != Budget {
			t.Fatalf("stopped for %q", stop)
		}
		if last := p.run.Trials[len(p.run.Trials)-1].EndedUnixNS; time.Duration(last) >
			time.Duration(p.run.Plan.BudgetNS)-2*time.Second {
			t.Errorf("%v of a budget of %v", time.Duration(last), time.Duration(p.run.Plan.BudgetNS))
		}
		return time.Duration(elapsed(&p.run))
	}
	if first, long := ends(time.Second), ends(2*time.Minute); first-long < time.Minute {
		t.Errorf("%v of epochs, and %v after a long verification", first, long)
	}
}

// A Python server that needs half a millisecond for a request, as measured beside a hog of 20 % of a CPU
// (validation/gate.sh): the plan after the verification has the epochs that happen, and enough of them for a verdict.
// Where the verification shows nothing, the live line has them from the second epoch on.
func TestEpochsOfSlowServers(t *testing.T) {
	slow := record.Costs{VerifyNS: 2.1e9, StartNS: 350e6, ConnectNS: 1.04e6, AnswerNS: .65e6}
	fast := record.Costs{VerifyNS: 1.9e9, StartNS: 150e6, ConnectNS: 2e4, AnswerNS: 2e4}
	for _, c := range []struct {
		name   string
		budget time.Duration
		costs  record.Costs
		known  bool
		least  int // epochs
		refit  bool
	}{
		{"slow", time.Minute, slow, true, 7, true},
		{"slow, unknown", time.Minute, slow, false, 3, false},
		{"slow, 5 min", 5 * time.Minute, slow, true, 15, false},
		{"fast", 20 * time.Second, fast, true, 5, false},
		{"fast, a minute", time.Minute, fast, true, 10, true},
	} {
		r := Request{Question: Question{Scenario: "values", Primary: "cpu_per_request", Contestants: []string{"a", "b"}},
			Controls: []string{"none"}, Budget: c.budget}
		plan, err := New(r, World{})
		if err != nil {
			t.Fatal(err)
		}
		p := player{run: record.Run{Plan: plan, Contestants: []record.Contestant{{Name: "a", VerifyUnixNS: 1}, {Name: "b"}}}}
		p.clock = 2 * c.costs.VerifyNS
		if c.known {
			p.run.Contestants[0].Costs, p.run.Contestants[1].Costs = &c.costs, &c.costs
		}
		f := Refit(&p.run)
		if f != nil {
			p.run.Add(record.Record{Refit: f})
		}
		cost, err := EstimateOf(&p.run)
		if (f != nil) != c.refit || err != nil || p.run.Plan.Rounds < judge.TrendRounds {
			t.Fatalf("%s: %+v, %v; %d rounds", c.name, f, err, p.run.Plan.Rounds)
		}
		p.takes = func(o *Order) int64 {
			loaded := 125*c.costs.AnswerNS + 100e6
			if o.Contestant == "" {
				n := max(FewestWindows, 500e6/loaded)
				if o.Epoch == 0 {
					n = max(FewestWindows, 1e9/loaded)
				}
				return c.costs.StartNS + n*(loaded+125*c.costs.ConnectNS+10e6)
			}
			return 50e6 + 125*c.costs.ConnectNS + loaded + 125*c.costs.AnswerNS
		}
		var said []string
		p.after = func() {
			if k := p.run.Trials[len(p.run.Trials)-1].Key; k.Epoch == 1 && k.Round == 0 {
				said = append(said, ProgressOf(&p.run, &cost).Epoch)
			}
		}
		p.play(t, never)
		n := len(Epochs(&p.run))
		if n < c.least || c.known && (cost.Epochs < n-1 || cost.Epochs > n) {
			t.Errorf("%s: %d epochs; %d were planned, want %d", c.name, n, cost.Epochs, c.least)
		}
		of := 0
		fmt.Sscanf(said[0], "epoch 2 of about %d at most", &of)
		if of < n || of > n+1 || of > n && c.known { // one epoch is little to go by
			t.Errorf("%s: it said %q; there were %d epochs of %d rounds", c.name, said[0], n, p.run.Plan.Rounds)
		}
	}
}

// A budget in which slow servers reach no verdict is named with the least that does, once they are verified.
func TestSlowServersNeedMore(t *testing.T) {
	p := standardPlan("a", "b")
	p.Profile, p.Controls, p.Ceiling, p.Pilots, p.BudgetNS = Standard, nil, "", 0, int64(20*time.Second)
	arranged(&p, paired)
	c := &record.Costs{VerifyNS: 2.1e9, StartNS: 5e9, ConnectNS: 1e6, AnswerNS: 1e6}
	run := &record.Run{Plan: p, Contestants: []record.Contestant{{Name: "a", Costs: c}, {Name: "b", Costs: c}}}
	run.Add(record.Record{Refit: Refit(run)})
	if _, err := EstimateOf(run); err == nil || leastIn(t, err.Error()) < 40*time.Second {
		t.Error(err)
	}
}
