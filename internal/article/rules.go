package article

import (
	"fmt"
	"math"

	"dyno/internal/analysis"
)

// Verdict is what our trials say of a claim.
type Verdict string

// The verdicts. NotTestable is only for a contestant that cannot be had here.
const (
	Reproduced    Verdict = "reproduced"
	DirectionOnly Verdict = "direction only"
	Refuted       Verdict = "refuted"
	Undecided     Verdict = "undecided"
	NotTestable   Verdict = "not testable here"
	NotRun        Verdict = "not run"
)

// Verdicts are all, in the order in which pages count them.
var Verdicts = []Verdict{Reproduced, DirectionOnly, Refuted, Undecided, NotTestable, NotRun}

// Comparison is what a run says of two cells: A's value over B's.
type Comparison struct {
	Ratio   analysis.Estimate
	Verdict analysis.Verdict
	Up      bool   // where it is different or negligible: A's value is the larger
	Note    string // why it is undecided, where there is a reason beyond the figures
	Bound   bool   // one of the two stands at the generator's ceiling: it may do more, so the figure is no magnitude and no tie
}

// same reports whether the comparison shows the two to be equal within the run's margin.
func (c *Comparison) same() bool {
	return c.Verdict == analysis.Tie || c.Verdict == analysis.Negligible
}

// ofRatio judges a published factor. The direction is the run's own verdict on the pair; the magnitude is shown only where the whole interval lies within
// the factor `within` of the published one.
//
// Note: not where the interval merely touches the band, for then the widest interval would reproduce the most; and not where only the point lies in
// it, for the point is not what is known.
func ofRatio(c Comparison, value, within float64) (Verdict, string) {
	lo, hi := value/within, value*within
	band := fmt.Sprintf("%.3g–%.3g", lo, hi)
	outside := c.Ratio.Hi < lo || c.Ratio.Lo > hi
	switch {
	case c.Verdict == analysis.Undecided && c.Note == "" && outside:
		return Undecided, undecided(c) + ", but the factor is another: the interval lies outside " + band
	case c.Verdict == analysis.Undecided:
		return Undecided, undecided(c)
	case c.same():
		return Refuted, "a tie within the margin"
	case c.Up != (value > 1):
		return Refuted, "reversed"
	}
	switch {
	case c.Bound:
		return DirectionOnly, "the factor is open: the faster stands at the generator's ceiling"
	case c.Ratio.Lo >= lo && c.Ratio.Hi <= hi:
		return Reproduced, "the interval lies within " + band
	case outside:
		return DirectionOnly, "the factor is another: the interval lies outside " + band
	}
	return DirectionOnly, "the factor is open: the interval crosses a border of " + band
}

func undecided(c Comparison) string {
	if c.Note != "" {
		return c.Note
	}
	return "neither a difference nor a tie is shown"
}

// ofOrder judges cells that were named best first by their neighbours: one certain tie or reversal refutes, and all must differ to reproduce.
func ofOrder(pairs []Pair, of []Comparison, more bool) (Verdict, string) {
	verdict, why := Reproduced, "each is better than the next"
	for i, c := range of {
		name := pairs[i].A.String() + " and " + pairs[i].B.String()
		switch {
		case c.Verdict == analysis.Undecided:
			if verdict == Reproduced {
				verdict, why = Undecided, name+": "+undecided(c)
			}
		case c.same():
			return Refuted, name + " tie"
		case c.Up != more:
			return Refuted, name + " are reversed"
		}
	}
	return verdict, why
}

// ofTie judges an equality within margin; judged is the margin of the run's own ties.
func ofTie(c Comparison, margin, judged float64) (Verdict, string) {
	limit := 1 + margin
	within := fmt.Sprintf("%.3g %%", 100*margin)
	switch {
	case c.Bound:
		return Undecided, "one stands at the generator's ceiling: it may do more"
	case c.Note != "" || c.Ratio.N == 0:
		return Undecided, undecided(c)
	case c.same() && judged <= margin, c.Ratio.Lo > 1/limit && c.Ratio.Hi < limit:
		return Reproduced, "the interval lies within " + within
	case c.Verdict == analysis.Different && (c.Ratio.Hi < 1/limit || c.Ratio.Lo > limit):
		return Refuted, "they differ by more than " + within
	case c.Verdict == analysis.Different:
		return Undecided, "they differ, but whether by more than " + within + " is open"
	}
	return Undecided, undecided(c)
}

// ofTrend judges the way from the first of some cells to the last: ends is the last over the first, steps each over the one before. The margins are for
// what stays, as in ofTie.
func ofTrend(steps []Comparison, ends Comparison, direction string, margin, judged float64) (Verdict, string) {
	if direction == Stays {
		return ofStay(append(steps, ends), margin, judged)
	}
	up := direction == Rises
	for i, s := range steps {
		if s.Verdict == analysis.Different && s.Up != up {
			return Refuted, fmt.Sprintf("step %d goes the other way", i+1)
		}
	}
	switch {
	case ends.Verdict == analysis.Undecided:
		return Undecided, "from the first to the last " + undecided(ends)
	case ends.same():
		return Refuted, "the last ties with the first"
	case ends.Up != up:
		return Refuted, "reversed"
	}
	return Reproduced, "the last certainly differs from the first, and no step certainly goes the other way"
}

