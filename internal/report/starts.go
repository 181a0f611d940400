package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/analysis"
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
	{"memory_per_connection", "memory per connection", "bytes", func(s analysis.Starts) analysis.Estimate { return s.PerConnection }},
}

// startsShown are the columns that some row of the run fills.
func (v *view) startsShown() (shown []startColumn) {
	for _, c := range startColumns {
		if slices.ContainsFunc(slices.Concat(v.rows, v.controls), func(r row) bool { return r.Struck == "" && c.Of(r.Starts).N > 0 }) {
			shown = append(shown, c)
		}
	}
	return shown
}

// startScale is the one that a column of starts is printed with.
func (v *view) startScale(c startColumn) Scale {
	var values, highest []float64
	for _, r := range slices.Concat(v.rows, v.controls) {
		if e := c.Of(r.Starts); r.Struck == "" && e.N > 0 {
			values, highest = append(values, e.Value), append(highest, e.Hi)
		}
	}
	if slices.Max(append(values, 0)) == 0 { // all are warm at once, as a rule
		values = highest
	}
	return ScaleOf(c.Unit, values...)
}

// startParts prints a time of a start, and its interval where it has a width: "3.2", "(2.6–4.1)".
func startParts(e analysis.Estimate, s Scale) (value, side string) {
	switch {
	case e.N == 0:
		return Missing, ""
	case e.Lo == e.Hi:
		return Sig3(e.Value / s.Per), ""
	}
	return Sig3(e.Value / s.Per), "(" + intervalIn(e, s) + ")"
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

// startTextColumns are the columns of Text.
func (t *text) startTextColumns(rows []row) (cols []column) {
	shown := t.startsShown()
	for _, c := range shown {
		scale := t.startScale(c)
		var values, sides []string
		for _, r := range rows {
			value, side := startParts(c.Of(r.Starts), scale)
			if r.Struck != "" {
				value, side = "", ""
			}
			values, sides = append(values, value), append(sides, side)
		}
		cols = append(cols, pairColumn(c.Head+" "+scale.Name, values, sides, false))
	}
	if t.warmed() {
		class := column{head: "warm-up class"}
		for _, r := range rows {
			class.cells = append(class.cells, map[bool]string{true: classesText(r.Starts)}[r.Struck == ""])
		}
		cols = append(cols, class)
	}
	return cols
}

// pageStart is a line of the page's table of starts.
type pageStart struct {
	Title, Language string
	Cells           []pageCell
	Class           string
}

// pageStarts are the heads and lines of the page's table of starts.
func (v *view) pageStarts() (heads []pageColumn, list []pageStart) {
	shown := v.startsShown()
	for _, c := range shown {
		heads = append(heads, pageColumn{Head: strings.ToUpper(c.Head[:1]) + c.Head[1:], Unit: v.startScale(c).Name, Word: c.Name})
	}
	for _, r := range slices.Concat(v.rows, v.controls) {
		if r.Struck != "" || r.Starts.N == 0 {
			continue
		}
		p := pageStart{Title: r.Title, Language: languageClass(r), Class: classesText(r.Starts)}
		for _, c := range shown {
			cell := pageCell{Absent: "none was found"}
			if e := c.Of(r.Starts); e.N > 0 {
				value, side := startParts(e, v.startScale(c))
				cell = pageCell{Value: value, Side: strings.Trim(side, "()")}
			}
			p.Cells = append(p.Cells, cell)
		}
		list = append(list, p)
	}
	return heads, list
}

// warmed reports whether a class of warm-up is known; a classic run has none.
func (v *view) warmed() bool {
	return slices.ContainsFunc(slices.Concat(v.rows, v.controls), func(r row) bool { return len(r.Starts.Classes) > 0 })
}

// startsJSON are the starts of a contestant.
func startsJSON(s analysis.Starts) object {
	o := object{{"starts", s.N}}
	for _, c := range startColumns {
		var of any
		if e := c.Of(s); e.N > 0 {
			of = object{{"value_" + c.Unit, number(e.Value)}, {"lo_" + c.Unit, number(e.Lo)}, {"hi_" + c.Unit, number(e.Hi)}, {"epochs", e.N}}
		}
		o = append(o, field{c.Name, of})
	}
	return append(o, field{"warm_up_classes", s.Classes})
}
