package report

import (
	"fmt"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// oneLevel is a run that compares all contestants with each other, and ranks them.
type oneLevel struct{ *View }

func (p *oneLevel) document() *document.Document {
	p.excludedLast()
	d := &document.Document{Title: p.heading(), Question: p.Added.Question, Byline: p.head(), Lead: p.lead(p.Answer()),
		Front: p.front(), Trust: p.asked(), Facts: p.facts()}
	d.Sections = append(p.first(p.short()), details(append([]document.Section{
		p.standings(), p.allBars(), p.otherLevels(), p.pairByPair(), p.belief(p.doubts())},
		p.rest(p.methodFacts(), p.words())...))...)
	return d
}

// figure returns that of a row.
func (p *oneLevel) figure(r Row, m judge.Metric) *Figure {
	c := p.cell(r.Name, m.Name)
	return &Figure{Estimate: c.Level, Least: c.Least, Most: c.Most, Ratio: c.Ratio,
		Bound: r.Place.LowerBound && m.AtCeiling && m.More, Absent: orElse(r.Excluded, document.Clean(c.Absent))}
}

// details marks sections as details of the answer.
func details(sections []document.Section) []document.Section {
	for i := range sections {
		sections[i].Detail = true
	}
	return sections
}

// standings returns the table of all contestants in order of their ranks.
func (p *oneLevel) standings() document.Section {
	s := document.Section{ID: "table", Title: "Standings"}
	if len(p.rows)+len(p.controls) == 0 {
		s.Blocks = []document.Block{document.Paragraph{Text: document.Plain("The record names no contestants.")}}
		return s
	}
	t := document.Table{Columns: []document.Column{{Head: "tier", Word: "tier", Number: true, Lead: true},
		{Head: "rank", Word: "rank", Lead: true},
		{Head: "contestant", Lead: true}}}
	for _, m := range p.shown() {
		t.Columns = append(t.Columns, column(m, p.scale(m)))
		if m.Name == p.primary().Name {
			t.Columns = append(t.Columns, document.Column{Head: "× " + p.reference(), Word: "ratio", Number: true})
		}
	}
	tier := 0
	for i, r := range p.all() {
		row := p.TableRow(r)
		row.Cells = append([]document.Cell{{Value: tierText(r)}, {Value: rankText(r)}}, row.Cells...)
		row.Notes = r.Notes
		row.Rule = r.Excluded == "" && r.Place.Tier != tier || i == len(p.rows)
		tier = r.Place.Tier
		for _, m := range p.shown() {
			c := p.cell(r.Name, m.Name)
			row.Cells = append(row.Cells, p.levelCell(r, m, c))
			if m.Name == p.primary().Name {
				row.Cells = append(row.Cells, p.ratioCell(r, c))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if len(p.shown()) > 0 {
		t.After = "± is the 95 % interval of a level; the interval of a ratio is in brackets."
		if p.open() {
			t.After += " ∞: too few epochs for an interval."
		}
	}
	p.addSentAgain(&t, p.all())
	s.Blocks = []document.Block{t}
	return s
}

// column returns the head of a metric's column.
func column(m judge.Metric, s judge.Scale) document.Column {
	return document.Column{Head: m.HeadIn(s.Name), Word: m.Name, Number: true}
}

// levelCell returns a level with its interval.
func (v *View) levelCell(r Row, m judge.Metric, c judge.Cell) document.Cell {
	if c.Absent != "" {
		return document.Cell{Absent: c.Absent, Small: c.Absent}
	}
	value, side := levelParts(c.Level, v.scale(m))
	if r.Place.LowerBound && m.AtCeiling && m.More {
		value = "≥ " + value
	}
	return document.Cell{Value: value, Side: side}
}

// ratioCell returns the ratio to the reference; its own is 1.
func (v *View) ratioCell(r Row, c judge.Cell) document.Cell {
	switch {
	case v.isReference(r):
		return document.Cell{Value: "1"}
	case c.Absent == "" && c.Ratio.N > 0:
		return ratioCell(c.Ratio)
	}
	return document.Cell{Absent: "no ratio"}
}

// ratioCell returns a ratio with its interval.
func ratioCell(e judge.Estimate) document.Cell {
	value, interval := RatioParts(e.Value, e.Lo, e.Hi)
	return document.Cell{Value: value, Side: interval}
}

func tierText(r Row) string {
	switch {
	case r.Control || r.Excluded != "":
		return ""
	case r.Place.Tier == 0:
		return Missing
	}
	return fmt.Sprint(r.Place.Tier)
}

func rankText(r Row) string {
	p := r.Place
	switch {
	case r.Control || r.Excluded != "":
		return ""
	case p.Lo == 0:
		return Missing
	case p.Lo == p.Hi:
		return fmt.Sprint(p.Lo)
	}
	return fmt.Sprintf("%d–%d", p.Lo, p.Hi)
}

// quiet returns a paragraph that readers can skip.
func quiet(s string) document.Paragraph {
	return document.Paragraph{Text: document.Plain(s), Style: document.Quiet}
}

// pairByPair shows the verdicts. With many pairs it shows a matrix, and only the pairs of
// neighbours in words.
func (p *oneLevel) pairByPair() document.Section {
	s := document.Section{ID: "pairs", Title: "Pair by pair"}
	all, neighbours := p.pairs()
	var near, others document.List
	if len(all) > 0 {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain(p.tally(all))})
	}
	for _, pair := range all {
		item := document.Item{Text: p.sentence(pair).text()}
		if len(all) <= matrixFrom || slices.ContainsFunc(neighbours, func(n judge.Pair) bool {
			return n.A == pair.A &&
				n.B == pair.B
		}) {
			near.Items = append(near.Items, item)
		} else {
			others.Items = append(others.Items, item)
		}
	}
	if len(all) > matrixFrom {
		s.Blocks = append(s.Blocks, p.matrix(), quiet("Neighbours in the table, in words:"))
	}
	if len(near.Items) > 0 {
		s.Blocks = append(s.Blocks, near)
	}
	if len(others.Items) > 0 {
		s.Blocks = append(s.Blocks, document.Fold{Title: "The other " + document.Count(len(others.Items), "pair"),
			Blocks: []document.Block{others}})
	}
	return s
}

// matrix shows every pair once, the upper row against a lower one as the column.
func (p *oneLevel) matrix() document.Table {
	rows := p.ranked()
	t := document.Table{Note: "The row’s " + Lower(p.primary().Title) +
		" over the column’s. Columns are numbered as the rows.",
		Columns: []document.Column{{Head: "row ÷ column", Lead: true}}, After: markLegend}
	for i, r := range rows {
		row := document.Row{Cells: []document.Cell{{Value: fmt.Sprintf("%d %s", i+1, r.Title)}}, Key: r.Key()}
		for j := 1; j < len(rows); j++ {
			if i == 0 {
				t.Columns = append(t.Columns, document.Column{Head: fmt.Sprint(j + 1), Number: true})
			}
			c := document.Cell{}
			if pair, ok := p.a.Pair(r.Name, rows[j].Name, p.primary().Name); ok && i < j {
				value, _ := RatioParts(pair.Ratio.Value, pair.Ratio.Lo, pair.Ratio.Hi)
				c = document.Cell{Value: mark(pair) + " " + value, Side: widestSide(pair.Ratio.Value, pair.Ratio.Lo,
					pair.Ratio.Hi), Style: styleOf[pair.Verdict]}
			}
			row.Cells = append(row.Cells, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// otherLevels returns the tables of further levels, at which no pair is decided.
func (p *oneLevel) otherLevels() document.Section {
	s := document.Section{ID: "levels", Title: "At other levels"}
	l := newLevels(p.View)
	if c := l.byLoad(); len(c.Options) > 0 {
		s.Blocks = append(s.Blocks, c)
	}
	for i := range p.Levels {
		t := document.Table{Title: l.extraTitle(i), After: l.extraNote(i), Columns: []document.Column{{Head: "contestant",
			Lead: true}}}
		metrics := l.extraMetrics(i)
		for _, m := range metrics {
			t.Columns = append(t.Columns, column(m, l.levelScale(m, i)))
		}
		for _, r := range p.rows {
			switch {
			case r.elsewhere:
				r.Excluded = ""
			case r.Excluded != "":
				continue
			}
			row := p.TableRow(r)
			for _, m := range metrics {
				cell := l.figure(r, m, i).Cell(l.levelScale(m, i))
				if m.Kind == judge.Arrivals { // which were asked for
					cell.Side = ""
				}
				row.Cells = append(row.Cells, cell)
			}
			row.Notes = NonEmpty(l.Levels[i].Kept[r.Name].Text)
			t.Rows = append(t.Rows, row)
		}
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t)
		}
	}
	return s
}
