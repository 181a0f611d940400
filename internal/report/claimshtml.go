package report

import (
	_ "embed"
	"html/template"

	"dyno/internal/claim"
)

//go:embed claims.tmpl
var claimsTemplate string

//go:embed claims.css
var claimsStyle string

// claimsPage is what the page shows of a study's claims.
type claimsPage struct {
	Style                   template.CSS
	Counts, Source, Changed string
	Rows                    []claimRow
	Figures                 []figureRow
}

type claimRow struct {
	Class, Verdict, Text, Place, Note, Published, Metric, Because string
	Ours                                                          []string
}

type figureRow struct{ Who, Metric, Better, Published, Date, Ours, How string }

var claimClass = map[claim.Verdict]string{
	claim.Confirmed: "pass", claim.SmallerLead: "warn", claim.LargerLead: "warn", claim.SameDirection: "warn",
	claim.Contradicted: "fail",
}

func (v *view) claimsPage() *claimsPage {
	c := v.Claims
	if c == nil || len(c.Outcomes) == 0 {
		return nil
	}
	p := &claimsPage{Style: template.CSS(claimsStyle), Counts: hereToday + c.counts(), Source: Clean(c.Source)}
	if c.Changed {
		p.Changed = changedText
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		row := claimRow{Class: claimClass[o.Verdict], Verdict: claimIcon[o.Verdict] + " " + string(o.Verdict), Text: Clean(o.Claim.Text), Place: whereText(o), Note: Clean(o.Claim.Note),
			Published: publishedText(o), Because: evidenceText(o)}
		if o.Claim.Kind != "" {
			row.Metric = lower(o.Metric.Title)
		}
		for _, s := range o.Shown {
			row.Ours = append(row.Ours, shownText(s))
		}
		p.Rows = append(p.Rows, row)
	}
	for i := range c.Published {
		f := &c.Published[i]
		p.Figures = append(p.Figures, figureRow{Who: Clean(f.Cell.String()), Metric: f.Metric.Title, Better: better(f.Metric), Published: f.theirs(), Date: Clean(f.Date),
			Ours: f.ours(), How: f.Metric.Computed})
	}
	return p
}
