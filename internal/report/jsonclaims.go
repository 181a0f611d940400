package report

import (
	"io"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/claim"
	"dyno/internal/document"
)

// studyJSON are the claims of a run's study; doc/format.md has its keys.
type studyJSON struct {
	Study       string            `json:"study"`
	Question    orNull            `json:"question"`
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
	Place     orNull           `json:"place"`
	Kind      orNull           `json:"kind"`
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
	ID         string `json:"id"`
	Contestant orNull `json:"contestant"`
	Text       string `json:"text"`
}

type costJSON struct {
	Contestant string `json:"contestant"`
	Level      string `json:"level"`
	Base       string `json:"base"`
	Value      number `json:"value_ns"`
	Lo         number `json:"lo_ns"`
	Hi         number `json:"hi_ns"`
	Epochs     int    `json:"epochs"`
	Absent     orNull `json:"absent"`
}

type variantJSON struct {
	Contestant string `json:"contestant"`
	Of         string `json:"of"`
	What       string `json:"what"`
	Level      string `json:"level"`
	Value      number `json:"throughput_ratio"`
	Lo         number `json:"lo"`
	Hi         number `json:"hi"`
	Epochs     int    `json:"epochs"`
	Absent     orNull `json:"absent"`
}

// ClaimsJSON writes what run.json has under claims, as an object of its own.
func ClaimsJSON(w io.Writer, d *Data) error { return document.JSON(w, claimsJSON(d.Claims)) }

func claimsJSON(c *Claims) *studyJSON {
	if c == nil {
		return nil
	}
	o := &studyJSON{Study: c.Slug, Question: orNull(c.Question), Source: c.Source, PublishedOn: c.PublishedOn,
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
		numbers := estimateNumbers(p.Ours, p.Ours.N == 0)
		numbers["published"] = p.Base
		o.Figures = append(o.Figures, inUnit(p.Metric.Unit, numbers, map[string]any{"contestant": p.Contestant,
			"level": orNull(p.Level), "metric": p.Metric.Name,
			"requests": p.N, "to": orNull(p.To.String()), "more_is_better": p.Metric.More, "date": orNull(p.Date),
			"source": orNull(orElse(p.Source, c.Source)), "place": orNull(p.Place),
			"note": orNull(p.Note), "computed": orNull(p.Metric.Computed), "absent": orNull(p.Absent)}))
	}
	for _, x := range c.Costs {
		e := x.More
		if e.N == 0 {
			e = analysis.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		}
		o.Costs = append(o.Costs, costJSON{x.Contestant, x.Level, x.Base, number(e.Value), number(e.Lo), number(e.Hi),
			e.N,
			orNull(x.Absent)})
	}
	for _, x := range c.Variants {
		e := x.Times
		if e.N == 0 {
			e = analysis.Estimate{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		}
		o.Variants = append(o.Variants, variantJSON{x.Is, x.Of, x.What, x.Level, number(e.Value), number(e.Lo),
			number(e.Hi), e.N, orNull(x.Absent)})
	}
	return o
}

func (c *Claims) outcomeJSON(o *claim.Outcome) outcomeJSON {
	one := outcomeJSON{ID: o.Claim.ID, Text: o.Claim.Text, Sentences: slices.Concat([]string{}, o.Claim.Sentences),
		Source: orElse(o.Claim.Source, c.Source), Place: orNull(o.Claim.Place),
		Kind: orNull(o.Claim.Kind), Metric: o.Claim.Metric, Published: publishedText(o), Counted: o.Claim.Counts(), Verdict: o.Verdict,
		Before: o.Before, Reason: o.Reason, Ours: []map[string]any{}, Epochs: o.Epochs,
		Warnings: []warningJSON{}}
	for _, s := range o.Shown {
		one.Ours = append(one.Ours, inUnit(s.Unit, estimateNumbers(s.Estimate, false), map[string]any{"what": s.What,
			"epochs": s.Estimate.N}))
	}
	for _, w := range o.Warnings {
		one.Warnings = append(one.Warnings, warningJSON{w.ID, orNull(w.Contestant), w.Text})
	}
	return one
}
