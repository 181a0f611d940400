package study

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/judge"
)

// outliers sets the share of cells that a spread leaves out at either end: one in outliers.
const outliers = 10

// spreadOf returns how far apart figures are: the largest over the smallest, without a tenth at
// either end. Its limits come from the sorted limits of the spans.
//
// Note: the largest among many figures usually came out too large, and the smallest too small: the
// extremes of many spans would not hold the true ones. A tenth from the end, errors up and down
// cancel out.
func spreadOf(spans []span) span {
	var at, lo, hi []float64
	for _, s := range spans {
		if !math.IsNaN(s.at) {
			at = append(at, s.at)
		}
		lo, hi = append(lo, s.lo), append(hi, s.hi)
	}
	ends := func(list []float64) (low, high float64) {
		slices.Sort(list)
		out := len(list) / outliers
		return list[out], list[len(list)-1-out]
	}
	if len(at) == 0 {
		return unknown
	}
	var small, large span
	small.at, large.at = ends(at)
	small.lo, large.lo = ends(lo)
	small.hi, large.hi = ends(hi)
	r := large.over(small)
	r.lo = max(1, r.lo)
	return r
}

// spread judges how far apart the cells are or, if the claim names others, this spread over the
// others' spread.
func (o *Outcome) spread(c *Claim, e Evidence) (Verdict, string) {
	own, other := *c, *c
	own.Over, other.Cells, other.Over = nil, c.Over, nil
	s, epochs := o.apart(&own, e)
	if len(c.Over) > 0 {
		t, n := o.apart(&other, e)
		s, epochs = s.over(t), min(epochs, n)
	}
	if epochs == 0 || math.IsNaN(s.at) {
		return Inconclusive, "none of them has a figure"
	}
	return ofBound(judge.Estimate{Value: s.at, Lo: s.lo, Hi: s.hi, N: epochs}, c.AtLeast, c.AtMost)
}

// apart returns the spread over a claim's cells and shows it.
func (o *Outcome) apart(c *Claim, e Evidence) (span, int) {
	spans, epochs := c.spans(e)
	s := spreadOf(spans)
	what := "spread of " + c.number()
	if len(spans) > 0 && ParseCell(c.Cells[0]).Level != "" {
		what += " @ " + ParseCell(c.Cells[0]).Level
	}
	o.show(what, "×", judge.Estimate{Value: s.at, Lo: s.lo, Hi: s.hi, N: epochs})
	return s, epochs
}

// repeats judges whether a cell's epochs, each with new processes, are alike within a factor.
func (o *Outcome) repeats(c *Claim, e Evidence) (Verdict, string) {
	cell := ParseCell(c.A)
	least, most, ok := e.Range(cell, c.Metric)
	if !ok || !(least > 0) {
		return Inconclusive, "too few epochs"
	}
	n := e.Level(cell, c.Metric).N
	apart := most / least
	o.show("largest ÷ smallest epoch", "×", judge.Estimate{Value: apart, Lo: apart, Hi: apart, N: n})
	reason := fmt.Sprintf("%d epochs lie within a factor of %.3g", n, apart)
	if apart <= c.Within {
		return Confirmed, reason
	}
	return Contradicted, reason
}
