package study

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// ofRatio judges a published factor A over B. A factor below 1 is a lead for B.
func ofRatio(c Comparison, value, within, margin float64) (Verdict, string) {
	up, factor := value > 1, value
	if !up {
		factor = 1 / value
	}
	b := bandAround(factor, within)
	inWords := fmt.Sprintf("%.3g–%.3g", b.lo, b.hi)
	if !up {
		inWords = fmt.Sprintf("%.3g–%.3g", value/within, min(1/(1+leastEffect), value*within))
	}
	return ofFactor(c, up, b, margin, inWords)
}

// ofFactor judges a lead with a factor, for A if up, else for B. inWords is the band as a range for
// A over B.
func ofFactor(c Comparison, up bool, b *band, margin float64, inWords string) (Verdict, string) {
	if c.silent() != "" {
		return Inconclusive, c.silent()
	}
	l := c.advantage(up, margin)
	l.band = b
	switch v := l.outcome(); v {
	case Confirmed:
		return v, "the interval is within " + inWords
	case SmallerLead, LargerLead:
		return v, "the interval is outside " + inWords
	case SameDirection:
		why := "the interval is partly outside " + inWords
		if c.Bound {
			why += ", because one reached the load generator's ceiling and may be faster"
		}
		return v, why
	case Contradicted:
		if !l.equal && l.hi >= 1 {
			return v, "no lead was found, and the interval is outside " + inWords
		}
		return v, against(l, margin)
	default:
		return v, c.notEnough()
	}
}

// lead judges a lead without a factor, for A if up, else for B; the reason is "" if it is confirmed.
func (c *Comparison) lead(up bool, margin float64) (Verdict, string) {
	l := c.advantage(up, margin)
	switch v := l.outcome(); {
	case c.silent() != "" || v == Inconclusive:
		return Inconclusive, c.notEnough()
	case v == Contradicted:
		return v, against(l, margin)
	}
	return Confirmed, ""
}

// against says how a lead is contradicted.
func against(l advantage, margin float64) string {
	if l.equal {
		return "equal within " + document.Percent(margin)
	}
	return "reversed"
}

// ofOrder judges links, each between a cell and a cell that is published as worse. A link that is
// equal or reversed contradicts the claim; all must be shown to confirm it. The reason lists the
// links that were not shown.
func ofOrder(pairs []Pair, of []Comparison, more bool, margin float64) (Verdict, string) {
	verdict := Confirmed
	var reasons []string
	failing := map[string][]string{} // links by reason
	for i := range of {
		v, reason := of[i].lead(more, margin)
		if v == Confirmed {
			continue
		}
		if verdict == Confirmed || v == Contradicted { // a contradiction outweighs what is open
			verdict = v
		}
		if failing[reason] == nil {
			reasons = append(reasons, reason)
		}
		failing[reason] = append(failing[reason], pairs[i].A.String()+" and "+pairs[i].B.String())
	}
	switch {
	case verdict == Confirmed:
		return verdict, "measured in the published order"
	case len(of) == 1:
		return verdict, reasons[0]
	}
	holds := len(of)
	for i, reason := range reasons {
		links := failing[reason]
		holds -= len(links)
		if len(links) < len(of) {
			reasons[i] = reason + ": " + strings.Join(links, ", ")
		}
	}
	return verdict, fmt.Sprintf("%d of %s hold; %s", holds, document.Count(len(of), "link"), strings.Join(reasons, "; "))
}

// ofEqual judges equality within margin; judged is the margin of the run's own equality tests.
func ofEqual(c Comparison, margin, judged float64) (Verdict, string) {
	limit := 1 + margin
	switch {
	case c.silent() != "":
		return Inconclusive, c.silent()
	case judged <= margin && c.equal(judged), c.within(margin):
		return Confirmed, "equal within " + document.Percent(margin)
	case c.Ratio.Hi < 1/limit || c.Ratio.Lo > limit:
		return Contradicted, "they differ by more than " + document.Percent(margin)
	case c.Ratio.Hi < 1 || c.Ratio.Lo > 1:
		return Inconclusive, "they differ, but perhaps by no more than " + document.Percent(margin)
	}
	return Inconclusive, c.notEnough()
}

// ofTrend judges a sequence of cells. all holds each cell's ratio to the previous one, then the
// last over the first; with two cells these are the same. A trend that stays is judged like
// equality, by margin; judged is the run's margin. A trend that rises must not fall in any step by
// more than judged.
func ofTrend(all []Comparison, direction string, margin, judged float64) (Verdict, string) {
	if direction == Stays {
		return ofStay(all, margin, judged)
	}
	steps, ends := all[:len(all)-1], all[len(all)-1]
	way := "from the first to the last"
	if direction == Jumps && len(steps) > 0 {
		ends, way = steps[len(steps)-1], "in the last step"
	}
	up, open := direction != Falls, ""
	for i := range steps {
		switch l := steps[i].advantage(up, judged); {
		case steps[i].silent() != "" || l.lo <= 1/(1+judged) && l.hi >= 1 && !l.equal:
			open = cmp.Or(open, fmt.Sprintf("step %d may go in the opposite direction", i+1))
		case l.hi < 1 && !l.equal:
			return Contradicted, fmt.Sprintf("step %d goes in the opposite direction", i+1)
		}
	}
	if v, why := ends.lead(up, judged); v != Confirmed {
		return v, way + ": " + why
	}
	if direction == Jumps && len(steps) > 1 {
		if v, why := ofJump(steps, judged); v != Confirmed {
			return v, why
		}
	}
	if open != "" {
		return Inconclusive, open
	}
	return Confirmed, "it " + direction + " " + way + ", and no step goes in the opposite direction"
}

