package bench

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
)

// page is a scenario with another path than values.
func page(body string) *scenario.Scenario {
	return &scenario.Scenario{Name: "page", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/page", Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body,
			Headers: map[string]string{"Content-Type": "text/plain"}},
	}}}
}

// familyPlan is a paired comparison between a and b at two levels of values, between a's levels,
// and between a and c with the other scenario; beside it a fourth level.
func familyPlan() record.Plan {
	p := small("a", "b", "c")
	p.Levels = []record.Level{
		{Connections: 4, Pipeline: 1}, {Connections: 8, Pipeline: 1}, {Connections: 4, Pipeline: 1,
			Scenario: "page"}, {Connections: 6, Pipeline: 1},
	}
	cell := func(name string, level int) record.Cell { return record.Cell{Contestant: name, Level: level} }
	p.Cells = []record.Cell{cell("a", 0), cell("b", 0), cell("a", 1), cell("b", 1), cell("a", 2), cell("c", 2),
		cell("a", 3), cell("b", 3)}
	p.Family = []record.Comparison{
		{A: cell("a", 0), B: cell("b", 0)}, {A: cell("a", 1), B: cell("b", 1)}, {A: cell("a", 0),
			B: cell("a", 1)}, {A: cell("c", 2), B: cell("a", 2)},
	}
	p.Epochs = []int{10}
	return p
}

// analysed analyses a run as study does.
func analysed(run *record.Run) *judge.Analysis {
	p := &run.Plan
	failed := map[string]string{}
	for _, f := range run.Failures {
		failed[f.Contestant] = f.Reason
	}
	return judge.Analyse(judge.Input{Trials: plan.Valid(run), Pilot: plan.Pilot(run),
		Contestants: p.Contestants, Controls: p.Controls, Ceiling: p.Ceiling, Failed: failed,
		Analyses: plan.Analyses(run), Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin, Family: p.Family, At: p.At})
}

func decided(run *record.Run) bool {
	for _, p := range analysed(run).Pairs {
		if p.Metric == run.Plan.Primary && p.Verdict == judge.Inconclusive {
			return false
		}
	}
	return true
}

// familyBench has a host whose servers answer both scenarios, and a driver on which a is faster
// than b by half with few connections, as fast with many, and half as fast as c at the page.
func familyBench(t *testing.T) (*Bench, *fakeHost, *fakeGenerator) {
	t.Helper()
	b, h, d, _ := set(t)
	both, err := refserver.Join([]*scenario.Scenario{h.scenario, page("hello")})
	if err != nil {
		t.Fatal(err)
	}
	h.scenario = both
	b.Others = map[string]*scenario.Scenario{"page": page("hello")}
	b.Decided = decided
	d.bears = func(name string, job load.Job) float64 {
		scenarioName := job.Scenario.Name
		switch {
		case name == "b" && job.Connections <= 6 && scenarioName == "values":
			return 40_000
		case name == "b" && scenarioName == "values", name == "a" && scenarioName == "values":
			return 60_000
		case name == "a":
			return 10_000
		case name == "c":
			return 20_000
		}
		return 0
	}
	return b, h, d
}

