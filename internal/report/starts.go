package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/result"
)

// startColumn is a figure of the processes apart from the trials, as all forms show it.
type startColumn struct {
	Name string // in CSV and JSON
	Head string // of tables for people
	Unit string // ns or bytes
	Of   func(analysis.Starts) analysis.Estimate
}

var startColumns = []startColumn{
	{"first_answer", "first answer", "ns", func(s analysis.Starts) analysis.Estimate { return s.Ready }},
	{"warm_up", "warm-up", "ns", func(s analysis.Starts) analysis.Estimate { return s.Steady }},
	{"memory_per_connection", "memory per connection", "bytes",
		func(s analysis.Starts) analysis.Estimate { return s.PerConnection }},
}

// startsShown returns the columns that some row of the run fills.
func (v *view) startsShown() (shown []startColumn) {
	for _, c := range startColumns {
		if slices.ContainsFunc(v.all(), func(r row) bool { return r.Excluded == "" && c.Of(r.Starts).N > 0 }) {
			shown = append(shown, c)
		}
	}
	return shown
}

// startScale returns the one that a column of starts is printed with.
func (v *view) startScale(c startColumn) analysis.Scale {
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

// startCell returns a figure of a start, with its interval where that has a width.
func startCell(e analysis.Estimate, s analysis.Scale) document.Cell {
	switch {
	case e.N == 0:
		return document.Cell{Absent: "none was found"}
	case e.Lo == e.Hi:
		return document.Cell{Value: Sig3(e.Value / s.Per)}
	}
	return document.Cell{Value: Sig3(e.Value / s.Per), Side: "(" + intervalIn(e, s) + ")"}
}

// classesText says what the warm-ups were: "flat", or "warmed 9, slowdown 3".
func classesText(s analysis.Starts) string {
	var parts []string
	for _, c := range []string{result.Flat, result.Warmed, result.Slowdown, result.NotSteady} {
		switch n := s.Classes[c]; n {
		case 0:
		case s.N:
			return c
		default:
			parts = append(parts, fmt.Sprintf("%s %d", c, n))
		}
	}
	return orElse(strings.Join(parts, ", "), Missing)
}

// starts returns the table of how the processes began.
func (v *view) starts() document.Section {
	out := document.Section{ID: "starts", Title: "From start to speed"}
	t := document.Table{Note: "Medians of the starts, one each epoch, with their 95 % interval.",
		Columns: []document.Column{{Head: "contestant", Lead: true}}}
	shown := v.startsShown()
	for _, c := range shown {
		t.Columns = append(t.Columns, document.Column{Head: c.Head, Unit: v.startScale(c).Name, Word: c.Name,
			Number: true})
	}
	if v.warmed() {
		t.Columns = append(t.Columns, document.Column{Head: "warm-up class"})
	}
	for _, r := range v.all() {
		if r.Excluded != "" || r.Starts.N == 0 {
			continue
		}
		row := v.tableRow(r)
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

// warmed reports whether a class of warm-up is known; a classic run has none.
func (v *view) warmed() bool {
	return slices.ContainsFunc(v.all(), func(r row) bool { return len(r.Starts.Classes) > 0 })
}
