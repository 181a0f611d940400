package study

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/report"
)

// A claim that the run confirms may be open in other sessions, and contradicted on another model of CPU; both are said
// beside it.
func TestClaimsInOtherSessions(t *testing.T) {
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
	defer func() { judge.KnownSessions = before }()
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
	if o := of("tie"); o.Verdict != Confirmed || len(o.Elsewhere) != 1 || !o.Elsewhere[0].Own ||
		o.Elsewhere[0].Verdict != Inconclusive || o.Label() != "✓ confirmed, not everywhere" {
		t.Errorf("equal within the run: %s, %+v", o.Label(), o.Elsewhere)
	}
	if o := of("ratio"); len(o.Elsewhere) != 2 || o.Elsewhere[0].Verdict != SameDirection || o.Elsewhere[1].Verdict != Contradicted ||
		o.Elsewhere[1].Shown[0].Estimate.N != 1 || math.Abs(o.Elsewhere[1].Shown[0].Estimate.Value-1/1.5) > 1e-9 || !o.differs() {
		t.Errorf("%+v", o.Elsewhere)
	}
	if o := of("memory"); o.Elsewhere != nil {
		t.Errorf("memory: %+v", o.Elsewhere)
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
	for _, want := range []string{"By its interval for other sessions on this model of CPU: inconclusive, fast @ late ÷ slow @ late 1.00 × (",
		"By 1 session on y, family 2: contradicted, 0.667 × (", "not everywhere)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
