package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/analysis"
	"dyno/internal/claim"
	"dyno/internal/document"
)

// many is a run of more contestants than a chart shows: copies of Iris, each a little slower.
func many(n int) *Data {
	d := fixture()
	d.Run.Failures = nil
	a := d.Analysis
	for i := range n {
		name := fmt.Sprintf("copy-%02d", i)
		c := *d.Run.Contestant("iris")
		c.Name, c.Title = name, "Copy "+name
		d.Run.Contestants = append(d.Run.Contestants, c)
		d.Run.Plan.Contestants = append(d.Run.Plan.Contestants, name)
		for _, cell := range slices.Clone(a.Cells) {
			if cell.Contestant == "iris" {
				cell.Contestant = name
				cell.Level.Value *= 1 - 0.01*float64(i+1)
				a.Cells = append(a.Cells, cell)
			}
		}
		for _, p := range slices.Clone(a.Pairs) {
			if p.A == "fasthttp" && p.B == "iris" {
				p.B = name
				a.Pairs = append(a.Pairs, p)
			}
		}
		place := a.Places[2]
		place.Contestant = name
		a.Order, a.Places = append(a.Order, name), append(a.Places, place)
	}
	return d
}

func TestChartOfMany(t *testing.T) {
	d := many(10)
	p := &paired{newView(d)}
	front := p.front()[0].(document.Choice).Options[0].Block.(document.BarChart)
	if len(front.Bars) != manyBars || !strings.Contains(front.Note, "best 12 of ") {
		t.Errorf("%d bars, %q", len(front.Bars), front.Note)
	}
	if n, want := len(front.Ratios), manyBars*(manyBars-1)/2; n != want {
		t.Errorf("%d ratios, want %d: one for each pair", n, want)
	}
	page := string(written(t, HTML, d))
	balanced(t, page)
	if !strings.Contains(page, `<section id="charts" class="folded">`) {
		t.Error("the page has no chart of all")
	}
	for _, r := range p.rows {
		if !strings.Contains(page, ">"+r.Title+"</text>") {
			t.Errorf("no bar of %s", r.Title)
		}
	}
}

// Where too few epochs leave an interval open on both sides, none is shown.
func TestChartTooEarly(t *testing.T) {
	p := &paired{newView(early())}
	c := p.front()[0].(document.Choice).Options[0].Block.(document.BarChart)
	if side := c.Bars[1].Side; strings.Contains(side, "∞") || !strings.Contains(c.Foot, "Too few epochs") ||
		len(c.Groups) > 0 {
		t.Errorf("%q, %q, %v", side, c.Foot, c.Groups)
	}
}

// A claim with a figure is drawn as published and as measured; the others are counted.
func TestShifts(t *testing.T) {
	rate, _ := claim.MetricNamed("throughput")
	shown := []claim.Shown{{What: "a ÷ b", Unit: "×", Estimate: analysis.Estimate{Value: 1.05, Lo: 1.01, Hi: 1.08,
		N: 10}}}
	c := &Claims{Outcomes: []claim.Outcome{
		{Claim: claim.Claim{Kind: claim.Ratio, Value: 2.6, Text: "A serves 2.6 times the requests of B."}, Metric: rate,
			Verdict: claim.SmallerLead, Shown: shown},
		{Claim: claim.Claim{Kind: claim.Order, Cells: []string{"a", "b"}}, Metric: rate, Verdict: claim.Confirmed,
			Shown: shown},
		{Claim: claim.Claim{Kind: claim.Ratio, Value: 2}, Metric: rate, Verdict: claim.NotTestable, Shown: shown},
	}}
	got := c.shifts()
	want := []document.Shift{{Icon: "↓", Word: "smaller lead", Style: document.Same,
		Text:  "A serves 2.6 times the requests of B.",
		Small: "2.6 → 1.05 (1.01–1.08) ×", From: 2.6, To: document.Ratio{At: 1.05, Lo: 1.01, Hi: 1.08}}}
	if diff := cmp.Diff(want, got.Shifts); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got.Rest, "2 more claims") {
		t.Errorf("%q", got.Rest)
	}
}

// TestQuestionLeftOut: the question of a study can name contestants that a run leaves out, as a quick one
// does, or that could not be built here; it says so of all.
func TestQuestionLeftOut(t *testing.T) {
	for want, names := range map[string][]string{
		"Which? This run leaves out express, fastify and aspnetcore-mvc.": {"express", "fastify"},
		"Which? This run leaves out 6 of the study’s contestants.":        {"a", "b", "c", "d", "e"},
		"Which? This run leaves out aspnetcore-mvc.":                      nil} {
		d := fixture()
		d.Claims = &Claims{Question: "Which?", LeftOut: names}
		if got := newView(d).question(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
