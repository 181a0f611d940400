package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/analysis"
)

// Evidence is what a run says, cell by cell. A cell of a claim whose level the run did not load, and so on, is Missing.
type Evidence interface {
	// Missing says why a cell has no figure of a metric that counts, and what outcome that makes: NotTestable, NotRun,
	// Inconclusive, or "" where it has one.
	Missing(c Cell, metric string) (Verdict, string)
	// Level is the value of a cell, in base units.
	Level(c Cell, metric string) analysis.Estimate
	// Range is the least and the most of a cell's epochs, RatioRange of its ratio to another within rounds; ok is
	// false where there are less than FewEpochs.
	Range(c Cell, metric string) (least, most float64, ok bool)
	RatioRange(a, b Cell, metric string) (least, most float64, ok bool)
	// Compare is a's value over b's.
	Compare(a, b Cell, metric string) Comparison
	// Warnings are the checks that did not pass, of those that say something of a cell.
	Warnings(c Cell, metric string) []Warning
	// Margin is that of the run's ties, as a share.
	Margin() float64
}

// FewEpochs is the number of epochs from which on their range says something, where there are too few for an interval.
const FewEpochs = 3

// Shown is one of our figures beside a claim.
type Shown struct {
	What     string // "iris ÷ kestrel", "iris", "drop of go-relay @ r100"
	Unit     string // "×", "%", contestants, or the metric's
	Estimate analysis.Estimate
}

// Outcome is a claim and what our trials say of it, here and today.
type Outcome struct {
	Claim    Claim
	Metric   Metric
	Verdict  Verdict
	Reason   string
	Shown    []Shown
	Epochs   int // the fewest that one of the figures rests on; 0 for what has no interval
	Warnings []Warning
}

// Warning is a check that did not pass, of a contestant or of the whole run.
type Warning struct{ ID, Contestant, Text string }

// Judge gives each claim its outcome, in their order. The claims have passed Check.
func Judge(claims []Claim, e Evidence) []Outcome {
	out := make([]Outcome, len(claims))
	for i := range claims {
		out[i] = judge(&claims[i], e)
	}
	return out
}

// gravity orders the reasons for which a claim has no figures: of several the gravest is told.
var gravity = []Verdict{Inconclusive, NotRun, NotTestable}

func judge(c *Claim, e Evidence) Outcome {
	m, _ := MetricNamed(c.Metric)
	o := Outcome{Claim: *c, Metric: m}
	o.missing(c, e)
	why := cmp.Or(c.NotTestable, m.Ours)
	if why != "" && o.Verdict != "" {
		o.Verdict, o.Reason = NotTestable, why // whatever this run lacks
	}
	if o.Verdict == NotRun || o.Verdict == NotTestable {
		return o
	}
	var of []Comparison
	pairs := c.Pairs()
	for _, p := range pairs {
		of = append(of, e.Compare(p.A, p.B, c.Metric))
	}
	verdict, reason := o.rule(c, e, pairs, of)
	if slices.ContainsFunc(of, func(c Comparison) bool { return c.Unplanned }) && verdict != Inconclusive {
		reason += "; some pairs were not planned to be compared"
	}
	o.Shown = slices.DeleteFunc(o.Shown, func(s Shown) bool { return s.Estimate.N == 0 })
	switch {
	case why != "":
		o.Verdict, o.Reason = NotTestable, why
	case o.Verdict == "":
		o.Verdict, o.Reason = verdict, reason
	}
	o.warn(c, e)
	for _, s := range o.Shown {
		if o.Epochs == 0 || s.Estimate.N < o.Epochs {
			o.Epochs = s.Estimate.N
		}
	}
	return o
}

