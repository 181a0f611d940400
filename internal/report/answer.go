package report

import (
	"fmt"
	"strings"

	"dyno/internal/analysis"
)

// answer is what the run says, in the sentences of one paragraph: what forbids to believe it, who
// is ahead and by how much, how sure that is, and who is missing.
func (v *view) answer() (sentences []string) {
	add := func(s string) {
		if s != "" {
			sentences = append(sentences, s)
		}
	}
	sentences = v.forbidding()
	rows := v.ranked()
	switch {
	case len(rows) == 0:
		add("Nothing was measured: no contestant has a figure.")
	case len(rows) == 1:
		add(v.only(rows[0]))
	case v.a.Interim == 0:
		text := "There is no verdict yet: " + count(v.a.Epochs, "valid epoch") + " so far"
		if least := v.a.Needed; least > v.a.Epochs {
			text += fmt.Sprintf(", and the fewest that can show a difference are %d", least)
		}
		add(text + ". Every pair is undecided.")
	default:
		add(v.leaders(rows))
		add(v.tally())
	}
	for _, r := range rows {
		if r.Place.LowerBound {
			add("The figure of " + r.Title + " is a lower bound: it stands at the generator's ceiling, and may be faster " +
				"than could be shown.")
		}
	}
	add(v.absent())
	if len(rows) > 1 && v.a.Interim == 0 || len(rows) == 0 {
		add(v.ended())
	}
	return sentences
}

// only speaks of a contestant that stands alone.
func (v *view) only(r row) string {
	m := v.primary()
	c := v.cell(r.Name, m.Name)
	s := ScaleOf(m.Unit, c.Level.Value)
	text := fmt.Sprintf("Only %s has a figure, so there is nothing to compare it with: %s %s (%s)", r.Title,
		Sig3(c.Level.Value/s.Per),
		strings.Replace(s.Name, "1/s", "per second", 1), intervalIn(c.Level, s))
	if c.Ratio.N > 0 {
		text += fmt.Sprintf(", %s of the reference %s", timesText(c.Ratio), v.yardstick())
	}
	return text + "."
}

// leaders says who may be first: one contestant if the data singles it out, else all that it does
// not tell apart.
func (v *view) leaders(rows []row) string {
	var first []row
	for _, r := range rows {
		if r.Place.Lo <= 1 {
			first = append(first, r)
		}
	}
	if len(first) == 0 {
		return ""
	}
	if len(first) > 1 {
		return "No single winner: the first place is between " + titles(first) + ". " + v.among(first)
	}
	m := v.primary()
	superlative := m.Says().Best
	next := rows[1]
	if rows[1].Name == first[0].Name {
		next = rows[0]
	}
	s := first[0].Title + " " + superlative
	if p, ok := v.a.Pair(first[0].Name, next.Name, m.Name); ok {
		s += ": " + timesText(p.Ratio) + " those of " + next.Title + ", the next"
		if !strings.HasSuffix(superlative, "requests") {
			s = strings.Replace(s, " those of ", " that of ", 1)
		}
	}
	if last := rows[len(rows)-1]; last.Name != next.Name && last.Name != first[0].Name {
		if p, ok := v.a.Pair(first[0].Name, last.Name, m.Name); ok {
			s += ", and " + timesText(p.Ratio) + " of " + last.Title + ", the last"
		}
	}
	return s + "."
}

// among says why the first ones are not told apart.
func (v *view) among(first []row) string {
	n := map[analysis.Verdict]int{}
	var pairs []analysis.Pair
	for i := range first {
		for j := i + 1; j < len(first); j++ {
			if p, ok := v.a.Pair(first[i].Name, first[j].Name, v.primary().Name); ok {
				n[p.Verdict]++
				pairs = append(pairs, p)
			}
		}
	}
	switch {
	case len(pairs) == 1:
		return v.sentence(pairs[0]).String() + "."
	case n[analysis.Inconclusive] == 0 && n[analysis.Different] == 0:
		return "They are alike within " + PerCent(v.margin()) + "."
	case n[analysis.Equivalent]+n[analysis.Negligible] == 0:
		return "The data could not tell them apart."
	}
	return "Some of them tie within " + PerCent(v.margin()) + "; the others the data could not tell apart."
}

// tally counts the pairs by verdict, and says how sure the differences are.
func (v *view) tally() string {
	all, _ := v.pairs()
	if len(all) == 0 {
		return ""
	}
	return v.tallyOf(all)
}

// tallyOf counts pairs.
func (v *view) tallyOf(all []analysis.Pair) string {
	n := map[analysis.Verdict]int{}
	for _, p := range all {
		n[p.Verdict]++
	}
	var parts []string
	for _, k := range []struct {
		verdict   analysis.Verdict
		one, more string
	}{{analysis.Different, "is different", "are different"}, {analysis.Negligible, "differs negligibly",
		"differ negligibly"},
		{analysis.Equivalent, "is a tie", "are ties"}, {analysis.Inconclusive, "is undecided", "are undecided"}} {
		switch c := n[k.verdict]; {
		case c == 1:
			parts = append(parts, "1 "+k.one)
		case c > 1:
			parts = append(parts, fmt.Sprintf("%d %s", c, k.more))
		}
	}
	s := fmt.Sprintf("Of %s %s.", count(len(all), "pair"), and(parts))
	if a := v.run.Plan.Alpha; a > 0 && n[analysis.Different]+n[analysis.Negligible] > 0 {
		s += " The chance that a run like this calls any equal pair different is at most " + PerCent(a) + "."
	}
	return s
}

// absent names those that have no figure.
func (v *view) absent() string {
	var unavailable, failed, other []row
	for _, r := range v.rows {
		switch {
		case r.Struck == "":
		case r.Failure != nil && r.Failure.Unavailable():
			unavailable = append(unavailable, r)
		case r.Failure != nil:
			failed = append(failed, r)
		default:
			other = append(other, r)
		}
	}
	var parts []string
	if len(unavailable) > 0 {
		parts = append(parts, titles(unavailable)+" could not be built here")
	}
	if len(failed) > 0 {
		parts = append(parts, titles(failed)+" failed")
	}
	if len(other) > 0 {
		parts = append(parts, titles(other)+" could not be ranked")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

func titles(rows []row) string {
	var names []string
	for _, r := range rows {
		names = append(names, r.Title)
	}
	return and(names)
}

// timesText prints a ratio with its interval for a sentence: "1.42 × (1.38–1.47)".
func timesText(e analysis.Estimate) string {
	value, interval := ratioParts(e.Value, e.Lo, e.Hi)
	return value + " × " + interval
}