func TestFamilyIsDrivenToItsVerdicts(t *testing.T) {
	b, h, d := familyBench(t)
	b.Scenario.Routes, b.Others["page"].Routes = []string{"values.routes"}, []string{"page.routes"}
	warmed := map[*fakeServer]map[string]bool{} // not by address: a later server may get the port of an earlier one
	bears := d.bears
	d.bears = func(name string, job load.Job) float64 {
		if name == "" { // warming up: nobody is thawed
			s := h.servers[job.Addr]
			if warmed[s] == nil {
				warmed[s] = map[string]bool{}
			}
			warmed[s][job.Scenario.Name] = true
		}
		return bears(name, job)
	}
	run, err := b.Run(t.Context(), wholePlan(familyPlan()))
	if err != nil {
		t.Fatal(err)
	}
	if run.End == nil || run.End.Reason != string(plan.Decided) || len(plan.Epochs(run)) != 10 {
		t.Fatalf("%+v after %d epochs; failures %+v", run.End, len(plan.Epochs(run)), run.Failures)
	}
	want := []struct {
		verdict judge.Verdict
		leads   int
		ratio   float64
	}{{judge.Different, 1, 1.5}, {judge.Equivalent, 0, 1}, {judge.Equivalent, 0, 1},
		{judge.Different, 1, 2}}
	a := analysed(run)
	for i, p := range a.Pairs[:4] {
		if p.Metric != "throughput" || p.Verdict != want[i].verdict || p.Leads() != want[i].leads ||
			math.Abs(p.Ratio.Value/want[i].ratio-1) > .02 {
			t.Errorf("%+v; want %+v", p, want[i])
		}
	}
	if a.AACheck == nil || a.AACheck.Verdict == judge.Different {
		t.Errorf("A/A check %+v", a.AACheck)
	}
	for _, tr := range run.Trials {
		switch l := run.Plan.LevelOf(tr); {
		case l.Connections == 6:
			if tr.Epoch < 1 || tr.Epoch > 6 || tr.Round != 0 {
				t.Errorf("beside the comparisons: %+v, %+v", l, tr)
			}
		case l.Scenario == "page" && tr.Contestant == "b", l.Scenario == "" &&
			tr.Contestant == "c", l.Scenario == "page" && tr.Contestant == "null":
			t.Errorf("%s is loaded at %+v", tr.Contestant, l)
		}
	}
	table := judge.Tabulate(plan.Valid(run), run.Plan.At)
	m, _ := judge.MetricNamed("throughput")
	if r := table.Compare(m, record.Cell{Contestant: "a", Level: 3}, record.Cell{Contestant: "b", Level: 3},
		.95); math.Abs(r.Value-1.5) > .02 || r.N != 6 {
		t.Errorf("beside the comparisons: %+v", r)
	}
	if c := run.Contestant("a"); c.Response["get"] == "" || c.Response["page get"] == "" {
		t.Errorf("both scenarios are verified: %v", c.Response)
	}
	if got := fmt.Sprint(h.routes["a"], h.routes["b"], h.routes["c"],
		h.routes["ref"]); got != "[values.routes page.routes] [values.routes] [page.routes] [values.routes "+
		"page.routes]" {
		t.Errorf("a, b, c and ref are told to have the routes %s", got)
	}
	two := 0
	for _, scenarios := range warmed {
		if len(scenarios) == 2 {
			two++
		}
	}
	if two != 3*11 { // a and the two controls, in 11 epochs; b and c have one scenario each
		t.Errorf("%d of the processes were warmed up with both scenarios; want 33", two)
	}
	if h.starts["c"] != 12 || h.starts["b"] != 12 { // each is in a comparison: the proof, the pilot and 10 epochs
		t.Errorf("starts %v", h.starts)
	}
}

func TestContestantMustKeepEveryScenarioItIsLoadedWith(t *testing.T) {
	b, h, _ := familyBench(t)
	onlyValues, onlyPage := values("value"), page("hello")
	h.mutant = map[string]*scenario.Scenario{"a": onlyValues, "b": onlyValues, "c": onlyPage}
	run, err := b.Run(t.Context(), wholePlan(familyPlan()))
	if err != nil {
		t.Fatal(err)
	}
	if f := run.FailureOf("a"); f == nil || f.Stage != "verify" || !strings.Contains(f.Reason, "scenario page: ") {
		t.Errorf("a, which has no page: %+v", f)
	}
	for _, name := range []string{"b", "c"} {
		if f := run.FailureOf(name); f != nil {
			t.Errorf("%s keeps the scenario that it is loaded with: %+v", name, f)
		}
	}
	if run.End.Reason != string(plan.Nobody) { // every pair has a
		t.Errorf("%+v", run.End)
	}
	delete(b.Others, "page")
	if _, err := b.Run(t.Context(), wholePlan(familyPlan())); err == nil ||
		!strings.Contains(err.Error(), `the scenario "page", which was not loaded`) {
		t.Errorf("without the scenario: %v", err)
	}
}

func TestFamilyIsResumed(t *testing.T) {
	b, _, _ := familyBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.Event = func(e record.Event) {
		if e.Trial != nil && e.Trial.Epoch == 3 && e.Trial.Round == 1 {
			cancel()
		}
	}
	run, err := b.Run(ctx, wholePlan(familyPlan()))
	if err != nil || run.End.Reason != plan.Interrupted {
		t.Fatalf("%+v, %v", run.End, err)
	}
	b.Event = nil
	run, err = b.Resume(t.Context(), run)
	if err != nil || run.End.Reason != string(plan.Decided) {
		t.Fatalf("%+v, %v", run.End, err)
	}
	n := 0
	for _, tr := range plan.Valid(run) {
		if run.Plan.LevelOf(tr).Connections == 6 && tr.Contestant == "a" {
			n++
		}
	}
	if n != 6 {
		t.Errorf("%d valid trials beside the comparisons; want 6", n)
	}
}
