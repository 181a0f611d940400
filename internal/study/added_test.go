package study

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// A claim with a factor stands as published and as measured; the others are counted.
func TestFactors(t *testing.T) {
	rate, _ := MetricNamed("throughput")
	shown := []Shown{{What: "a ÷ b", Unit: "×", Estimate: judge.Estimate{Value: 1.05, Lo: 1.01, Hi: 1.08,
		N: 10}}}
	c := &Claims{Outcomes: []Outcome{
		{Claim: Claim{Kind: Ratio, Value: 2.6, Text: "A serves 2.6 times the requests of B."}, Metric: rate,
			Verdict: SmallerLead, Shown: shown},
		{Claim: Claim{Kind: Order, Cells: []string{"a", "b"}}, Metric: rate, Verdict: Confirmed,
			Shown: shown},
		{Claim: Claim{Kind: Ratio, Value: 2}, Metric: rate, Verdict: NotTestable, Shown: shown},
	}}
	want := []document.Row{{Cells: []document.Cell{{Value: "↓ A serves 2.6 times the requests of B."}, {Value: "2.6 ×"},
		{Value: "1.05 ×", Side: "(1.01–1.08)", Style: document.Same}}}}
	got := c.factors()
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(c.counts(), "1 confirmed, 1 smaller lead, 1 not testable") {
		t.Errorf("%q", c.counts())
	}
}

// TestQuestionLeftOut: a study's question may name contestants that a run leaves out, as a quick
// one does, or that could not be built here; the page names all of them.
func TestQuestionLeftOut(t *testing.T) {
	for want, names := range map[string][]string{
		"Which? This run leaves out express, fastify and aspnetcore-mvc.": {"express", "fastify"},
		"Which? This run leaves out 6 of the study’s contestants.":        {"a", "b", "c", "d", "e"},
		"Which? This run leaves out aspnetcore-mvc.":                      nil} {
		d := &report.Data{Results: judge.Results{Run: &record.Run{Failures: []record.Failure{{Contestant: "aspnetcore-mvc", Stage: "toolchain"}}}}}
		d.Run.Plan.Contestants = []string{"gin", "aspnetcore-mvc"}
		if got := newPage(&Judged{Data: d, Claims: &Claims{Question: "Which?",
			LeftOut: names}}).added().Question; got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
