package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

func example(t *testing.T) *record.Run {
	t.Helper()
	run, err := record.Open("../../studies/iris-vs-netcore-templates")
	if err != nil {
		t.Fatal(err)
	}
	run.Host.BootID = "a boot"
	return run
}

func TestRunAgainstItself(t *testing.T) {
	run := example(t)
	a, err := Compare(example(t), run)
	if err != nil {
		t.Fatal(err)
	}
	ran := len(run.Plan.Contestants) - len(run.Failures) + 1 // and ref'
	if len(a.Changes) != ran*len(metrics("throughput")) || a.Reference != "ref" || a.Epochs[0] < 6 ||
		a.Epochs[0] != a.Epochs[1] || len(a.Absent) != len(run.Failures) {
		t.Errorf("%d changes, %+v", len(a.Changes), a)
	}
	for _, c := range a.Changes {
		if c.Ratio.Value != 1 || c.P != 1 || c.Now != c.Then || !c.Control && !c.SameBuild ||
			!(c.Ratio.Lo < 1 && c.Ratio.Hi > 1) {
			t.Errorf("%+v", c)
		}
		if c.Verdict != judge.Equivalent && c.Verdict != judge.Inconclusive {
			t.Errorf("%s %s: %s", c.Contestant, c.Metric, c.Verdict)
		}
	}
	for _, d := range a.Drifts {
		if d.Now != d.Then {
			t.Errorf("%+v", d)
		}
	}
}

// A contestant's interval within its run equals the report's.
func TestRatiosAreThoseOfTheReport(t *testing.T) {
	run := example(t)
	a, err := Compare(run, run)
	if err != nil {
		t.Fatal(err)
	}
	all := Analyse(run)
	for _, c := range a.Changes {
		if want := all.Cell(c.Contestant, c.Metric).Ratio; math.Abs(c.Now.Value-want.Value) > 1e-12 {
			t.Errorf("%s %s: %v, the report has %v", c.Contestant, c.Metric, c.Now, want)
		}
	}
}

// A reference that moved little changes nothing; a faster contestant does.
func TestAgainstFindsAChange(t *testing.T) {
	now, then := example(t), example(t)
	for i := range now.Trials {
		tr := now.Trials[i]
		factor := 1.03
		if tr.Contestant == "iris-templates" {
			factor *= 1.25
		}
		tr.Load.Succeeded, tr.Load.RateAnswers = int64(float64(tr.Load.Succeeded)*factor), tr.Load.RateAnswers*factor
	}
	now.Contestant("iris-templates").BinaryHash = "another"
	a, err := Compare(now, then)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Changes {
		if c.Metric != "throughput" {
			continue
		}
		if fast := c.Contestant == "iris-templates"; fast != (c.Verdict == judge.Different) || fast &&
			!(c.Better && !c.SameBuild && c.Ratio.Lo > 1.1 && c.Ratio.Hi < 1.4) {
			t.Errorf("%+v", c)
		}
	}
	if d := a.Drifts[0]; d.Metric != "throughput" || math.Abs(d.Now/d.Then-1.03) > .01 {
		t.Errorf("%+v", d)
	}
}

