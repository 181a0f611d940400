package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

func example(t *testing.T) *result.Run {
	t.Helper()
	run, err := result.Open("../../studies/iris-vs-netcore-mvc")
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
		if c.Verdict != analysis.Equivalent && c.Verdict != analysis.Inconclusive {
			t.Errorf("%s %s: %s", c.Contestant, c.Metric, c.Verdict)
		}
	}
	for _, d := range a.Drifts {
		if d.Now != d.Then {
			t.Errorf("%+v", d)
		}
	}
}

// The interval of a contestant within its run is that of the report.
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

// A whole machine that is faster changes nothing; a contestant that is, changes.
func TestAgainstFindsAChange(t *testing.T) {
	now, then := example(t), example(t)
	for i := range now.Trials {
		tr := now.Trials[i]
		factor := 1.3
		if tr.Contestant == "fasthttp" {
			factor *= 1.2
		}
		tr.Load.Succeeded, tr.Load.RateAnswers = int64(float64(tr.Load.Succeeded)*factor), tr.Load.RateAnswers*factor
	}
	now.Contestant("fasthttp").BinaryHash = "another"
	a, err := Compare(now, then, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Changes {
		if c.Metric != "throughput" {
			continue
		}
		if fast := c.Contestant == "fasthttp"; fast != (c.Verdict == analysis.Different) || fast &&
			!(c.Better && !c.SameBuild && c.Ratio.Lo > 1.1 && c.Ratio.Hi < 1.3) {
			t.Errorf("%+v", c)
		}
	}
	if d := a.Drifts[0]; d.Metric != "throughput" || math.Abs(d.Now/d.Then-1.3) > .01 {
		t.Errorf("%+v", d)
	}
}

func TestCompareRefuses(t *testing.T) {
	other := example(t)
	for what, spoil := range map[string]func(*result.Run){
		"scenario":        func(r *result.Run) { r.Plan.Scenario = "values-rest" },
		"level":           func(r *result.Run) { r.Plan.Level.Connections = 50 },
		"protocol":        func(r *result.Run) { r.Plan.Protocol = "sweep" },
		"reference":       func(r *result.Run) { r.Plan.Controls = []string{"ref+5%"} },
		"without":         func(r *result.Run) { r.Plan.Controls = nil },
		"no valid epoch":  func(r *result.Run) { r.Trials = nil },
		"CPU Z80":         func(r *result.Run) { r.Host.CPU = "Z80" },
		"number of CPUs":  func(r *result.Run) { r.Host.CPUs = 64 },
		"kernel":          func(r *result.Run) { r.Host.Kernel = "1.0" },
		"pinned":          func(r *result.Run) { r.Host.Pinned = false },
		"server's CPUs [": func(r *result.Run) { r.Host.ServerCPUs = []int{1, 2} },
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
	run.Failures = []result.Failure{{Contestant: "iris", Stage: "load"}}
	other.Plan.Contestants = slices.DeleteFunc(other.Plan.Contestants, func(n string) bool { return n == "kestrel" })
	other.Plan.Contestants = append(other.Plan.Contestants, "gone")
	other.Plan.Dyno = "0.0.9"
	other.Contestant("ref").Version = "go1.1"
	a, err := Compare(run, other, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"iris: failed at load", "kestrel: not in the other run",
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

// Critical values of U, two-sided at 5 % and at 1 % (Mann and Whitney 1947; Milton, JASA 59 (1964)).
func TestUTable(t *testing.T) {
	for _, c := range []struct{ m, n, five, one int }{
		{4, 4, 0, -1}, {5, 5, 2, 0}, {6, 6, 5, 2}, {8, 8, 13, 7}, {10, 10, 23, 16}, {8, 12, 22, 15}, {12, 12, 37, 27},
		{20, 20, 127, 105},
	} {
		for tail, want := range map[float64]int{.025: c.five, .005: c.one} {
			got := -1
			for u, p := range uCDF(c.m, c.n) {
				if p <= tail {
					got = u
				}
			}
			if got != want {
				t.Errorf("m %d, n %d, tail %v: %d, want %d", c.m, c.n, tail, got, want)
			}
		}
	}
	if cdf := uCDF(48, 48); len(cdf) != 48*48+1 || math.Abs(cdf[len(cdf)-1]-1) > 1e-9 {
		t.Errorf("%d values, the last %v", len(cdf), cdf[len(cdf)-1])
	}
}

// The distribution of U is that of all ways to draw m ranks of m+n.
func TestUByEnumeration(t *testing.T) {
	for _, mn := range [][2]int{{1, 1}, {2, 3}, {4, 3}, {5, 5}} {
		m, n := mn[0], mn[1]
		counts := make([]float64, m*n+1)
		all := 0.0
		for set := range 1 << (m + n) {
			u, inX, x := 0, 0, 0
			for rank := range m + n {
				if set>>rank&1 == 1 {
					inX++
					u += rank - x
					x++
				}
			}
			if inX == m {
				counts[u]++
				all++
			}
		}
		sum := 0.0
		for u, p := range uCDF(m, n) {
			sum += counts[u] / all
			if math.Abs(p-sum) > 1e-12 {
				t.Errorf("m %d, n %d: P(U ≤ %d) = %v, want %v", m, n, u, p, sum)
			}
		}
	}
}

func TestShift(t *testing.T) {
	// Differences −1, 0, 1, 2, 3, 4: too few for 95 %.
	hl, lo, hi := shift([]float64{3, 6}, []float64{2, 3, 4}, .95)
	if hl != 1.5 || !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("%v (%v, %v)", hl, lo, hi)
	}
	if hl, _, _ := shift(nil, []float64{1}, .95); !math.IsNaN(hl) || rankSum(nil, []float64{1}) != 1 {
		t.Errorf("of nothing: %v", hl)
	}
	if p := rankSum([]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}); math.Abs(p-2./70) > 1e-12 {
		t.Errorf("p = %v", p)
	}
}

// The interval holds the truth as often as it says, and it excludes 0 exactly when the test rejects.
func TestShiftCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const runs, truth = 1500, 0.4
	for _, mn := range [][2]int{{8, 8}, {12, 24}} {
		covered := 0
		for range runs {
			x, y := make([]float64, mn[0]), make([]float64, mn[1])
			for i := range x {
				x[i] = truth + rng.NormFloat64()
			}
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			_, lo, hi := shift(x, y, .95)
			if lo <= truth && truth <= hi {
				covered++
			}
			if outside := lo > 0 || hi < 0; outside != (rankSum(x, y) <= .05) {
				t.Fatalf("(%v, %v), p = %v", lo, hi, rankSum(x, y))
			}
		}
		if share := float64(covered) / runs; share < .94 || share > .985 {
			t.Errorf("%v: covers %.3f", mn, share)
		}
	}
}