// missing gives a claim without figures its outcome: that of the gravest of the reasons. One that counts cells counts
// those that were to be loaded and have no figure as open.
func (o *Outcome) missing(c *Claim, e Evidence) {
	if c.NotTestable != "" && c.Kind == "" {
		o.Verdict, o.Reason = NotTestable, c.NotTestable
		return
	}
	for _, cell := range c.All() {
		v, why := e.Missing(cell, c.Metric)
		if v == "" || v != NotRun && c.Kind == Most {
			continue
		}
		if slices.Index(gravity, v) > slices.Index(gravity, o.Verdict) {
			o.Verdict, o.Reason = v, cell.String()+": "+why
		}
	}
}

// warn adds the checks that did not pass; of a claim that counts many cells, those of the whole run.
func (o *Outcome) warn(c *Claim, e Evidence) {
	if len(o.Shown) == 0 {
		return
	}
	for _, cell := range c.All() {
		for _, w := range e.Warnings(cell, c.Metric) {
			if !slices.Contains(o.Warnings, w) && (c.Kind != Most || w.Contestant == "") {
				o.Warnings = append(o.Warnings, w)
			}
		}
	}
}

// rule shows the figures that the claim rests on and judges them.
func (o *Outcome) rule(c *Claim, e Evidence, pairs []Pair, of []Comparison) (Verdict, string) {
	judged := e.Margin()
	margin := cmp.Or(c.Margin, judged)
	for i, p := range pairs {
		switch {
		case c.Kind == Drop:
			o.show("drop from "+p.B.String()+" to "+p.A.String(), "%", dropOf(of[i].Ratio))
		default:
			o.show(p.A.String()+" ÷ "+p.B.String(), "×", of[i].Ratio)
		}
	}
	switch c.Kind {
	case Ratio:
		return ofRatio(of[0], c.Value, c.Within, judged)
	case Order:
		return ofOrder(pairs, of, o.Metric.More, judged)
	case Tie:
		return ofTie(of[0], margin, judged)
	case Trend:
		way := of
		if len(c.Over) > 0 {
			way = quotients(of)
		}
		last := len(way) - 1
		v, why := ofTrend(way[:last], way[last], c.Direction, margin, judged)
		if len(c.Over) > 0 {
			return ofLead(of, c.Direction, judged, v, why)
		}
		return v, why
	case Drop:
		switch {
		case len(c.Than) > 0:
			return ofExcess(of[0], of[1], judged)
		case c.AtLeast != nil || c.AtMost != nil:
			return ofWorst(of, c.AtLeast, c.AtMost)
		}
		return ofDrop(of[0], c.Value, c.Within, judged)
	case Bound:
		return o.bound(c, e)
	case Most:
		return o.most(c, e)
	}
	return "", ""
}

// spread is the factor by which the range of a few epochs is widened where it stands for an interval: there are too
// few for one, but a limit may be far enough away.
const spread = 1.25

// bound judges a level by its interval or, of few epochs, by their range, widened.
func (o *Outcome) bound(c *Claim, e Evidence) (Verdict, string) {
	cell := ParseCell(c.A)
	level := e.Level(cell, c.Metric)
	o.show(c.A, o.Metric.Unit, level)
	least, most, ok := e.Range(cell, c.Metric)
	if !ok || !math.IsInf(level.Lo, 0) || !math.IsInf(level.Hi, 0) {
		return ofBound(level, c.AtLeast, c.AtMost)
	}
	level.Lo, level.Hi = least/spread, most*spread
	v, why := ofBound(level, c.AtLeast, c.AtMost)
	return v, fmt.Sprintf("%s, taking for it the range of %d epochs and a factor of %v on either side",
		why, level.N, spread)
}

func (o *Outcome) show(what, unit string, e analysis.Estimate) {
	o.Shown = append(o.Shown, Shown{what, unit, e})
}

// quotients are the steps of a trend of ratios, and its whole way last where there are more steps than one.
func quotients(of []Comparison) []Comparison {
	var out []Comparison
	for i := range len(of) - 1 {
		out = append(out, quotient(of[i+1], of[i]))
	}
	if len(out) > 1 {
		out = append(out, quotient(of[len(of)-1], of[0]))
	}
	return out
}