func TestCompareRefuses(t *testing.T) {
	other := example(t)
	for what, spoil := range map[string]func(*record.Run){
		"scenario":         func(r *record.Run) { r.Plan.Scenario = "values-rest" },
		"level":            func(r *record.Run) { r.Plan.Levels[0].Connections = 50 },
		"all pairs at one": func(r *record.Run) { r.Plan.Processes = record.PerLoad },
		"no valid epoch":   func(r *record.Run) { r.Trials = nil },
	} {
		run := example(t)
		spoil(run)
		if _, err := Compare(run, other); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Runs of two boots or machines, without a boot, without a common reference, or with one that moved by more
// than 5 % stand side by side: no verdict, however much changed.
func TestSideBySide(t *testing.T) {
	for what, spoil := range map[string]func(*record.Run){
		"CPU: Z80":           func(r *record.Run) { r.Host.CPU = "Z80" },
		"number of CPUs: 64": func(r *record.Run) { r.Host.CPUs = 64 },
		"pinned":             func(r *record.Run) { r.Host.Pinned = false },
		"server's CPUs: [":   func(r *record.Run) { r.Host.ServerCPUs = []int{1, 2} },
		"another boot":       func(r *record.Run) { r.Host.BootID = "another" },
		"cannot tell whether it is the same machine": func(r *record.Run) { r.Host.BootID = "" },
		"no reference": func(r *record.Run) { r.Plan.Controls = nil },
		"the reference ref itself moved by +10 % in throughput": func(r *record.Run) {
			for i := range r.Trials {
				if r.Trials[i].Contestant == "ref" {
					r.Trials[i].Load.RateAnswers *= 1.1
				}
			}
		},
	} {
		run := example(t)
		for i := range run.Trials {
			if run.Trials[i].Contestant == "iris-templates" {
				run.Trials[i].Load.RateAnswers *= 1.47
			}
		}
		spoil(run)
		a, err := Compare(run, example(t))
		if err != nil || len(a.Apart) == 0 || !strings.Contains(strings.Join(a.Apart, "\n"), what) || len(a.Changes) == 0 {
			t.Fatalf("%s: %v, %+v", what, err, a)
		}
		for _, c := range a.Changes {
			if c.Verdict != "" || c.Better || c.Now.N == 0 || c.Then.N == 0 {
				t.Errorf("%s: %+v", what, c)
			}
		}
		var text, json strings.Builder
		if err := errors.Join(document.Text(&text, a.Document(run, example(t)), document.Options{}),
			document.JSON(&json, a.Data(run, example(t)))); err != nil {
			t.Fatal(err)
		}
		if said := text.String(); !strings.Contains(said, "No verdict") || !strings.Contains(said, what) ||
			strings.Contains(said, "better") || strings.Contains(said, "change") {
			t.Errorf("%s: %s", what, said)
		}
		if strings.Contains(json.String(), "verdict\":") && strings.Contains(json.String(), `"better"`) {
			t.Errorf("%s: %s", what, &json)
		}
	}
}

// A metric other than the deciding one has no verdict where the reference moved in that metric.
func TestOneMetricWithoutVerdicts(t *testing.T) {
	run := example(t)
	for i := range run.Trials {
		if run.Trials[i].Contestant == "ref" {
			more := *run.Trials[i].Server.PSSBytes * 11 / 10
			run.Trials[i].Server.PSSBytes = &more
		}
	}
	a, err := Compare(run, example(t))
	if err != nil || len(a.Apart) > 0 {
		t.Fatal(err, a.Apart)
	}
	for _, c := range a.Changes {
		if (c.Verdict == "") != (c.Metric == "memory") {
			t.Errorf("%+v", c)
		}
	}
}

func TestAgainstNamesTheAbsentAndTheWeak(t *testing.T) {
	run, other := example(t), example(t)
	run.Failures = []record.Failure{{Contestant: "iris-templates", Stage: "load"}}
	rename := func(name *string) {
		if *name == "aspnetcore-templates" {
			*name = "gone"
		}
	}
	p := &other.Plan
	for i := range p.Contestants {
		rename(&p.Contestants[i])
	}
	for i := range p.Cells {
		rename(&p.Cells[i].Contestant)
	}
	for i := range p.Family {
		rename(&p.Family[i].A.Contestant)
		rename(&p.Family[i].B.Contestant)
	}
	other.Plan.Origin.Dyno = "0.0.9"
	other.Contestant("ref").Version = "go1.1"
	a, err := Compare(run, other)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"iris-templates: failed at load", "aspnetcore-templates: not in the other run",
		"gone: only in the other run"} {
		if !slices.Contains(a.Absent, want) {
			t.Errorf("no %q in %q", want, a.Absent)
		}
	}
	if text := strings.Join(a.Warnings, "\n"); !strings.Contains(text, "was 0.0.9") ||
		!strings.Contains(text, "was go1.1") {
		t.Errorf("%s", text)
	}
}

// Two runs of equal servers differ in at most 5 % of cases, and the interval contains the truth as
// often as it claims.
func TestChangesKeepTheirLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const runs, truth = 400, 0.4
	for _, mn := range [][2]int{{8, 8}, {12, 24}, {5, 12}} {
		covered, wrong := 0, 0
		for range runs {
			values := func(n int, at, sd float64) (x []float64) {
				for range n {
					x = append(x, at+sd*rng.NormFloat64())
				}
				return x
			}
			now := [][]float64{values(mn[0], truth, .05), values(mn[0], 0, .1), values(mn[0], 0, .05)}
			then := [][]float64{values(mn[1], 0, .05), values(mn[1], 0, .05), values(mn[1], 0, .1)}
			d := judge.Changes(now, then, .05, .03, [2]int{12, 12})
			if d[1].Different || d[2].Different {
				wrong++
			}
			if d[0].Ratio.Lo <= math.Exp(truth) && math.Exp(truth) <= d[0].Ratio.Hi {
				covered++
			}
		}
		if covered < runs*95/100 || wrong > runs*75/1000 { // 400 at .05: 20 ± 2.3 sd
			t.Errorf("%v: holds %d, wrong %d of %d", mn, covered, wrong, runs)
		}
	}
}

// A record may name an unknown primary metric.
func TestMetricsOfAnUnknownPrimary(t *testing.T) {
	if all, known := metrics("none"), metrics("throughput"); len(all) != len(known) || len(all) == 0 {
		t.Errorf("%d metrics, %d of a known one", len(all), len(known))
	}
}
