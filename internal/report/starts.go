package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// startColumn is a figure of the processes apart from the trials, as all forms show it.
type startColumn struct {
	Name string // in CSV and JSON
	Head string // of tables for people
	Unit string // ns or bytes
	Of   func(judge.Starts) judge.Estimate
}

var startColumns = []startColumn{
	{"first_answer", "first answer", "ns", func(s judge.Starts) judge.Estimate { return s.Ready }},
	{"warm_up", "warm-up", "ns", func(s judge.Starts) judge.Estimate { return s.Steady }},
}

// startsShown returns the columns that some row of the run fills.
func (v *View) startsShown() (shown []startColumn) {
	for _, c := range startColumns {
		if slices.ContainsFunc(v.all(), func(r Row) bool { return r.Excluded == "" && c.Of(r.Starts).N > 0 }) {
			shown = append(shown, c)
		}
	}
	return shown
}

// startScale returns the one that a column of starts is printed with.
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

// startCell returns a figure of a start, with its interval where that has a width.
func startCell(e judge.Estimate, s judge.Scale) document.Cell {
	switch {
	case e.N == 0:
		return document.Cell{Absent: "none was found"}
	case e.Lo == e.Hi:
		return document.Cell{Value: Sig3(e.Value / s.Per)}
	}
	return document.Cell{Value: Sig3(e.Value / s.Per), Side: "(" + IntervalIn(e, s) + ")"}
}

// classesText says what the warm-ups were: "flat", or "warmed 9, slowdown 3".
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
	return orElse(strings.Join(parts, ", "), Missing)
}

// starts returns the table of how the processes began.
func (v *View) starts() document.Section {
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
	leveled := v.leveled()
	if leveled {
		t.Columns = append(t.Columns, document.Column{Head: "level reached", Word: "level_reached"},
			document.Column{Head: "widest gap"})
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
		if leveled {
			row.Cells = append(row.Cells, reachedCells(r.Starts.Each)...)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) > 0 && len(t.Columns) > 1 {
		out.Blocks = []document.Block{t}
		if c := v.startChart(); len(c.Plots) > 0 {
			out.Blocks = []document.Block{c, t}
		}
	}
	return out
}

// leveled reports whether the level that starts reached is known of some row.
func (v *View) leveled() bool {
	return slices.ContainsFunc(v.all(), func(r Row) bool {
		return r.Excluded == "" && slices.ContainsFunc(r.Starts.Each, func(s judge.Start) bool { return s.Level > 0 })
	})
}

// levelsOf returns the levels that starts reached, the lowest first.
func levelsOf(each []judge.Start) (all []float64) {
	for _, s := range each {
		if s.Level > 0 {
			all = append(all, s.Level)
		}
	}
	slices.Sort(all)
	return all
}

// reachedCells returns the range of the levels that starts reached, and the widest gap between two
// neighbours among them, with how many lie below it: of starts of two kinds it separates these.
func reachedCells(each []judge.Start) []document.Cell {
	all := levelsOf(each)
	if len(all) < 3 {
		return []document.Cell{{Absent: "too few starts"}, {Absent: "too few starts"}}
	}
	below, widest := 0, 0.0
	for i := 1; i < len(all); i++ {
		if gap := all[i]/all[i-1] - 1; gap > widest {
			below, widest = i, gap
		}
	}
	return []document.Cell{{Value: fmt.Sprintf("%.3f–%.3f", all[0], all[len(all)-1])},
		{Value: PerCent(widest), Side: fmt.Sprintf("(%d of %d below)", below, len(all))}}
}

// startChart shows each start of a contestant as a dot: its first answer, and the level that it
// reached.
func (v *View) startChart() document.StripChart {
	c := document.StripChart{ID: "starts", Foot: "Each start of each contestant, one an epoch"}
	scale := v.startScale(startColumns[0])
	first := document.StripPlot{Title: "first answer", Unit: scale.Name, Per: scale.Per}
	level := document.StripPlot{Title: "requests/s, over its median", Per: 1, Ratio: true}
	shown := [2]bool{}
	for _, r := range v.all() {
		if r.Excluded != "" || len(r.Starts.Each) == 0 || len(c.Names) == MostBars {
			continue
		}
		var ready, reached []document.Dot
		for _, s := range r.Starts.Each {
			if s.ReadyNS > 0 {
				ready = append(ready, document.Dot{At: float64(s.ReadyNS),
					Text: fmt.Sprintf("%s, epoch %d: %s", r.Title, s.Epoch, Duration(float64(s.ReadyNS)))})
			}
			if s.Level > 0 {
				reached = append(reached, document.Dot{At: s.Level,
					Text: fmt.Sprintf("%s, epoch %d: %.3f", r.Title, s.Epoch, s.Level)})
			}
		}
		shown[0], shown[1] = shown[0] || len(ready) > 0, shown[1] || len(reached) > 0
		c.Names = append(c.Names, document.StripName{Name: r.Title, Key: r.Key()})
		first.Dots, level.Dots = append(first.Dots, ready), append(level.Dots, reached)
	}
	for i, p := range []document.StripPlot{first, level} {
		if shown[i] {
			c.Plots = append(c.Plots, p)
		}
	}
	c.Note = "Each dot is one start, with processes of its own. Level: the requests per second of its epoch, over " +
		"the contestant's median; what the other servers did in the same rounds is divided out."
	return c
}

// warmed reports whether a class of warm-up is known; a classic run has none.
func (v *View) warmed() bool {
	return slices.ContainsFunc(v.all(), func(r Row) bool { return len(r.Starts.Classes) > 0 })
}
