package claim

import (
	"fmt"
	"math"

	"dyno/internal/analysis"
	"dyno/internal/stats"
)

// Everyone, in a cell of a claim of kind Most, means each contestant of the study at the level: "*
// @ 30ms c1000".
const Everyone = "*"

// Contestants is the unit of the number of contestants that have a property.
const Contestants = "contestants"

// span is a figure of a cell with its interval or, with too few epochs for one, their range.
// Without a figure the range is unbounded and at is NaN.
type span struct{ at, lo, hi float64 }

// unknown is the span where there is no figure.
var unknown = span{math.NaN(), math.Inf(-1), math.Inf(1)}

// spanOf returns the span of a cell's metric.
func spanOf(c Cell, metric string, e Evidence) span {
	level := e.Level(c, metric)
	if v, _ := e.Missing(c, metric); v != "" || level.N == 0 {
		return unknown
	}
	s := span{level.Value, level.Lo, level.Hi}
	if least, most, ok := e.Range(c, metric); ok && (math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0)) {
		s.lo, s.hi = least, most
	}
	return s
}

// ratioSpan returns the span of a ratio: from rounds that the two share or, without such rounds,
// from the spans of both.
func ratioSpan(a, b Cell, metric string, e Evidence) span {
	s, t := spanOf(a, metric, e), spanOf(b, metric, e)
	if math.IsNaN(s.at) || math.IsNaN(t.at) {
		return unknown
	}
	if a == b {
		return span{1, 1, 1}
	}
	switch c := e.Compare(a, b, metric); {
	case c.silent() == "":
		return span{c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi}
	case c.Note != "":
		return span{c.Ratio.Value, 0, math.Inf(1)}
	case c.Ratio.N > 0:
		if least, most, ok := e.RatioRange(a, b, metric); ok {
			return span{c.Ratio.Value, least, most}
		}
	}
	return s.over(t)
}

// over returns the span of a ratio of figures that share no rounds, from the extremes of both
// spans.
func (s span) over(t span) span {
	return span{s.at / t.at, max(0, s.lo) / max(0, t.hi), max(0, s.hi) / max(0, t.lo)}
}

// spans returns the spans of the cells of a claim of kind Most, as ratios to other cells if it
// names them, and the smallest number of epochs.
func (c *Claim) spans(e Evidence) (spans []span, epochs int) {
	over := parseCells(c.Over)
	for i, cell := range parseCells(c.Cells) {
		s := unknown
		switch len(over) {
		case 0:
			s = spanOf(cell, c.Metric, e)
		case 1:
			s = ratioSpan(cell, over[0], c.Metric, e)
		default:
			s = ratioSpan(cell, over[i], c.Metric, e)
		}
		spans = append(spans, s)
		if n := e.Level(cell, c.Metric).N; n > 0 && !math.IsNaN(s.at) && (epochs == 0 || n < epochs) {
			epochs = n
		}
	}
	return spans, epochs
}

// most judges whether more than half of the cells have a property. A cell for which this is
// uncertain counts for neither side.
func (o *Outcome) most(c *Claim, e Evidence) (Verdict, string) {
	spans, epochs := c.spans(e)
	if epochs == 0 {
		return Inconclusive, "none of them has a figure"
	}
	lo, hi := limits(c.AtLeast, c.AtMost)
	if c.Near > 0 {
		var at []float64
		for _, s := range spans {
			if !math.IsNaN(s.at) {
				at = append(at, s.at)
			}
		}
		middle := stats.Median(at)
		lo, hi = middle/(1+c.Near), middle*(1+c.Near)
	}
	yes, no := 0, 0
	for _, s := range spans {
		switch {
		case s.lo >= lo && s.hi <= hi:
			yes++
		case s.hi < lo || s.lo > hi:
			no++
		}
	}
	open := len(spans) - yes - no
	o.show(fmt.Sprintf("of %d contestants", len(spans)), Contestants,
		analysis.Estimate{Value: float64(yes), Lo: float64(yes), Hi: float64(yes + open), N: epochs})
	if len(c.Over) == 0 || c.Near > 0 {
		o.show("largest ÷ smallest", "×", extremes(spans, epochs))
	}
	reason := fmt.Sprintf("%d of %d do, %d do not", yes, len(spans), no)
	if open > 0 {
		reason += fmt.Sprintf(", %d unknown", open)
	}
	switch {
	case 2*yes > len(spans):
		return Confirmed, reason
	case 2*no >= len(spans):
		return Contradicted, reason
	}
	return Inconclusive, reason
}

// extremes returns the ratio of the largest figure to the smallest, with its span.
func extremes(spans []span, epochs int) analysis.Estimate {
	inf := math.Inf(1)
	low, high := span{inf, inf, inf}, span{-inf, -inf, -inf}
	for _, s := range spans {
		if !math.IsNaN(s.at) {
			low = span{min(low.at, s.at), min(low.lo, s.lo), min(low.hi, s.hi)}
			high = span{max(high.at, s.at), max(high.lo, s.lo), max(high.hi, s.hi)}
		}
	}
	r := high.over(low)
	return analysis.Estimate{Value: r.at, Lo: r.lo, Hi: r.hi, N: epochs}
}