// ofJump judges whether the last step is the largest, which distinguishes a jump from a steady
// rise.
func ofJump(steps []Comparison, margin float64) (Verdict, string) {
	last, verdict, why := len(steps)-1, Confirmed, ""
	for i := range last {
		q := quotient(steps[last], steps[i])
		switch v, _ := q.lead(true, margin); v {
		case Contradicted:
			return Contradicted, fmt.Sprintf("it rises by as much in step %d", i+1)
		case Inconclusive:
			verdict, why = Inconclusive, fmt.Sprintf("it may rise by as much in step %d", i+1)
		}
	}
	return verdict, why
}

// ofLead changes the outcome v for a trend of ratios if there is no lead: a growing lead must exist
// in the last pair, a shrinking one in the first.
func ofLead(of []Comparison, direction string, margin float64, v Verdict, why string) (Verdict, string) {
	c, at := of[len(of)-1], "last"
	switch direction {
	case Stays:
		return v, why
	case Falls:
		c, at = of[0], "first"
	}
	switch there, reason := c.lead(true, margin); {
	case there == Contradicted:
		return Contradicted, "there is no lead in the " + at + " pair: " + reason
	case v == Confirmed && there == Inconclusive:
		return Inconclusive, "whether there is a lead in the " + at + " pair: " + reason
	}
	return v, why
}

// ofStay judges whether all cells are equal: every step, and the last over the first, lie within
// the margin.
func ofStay(all []Comparison, margin, judged float64) (Verdict, string) {
	verdict, why := Confirmed, "equal within "+document.Percent(margin)+" in every step"
	for i, c := range all {
		v, reason := ofEqual(c, margin, judged)
		where := fmt.Sprintf("step %d: ", i+1)
		if i == len(all)-1 {
			where = "from the first to the last: "
		}
		switch {
		case v == Contradicted:
			return Contradicted, where + reason
		case v == Inconclusive && verdict == Confirmed:
			verdict, why = Inconclusive, where+reason
		}
	}
	return verdict, why
}

// dropOf returns 1 − ratio in percent, with its interval.
func dropOf(r judge.Estimate) judge.Estimate {
	return through(r, func(x float64) float64 { return 100 * (1 - x) })
}

// ofDrop judges a drop by value percent, as a lead for the cell that it starts from: a drop by 60 %
// is a lead by the factor 2.5.
func ofDrop(c Comparison, value, within, margin float64) (Verdict, string) {
	factor := func(percent float64) float64 { return 1 / max(0, 1-percent/100) }
	b := &band{factor(value / within), factor(value * within)}
	return ofFactor(c, false, b, margin, fmt.Sprintf("%.3g–%.3g %%", value/within, value*within))
}

// ofWorst compares the largest among several drops with limits in percent. A drop without a figure
// may be the largest, up to 100 %.
func ofWorst(of []Comparison, atLeast, atMost *float64) (Verdict, string) {
	worst, silent := judge.Estimate{Lo: math.Inf(-1), Hi: math.Inf(-1)}, ""
	for i := range of {
		d := dropOf(of[i].Ratio)
		if why := of[i].silent(); why != "" {
			silent, d.Lo, d.Hi = cmp.Or(silent, why), math.Inf(-1), 100
		}
		worst.Lo, worst.Hi = max(worst.Lo, d.Lo), max(worst.Hi, d.Hi)
	}
	v, why := ofBound(worst, atLeast, atMost)
	if v == Inconclusive && silent != "" {
		why = silent
	}
	return v, why
}

// quotient returns x over y, each the ratio of a pair. Its interval combines both extremes, so by
// Bonferroni's inequality its error rate is at most the sum of theirs. It errs towards
// inconclusive.
func quotient(x, y Comparison) Comparison {
	return Comparison{
		Ratio: judge.Estimate{Value: x.Ratio.Value / y.Ratio.Value, Lo: x.Ratio.Lo / y.Ratio.Hi,
			Hi: x.Ratio.Hi / y.Ratio.Lo, N: min(x.Ratio.N, y.Ratio.N)},
		Note: cmp.Or(x.Note, y.Note), Bound: x.Bound || y.Bound,
	}
}

// ofExcess judges whether x is a drop, and exceeds the drop y.
func ofExcess(x, y Comparison, margin float64) (Verdict, string) {
	q := quotient(x, y)
	v, why := q.lead(false, margin)
	first, whether := x.lead(false, margin)
	switch {
	case v == Contradicted || q.silent() != "":
		return v, why
	case first == Contradicted:
		return first, "the first is not a drop: " + whether
	case v == Inconclusive:
		return v, why
	case first == Inconclusive:
		return first, "whether the first is a drop: " + whether
	}
	return Confirmed, "the first drop is the larger"
}

// ofBound judges a value by limits that do not depend on the machine.
func ofBound(e judge.Estimate, atLeast, atMost *float64) (Verdict, string) {
	lo, hi := limits(atLeast, atMost)
	switch {
	case e.Lo >= lo && e.Hi <= hi:
		return Confirmed, "the interval is within the bounds"
	case e.Hi < lo || e.Lo > hi:
		return Contradicted, "the interval is outside the bounds"
	case math.IsInf(e.Lo, -1) != math.IsInf(e.Hi, 1):
		return Inconclusive, "it reached the load generator's ceiling and may be faster"
	}
	return Inconclusive, "not enough data to tell"
}

// limits returns the range between two limits; nil means no limit.
func limits(atLeast, atMost *float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if atLeast != nil {
		lo = *atLeast
	}
	if atMost != nil {
		hi = *atMost
	}
	return lo, hi
}