// ofStay judges that nothing moves: every step and the whole way are ties.
func ofStay(all []Comparison, margin, judged float64) (Verdict, string) {
	verdict, why := Reproduced, "all tie"
	for i, c := range all {
		v, reason := ofTie(c, margin, judged)
		where := fmt.Sprintf("step %d: ", i+1)
		if i == len(all)-1 {
			where = "from the first to the last: "
		}
		switch {
		case v == Refuted:
			return Refuted, where + reason
		case v == Undecided && verdict == Reproduced:
			verdict, why = Undecided, where+reason
		}
	}
	return verdict, why
}

// dropOf is 1 − ratio in percent, with its interval.
func dropOf(r analysis.Estimate) analysis.Estimate {
	of := func(x float64) float64 { return 100 * (1 - x) }
	return analysis.Estimate{Value: of(r.Value), Lo: of(r.Hi), Hi: of(r.Lo), N: r.N}
}

// ofDrop judges a fall by value percent, or by at least or at most so much. Its direction is that there is one; a drop of at most so much may be none.
func ofDrop(c Comparison, value, within float64, atLeast, atMost *float64) (Verdict, string) {
	switch {
	case atMost != nil && atLeast == nil && c.Note == "":
		return ofBound(dropOf(c.Ratio), nil, atMost)
	case c.Verdict == analysis.Undecided:
		return Undecided, undecided(c)
	case c.same():
		return Refuted, "a tie within the margin"
	case c.Up:
		return Refuted, "it rises"
	}
	lo, hi := value/within, value*within
	if atLeast != nil || atMost != nil {
		lo, hi = math.Inf(-1), math.Inf(1)
		if atLeast != nil {
			lo = *atLeast
		}
		if atMost != nil {
			hi = *atMost
		}
	}
	band := bandText(lo, hi)
	switch d := dropOf(c.Ratio); {
	case c.Bound:
		return DirectionOnly, "it drops, by how much is open: one stands at the generator's ceiling"
	case d.Lo >= lo && d.Hi <= hi:
		return Reproduced, "the interval lies " + band
	case d.Hi < lo || d.Lo > hi:
		return DirectionOnly, "it drops, but not " + band
	}
	return DirectionOnly, "it drops; whether " + band + " is open"
}

func bandText(lo, hi float64) string {
	switch {
	case math.IsInf(hi, 1):
		return fmt.Sprintf("at or above %.4g %%", lo)
	case math.IsInf(lo, -1):
		return fmt.Sprintf("at or below %.4g %%", hi)
	}
	return fmt.Sprintf("within %.3g–%.3g %%", lo, hi)
}

// quotient is x over y, each the ratio of a pair. Its interval combines the worst of both, and so covers at least as often as their levels add up to: it
// errs on the side of undecided. Its verdict is by that interval and the margin.
func quotient(x, y Comparison, margin float64) Comparison {
	e := analysis.Estimate{Value: x.Ratio.Value / y.Ratio.Value, Lo: x.Ratio.Lo / y.Ratio.Hi, Hi: x.Ratio.Hi / y.Ratio.Lo, N: min(x.Ratio.N, y.Ratio.N)}
	c := Comparison{Ratio: e, Verdict: analysis.Undecided, Bound: x.Bound || y.Bound}
	if c.Bound {
		c.Note = "one stands at the generator's ceiling: it may do more"
		return c
	}
	if e.N == 0 || x.Note != "" || y.Note != "" {
		c.Note = x.Note
		if c.Note == "" {
			c.Note = y.Note
		}
		return c
	}
	certain, inside := e.Lo > 1 || e.Hi < 1, e.Lo > 1/(1+margin) && e.Hi < 1+margin
	c.Up = e.Value > 1
	switch {
	case certain && inside:
		c.Verdict = analysis.Negligible
	case certain:
		c.Verdict = analysis.Different
	case inside:
		c.Verdict = analysis.Tie
	}
	return c
}

// ofExcess judges that one drop exceeds another: q is what is left of the one over what is left of the other.
func ofExcess(q Comparison) (Verdict, string) {
	switch {
	case q.Verdict == analysis.Undecided && q.Note == "":
		return Undecided, "neither is certainly the larger"
	case q.Verdict == analysis.Undecided:
		return Undecided, q.Note
	case q.same():
		return Refuted, "both drop alike, within the margin"
	case q.Up:
		return Refuted, "reversed"
	}
	return Reproduced, "the first is certainly the larger"
}

// ofBound judges a limit that no machine moves.
func ofBound(e analysis.Estimate, atLeast, atMost *float64) (Verdict, string) {
	lo, hi := math.Inf(-1), math.Inf(1)
	if atLeast != nil {
		lo = *atLeast
	}
	if atMost != nil {
		hi = *atMost
	}
	switch {
	case e.Lo >= lo && e.Hi <= hi && !math.IsInf(e.Lo, 0) && !math.IsInf(e.Hi, 0):
		return Reproduced, "it lies within the bounds"
	case e.Hi < lo || e.Lo > hi:
		return Refuted, "it lies out of the bounds"
	}
	return Undecided, "whether it lies within the bounds is open"
}
