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

// startColumn is a figure about starts of processes, as all forms show it.
type startColumn struct {
	Name string // name in CSV and JSON
	Head string // column header for people
	Unit string // ns or bytes
	Of   func(judge.Starts) judge.Estimate
}

var startColumns = []startColumn{
	{"first_answer", "first answer", "ns", func(s judge.Starts) judge.Estimate { return s.Ready }},
	{"warm_up", "warm-up", "ns", func(s judge.Starts) judge.Estimate { return s.Steady }},
}

// startsShown returns the columns that have a figure in some row.
func (v *View) startsShown() (shown []startColumn) {
	for _, c := range startColumns {
		if slices.ContainsFunc(v.all(), func(r Row) bool { return r.Excluded == "" && c.Of(r.Starts).N > 0 }) {
			shown = append(shown, c)
		}
	}
	return shown
}

// startScale returns the scale for a column.
func (v *View) startScale(c startColumn) judge.Scale {
	var values, highest []float64
	for _, r := range v.all() {
		if e := c.Of(r.Starts); r.Excluded == "" && e.N > 0 {
			values, highest = append(values, e.Value), append(highest, e.Hi)
		}
	}
	if slices.Max(append(values, 0)) == 0 { // all are warm at once, as a rule
		values = highest
	}
	return ScaleOf(c.Unit, values...)
}

// startCell returns a figure about starts, with its interval unless that has no width.
func startCell(e judge.Estimate, s judge.Scale) document.Cell {
	switch {
	case e.N == 0:
		return document.Cell{Absent: "none was found"}
	case e.Lo == e.Hi:
		return document.Cell{Value: document.Sig3(e.Value / s.Per)}
	}
	return document.Cell{Value: document.Sig3(e.Value / s.Per), Side: "(" + IntervalIn(e, s) + ")"}
}

// classesText counts the warm-ups by class: "flat", or "warmed 9, slowdown 3".
func classesText(s judge.Starts) string {
	var parts []string
	for _, c := range []string{record.Flat, record.Warmed, record.Slowdown, record.NotSteady} {
		switch n := s.Classes[c]; n {
		case 0:
		case s.N:
			return c
		default:
			parts = append(parts, fmt.Sprintf("%s %d", c, n))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), document.Missing)
}

// starts returns a table of the processes' starts.
func (v *View) starts() document.Section {
	out := document.Section{ID: "starts", Title: "From start to speed", Folded: true}
	t := document.Table{Note: "Medians of the starts, one each epoch, with their 95 % interval.",
		Columns: []document.Column{{Head: "contestant", Lead: true}}}
	shown := v.startsShown()
	for _, c := range shown {
		t.Columns = append(t.Columns, document.Column{Head: c.Head, Unit: v.startScale(c).Name, Number: true})
	}
	if v.warmed() {
		t.Columns = append(t.Columns, document.Column{Head: "warm-up class"})
	}
	for _, r := range v.all() {
		if r.Excluded != "" || r.Starts.N == 0 {
			continue
		}
		row := v.TableRow(r)
		for _, c := range shown {
			row.Cells = append(row.Cells, startCell(c.Of(r.Starts), v.startScale(c)))
		}
		if v.warmed() {
			row.Cells = append(row.Cells, document.Cell{Value: classesText(r.Starts)})
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) > 0 && len(t.Columns) > 1 {
		out.Blocks = []document.Block{t}
	}
	return out
}

// warmed reports whether any warm-up has a class; none has in a classic run.
func (v *View) warmed() bool {
	return slices.ContainsFunc(v.all(), func(r Row) bool { return len(r.Starts.Classes) > 0 })
}
