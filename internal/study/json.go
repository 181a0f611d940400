package study

import (
	"cmp"
	"io"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/claim"
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
	Withdrawn   []withdrawnJSON   `json:"withdrawn,omitempty"`
	Committed   *agreementJSON    `json:"committed,omitempty"`
	Figures     []map[string]any  `json:"figures"`
	Costs       []costJSON        `json:"costs,omitempty"`
	Variants    []variantJSON     `json:"variants,omitempty"`
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
	Verdict   claim.Verdict    `json:"verdict"`
	Before    claim.Verdict    `json:"verdict_before_amendment,omitempty"`
	Reason    string           `json:"reason"`
	Ours      []map[string]any `json:"ours"`
	Epochs    int              `json:"epochs"`
	Warnings  []warningJSON    `json:"warnings"`
}

type withdrawnJSON struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// agreementJSON compares the outcomes with those of the committed run.
type agreementJSON struct {
	Trials string           `json:"trials"`
	Judged int              `json:"judged_in_both"`
	Same   int              `json:"same"`
	Differ []differenceJSON `json:"differ"`
}

type differenceJSON struct {
	ID    string        `json:"id"`
	There claim.Verdict `json:"there"`
	Here  claim.Verdict `json:"here"`
}

type warningJSON struct {
	ID         string          `json:"id"`
	Contestant document.OrNull `json:"contestant"`
	Text       string          `json:"text"`
}

type costJSON struct {
	Contestant string          `json:"contestant"`
	Level      string          `json:"level"`
	Base       string          `json:"base"`
	Value      document.Number `json:"value_ns"`
	Lo         document.Number `json:"lo_ns"`
	Hi         document.Number `json:"hi_ns"`
	Epochs     int             `json:"epochs"`
	Absent     document.OrNull `json:"absent"`
}

type variantJSON struct {
	Contestant string          `json:"contestant"`
	Of         string          `json:"of"`
	What       string          `json:"what"`
	Level      string          `json:"level"`
	Value      document.Number `json:"throughput_ratio"`
	Lo         document.Number `json:"lo"`
	Hi         document.Number `json:"hi"`
	Epochs     int             `json:"epochs"`
	Absent     document.OrNull `json:"absent"`
}

// ClaimsJSON writes what run.json has under claims, as an object of its own.
func ClaimsJSON(w io.Writer, j *Judged) error { return document.JSON(w, j.Claims.json()) }

func (c *Claims) json() *studyJSON {
	o := &studyJSON{Study: c.Slug, Question: document.OrNull(c.Question), Source: c.Source, PublishedOn: c.PublishedOn,
		Trials: c.File, Changed: c.Changed,
		Outcomes: []outcomeJSON{}, Figures: []map[string]any{}}
	for i := range c.Outcomes {
		o.Outcomes = append(o.Outcomes, c.outcomeJSON(&c.Outcomes[i]))
	}
	for _, w := range c.Withdrawn {
		o.Withdrawn = append(o.Withdrawn, withdrawnJSON{w.ID, w.Withdrawn})
	}
	if a := c.Committed; a != nil {
		o.Committed = &agreementJSON{a.File, a.Judged, a.Judged - len(a.Differ), []differenceJSON{}}
		for _, d := range a.Differ {
			o.Committed.Differ = append(o.Committed.Differ, differenceJSON{d.Here.Claim.ID, d.There.Verdict, d.Here.Verdict})
		}
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
		e := x.More
		if e.N == 0 {
			e = analysis.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		}
		o.Costs = append(o.Costs, costJSON{x.Contestant, x.Level, x.Base, document.Number(e.Value), document.Number(e.Lo), document.Number(e.Hi),
			e.N,
			document.OrNull(x.Absent)})
	}
	for _, x := range c.Variants {
		e := x.Times
		if e.N == 0 {
			e = analysis.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		}
		o.Variants = append(o.Variants, variantJSON{x.Is, x.Of, x.What, x.Level, document.Number(e.Value), document.Number(e.Lo),
			document.Number(e.Hi), e.N, document.OrNull(x.Absent)})
	}
	return o
}

func (c *Claims) outcomeJSON(o *claim.Outcome) outcomeJSON {
	one := outcomeJSON{ID: o.Claim.ID, Text: o.Claim.Text, Sentences: slices.Concat([]string{}, o.Claim.Sentences),
		Source: cmp.Or(o.Claim.Source, c.Source), Place: document.OrNull(o.Claim.Place),
		Kind: document.OrNull(o.Claim.Kind), Metric: o.Claim.Metric, Published: publishedText(o), Counted: o.Claim.Counts(), Verdict: o.Verdict,
		Before: o.Before, Reason: o.Reason, Ours: []map[string]any{}, Epochs: o.Epochs,
		Warnings: []warningJSON{}}
	for _, s := range o.Shown {
		one.Ours = append(one.Ours, report.InUnit(s.Unit, report.EstimateNumbers(s.Estimate, false), map[string]any{"what": s.What,
			"epochs": s.Estimate.N}))
	}
	for _, w := range o.Warnings {
		one.Warnings = append(one.Warnings, warningJSON{w.ID, document.OrNull(w.Contestant), w.Text})
	}
	return one
}
