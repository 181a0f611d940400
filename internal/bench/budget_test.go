package bench

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Whatever takes longer than planned, a run ends with its budget and at most one further trial, and
// says so. Builds do not count against the budget; verification and warm-up do.
func TestBudgetEndsWithinAnEpoch(t *testing.T) {
	const budget, trial = 40 * time.Second, 2 * time.Second
	slowTrials := func(h *fakeHost, d *fakeGenerator) {
		d.trouble = func(name string, l *record.Load) {
			if name != "" { // none of the warm-up
				d.clock += trial - 4e8
			}
		}
	}
	neverSteady := func(h *fakeHost, d *fakeGenerator) {
		d.warms = func(name string, n int) float64 { return 1 + float64(n) }
	}
	slowStarts := func(h *fakeHost, d *fakeGenerator) {
		h.launch = func(string, int) error { d.clock += 12 * time.Second; return nil }
	}
	classic := func(p *record.Plan) { p.Processes, p.Rounds, p.Pilots, p.Epochs = record.PerLoad, 1, 0, []int{9} }
	sweep := func(p *record.Plan) {
		p.Epochs, p.Levels = []int{6}, append(p.Levels, record.Level{Connections: 8, Pipeline: 1})
		p.Family = p.PairsAt(0, 1)
	}
	managed := func(p *record.Plan) { p.Servers.Managed = []string{"a", "b"} }
	for name, c := range map[string]struct {
		plan   func(*record.Plan)
		slow   func(*fakeHost, *fakeGenerator)
		trials bool // that there are any
	}{
		"paired":                  {func(*record.Plan) {}, slowTrials, true},
		"paired, never steady":    {managed, neverSteady, false},
		"paired, slow to start":   {func(*record.Plan) {}, slowStarts, false},
		"sweep":                   {sweep, slowTrials, true},
		"sweep, never steady":     {sweep, neverSteady, false},
		"classic":                 {classic, slowTrials, true},
		"classic, slow to start":  {classic, slowStarts, false},
		"classic, a count":        {func(p *record.Plan) { classic(p); p.Load.Requests = 9 }, slowTrials, true},
		"fresh, slow to start":    {func(p *record.Plan) { p.Processes, p.Pilots = record.PerPart, 0 }, slowStarts, false},
		"paired, pilots too long": {func(p *record.Plan) { p.Rounds = 40 }, slowTrials, true},
	} {
		t.Run(name, func(t *testing.T) {
			b, h, d, records := set(t)
			p := small("a", "b")
			p.BudgetNS = int64(budget)
			c.plan(&p)
			c.slow(h, d)
			h.built, h.followed = func() { d.clock += time.Hour }, true
			var began time.Duration
			b.Event = func(e record.Event) {
				if e.Stage == "verify" && began == 0 {
					began = d.clock
				}
			}
			run, err := b.Run(t.Context(), wholePlan(p))
			if err != nil {
				t.Fatal(err)
			}
			if took := d.clock - began; began < time.Hour || took > budget+12*time.Second || took < budget-12*time.Second {
				t.Errorf("%v of a budget of %v, after builds of %v", took, budget, began)
			}
			if run.End == nil || run.End.Reason != string(plan.Budget) || len(run.Failures) > 0 {
				t.Errorf("end %+v, failures %v", run.End, run.Failures)
			}
			want := "" // of others it depends on the plan
			switch {
			case strings.HasSuffix(name, "slow to start"):
				want = "being verified"
			case strings.HasSuffix(name, "never steady"):
				want = "before the first trial"
			case strings.HasSuffix(name, "pilots too long"):
				want = "in the pilot epochs"
			}
			if said := plan.Reached(run); !strings.Contains(said, want) {
				t.Errorf("it says %q; want %q", said, want)
			}
			if (*records)[len(*records)-1].End == nil || (len(run.Trials) > 0) != c.trials {
				t.Errorf("%d trials, last record %+v", len(run.Trials), (*records)[len(*records)-1])
			}
		})
	}
}

// No trial begins that could not end within the budget.
func TestNoTrialBeginsBeyondTheBudget(t *testing.T) {
	b, _, d, _ := set(t)
	p := small("a", "b")
	p.BudgetNS = int64(20 * time.Second)
	var began, last time.Duration
	b.Event = func(e record.Event) {
		if e.Stage == "verify" && began == 0 {
			began = d.clock + 1
		}
	}
	d.asked = func(name string, job load.Job) {
		if name != "" {
			last = d.clock
		}
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || run.End.Reason != string(plan.Budget) {
		t.Fatalf("%+v, %v", run.End, err)
	}
	if last+4e8+3e7 > began+20*time.Second {
		t.Errorf("the last trial began %v after the first verification", last-began)
	}
}

// A plan that took servers for quicker than they are gets fewer rounds once they are verified, and says so.
func TestPlanFollowsTheVerification(t *testing.T) {
	b, h, d, records := set(t)
	p := small("a", "b")
	p.Profile, p.Controls, p.Ceiling, p.Pilots, p.Rounds = plan.Standard, nil, "", 0, 9
	p.Epochs, p.Load.NS, p.BudgetNS = []int{3, 5, 7, 8, 10, 12, 24}, 1e8, int64(time.Minute)
	h.launch = func(string, int) error { d.clock += 2 * time.Second; return nil }
	b.Decided = func(*record.Run) bool { return false }
	text := ""
	b.Note = func(r *record.Run) string { text = outcomeOf(r, "all pairs"); return text }
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || run.Contestant("b").Costs.StartNS != 2e9 {
		t.Fatal(run.Contestant("b").Costs, err)
	}
	again := &record.Run{}
	for _, r := range *records {
		again.Add(r)
	}
	if n := judge.TrendRounds; run.Plan.Rounds != n || again.Plan.Rounds != n || run.Trials[2*n].Epoch != 1 {
		t.Errorf("%d rounds, recorded %d; %+v", run.Plan.Rounds, again.Plan.Rounds, run.Refit)
	}
	if !strings.HasPrefix(text, "by what the verification took, the budget has time for about ") ||
		!strings.Contains(text, "epochs of 4 rounds; the measurement begins: analyses after 3, 5, ") {
		t.Error(text)
	}
}
