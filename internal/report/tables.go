package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// excludedLast keeps rows in the order asked for, but puts failed contestants last.
func (v *View) excludedLast() {
	slices.SortStableFunc(v.rows, func(a, b Row) int {
		return cmp.Compare(min(1, len(a.Excluded)), min(1, len(b.Excluded)))
	})
}

// excludedWhere returns why a row has no figures, with the level at which it failed under load.
func (v *View) excludedWhere(r *Row) string {
	if r.Failure == nil || r.Failure.Stage != "load" || len(v.run.Plan.Levels) < 2 {
		return r.Excluded
	}
	for i := len(v.run.Trials) - 1; i >= 0; i-- {
		t := v.run.Trials[i]
		if t.Contestant != r.Name {
			continue
		}
		l := &t.Load
		if t.Epoch == r.Failure.Epoch && (l.Failed > 0 || l.Errored() > 0 || l.Established < l.Connections ||
			l.Succeeded == 0) {
			return strings.Replace(r.Excluded, "failed at load", "failed at "+
				"load, "+v.levelAt(record.Cell{Level: v.run.Plan.At(t)}), 1)
		}
		break
	}
	return r.Excluded
}

// shownMetrics returns the metrics with tables: at least one, to show what is missing. A run with
// many cells has no tables for rare metrics, unless the caller asks for one.
func (v *View) shownMetrics() []judge.Metric {
	if !v.any() {
		return v.metrics[:1]
	}
	return slices.DeleteFunc(slices.Clone(v.metrics), func(m judge.Metric) bool {
		return v.idles(m) || // Processes has them
			m.Rare && len(v.rows)*len(v.levels) > manyCells && !slices.Contains(v.Added.Tables, m.Name)
	})
}

// manyCells is the number of cells, each a contestant at a level, above which a page omits metrics,
// because each further table would take a megabyte.
const manyCells = 500

// epochs returns the levels' number of epochs: "4 valid epochs", or "3 to 4 valid epochs".
func (v *View) epochs() string {
	least, most := math.MaxInt, 0
	for _, l := range v.levels {
		n := 0
		if l.Analysis != nil {
			n = l.Analysis.Epochs
		}
		least, most = min(least, n), max(most, n)
	}
	if least >= most {
		return document.Count(most, "valid epoch")
	}
	return fmt.Sprintf("%d to %d valid epochs", least, most)
}

// levelByLevel returns a chart and a table for each metric.
func (v *View) levelByLevel() document.Section {
	out := document.Section{ID: "table", Title: "Level by level"}
	legend := v.Legend()
	if len(v.controls) > 0 {
		legend = append(legend, document.LegendItem{Key: "control", Name: "reference"})
	}
	out.Blocks = append(out.Blocks, document.Legend{Items: legend})
	shown := v.shownMetrics()
	for k, m := range shown {
		if t := v.metricTable(m, k == 0); len(t.Rows) > 0 {
			out.Blocks = append(out.Blocks, t)
		}
		if k == 0 && !v.any() || v.chartsBelow() {
			out.Blocks = append(out.Blocks, v.lineChart(m))
		}
	}
	var more []string
	for _, m := range v.metrics {
		if !v.run.Plan.Fresh() && !slices.ContainsFunc(shown, func(x judge.Metric) bool { return x.Name == m.Name }) {
			more = append(more, Lower(m.Title))
		}
	}
	if v.any() && len(more) > 0 {
		out.Blocks = append(out.Blocks,
			quiet("Measured as well, in run.json and dyno report --format csv: "+And(more)+"."))
	}
	if notes := document.Items(slices.Concat(v.marks(), v.gaps(), v.rowNotes())...); len(notes.Items) > 0 {
		out.Blocks = append(out.Blocks, notes)
	}
	return out
}

// chartsBelow reports whether metrics have their own charts below the answer. Lines for many
// contestants could not be told apart.
func (v *View) chartsBelow() bool { return v.any() && len(v.rows) <= MostBars }

// metricTable has a row for each contestant and a column for each level, after one for idle processes if there
// are fresh ones. Contestants that failed are in the first such table alone.
func (v *View) metricTable(m judge.Metric, first bool) document.Table {
	scale := v.scale(m)
	t := document.Table{Title: m.Title, Note: "In " + UnitWords(scale) + "; " + Way(m) + ".",
		Columns: []document.Column{{Head: "contestant", Lead: true}}}
	idle := v.idles(m)
	cell := func(f *Figure) document.Cell {
		c := f.Cell(scale)
		if idle && f.Absent == "" && judge.UnitNamed(m.Unit).Scales == nil { // counted: whole, or halves
			c.Value = document.Grouped(f.Value, Decimals(f.Value))
		}
		return c
	}
	if idle {
		t.Columns = append(t.Columns, document.Column{Head: "idle", Number: true})
	}
	for _, name := range v.names {
		t.Columns = append(t.Columns, document.Column{Head: name, Number: true})
	}
	for _, r := range v.all() {
		if r.Excluded != "" && !first {
			continue
		}
		row := v.TableRow(r)
		if idle {
			row.Cells = append(row.Cells, cell(v.idleFigure(r, m)))
		}
		for i := range v.levels {
			row.Cells = append(row.Cells, cell(v.figure(r, m, i)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// UnitWords returns a column's unit in words: "requests per second", "ms".
func UnitWords(s judge.Scale) string { return strings.Replace(s.Name, "1/s", "requests per second", 1) }

// Way says which figures are the better ones.
func Way(m judge.Metric) string {
	switch {
	case m.Unranked:
		return "shown, not compared"
	case m.More:
		return "more is better"
	}
	return "less is better"
}
