package claim

import (
	"fmt"
	"math"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/stats"
)

// Everyone stands in a cell of a claim that counts for each contestant that the study has at the level: "* @ 30ms
// c1000".
const Everyone = "*"

// Contestants is the unit of how many contestants have a property.
const Contestants = "contestants"

// span is what is known of a cell: its interval or, of too few epochs for one, their range; all, where there is no
// figure.
type span struct{ at, lo, hi float64 }

func spanOf(c Cell, metric string, e Evidence) span {
	level := e.Level(c, metric)
	if v, _ := e.Missing(c, metric); v != "" || level.N == 0 {
		return span{math.NaN(), math.Inf(-1), math.Inf(1)}
	}
	s := span{level.Value, level.Lo, level.Hi}
	if least, most, ok := e.Range(c, metric); ok && (math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0)) {
		s.lo, s.hi = least, most
	}
	return s
}

// ratioSpan is the span of a ratio: of what the two did in the same rounds or, where they share none, the worst of
// both.
func ratioSpan(a, b Cell, metric string, e Evidence) span {
	s, t := spanOf(a, metric, e), spanOf(b, metric, e)
	if math.IsNaN(s.at) || math.IsNaN(t.at) {
		return span{math.NaN(), math.Inf(-1), math.Inf(1)}
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

// over is the span of a ratio of what shares no rounds, the worst of both.
func (s span) over(t span) span {
	return span{s.at / t.at, max(0, s.lo) / max(0, t.hi), max(0, s.hi) / max(0, t.lo)}
}

// spans are those of the cells of a claim that counts, over others where it names them, and the fewest epochs of a
// cell.
func (c *Claim) spans(e Evidence) (spans []span, epochs int) {
	over := parseCells(c.Over)
	for i, cell := range parseCells(c.Cells) {
		switch len(over) {
		case 0:
			spans = append(spans, spanOf(cell, c.Metric, e))
		case 1:
			spans = append(spans, ratioSpan(cell, over[0], c.Metric, e))
		default:
			spans = append(spans, ratioSpan(cell, over[i], c.Metric, e))
		}
		if n := e.Level(cell, c.Metric).N; n > 0 && !math.IsNaN(spans[i].at) && (epochs == 0 || n < epochs) {
			epochs = n
		}
	}
	return spans, epochs
}

// most judges whether more than half of the cells have a property.
func (o *Outcome) most(c *Claim, e Evidence) (Verdict, string) {
	spans, epochs := c.spans(e)
	if epochs == 0 {
		return Inconclusive, "no figure of any of them"
	}
	lo, hi := limits(c.AtLeast, c.AtMost)
	if c.Near > 0 {
		middle := median(spans)
		lo, hi = middle/(1+c.Near), middle*(1+c.Near)
	}
	yes, no := countIn(spans, lo, hi)
	open := len(spans) - yes - no
	o.show(fmt.Sprintf("of %d contestants", len(spans)), Contestants,
		analysis.Estimate{Value: float64(yes), Lo: float64(yes), Hi: float64(yes + open), N: epochs})
	if len(c.Over) == 0 || c.Near > 0 {
		o.show("largest ÷ smallest", "×", extremes(spans, epochs))
	}
	why := []string{fmt.Sprintf("%d of %d do", yes, len(spans)), fmt.Sprintf("%d do not", no)}
	if open > 0 {
		why = append(why, fmt.Sprintf("%d cannot be told", open))
	}
	reason := strings.Join(why, ", ")
	switch {
	case 2*yes > len(spans):
		return Confirmed, reason
	case 2*no >= len(spans):
		return Contradicted, reason
	}
	return Inconclusive, reason
}

// countIn is how many spans lie within lo and hi, and how many outside.
func countIn(spans []span, lo, hi float64) (inside, outside int) {
	for _, s := range spans {
		switch {
		case s.lo >= lo && s.hi <= hi:
			inside++
		case s.hi < lo || s.lo > hi:
			outside++
		}
	}
	return inside, outside
}

// median is that of the figures that there are.
func median(spans []span) float64 {
	var at []float64
	for _, s := range spans {
		if !math.IsNaN(s.at) {
			at = append(at, s.at)
		}
	}
	return stats.Median(at)
}

// extremes is the largest of the figures over the smallest, with what their spans leave open.
func extremes(spans []span, epochs int) analysis.Estimate {
	first := true
	var low, high span
	for _, s := range spans {
		switch {
		case math.IsNaN(s.at):
			continue
		case first:
			low, high, first = s, s, false
		}
		low = span{min(low.at, s.at), min(low.lo, s.lo), min(low.hi, s.hi)}
		high = span{max(high.at, s.at), max(high.lo, s.lo), max(high.hi, s.hi)}
	}
	r := high.over(low)
	return analysis.Estimate{Value: r.at, Lo: r.lo, Hi: r.hi, N: epochs}
}
