package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// familyLabel labels every form of a paired comparison whose pairs are named.
const familyLabel = "paired comparison at several levels: compared pairs are judged, all else has intervals"

// comparison is a compared pair, as every form shows it.
type comparison struct {
	judge.Pair
	TitleA, TitleB, LevelA, LevelB string
	Missing                        string // why it has no figure
}

// comparisons returns the compared pairs under the primary metric, of a ranking each contestant with
// those below it, else in the plan's order; none is left out.
func (v *View) comparisons() (list []comparison) {
	if v.ranks {
		for _, p := range v.pairsOf(v.ranked()) {
			if p.Better == p.B && p.Better != "" {
				p = p.Turned()
			}
			c := comparison{Pair: p, TitleA: v.Title(p.A), TitleB: v.Title(p.B)}
			if p.Ratio.N == 0 {
				c.Missing = noRatio(p)
			}
			list = append(list, c)
		}
		return list
	}
	for _, f := range v.run.Plan.Family {
		c := comparison{TitleA: v.Title(f.A.Contestant), TitleB: v.Title(f.B.Contestant), LevelA: v.levelAt(f.A),
			LevelB: v.levelAt(f.B)}
		p, ok := v.a.Compared(f.A, f.B, v.primary().Name)
		if c.Pair = p; !ok || p.Ratio.N == 0 {
			c.Missing = noRatio(p)
			c.A, c.B, c.AtA, c.AtB = f.A.Contestant, f.B.Contestant, f.A.Level, f.B.Level
		}
		for _, name := range []string{f.B.Contestant, f.A.Contestant} {
			if f := v.run.FailureOf(name); f != nil {
				c.Missing = v.Title(name) + " " + FailureText(f)
			}
		}
		list = append(list, c)
	}
	return list
}

// levelAt returns the name of a cell's level.
func (v *View) levelAt(c record.Cell) string {
	if c.Level >= 0 && c.Level < len(v.names) {
		return v.names[c.Level]
	}
	return fmt.Sprintf("level %d", c.Level)
}

// cellsOf names both sides. It names a common level or contestant only once.
func (c *comparison) cellsOf() (a, b string) {
	switch {
	case c.LevelA == "":
		return c.TitleA, c.TitleB
	case c.A == c.B:
		return c.TitleA + ", " + c.LevelA, c.LevelB
	case c.LevelA == c.LevelB:
		return c.TitleA + ", " + c.LevelA, c.TitleB
	}
	return c.TitleA + ", " + c.LevelA, c.TitleB + ", " + c.LevelB
}

// verdict returns a pair's verdict in words, which of the two is better, and what the verdict
// relies on.
func (v *View) verdict(c *comparison) (word, better, evidence string, kind judge.Verdict) {
	kind, word = c.Verdict, v.verdictWord(c.Verdict)
	switch {
	case c.Missing != "":
		return "not compared", "", document.Clean(c.Missing), judge.Inconclusive
	case v.a.Interim == 0:
		return notSeparated, "", "before the first analysis", judge.Inconclusive
	case c.Verdict == judge.Negligible:
		evidence = "certain, but within " + PerCent(v.margin())
	default:
		evidence = document.Clean(c.Note)
	}
	if e := c.Elsewhere; e != nil && isDifferent(kind) {
		there := v.there(fmt.Sprintf("%s (%s)", v.verdictWord(e.Verdict), bounds(e.Ratio)))
		evidence = strings.Join(NonEmpty(evidence, there), "; ")
	}
	switch {
	case kind != judge.Different || v.ranks: // which has the better one first
	case c.Leads() > 0:
		better = "the first is better"
	case c.Leads() < 0:
		better = "the second is better"
	}
	return word, better, evidence, kind
}

// familySentences returns the sentences about a run with compared pairs.
func (v *View) familySentences() (list []string) {
	var found []judge.Pair
	missing := 0
	for _, c := range v.comparisons() {
		if c.Missing != "" {
			missing++
			continue
		}
		found = append(found, c.Pair)
	}
	switch {
	case len(found) == 0:
		list = append(list, "No compared pair has a figure.")
	case v.a.Interim == 0:
		list = append(list, v.noAnalysis())
	default:
		all, sure, _ := strings.Cut(v.tally(found), ". ")
		list = append(list, strings.TrimSuffix(all, ".")+".")
		list = append(list, NonEmpty(sure)...)
	}
	if missing > 0 && len(found) > 0 {
		list = append(list, document.Count(missing, "pair")+" could not be compared.")
	}
	return list
}

// pairsShort returns the compared pairs without the basis of each verdict, those without a ratio last.
func (v *View) pairsShort() []document.Block {
	t := shortened(v.pairsTable())
	slices.SortStableFunc(t.Rows, func(x, y document.Row) int {
		return cmp.Compare(min(1, len(x.Cells[2].Absent)), min(1, len(y.Cells[2].Absent)))
	})
	if t.Rest = "more"; v.Folder != "" {
		t.Rest += ": dyno report " + document.Clean(v.Folder) + " --verbose"
	}
	return []document.Block{t}
}

// comparedPairs returns a table of the compared pairs, of a ranking below their count. Each row names
// its contestants, because readers can sort the rows on a page.
func (v *View) comparedPairs() document.Section {
	out := document.Section{ID: "pairs", Title: "Compared pairs"}
	if v.ranks {
		out.Title = "Pair by pair"
	}
	t := v.pairsTable()
	if len(t.Rows) == 0 || v.single {
		return out
	}
	if v.ranks {
		out.Blocks = append(out.Blocks, document.Paragraph{Text: document.Plain(v.tally(v.pairsOf(v.ranked())))})
	}
	out.Blocks = append(out.Blocks, t)
	return out
}

// pairsTable has a row for each compared pair, with p-values in the details.
func (v *View) pairsTable() document.Table {
	t := document.Table{Note: "The ratio of the first’s " + Lower(v.primary().Title) + " to the second’s.",
		Columns: []document.Column{{Head: "pair", Lead: true}, {Head: "against"}, {Head: "ratio", Number: true},
			{Head: "verdict"}}}
	if v.Verbose {
		t.Columns = append(t.Columns, document.Column{Head: "p", Number: true})
	}
	for _, c := range v.comparisons() {
		a, b := c.cellsOf()
		ratio, p := document.Cell{Absent: c.Missing}, document.Cell{Absent: c.Missing}
		if c.Missing == "" {
			ratio, p = ratioCell(c.Ratio), document.Cell{Value: pText(c.P)}
		}
		word, better, evidence, kind := v.verdict(&c)
		row := document.Row{Notes: NonEmpty(better, evidence),
			Cells: []document.Cell{{Value: a}, {Value: b}, ratio, {Value: word, Style: styleOf[kind]}}}
		if v.Verbose {
			row.Cells = append(row.Cells, p)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
