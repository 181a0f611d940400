package claim

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/analysis"
)

// Verdict is the outcome of a claim: what our trials say of it, here and today.
type Verdict string

// The outcomes. Those from SmallerLead to SameDirection are of claims with a factor alone: the winner is the published
// one.
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

// Verdicts are all, in the order in which pages count them.
var Verdicts = []Verdict{
	Confirmed, SmallerLead, LargerLead, SameDirection, Contradicted, Inconclusive, NotTestable, NotRun,
}

// formerly are the words of files that were written before direction and factor were judged apart.
var formerly = map[string]Verdict{
	"reproduced": Confirmed, "direction only": SameDirection, "refuted": Contradicted, "undecided": Inconclusive,
	"not testable here": NotTestable,
}

// UnmarshalText reads an outcome, also in the words of older files.
func (v *Verdict) UnmarshalText(text []byte) error {
	word := string(text)
	if now, old := formerly[word]; old {
		*v = now
		return nil
	}
	if !slices.Contains(Verdicts, Verdict(word)) {
		return fmt.Errorf("no outcome %q%s", word, suggest(word, words(Verdicts)))
	}
	*v = Verdict(word)
	return nil
}

func words(of []Verdict) (out []string) {
	for _, v := range of {
		out = append(out, string(v))
	}
	return out
}

// advantage is what is known of a published winner and loser.
type advantage struct {
	lo, hi float64 // the interval of the winner's value over the loser's, of what is published as the larger
	equal  bool    // the two are shown to be equal within the margin
	band   *band   // the factors that count as the published one; nil: the claim has none
}

// band is a range of factors, lo to hi, all above 1: what shows no winner is not as published.
type band struct{ lo, hi float64 }

// bandAround returns the factors within a factor of the published one, which is above 1. It begins
// above what counts as no difference: else a lead of 1 % would confirm a published one of 25 %.
func bandAround(value, within float64) *band {
	return &band{max(1+leastEffect, value/within), value * within}
}

// outcome decides. Direction and factor are judged apart, each by the interval.
//
// Note: a factor is not confirmed where the interval merely touches the band, for then the widest interval would
// confirm the most; and not where only the point lies in it, for the point is not what is known. Nor does equality
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

// Comparison is what a run says of two cells: A's value over B's.
type Comparison struct {
	Ratio     analysis.Estimate // open, 0 or +Inf, towards where one at the generator's ceiling may do more
	Verdict   analysis.Verdict  // of the run: whether it showed the two to be equal
	Note      string            // why the figure says nothing, where there is a reason beyond it
	Bound     bool              // one of the two stands at the generator's ceiling
	Unplanned bool              // the run was not planned to compare the two
}

// advantage is the comparison seen from A where up, else from B: of the one that is published as the larger.
func (c *Comparison) advantage(up bool, margin float64) advantage {
	l := advantage{lo: c.Ratio.Lo, hi: c.Ratio.Hi, equal: c.equal(margin)}
	if !up {
		l.lo, l.hi = 1/c.Ratio.Hi, 1/c.Ratio.Lo
	}
	return l
}

// equal reports whether the two are shown to be equal within the margin of the run, by its own test or by the interval.
func (c *Comparison) equal(margin float64) bool {
	return c.Verdict == analysis.Tie || c.Verdict == analysis.Negligible || c.within(margin)
}

// within reports whether the whole interval lies within a margin around 1.
func (c *Comparison) within(margin float64) bool {
	return c.Ratio.N > 0 && c.Ratio.Lo > 1/(1+margin) && c.Ratio.Hi < 1+margin
}

// silent is why a comparison says nothing; "" where it has an interval.
func (c *Comparison) silent() string {
	switch {
	case c.Note != "":
		return c.Note
	case c.Ratio.N == 0:
		return "no figure to compare"
	case c.Ratio.Lo == 0 && math.IsInf(c.Ratio.Hi, 1) && !c.Bound:
		return fmt.Sprintf("%d epochs, too few for an interval", c.Ratio.N)
	}
	return ""
}

// notEnough is why a comparison decides nothing.
func (c *Comparison) notEnough() string {
	switch why := c.silent(); {
	case why != "":
		return why
	case c.Bound:
		return "one stands at the generator's ceiling: it may do more"
	}
	return "not enough data to tell"
}
