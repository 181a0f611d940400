package validity

import (
	"strings"
	"testing"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// sound is evidence that passes every check; tests spoil one thing in it.
func sound() *Evidence {
	cpu, generator, pss := int64(39e7), int64(20e7), int64(1e7)
	e := &Evidence{
		Run: &result.Run{
			Plan:        result.Plan{Contestants: []string{"a"}, Pilots: 1},
			Contestants: []result.Contestant{{Name: "a", Version: "v1", BinaryHash: "00"}},
			Launches:    []result.Launch{{Contestant: "a", Epoch: 1, Warmup: "flat"}},
		},
		All: 10,
		Analysis: &analysis.Analysis{Margin: .03, Shares: map[string]float64{"a": .3},
			Canary: &analysis.Pair{A: "ref", B: "ref'", Verdict: analysis.Tie, Ratio: analysis.Estimate{Value: 1, Lo: .99, Hi: 1.01}}},
	}
	for range 10 {
		e.Valid = append(e.Valid, result.Trial{
			Contestant: "a", Load: result.Load{WindowNS: 4e8, Connections: 5, Established: 5, Started: 9, Succeeded: 9},
			Server: result.Usage{CPUNS: &cpu, PSSBytes: &pss}, Generator: result.Usage{CPUNS: &generator},
			Causes: result.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1},
		})
	}
	e.Run.Trials = e.Valid
	return e
}

func stateOf(t *testing.T, e *Evidence, id string) State {
	t.Helper()
	for _, f := range Check(e) {
		if f.ID == id {
			if f.Text == "" || f.Title == "" {
				t.Errorf("%s says nothing: %+v", id, f)
			}
			return f.State
		}
	}
	t.Fatalf("no finding %s", id)
	return 0
}

func TestSoundEvidencePasses(t *testing.T) {
	for _, f := range Check(sound()) {
		if f.State != Pass {
			t.Errorf("%+v", f)
		}
	}
}

// Each check is provoked to its warning and its failure.
func TestChecksAreProvoked(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	each := func(f func(*result.Trial)) func(*Evidence) {
		return func(e *Evidence) {
			for i := range e.Valid {
				f(&e.Valid[i])
			}
		}
	}
	for _, c := range []struct {
		id    string
		want  State
		spoil func(*Evidence)
	}{
		{"V01", Warn, each(func(t *result.Trial) { t.Generator.CPUNS = n(35e7) })},
		{"V01", Warn, each(func(t *result.Trial) { t.Generator.CPUNS = n(39e7) })}, // V02 passes
		{"V01", Fail, func(e *Evidence) {
			each(func(t *result.Trial) { t.Generator.CPUNS = n(39e7) })(e)
			e.Analysis.Shares["a"] = .7
		}},
		{"V02", Warn, func(e *Evidence) { e.Analysis.Shares["a"] = .7 }},
		{"V02", Warn, func(e *Evidence) { delete(e.Analysis.Shares, "a") }},
		{"V02", Fail, func(e *Evidence) { e.Analysis.Shares["a"] = .85 }},
		{"V03", Warn, each(func(t *result.Trial) { t.Causes.ForeignServerNS = 3e7 })},
		{"V03", Fail, each(func(t *result.Trial) { t.Causes.ForeignServerNS = 5e7 })},
		{"V04", Warn, each(func(t *result.Trial) { t.Causes.ForeignGeneratorNS = 3e7 })},
		{"V04", Fail, each(func(t *result.Trial) { t.Causes.ForeignGeneratorNS = 5e7 })},
		{"V05", Warn, each(func(t *result.Trial) { t.Causes.StealNS = 1e7 })},
		{"V05", Fail, each(func(t *result.Trial) { t.Causes.StealNS = 4e7 })},
		{"V06", Warn, func(e *Evidence) { e.Void = 3 }},
		{"V06", Fail, func(e *Evidence) { e.Void = 6 }},
		{"V12", Fail, each(func(t *result.Trial) { t.Load.Failed = 1 })},
		{"V13", Fail, each(func(t *result.Trial) { t.Load.Errors = map[string]int64{"reset": 1} })},
		{"V13", Fail, each(func(t *result.Trial) { t.Load.Established = 4 })},
		{"V14", Warn, each(func(t *result.Trial) { t.Server.CPUNS = n(36e7) })},
		{"V14", Fail, each(func(t *result.Trial) { t.Server.CPUNS = n(20e7) })},
		{"V15", Warn, func(e *Evidence) { e.Run.Launches[0].Warmup = "slowdown" }},
		{"V15", Fail, func(e *Evidence) { e.Run.Launches[0].Warmup = "no steady state" }},
		{"V17", Warn, func(e *Evidence) { e.Analysis.Canary.Verdict = analysis.Negligible }},
		{"V17", Warn, func(e *Evidence) { e.Analysis.Canary = nil }},
		{"V17", Fail, func(e *Evidence) { e.Analysis.Canary.Verdict, e.Analysis.Canary.Ratio.Value = analysis.Different, 1.1 }},
		{"V24", Warn, func(e *Evidence) { e.Run.Host.Quota = "1.5 CPUs" }},
		{"V24", Fail, each(func(t *result.Trial) { t.Causes.ThrottledNS = 1 })},
		{"V27", Warn, func(e *Evidence) { e.Valid[0].Server.PSSBytes = nil }},
		{"V27", Fail, each(func(t *result.Trial) { t.Server.PSSBytes = nil })},
		{"V28", Fail, func(e *Evidence) { e.Run.Contestants[0].BinaryHash = "" }},
	} {
		e := sound()
		c.spoil(e)
		if got := stateOf(t, e, c.id); got != c.want {
			t.Errorf("%s: %v; want %v", c.id, got, c.want)
		}
	}
}

func TestHandlerThatWaitsNeedNotBeBusy(t *testing.T) {
	e := sound()
	idle := int64(1e7)
	for i := range e.Valid {
		e.Valid[i].Server.CPUNS = &idle
	}
	e.Run.Plan.Level.DelayNS = 3e7
	if got := stateOf(t, e, "V14"); got != Pass {
		t.Errorf("V14 %v with a delay", got)
	}
}

func TestFailureBeforeAnyTrialIsAFinding(t *testing.T) {
	e := sound()
	e.Valid, e.Run.Trials = nil, nil
	e.Run.Failures = []result.Failure{{Contestant: "a", Stage: "verify", Reason: `body "x"; want "value"`}}
	for _, f := range Check(e) {
		if f.ID == "V12" && (f.State != Fail || !strings.Contains(f.Text, "body")) {
			t.Errorf("%+v", f)
		}
	}
}

func TestVoidJudgesTheWholeRound(t *testing.T) {
	round := sound().Valid[:4]
	round[0].Causes.ForeignServerNS = 10e7 // a quarter of its trial, 6 % of the round
	if Void(round) {
		t.Error("one tick too many voided a round")
	}
	round[1].Causes.ForeignServerNS = 10e7
	if !Void(round) {
		t.Error("12 % foreign CPU over the round did not void it")
	}
}
