package study

import (
	"cmp"
	"io"

	"dyno/internal/document"
	"dyno/internal/report"
)

// ClaimsJSON writes the claims of run.json as an object of its own.
func ClaimsJSON(w io.Writer, j *Judged) error { return document.JSON(w, j.Claims.json()) }

type object = map[string]any

// objects returns a JSON object for each element of a list.
func objects[T any](list []T, of func(*T) object) []object {
	out := make([]object, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

// json returns the claims of a run's study; doc/format.md has the keys.
func (c *Claims) json() object {
	o := object{"study": c.Slug, "question": document.OrNull(c.Question), "source": c.Source,
		"published_on": c.PublishedOn,
		"trials":       c.File, "changed_after_the_run": c.Changed, "outcomes": objects(c.Outcomes, c.outcomeJSON)}
	o["figures"] = objects(c.Published, func(p *published) object {
		numbers := report.EstimateNumbers(p.Ours, p.Ours.N == 0)
		numbers["published"] = p.Base
		return report.InUnit(p.Metric.Unit, numbers, object{"contestant": p.Contestant,
			"level": document.OrNull(p.Level), "metric": p.Metric.Name,
			"requests": p.N, "to": document.OrNull(p.To.String()), "more_is_better": p.Metric.More,
			"date":   document.OrNull(p.Date),
			"source": document.OrNull(cmp.Or(p.Source, c.Source)), "place": document.OrNull(p.Place),
			"note": document.OrNull(p.Note), "computed": document.OrNull(p.Metric.Computed),
			"absent": document.OrNull(p.Absent)})
	})
	if len(c.Withdrawn) > 0 {
		o["withdrawn"] = objects(c.Withdrawn, func(w *Claim) object { return object{"id": w.ID, "why": w.Withdrawn} })
	}
	if len(c.Costs) > 0 {
		o["costs"] = objects(c.Costs, func(x *cost) object {
			return report.InUnit("ns", report.EstimateNumbers(x.More, x.More.N == 0), object{"contestant": x.Contestant,
				"level": x.Level, "base": x.Base, "epochs": x.More.N, "absent": document.OrNull(x.Absent)})
		})
	}
	return o
}

func (c *Claims) outcomeJSON(o *Outcome) object {
	one := object{"id": o.Claim.ID, "text": o.Claim.Text, "sentences": append([]string{}, o.Claim.Sentences...),
		"source": cmp.Or(o.Claim.Source, c.Source), "place": document.OrNull(o.Claim.Place),
		"kind": document.OrNull(o.Claim.Kind), "metric": o.Claim.Metric, "published": publishedText(o),
		"counted": o.Claim.Counts(), "verdict": o.Verdict, "reason": o.Reason, "epochs": o.Epochs}
	if o.Before != "" {
		one["verdict_before_amendment"] = o.Before
	}
	if len(o.Elsewhere) > 0 {
		one["elsewhere"] = objects(o.Elsewhere, func(x *Elsewhere) object {
			there := c.outcomeJSON(&x.Outcome)
			there["where"], there["cpu"] = x.Where, document.OrNull(x.CPU)
			return there
		})
	}
	restsOn := map[bool]string{false: "epochs", true: "sessions"}[o.Sessions > 0]
	one["ours"] = objects(o.Shown, func(s *Shown) object {
		return report.InUnit(s.Unit, report.EstimateNumbers(s.Estimate, false),
			object{"what": s.What, restsOn: s.Estimate.N})
	})
	one["warnings"] = objects(o.Warnings, func(w *Warning) object {
		return object{"id": w.ID, "contestant": document.OrNull(w.Contestant), "text": w.Text}
	})
	return one
}
