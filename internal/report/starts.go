package report

import (
	"fmt"
	"slices"
	"strconv"
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
		return document.Cell{Value: Sig3(e.Value / s.Per)}
	}
	return document.Cell{Value: Sig3(e.Value / s.Per), Side: "(" + IntervalIn(e, s) + ")"}
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
	return orElse(strings.Join(parts, ", "), Missing)
}

// starts returns a table of the processes' starts.
func (v *View) starts() document.Section {
	out := document.Section{ID: "starts", Title: "From start to speed", Folded: true}
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
		out.Blocks = append(v.startCharts(), t)
	}
	return out
}

// leveled reports whether any row has a known throughput after its starts.
func (v *View) leveled() bool {
	return slices.ContainsFunc(v.all(), func(r Row) bool {
		return r.Excluded == "" && slices.ContainsFunc(r.Starts.Each, func(s judge.Start) bool { return s.Level > 0 })
	})
}

// levelsOf returns the throughputs that starts reached, the lowest first.
func levelsOf(each []judge.Start) (all []float64) {
	for _, s := range each {
		if s.Level > 0 {
			all = append(all, s.Level)
		}
	}
	slices.Sort(all)
	return all
}

// reachedCells returns the range of the throughputs that starts reached, and the widest gap between
// two neighbouring values, with the number of values below it. If there are two kinds of starts,
// the gap separates them.
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

// startCharts shows each start as a dot, by epoch: the time to the first answer, and the throughput
// reached.
func (v *View) startCharts() (charts []document.Block) {
	scale := v.startScale(startColumns[0])
	for _, c := range []struct {
		document.LineChart
		of   func(judge.Start) float64 // the drawn figure; 0: not known
		text func(float64) string
	}{
		{document.LineChart{ID: "starts", Title: "First answer", Unit: scale.Name, Per: scale.Per},
			func(s judge.Start) float64 { return float64(s.ReadyNS) }, Duration},
		{document.LineChart{ID: "levels-reached", Title: "Level reached", Unit: "requests/s, over its " +
			"median", Per: 1, Axis: document.LogAxis,
			Note: "The level is an epoch's requests per second relative to the contestant's median, corrected for the " +
				"other servers' changes in the same rounds."},
			func(s judge.Start) float64 { return s.Level }, func(x float64) string { return fmt.Sprintf("%.3f", x) }},
	} {
		c.Loose, c.Foot = true, c.Title+" of each start of each contestant, one an epoch"
		plot, last := document.Plot{X: "epoch"}, 1
		for _, r := range v.all() {
			for _, s := range r.Starts.Each {
				last = max(last, s.Epoch)
			}
		}
		for e := range last + 1 {
			plot.Ticks = append(plot.Ticks, document.Tick{At: float64(e) / float64(last), Text: strconv.Itoa(e)})
		}
		known := false
		for _, r := range v.all() {
			if r.Excluded != "" || len(r.Starts.Each) == 0 || len(c.Series) == MostBars {
				continue
			}
			var points []document.Point
			for _, s := range r.Starts.Each {
				if x := c.of(s); x > 0 {
					points = append(points, document.Point{At: float64(s.Epoch) / float64(last), Value: x, Lo: x, Hi: x,
						Text: fmt.Sprintf("%s, epoch %d: %s", r.Title, s.Epoch, c.text(x))})
					known = true
				}
			}
			c.Series = append(c.Series, document.Series{Name: r.Title, Key: r.Key()})
			plot.Points = append(plot.Points, points)
		}
		if c.Plots = []document.Plot{plot}; known {
			charts = append(charts, c.LineChart)
		}
	}
	return charts
}

// warmed reports whether any warm-up has a class; none has in a classic run.
func (v *View) warmed() bool {
	return slices.ContainsFunc(v.all(), func(r Row) bool { return len(r.Starts.Classes) > 0 })
}
