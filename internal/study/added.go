package study

import (
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/report"
)

// added returns the parts of a run's report about the study and its claims.
func (v *page) added() report.Added {
	c := v.Claims
	a := report.Added{Question: c.Question + v.leftOut(), Answer: v.dearness(), JSON: c.json(),
		BelowAnswer: []document.Section{v.costs()}}
	figures := v.publishedFigures(true)
	figures.On, figures.Folded = document.OnPage, true
	a.BelowFindings = []document.Section{v.claims(), figures}
	if t := c.factors(); len(t.Rows) > 0 {
		a.BelowAnswer = slices.Insert(a.BelowAnswer, 0, document.Section{
			ID: "article", Title: "The article’s claims: " + c.counts(), On: document.OnPage, Blocks: []document.Block{t}})
	}
	if c.published() > 0 {
		text := fmt.Sprintf("%s: %s", document.Count(c.published(), "published claim"), c.counts())
		if c.Changed {
			text += "; they were changed after this run was planned"
		}
		a.Closing = []document.Item{{Label: "Article", Text: document.Plain(text)}}
	}
	for i := range c.Outcomes {
		a.Tables = append(a.Tables, c.Outcomes[i].Metric.Name)
	}
	return a
}

// leftOut says which of the study's contestants the run did not measure.
func (v *page) leftOut() string {
	const named = 4
	var names []string
	for _, n := range v.Claims.LeftOut {
		names = append(names, v.Title(n))
	}
	for _, r := range v.Rows() {
		if _, gone := v.Claims.Unavailable[r.Name]; !gone && r.Failure != nil && r.Failure.Unavailable() {
			names = append(names, r.Title)
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > named:
		return fmt.Sprintf(" This run leaves out %d of the study’s contestants.", n)
	}
	return " This run leaves out " + document.Clean(report.And(names)) + "."
}

// factors has a row for each claim with a published and a measured factor.
func (c *Claims) factors() document.Table {
	t := document.Table{Columns: []document.Column{{Head: "claimed", Lead: true},
		{Head: "published", Number: true}, {Head: "measured", Number: true}}}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		if o.Claim.Counts() && o.Claim.Kind == Ratio && len(o.Shown) == 1 && o.Verdict != NotTestable {
			e := o.Shown[0].Estimate
			value, side := report.RatioParts(e.Value, e.Lo, e.Hi)
			t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{
				{Value: claimMarks[o.Verdict].icon + " " + o.Claim.Text}, {Value: publishedText(o)},
				{Value: value + " ×", Side: side, Style: claimMarks[o.Verdict].style}}})
		}
	}
	return t
}
