package plan

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/result"
)

// The time left falls with the clock; it rises by no more than a tenth where nothing is repeated,
// also where warm-ups and loads take longer than estimated, once an epoch has shown it.
func TestTimeLeft(t *testing.T) {
	for name, p := range map[string]*player{
		"as planned": {}, "slow": {slow: 1.3}, "warming": {warms: map[string]int64{"a": 5e9, "b": 3e9}},
	} {
		p.run.Plan = standardPlan("a", "b", "c")
		p.run.Plan.Analyses = []int{12}
		type moment struct{ at, left time.Duration }
		var seen []moment
		least := time.Duration(0)
		p.after = func() {
			now := ProgressOf(&p.run)
			if !pilotsOver(&p.run) && name != "as planned" { // the estimate is all there is
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
	p := result.Plan{Protocol: Classic, Profile: Standard, Scenario: "values", Contestants: []string{"a", "b"},
		External: []string{"wrk"}, Epochs: 1, Level: result.Level{Connections: 8, Pipeline: 1}, TrialNS: 30e9, Requests: 5e6,
		BudgetNS: int64(wholeBudget)}
	arranged(&p)
	run := &result.Run{Plan: p}
	for i, want := range []time.Duration{0, 300 * time.Second, 200 * time.Second, 100 * time.Second, 0} {
		if got := ProgressOf(run); got.Left != want || got.Done != i {
			t.Errorf("after %d loads of 100 s: %d of %d, %v left, want %v", i, got.Done, got.Total, got.Left, want)
		}
		if o, stop := Next(run, func() bool { return false }); stop == "" {
			run.Add(result.Record{Trial: &result.Trial{Key: o.Key, Contestant: o.Contestant, External: o.External,
				StartedUnixNS: 1 + int64(i)*100e9, EndedUnixNS: 1 + int64(i+1)*100e9}})
		}
	}
}

// During the pilots the time left is that of the estimate, not of a run as quick as their first trial.
func TestTimeLeftInPilots(t *testing.T) {
	p := player{run: result.Run{Plan: standardPlan("a", "b", "c")}}
	p.run.Plan.Analyses = []int{12}
	cost, err := Estimate(&p.run.Plan)
	if err != nil {
		t.Fatal(err)
	}
	p.after = func() {
		if pilotsOver(&p.run) {
			return
		}
		whole := time.Duration(elapsed(&p.run)) + ProgressOf(&p.run).Left
		if whole < cost.Whole*9/10 || whole > cost.Whole*11/10 {
			t.Errorf("after %d trials: %v in all, where %v are estimated", len(p.run.Trials), whole, cost.Whole)
		}
	}
	p.play(t, never)
}

// What can make a run longer is said.
func TestProgressSaysWhy(t *testing.T) {
	p := player{run: result.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}}
	p.run.Plan.Analyses, p.run.Plan.BudgetNS = []int{24}, int64(5*time.Minute)
	p.foul = func(o Order) (causes result.Causes) {
		if o.Epoch > 0 && o.Attempt == 0 { // every round is taken twice
			causes.StealNS = 4e8
		}
		return causes
	}
	var all []Progress
	p.after = func() { all = append(all, ProgressOf(&p.run)) }
	p.play(t, never)
	if first := all[0]; first.Epoch != "which does not count" || first.Total < 100 || first.Left <= 0 {
		t.Errorf("%+v", first)
	}
	if half := all[len(all)/2]; !strings.HasPrefix(half.Epoch, "epoch ") ||
		half.Longer != "repeating discarded trials" {
		t.Errorf("%+v", half)
	}
}

// The budget covers the verification before the first epoch, and the report.
func TestBudgetCoversVerification(t *testing.T) {
	ends := func(before time.Duration) time.Duration {
		p := player{run: result.Run{Plan: standardPlan("a", "b", "c")}}
		p.run.Plan.Analyses = []int{100}
		p.run.Contestants = []result.Contestant{{Name: "a"}, {Name: "b", VerifyUnixNS: 1}} // a was not built
		p.clock = int64(before)
		p.foul = func(o Order) (causes result.Causes) {
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
