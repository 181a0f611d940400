package study

import (
	"cmp"
	"io"
	"slices"

	"dyno/internal/document"
	"dyno/internal/report"
)

// studyJSON are the claims of a run's study; doc/format.md has its keys.
type studyJSON struct {
	Study       string            `json:"study"`
	Question    document.OrNull   `json:"question"`
	Source      string            `json:"source"`
	PublishedOn map[string]string `json:"published_on"`
	Trials      string            `json:"trials"`
	Changed     bool              `json:"changed_after_the_run"`
	Outcomes    []outcomeJSON     `json:"outcomes"`
	Withdrawn   []map[string]any  `json:"withdrawn,omitempty"`
	Committed   map[string]any    `json:"committed,omitempty"`
	Figures     []map[string]any  `json:"figures"`
	Costs       []map[string]any  `json:"costs,omitempty"`
	Variants    []map[string]any  `json:"variants,omitempty"`
}

type outcomeJSON struct {
	ID        string           `json:"id"`
	Text      string           `json:"text"`
	Sentences []string         `json:"sentences"`
	Source    string           `json:"source"`
	Place     document.OrNull  `json:"place"`
	Kind      document.OrNull  `json:"kind"`
	Metric    string           `json:"metric"`
	Published string           `json:"published"`
	Counted   bool             `json:"counted"` // among the published claims
	Verdict   Verdict          `json:"verdict"`
	Before    Verdict          `json:"verdict_before_amendment,omitempty"`
	Reason    string           `json:"reason"`
	Ours      []map[string]any `json:"ours"`
	Epochs    int              `json:"epochs"`
	Warnings  []map[string]any `json:"warnings"`
}

// ClaimsJSON writes the claims of run.json as an object of its own.
func ClaimsJSON(w io.Writer, j *Judged) error { return document.JSON(w, j.Claims.json()) }

func (c *Claims) json() *studyJSON {
	o := &studyJSON{Study: c.Slug, Question: document.OrNull(c.Question), Source: c.Source, PublishedOn: c.PublishedOn,
		Trials: c.File, Changed: c.Changed,
		Outcomes: []outcomeJSON{}, Figures: []map[string]any{}}
	for i := range c.Outcomes {
		o.Outcomes = append(o.Outcomes, c.outcomeJSON(&c.Outcomes[i]))
	}
	for _, w := range c.Withdrawn {
		o.Withdrawn = append(o.Withdrawn, map[string]any{"id": w.ID, "why": w.Withdrawn})
	}
	if a := c.Committed; a != nil {
		differ := []map[string]any{}
		for _, d := range a.Differ {
			differ = append(differ, map[string]any{"id": d.Here.Claim.ID, "there": d.There.Verdict, "here": d.Here.Verdict})
		}
		o.Committed = map[string]any{"trials": a.File, "judged_in_both": a.Judged, "same": a.Judged - len(a.Differ), "differ": differ}
	}
	for i := range c.Published {
		p := &c.Published[i]
		numbers := report.EstimateNumbers(p.Ours, p.Ours.N == 0)
		numbers["published"] = p.Base
		o.Figures = append(o.Figures, report.InUnit(p.Metric.Unit, numbers, map[string]any{"contestant": p.Contestant,
			"level": document.OrNull(p.Level), "metric": p.Metric.Name,
			"requests": p.N, "to": document.OrNull(p.To.String()), "more_is_better": p.Metric.More, "date": document.OrNull(p.Date),
			"source": document.OrNull(cmp.Or(p.Source, c.Source)), "place": document.OrNull(p.Place),
			"note": document.OrNull(p.Note), "computed": document.OrNull(p.Metric.Computed), "absent": document.OrNull(p.Absent)}))
	}
	for _, x := range c.Costs {
		o.Costs = append(o.Costs, report.InUnit("ns", report.EstimateNumbers(x.More, x.More.N == 0), map[string]any{
			"contestant": x.Contestant, "level": x.Level, "base": x.Base, "epochs": x.More.N, "absent": document.OrNull(x.Absent)}))
	}
	for _, x := range c.Variants {
		e := report.EstimateNumbers(x.Times, x.Times.N == 0)
		o.Variants = append(o.Variants, map[string]any{"contestant": x.Is, "of": x.Of, "what": x.What, "level": x.Level,
			"throughput_ratio": document.Number(e["value"]), "lo": document.Number(e["lo"]), "hi": document.Number(e["hi"]),
			"epochs": x.Times.N, "absent": document.OrNull(x.Absent)})
	}
	return o
}

func (c *Claims) outcomeJSON(o *Outcome) outcomeJSON {
	one := outcomeJSON{ID: o.Claim.ID, Text: o.Claim.Text, Sentences: slices.Concat([]string{}, o.Claim.Sentences),
		Source: cmp.Or(o.Claim.Source, c.Source), Place: document.OrNull(o.Claim.Place),
		Kind: document.OrNull(o.Claim.Kind), Metric: o.Claim.Metric, Published: publishedText(o), Counted: o.Claim.Counts(), Verdict: o.Verdict,
		Before: o.Before, Reason: o.Reason, Ours: []map[string]any{}, Epochs: o.Epochs,
		Warnings: []map[string]any{}}
	for _, s := range o.Shown {
		one.Ours = append(one.Ours, report.InUnit(s.Unit, report.EstimateNumbers(s.Estimate, false), map[string]any{"what": s.What,
			"epochs": s.Estimate.N}))
	}
	for _, w := range o.Warnings {
		one.Warnings = append(one.Warnings, map[string]any{"id": w.ID, "contestant": document.OrNull(w.Contestant), "text": w.Text})
	}
	return one
}
