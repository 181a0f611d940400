package study

import (
	"fmt"
	"strings"

	"dyno/internal/document"
	"dyno/internal/report"
)

// added returns the parts of a run's report about the study and its claims.
func (v *page) added() report.Added {
	v.ByEngine()
	c := v.Claims
	a := report.Added{Question: c.Question + v.leftOut(), Answer: v.dearness(), JSON: c.json(),
		Sections: []report.Placed{{At: report.BelowAnswer, Section: v.costs()},
			{At: report.BelowAnswer, Section: v.variants()},
			{At: report.AboveLevels, Section: v.studyCharts()}, {At: report.BelowFindings, Section: v.claims()}}}
	if s := c.shifts(); len(s.Shifts) > 0 {
		a.Front = []document.Block{s}
	}
	if c.published() > 0 {
		text := fmt.Sprintf("%s: %s", document.Count(c.published(), "published claim"), c.mainCounts())
		if c.Changed {
			text += "; they were changed after this run was planned"
		}
		a.Closing = []document.Item{{Label: "Article", Text: document.Plain(text)}}
	}
	for i := range c.Charts {
		a.Charted = append(a.Charted, c.Charts[i].Metric.Name)
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		a.Tables = append(a.Tables, o.Metric.Name)
		if o.Record != "" {
			a.Closing = append(a.Closing, document.Item{Label: "Record",
				Text: document.Plain("Claimed: " + stopped(o.Claim.Text) + " " + o.Record)})
		}
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

// shifts returns the claims whose figures can be drawn, as published and as measured.
func (c *Claims) shifts() document.ShiftChart {
	out := document.ShiftChart{ID: "shifts", Title: "The article’s claims: " + c.counts(), RestLink: "claims"}
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; o.Claim.Counts() && len(out.Shifts) < report.MostBars {
			out.Shifts = append(out.Shifts, shifted(o)...)
		}
	}
	if n := c.published() - len(out.Shifts); n > 0 && len(out.Shifts) > 0 {
		out.Rest = document.Count(n, "more claim") + ", and what each outcome rests on"
	}
	return out
}

// shifted returns the line of a claim with a published and a measured factor; none of other claims.
func shifted(o *Outcome) []document.Shift {
	if o.Claim.Kind != Ratio || len(o.Shown) != 1 || o.Verdict == NotTestable {
		return nil
	}
	e, mark := o.Shown[0].Estimate, claimMarks[o.Verdict]
	return []document.Shift{{Icon: mark.icon, Word: string(o.Verdict), Style: mark.style, Text: o.Claim.Text,
		Small: strings.TrimSuffix(publishedText(o), " ×") + " → " + strings.Replace(factorText(e), " ×", "", 1) + " ×",
		From:  o.Claim.Value, To: document.Ratio{At: e.Value, Lo: e.Lo, Hi: e.Hi}}}
}
