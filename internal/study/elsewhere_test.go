package study

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// A claim that the run confirms may be open in other sessions, and contradicted on another model of CPU; both are said
// beside it.
func TestClaimsInOtherSessions(t *testing.T) {
	st, run := runInSessions(t)
	d, err := st.JudgeClaims(Evaluate(run), "studies/fake")
	if err != nil {
		t.Fatal(err)
	}
	of := func(id string) *Outcome {
		for i := range d.Outcomes {
			if d.Outcomes[i].Claim.ID == id {
				return &d.Outcomes[i]
			}
		}
		t.Fatal("no claim " + id)
		return nil
	}
	if o := of("tie"); o.Verdict != Confirmed || len(o.Elsewhere) != 1 || o.Elsewhere[0].CPU != run.Host.CPU ||
		o.Elsewhere[0].Verdict != Inconclusive || o.Label() != "✓ confirmed, not shown everywhere" {
		t.Errorf("equal within the run: %s, %+v", o.Label(), o.Elsewhere)
	}
	if o := of("ratio"); len(o.Elsewhere) != 2 || o.Elsewhere[0].Verdict != SameDirection || !o.differs() {
		t.Errorf("%+v", o.Elsewhere)
	} else if y, e := o.Elsewhere[1], o.Elsewhere[1].Shown[0].Estimate; y.Verdict != Contradicted || y.Sessions != 1 ||
		e.N != 1 || math.Abs(e.Value-1/1.5) > 1e-9 {
		t.Errorf("%+v", y)
	}
	for _, id := range strings.Fields("memory bytes lines words never failed unrecorded") {
		if o := of(id); o.Elsewhere != nil {
			t.Errorf("%s: %+v", id, o.Elsewhere)
		}
	}
	if o := of("each"); len(o.Elsewhere) != 1 || o.Elsewhere[0].Verdict != Confirmed { // y measured one of its two levels
		t.Errorf("%+v", o.Elsewhere)
	}
	for _, o := range []*Outcome{of("failed"), of("lines"), of("bound"), of("never"), of("most")} {
		if o.differs() {
			t.Errorf("%s: %s, %+v", o.Claim.ID, o.Label(), o.Elsewhere)
		}
	}
	d.Verbose = true
	for form, write := range map[string]report.Writer{"text": report.Text, "html": report.HTML, "json": report.JSON} {
		page := strings.Join(strings.Fields(string(written(t, write, d.Data))), " ")
		for _, want := range []string{"contradicted", "y, family 2"} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in the form %s", want, form)
			}
		}
	}
	page := strings.Join(strings.Fields(string(written(t, ClaimsText, d))), " ")
	for _, want := range []string{"In other sessions on this model of CPU, by assumed SDs: inconclusive, fast @ late ÷ slow @ late " +
		"1.00 × (",
		"In 1 session on y, family 2, by assumed SDs: contradicted, 0.667 × (", "not shown everywhere)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

// What the run found of a contestant on its own machine decides no outcome on another model: neither that it was at the
// generator's ceiling, nor a figure that a check excludes.
func TestOtherModelsAreNotTheRuns(t *testing.T) {
	st, run := runInSessions(t)
	data := Evaluate(run)
	data.Levels[0].Analysis.Shares = map[string]float64{"fast": .99, "slow": .2}
	d, err := st.JudgeClaims(data, "x")
	if err != nil {
		t.Fatal(err)
	}
	o := &d.Outcomes[0]
	if o.Verdict == Confirmed || len(o.Elsewhere) != 2 || !math.IsInf(o.Elsewhere[0].Shown[0].Estimate.Hi, 1) ||
		o.Elsewhere[1].Verdict != Contradicted || math.IsInf(o.Elsewhere[1].Shown[0].Estimate.Hi, 1) {
		t.Errorf("at the ceiling: %s, %+v", o.Verdict, o.Elsewhere)
	}
	if own, other := o.Elsewhere[0].Warnings, o.Elsewhere[1].Warnings; len(own) == 0 || other != nil {
		t.Errorf("the run's warnings: %+v, and on the other model %+v", own, other)
	}
	run.Host.CPU = "AMD EPYC"
	if d, err := st.JudgeClaims(Evaluate(run), "x"); err != nil || d.Outcomes[0].Elsewhere != nil {
		t.Errorf("a record that does not tell its model: %v, %+v", err, d.Outcomes[0].Elsewhere)
	}
}

// runInSessions returns a run on the model "x, family 1". On "y, family 2" a session found that slow serves 1.5 times
// the requests of fast at the first level.
func runInSessions(t *testing.T) (*Study, *record.Run) {
	t.Helper()
	st := readFake(t)
	run := fakeRun(t, st, Choice{})
	run.Host.CPU = "x, family 1"
	for i := range run.Contestants {
		run.Contestants[i].Sources = "0123456789abcd"
	}
	known := append(judge.Sessions{{Relation: judge.Programs, CPU: "y, family 2", Session: "s",
		Question: judge.Asked(&run.Plan, 0, "throughput"), Programs: []string{judge.Program(&run.Contestants[0]),
			judge.Program(&run.Contestants[1])}, Logs: []float64{0, math.Log(1.5)}, SEs: []float64{0, .01}}},
		judge.KnownSessions()...)
	before := judge.KnownSessions
	judge.KnownSessions = func() judge.Sessions { return known }
	t.Cleanup(func() { judge.KnownSessions = before })
	return st, run
}
