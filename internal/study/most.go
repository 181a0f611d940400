package study

import (
	"fmt"
	"math"

	"dyno/internal/judge"
	"dyno/internal/stats"
)

// Everyone, in a claim on many cells, means each contestant in the study at the level: "* @ 30ms
// c1000".
const Everyone = "*"

// Contestants is the unit when contestants, or cells, with a property are counted.
const Contestants = "contestants"

// span is a cell's figure with its interval or, with too few epochs for one, their range. Without a
// figure the range is unbounded and at is NaN.
type span struct {
	at, lo, hi float64
	few        bool // a range over too few epochs for an interval
}

// unknown is the span without a figure.
var unknown = span{at: math.NaN(), lo: math.Inf(-1), hi: math.Inf(1)}

// intervalEpochs is the smallest number of epochs whose range is a 95 % interval.
const intervalEpochs = 6

// spanOf returns the span for a cell's metric.
func spanOf(c Cell, metric string, e Evidence) span {
	level := e.Level(c, metric)
	if v, _ := e.Missing(c, metric); v != "" || level.N == 0 || e.Moves(c, metric) != "" {
		return unknown
	}
	s := span{at: level.Value, lo: level.Lo, hi: level.Hi}
	if least, most, ok := e.Range(c, metric); ok && (math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0)) {
		s.lo, s.hi, s.few = least, most, level.N < intervalEpochs
	}
	return s
}

// ratioSpan returns a ratio's span: from rounds that both share or, without such rounds, from both
// spans.
func ratioSpan(a, b Cell, metric string, e Evidence) span {
	s, t := spanOf(a, metric, e), spanOf(b, metric, e)
	if math.IsNaN(s.at) || math.IsNaN(t.at) {
		return unknown
	}
	if a == b {
		return span{at: 1, lo: 1, hi: 1}
	}
	switch c := e.Compare(a, b, metric); {
	case c.silent() == "":
		return span{at: c.Ratio.Value, lo: c.Ratio.Lo, hi: c.Ratio.Hi}
	case c.Note != "" && c.Ratio.N == 0:
		return unknown
	case c.Note != "":
		return span{at: c.Ratio.Value, lo: 0, hi: math.Inf(1)}
	case c.Ratio.N > 0:
		if least, most, ok := e.RatioRange(a, b, metric); ok {
			return span{c.Ratio.Value, least, most, c.Ratio.N < intervalEpochs}
		}
	}
	return s.over(t)
}

// over returns the span of a ratio between figures that share no rounds, from both spans' extremes.
func (s span) over(t span) span {
	return span{s.at / t.at, max(0, s.lo) / max(0, t.hi), max(0, s.hi) / max(0, t.lo), s.few || t.few}
}

// widened returns the span, wider by a factor on either side if it has too few epochs.
func (s span) widened(factor float64) span {
	if s.few {
		s.lo, s.hi = s.lo/factor, s.hi*factor
	}
	return s
}

// spans returns the spans for the cells of a claim on many, over other cells if it names them, and
// the fewest epochs behind a cell.
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

// number says how many cells the claim covers: contestants, if each stands for one.
func (c *Claim) number() string {
	names := map[string]bool{}
	for _, cell := range parseCells(c.Cells) {
		names[cell.Contestant] = true
	}
	if len(names) < len(c.Cells) {
		return fmt.Sprintf("%d cells", len(c.Cells))
	}
	return fmt.Sprintf("%d contestants", len(c.Cells))
}

// count judges whether more than half the cells have a property, or all. A cell that may or may not
// have it counts for neither side.
//
// Note: half the cells cannot be wrong by chance, but one in many can: if all should have the
// property, a range over too few epochs is widened before it is compared with a limit.
func (o *Outcome) count(c *Claim, e Evidence) (Verdict, string) {
	spans, epochs := c.spans(e)
	if c.Kind == AllCells {
		for i := range spans {
			spans[i] = spans[i].widened(widening)
		}
	}
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
	o.show("of "+c.number(), Contestants,
		judge.Estimate{Value: float64(yes), Lo: float64(yes), Hi: float64(yes + open), N: epochs})
	if (len(c.Over) == 0 || c.Near > 0) && !o.Metric.Static {
		o.show("largest ÷ smallest", "×", extremes(spans, epochs))
	}
	reason := fmt.Sprintf("%d of %d do, %d do not", yes, len(spans), no)
	if open > 0 {
		reason += fmt.Sprintf(", %d unknown", open)
	}
	switch {
	case c.Kind == AllCells && yes == len(spans), c.Kind == Most && 2*yes > len(spans):
		return Confirmed, reason
	case c.Kind == AllCells && no > 0, c.Kind == Most && 2*no >= len(spans):
		return Contradicted, reason
	}
	return Inconclusive, reason
}

// extremes returns the ratio of the largest to the smallest figure, with its span.
func extremes(spans []span, epochs int) judge.Estimate {
	inf := math.Inf(1)
	low, high := span{at: inf, lo: inf, hi: inf}, span{at: -inf, lo: -inf, hi: -inf}
	for _, s := range spans {
		if !math.IsNaN(s.at) {
			low.at, low.lo, low.hi = min(low.at, s.at), min(low.lo, s.lo), min(low.hi, s.hi)
			high.at, high.lo, high.hi = max(high.at, s.at), max(high.lo, s.lo), max(high.hi, s.hi)
		}
	}
	r := high.over(low)
	return judge.Estimate{Value: r.at, Lo: r.lo, Hi: r.hi, N: epochs}
}
