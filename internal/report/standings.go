package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// levelTable has a row for each contestant at level i, and a column for each metric. At a ranking's
// level it shows ranks and the best one's ratio to each row; for single loads, the number of answers
// and errors.
func (v *View) levelTable(i int, metrics []judge.Metric) document.Table {
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}}}
	ranks := v.ranks && i == 0
	ratios := ranks && len(v.ranked()) > 0
	if ranks {
		t.Columns = []document.Column{{Head: "rank", Lead: true}, {Head: "contestant", Lead: true}}
	}
	scales := make([]judge.Scale, len(metrics))
	for k, m := range metrics {
		scales[k] = v.scale(m, i)
		t.Columns = append(t.Columns, document.Column{Head: v.columnHead(m, i), Number: true})
		if ratios && m.Name == v.primary().Name {
			t.Columns = append(t.Columns, document.Column{Head: ToBest, Number: true})
		}
	}
	if v.single {
		t.Columns = append(t.Columns, document.Column{Head: "requests", Number: true}, document.Column{Head: "errors"})
	}
	for _, r := range v.all() {
		if i > 0 && (r.Control || r.Excluded != "" && !r.elsewhere) {
			continue
		}
		if i > 0 {
			r.Excluded, r.Notes = "", nil
		}
		row := v.TableRow(r)
		row.Notes = r.Notes
		if ranks {
			row.Cells = append([]document.Cell{{Value: rankText(r)}}, row.Cells...)
		}
		for k, m := range metrics {
			f := v.figure(r, m, i)
			cell := f.Cell(scales[k])
			switch {
			case v.single || v.isRated(i):
				cell = f.loadCell(scales[k])
			case ranks && r.Excluded == "":
				cell.Small = f.Absent
			}
			row.Cells = append(row.Cells, cell)
			if ratios && m.Name == v.primary().Name {
				row.Cells = append(row.Cells, toBestCell(v.toBest(r, m)))
			}
		}
		if v.single {
			row.Cells = append(row.Cells, v.totalCells(r)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// standings returns the table for a run with figures at one level: all contestants by rank, or load
// by load.
func (v *View) standings() document.Section {
	s := document.Section{ID: "table", Title: "Standings"}
	if v.single {
		s.Title = "Load after load"
	}
	t := v.levelTable(0, v.shown())
	if v.ranks && len(v.shown()) > 0 {
		t.After = strings.Join(NonEmpty(append(v.legend(), v.Limits())...), " ")
	}
	s.Blocks = []document.Block{t}
	if notes := document.Items(slices.Concat(v.gaps(), v.loadMarks())...); v.single {
		s.Blocks = append(s.Blocks, notes)
	}
	return s
}

// otherLevels returns tables for the levels beside a ranking, at which no pair is decided.
func (v *View) otherLevels() document.Section {
	s := document.Section{ID: "levels", Title: "At other levels"}
	if !v.ranks {
		return s
	}
	for i := 1; i < len(v.levels); i++ {
		t := v.levelTable(i, v.extraMetrics(i))
		t.Title, t.After = v.extraText(i)
		if len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t)
		}
	}
	return s
}

// ratioCell returns a ratio with its interval.
func ratioCell(e judge.Estimate) document.Cell {
	value, interval := RatioParts(e.Value, e.Lo, e.Hi)
	return document.Cell{Value: value, Side: interval}
}

func rankText(r Row) string {
	p := r.Place
	switch {
	case r.Control || r.Excluded != "":
		return ""
	case p.Lo == 0:
		return document.Missing
	case p.Lo == p.Hi:
		return fmt.Sprint(p.Lo)
	}
	return fmt.Sprintf("%d–%d", p.Lo, p.Hi)
}

// quiet returns a paragraph that readers can skip.
func quiet(s string) document.Paragraph {
	return document.Paragraph{Text: document.Plain(s), Style: document.Quiet}
}
