package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
)

func example(t *testing.T) *record.Run {
	t.Helper()
	run, err := record.Open("../../studies/iris-vs-netcore-templates")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRunAgainstItself(t *testing.T) {
	run := example(t)
	a, err := Compare(example(t), run, false)
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
	a, err := Compare(run, run, false)
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

// A faster machine changes nothing; a faster contestant does.
func TestAgainstFindsAChange(t *testing.T) {
	now, then := example(t), example(t)
	for i := range now.Trials {
		tr := now.Trials[i]
		factor := 1.3
		if tr.Contestant == "iris-templates" {
			factor *= 1.25
		}
		tr.Load.Succeeded, tr.Load.RateAnswers = int64(float64(tr.Load.Succeeded)*factor), tr.Load.RateAnswers*factor
	}
	now.Contestant("iris-templates").BinaryHash = "another"
	a, err := Compare(now, then, false)
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
	if d := a.Drifts[0]; d.Metric != "throughput" || math.Abs(d.Now/d.Then-1.3) > .01 {
		t.Errorf("%+v", d)
	}
}

func TestCompareRefuses(t *testing.T) {
	other := example(t)
	for what, spoil := range map[string]func(*record.Run){
		"scenario":         func(r *record.Run) { r.Plan.Scenario = "values-rest" },
		"level":            func(r *record.Run) { r.Plan.Levels[0].Connections = 50 },
		"all pairs at one": func(r *record.Run) { r.Plan.Processes = record.PerLoad },
		"reference":        func(r *record.Run) { r.Plan.Controls = []string{"ref+5%"} },
		"without":          func(r *record.Run) { r.Plan.Controls = nil },
		"no valid epoch":   func(r *record.Run) { r.Trials = nil },
		"CPU Z80":          func(r *record.Run) { r.Host.CPU = "Z80" },
		"number of CPUs":   func(r *record.Run) { r.Host.CPUs = 64 },
		"kernel":           func(r *record.Run) { r.Host.Kernel = "1.0" },
		"pinned":           func(r *record.Run) { r.Host.Pinned = false },
		"server's CPUs [":  func(r *record.Run) { r.Host.ServerCPUs = []int{1, 2} },
	} {
		run := example(t)
		spoil(run)
		_, err := Compare(run, other, false)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		var machine *OtherMachine
		forced, again := Compare(run, other, true)
		if overruled := again == nil; overruled != errors.As(err, &machine) {
			t.Errorf("%s: forced: %v", what, again)
		} else if overruled && !slices.ContainsFunc(forced.Warnings,
			func(w string) bool { return strings.Contains(w, "different machines") }) {
			t.Errorf("%s: forced without a warning: %v", what, forced.Warnings)
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
	a, err := Compare(run, other, false)
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
