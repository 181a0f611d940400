package article

import (
	"cmp"
	"slices"

	"dyno/internal/analysis"
)

// Evidence is what a run says, cell by cell. A cell of a claim whose level the run did not load, and so on, is Missing.
type Evidence interface {
	// Missing says why a cell has no figure of a metric that counts, and what verdict that makes: NotTestable, NotRun, Undecided, or "" where it has one.
	Missing(c Cell, metric string) (Verdict, string)
	// Level is the value of a cell, in base units.
	Level(c Cell, metric string) analysis.Estimate
	// Compare is a's value over b's.
	Compare(a, b Cell, metric string) Comparison
	// Warnings are the checks that did not pass, of those that say something of a cell.
	Warnings(c Cell, metric string) []Warning
	// Margin is that of the run's ties, as a share.
	Margin() float64
}

// Shown is one of our figures beside a claim.
type Shown struct {
	What     string // "iris ÷ kestrel", "iris", "drop of go-relay @ r100"
	Unit     string // "×", "%", or the metric's
	Estimate analysis.Estimate
}

// Outcome is a claim and what our trials say of it.
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

// Judge gives each claim its verdict, in their order. The claims have passed Check.
func Judge(claims []Claim, e Evidence) []Outcome {
	out := make([]Outcome, len(claims))
	for i := range claims {
		out[i] = judge(&claims[i], e)
	}
	return out
}

// gravity orders the reasons for which a claim has no figures: of several the gravest is told.
var gravity = []Verdict{Undecided, NotRun, NotTestable}

func judge(c *Claim, e Evidence) Outcome {
	m, _ := MetricNamed(c.Metric)
	o := Outcome{Claim: *c, Metric: m}
	for _, cell := range c.All() {
		if v, why := e.Missing(cell, c.Metric); v != "" && slices.Index(gravity, v) > slices.Index(gravity, o.Verdict) {
			o.Verdict, o.Reason = v, cell.String()+": "+why
		}
	}
	if o.Verdict != "" && o.Verdict != Undecided {
		return o
	}
	var of []Comparison
	pairs := c.Pairs()
	for _, p := range pairs {
		of = append(of, e.Compare(p.A, p.B, c.Metric))
	}
	verdict, reason := o.rule(c, e, pairs, of)
	o.Shown = slices.DeleteFunc(o.Shown, func(s Shown) bool { return s.Estimate.N == 0 })
	if o.Verdict == "" {
		o.Verdict, o.Reason = verdict, reason
	}
	for _, cell := range c.All() {
		for _, w := range e.Warnings(cell, c.Metric) {
			if !slices.Contains(o.Warnings, w) && len(o.Shown) > 0 {
				o.Warnings = append(o.Warnings, w)
			}
		}
	}
	for _, s := range o.Shown {
		if o.Epochs == 0 || s.Estimate.N < o.Epochs {
			o.Epochs = s.Estimate.N
		}
	}
	return o
}

// rule shows the figures that the claim rests on and judges them.
func (o *Outcome) rule(c *Claim, e Evidence, pairs []Pair, of []Comparison) (Verdict, string) {
	margin := cmp.Or(c.Margin, e.Margin())
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
		return ofRatio(of[0], c.Value, c.Within)
	case Order:
		return ofOrder(pairs, of, o.Metric.More)
	case Tie:
		return ofTie(of[0], margin, e.Margin())
	case Trend:
		if len(c.Over) > 0 {
			of = quotients(of, e.Margin())
		}
		if len(of) == 1 {
			return ofTrend(nil, of[0], c.Direction, margin, e.Margin())
		}
		return ofTrend(of[:len(of)-1], of[len(of)-1], c.Direction, margin, e.Margin())
	case Drop:
		if len(c.Than) > 0 {
			return ofExcess(quotient(of[0], of[1], e.Margin()))
		}
		return ofDrop(of[0], c.Value, c.Within, c.AtLeast, c.AtMost)
	default:
		level := e.Level(ParseCell(c.A), c.Metric)
		o.show(c.A, o.Metric.Unit, level)
		return ofBound(level, c.AtLeast, c.AtMost)
	}
}

func (o *Outcome) show(what, unit string, e analysis.Estimate) {
	o.Shown = append(o.Shown, Shown{what, unit, e})
}

// quotients are the steps of a trend of ratios, and its whole way last where there are more steps than one.
func quotients(of []Comparison, margin float64) []Comparison {
	var out []Comparison
	for i := range len(of) - 1 {
		out = append(out, quotient(of[i+1], of[i], margin))
	}
	if len(out) > 1 {
		out = append(out, quotient(of[len(of)-1], of[0], margin))
	}
	return out
}
