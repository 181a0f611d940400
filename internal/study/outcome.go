package study

import (
	"math"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// Verdict is a claim's outcome in one run, on the machine and the day of that run.
type Verdict string

// The outcomes. SmallerLead, LargerLead and SameDirection apply only to claims with a factor: the
// winner is the published one.
const (
	Confirmed     Verdict = "confirmed"
	SmallerLead   Verdict = "smaller lead"
	LargerLead    Verdict = "larger lead"
	SameDirection Verdict = "same direction"
	Contradicted  Verdict = "contradicted"
	Inconclusive  Verdict = "inconclusive"
	NotTestable   Verdict = "not testable"
	NotRun        Verdict = "not run"
)

// Unavailable is Missing's answer for a contestant that cannot be built here: a claim on it is not
// run, and a claim on many cells goes without it.
const Unavailable Verdict = "unavailable"

// Verdicts lists all outcomes, in the order in which pages count them.
var Verdicts = []Verdict{
	Confirmed, SmallerLead, LargerLead, SameDirection, Contradicted, Inconclusive, NotTestable, NotRun,
}

// advantage is the evidence for a published lead.
type advantage struct {
	lo, hi float64 // interval for the value published as the larger over the other
	equal  bool    // both are shown to be equal within the margin
	band   *band   // factors that count as the published one; nil if the claim has none
}

// band is a range of factors, lo to hi, all above 1: a factor that shows no winner differs from the
// published one.
type band struct{ lo, hi float64 }

// bandAround returns the factors within a factor of the published one, which is above 1. They begin
// above equality, because otherwise a lead of 1 % would confirm a published lead of 25 %.
func bandAround(value, within float64) *band {
	return &band{max(1+leastEffect, value/within), value * within}
}

// outcome judges direction and factor separately, each by the interval.
//
// Note: an interval that merely touches the band does not confirm a factor, because then the widest
// interval would confirm the most. Neither does a point estimate in the band. Equality does not
// contradict a factor that the interval leaves possible: a narrower one might confirm it.
func (l advantage) outcome() Verdict {
	wins, b := l.lo > 1, l.band
	possible := b != nil && l.hi >= b.lo
	switch {
	case wins && b != nil && b.lo <= l.lo && l.hi <= b.hi:
		return Confirmed
	case l.hi < 1, l.equal && !possible:
		return Contradicted
	case !wins && b != nil && !possible:
		return Contradicted
	case !wins:
		return Inconclusive
	case b == nil:
		return Confirmed
	case !possible:
		return SmallerLead
	case l.lo > b.hi:
		return LargerLead
	}
	return SameDirection
}

// Comparison is the ratio of two cells in a run: A over B.
type Comparison struct {
	Ratio     judge.Estimate // a bound is 0 or +Inf if one cell, at the generator's ceiling, may do more
	Verdict   judge.Verdict  // the run's: whether it showed both to be equal
	Note      string         // why the figure is inconclusive for a reason besides its interval; else ""
	Bound     bool           // one cell is at the generator's ceiling
	Unplanned bool           // the run was not planned to compare them
}

// advantage returns the comparison from the side that is published as the larger: A if up, else B.
func (c *Comparison) advantage(up bool, margin float64) advantage {
	l := advantage{lo: c.Ratio.Lo, hi: c.Ratio.Hi, equal: c.equal(margin)}
	if !up {
		l.lo, l.hi = 1/c.Ratio.Hi, 1/c.Ratio.Lo
	}
	return l
}

// equal reports whether both are shown to be equal within the run's margin: by its own test or by
// the interval.
func (c *Comparison) equal(margin float64) bool {
	return c.Verdict == judge.Equivalent || c.Verdict == judge.Negligible || c.within(margin)
}

// within reports whether the whole interval lies within a margin around 1.
func (c *Comparison) within(margin float64) bool {
	return c.Ratio.N > 0 && c.Ratio.Lo > 1/(1+margin) && c.Ratio.Hi < 1+margin
}

// silent returns why a comparison has no interval, or "" if it has one.
func (c *Comparison) silent() string {
	switch {
	case c.Note != "":
		return c.Note
	case c.Ratio.N == 0:
		return "no figure to compare"
	case c.Ratio.Lo == 0 && math.IsInf(c.Ratio.Hi, 1) && !c.Bound:
		return document.Count(c.Ratio.N, "epoch") + ", too few for an interval"
	}
	return ""
}

// notEnough returns why a comparison is inconclusive.
func (c *Comparison) notEnough() string {
	switch why := c.silent(); {
	case why != "":
		return why
	case c.Bound:
		return "one reached the load generator's ceiling and may be faster"
	}
	return "not enough data to tell"
}

// judged reports whether the run could test the claim.
func (o *Outcome) judged() bool { return o.Verdict != NotTestable && o.Verdict != NotRun }
