package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/judge"
)

// Evidence gives a run's results by cell. A cell without a figure, for example at a level that the
// run did not load, is Missing.
type Evidence interface {
	// Missing returns why a cell has no valid figure under a metric, and the resulting outcome:
	// NotTestable, NotRun, Unavailable or Inconclusive; "" if it has one.
	Missing(c Cell, metric string) (Verdict, string)
	// Moves says how a cell still changes within an epoch, so that its figure depends on when it is
	// measured; "" if it does not. Compare allows for it.
	Moves(c Cell, metric string) string
	// Level returns a cell's value, in base units.
	Level(c Cell, metric string) judge.Estimate
	// Range returns the smallest and the largest of a cell's epochs, RatioRange the same for its
	// ratio to another cell within rounds. ok is false below FewEpochs epochs.
	Range(c Cell, metric string) (least, most float64, ok bool)
	RatioRange(a, b Cell, metric string) (least, most float64, ok bool)
	// Compare returns the ratio a over b.
	Compare(a, b Cell, metric string) Comparison
	// Warnings returns the checks that a cell, or the whole run, did not pass.
	Warnings(c Cell, metric string) []Warning
	// Margin returns the share within which the run considers two values equal.
	Margin() float64
}

// FewEpochs is the smallest number of epochs whose range replaces an interval.
const FewEpochs = 3

// Shown is a figure from the run that is displayed with a claim.
type Shown struct {
	What     string // "iris ÷ kestrel", "iris", "drop of go-relay @ r100"
	Unit     string // "×", "%", contestants, or the metric's unit
	Estimate judge.Estimate
}

// Outcome is a claim as judged by one run.
type Outcome struct {
	Claim    Claim
	Metric   Metric
	Verdict  Verdict
	Reason   string
	Shown    []Shown
	Place    string  // on which CPUs the servers ran, as judge.OnCPUs says
	Epochs   int     // the fewest epochs behind a shown figure; 0 if none is shown
	Sessions int     // the fewest sessions, if figures rest on these in place of epochs
	Before   Verdict // outcome under the claim as planned, if it was amended after the run; else ""
	Warnings []Warning
	// Elsewhere has the outcome at levels that are as published and otherwise the same, if there is one and this is not
	// it, and those in other sessions, where all of the claim's pairs are known.
	Elsewhere []Elsewhere
}

// Warning is a check that did not pass. Contestant is "" if it concerns the whole run.
type Warning struct{ ID, Contestant, Text string }

// Judge returns the outcomes of the claims, in their order. The claims must have passed Check.
func Judge(claims []Claim, e Evidence) []Outcome {
	out := make([]Outcome, len(claims))
	for i := range claims {
		out[i] = outcomeOf(&claims[i], e)
	}
	return out
}

// gravity orders the outcomes for claims without figures: among several reasons the last in this
// order counts.
var gravity = []Verdict{Inconclusive, NotRun, NotTestable}

// outcomeOf decides one claim. A claim that no run can judge keeps that reason; its figures are
// shown anyway if the run has them.
func outcomeOf(c *Claim, e Evidence) Outcome {
	m, _ := MetricNamed(c.Metric)
	o := Outcome{Claim: *c, Metric: m}
	o.missing(c, e)
	why := cmp.Or(c.NotTestable, m.Ours)
	if why != "" && o.Verdict != "" {
		o.Verdict, o.Reason = NotTestable, why // whatever else this run lacks
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
		reason += "; the run was not planned to compare some of the pairs"
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

// missing sets the outcome if a claim lacks figures, by the most serious reason. A claim on many
// cells ignores cells without figures, unless the run did not load them.
func (o *Outcome) missing(c *Claim, e Evidence) {
	if c.NotTestable != "" && c.Kind == "" {
		o.Verdict, o.Reason = NotTestable, c.NotTestable
		return
	}
	for _, cell := range c.All() {
		v, why := e.Missing(cell, c.Metric)
		switch {
		case v == Unavailable && c.many():
			continue
		case v == Unavailable:
			v = NotRun
		}
		if moves := e.Moves(cell, c.Metric); v == "" && moves != "" && len(c.Pairs()) == 0 {
			v, why = Inconclusive, moves
		}
		if v == "" || v != NotRun && c.many() {
			continue
		}
		if slices.Index(gravity, v) > slices.Index(gravity, o.Verdict) {
			o.Verdict, o.Reason = v, cell.String()+": "+why
		}
	}
}

// warn adds the checks that did not pass; for a claim on many cells only checks on the whole run.
func (o *Outcome) warn(c *Claim, e Evidence) {
	if len(o.Shown) == 0 {
		return
	}
	for _, cell := range c.All() {
		for _, w := range e.Warnings(cell, c.Metric) {
			if !slices.Contains(o.Warnings, w) && (!c.many() || w.Contestant == "") {
				o.Warnings = append(o.Warnings, w)
			}
		}
	}
}

// rule adds the figures that the claim depends on, and judges them by the rule for its kind.
func (o *Outcome) rule(c *Claim, e Evidence, pairs []Pair, of []Comparison) (Verdict, string) {
	judged := e.Margin()
	margin := cmp.Or(c.Margin, judged)
	for i, p := range pairs {
		if c.Kind == Drop {
			o.show("drop from "+p.B.String()+" to "+p.A.String(), "%", dropOf(of[i].Ratio))
		} else {
			o.show(p.A.String()+" ÷ "+p.B.String(), "×", of[i].Ratio)
		}
	}
	switch c.Kind {
	case Ratio:
		return ofRatio(of[0], c.Value, c.Within, judged)
	case Order:
		return ofOrder(pairs, of, o.Metric.More, judged)
	case Equal:
		return ofEqual(of[0], margin, judged)
	case Trend:
		if len(c.Over) == 0 {
			return ofTrend(of, c.Direction, margin, judged)
		}
		v, why := ofTrend(quotients(of), c.Direction, margin, judged)
		return ofLead(of, c.Direction, judged, v, why)
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
	case Most, AllCells:
		return o.count(c, e)
	case Spread:
		return o.spread(c, e)
	case Repeats:
		return o.repeats(c, e)
	}
	return "", ""
}

// widening is the factor by which a range over a few epochs is widened when it replaces an
// interval. There are too few epochs for an interval, but a limit may be far enough away.
const widening = 1.25

// bound judges a value by its interval or, with few epochs, by their widened range.
func (o *Outcome) bound(c *Claim, e Evidence) (Verdict, string) {
	cell := ParseCell(c.A)
	level := e.Level(cell, c.Metric)
	o.show(c.A, o.Metric.Unit, level)
	least, most, ok := e.Range(cell, c.Metric)
	if !ok || !math.IsInf(level.Lo, 0) || !math.IsInf(level.Hi, 0) {
		return ofBound(level, c.AtLeast, c.AtMost)
	}
	level.Lo, level.Hi = least/widening, most*widening
	v, why := ofBound(level, c.AtLeast, c.AtMost)
	return v, fmt.Sprintf("%s; interval assumed: the range of %d epochs, widened by a factor of %v on either side",
		why, level.N, widening)
}

// show adds a figure to display with the claim.
func (o *Outcome) show(what, unit string, e judge.Estimate) {
	o.Shown = append(o.Shown, Shown{what, unit, e})
}

// quotients returns the steps in a trend of ratios and, if there are several, also the last ratio
// over the first.
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
