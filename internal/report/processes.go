package report

import (
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// Processes returns the table for a run with fresh processes: each contestant's use of resources,
// first idle, then after each load.
func (v *View) Processes() document.Section {
	out := document.Section{ID: "held"}
	if !v.run.Plan.Fresh() || !v.any() {
		return out
	}
	out.Title = "CPU, memory, threads and sockets of the processes, idle and " +
		"after " + document.Whole(v.run.Plan.Load.Requests) +
		" requests at each level"
	t := document.Table{Columns: []document.Column{{Head: "contestant, after", Lead: true}}}
	rows := make([][]document.Row, len(v.rows))
	for k, r := range v.rows {
		for i, name := range slices.Insert(slices.Clone(v.names), 0, "idle") {
			row := document.Row{Cells: []document.Cell{{Value: r.Title + ", " + name}}, Key: r.Key(), Excluded: r.Excluded,
				Failed: r.failed(), Rule: i == 0}
			rows[k] = append(rows[k], row)
		}
	}
	for _, m := range v.metrics {
		if m.Idle == nil {
			continue
		}
		var values []float64
		for _, r := range v.rows {
			for i := range rows[0] {
				values = append(values, v.processFigure(r, m, i).Value)
			}
		}
		scale := ScaleOf(m.Unit, values...)
		head := document.Column{Head: m.Title, Unit: scale.Name, Word: m.Name, Number: true}
		if judge.UnitNamed(m.Unit).Scales == nil {
			head.Unit = ""
		}
		t.Columns = append(t.Columns, head)
		for k, r := range v.rows {
			for i := range rows[k] {
				f := v.processFigure(r, m, i)
				cell := f.Cell(scale)
				if f.Absent == "" && judge.UnitNamed(m.Unit).Scales == nil { // counted: whole, or halves
					cell.Value = document.Grouped(f.Value, Decimals(f.Value))
				}
				rows[k][i].Cells = append(rows[k][i].Cells, cell)
			}
		}
	}
	t.Rows = slices.Concat(rows...)
	out.Blocks = []document.Block{t, document.Items(
		"Idle is a process that has been started and verified, and was frozen before its first load; its CPU time "+
			"is since its start. Each level has its own processes without warm-up; load 2 and load 3 use the "+
			"processes of the previous level. CPU time is that of the load, or since the start of the process.",
		"Memory and threads are read after the load, when the connections are closed and the process is frozen; "+
			"sockets just before the connections are closed, including the listening one.")}
	return out
}

// processFigure returns an idle process's figure or, from 1 on, the figure after the load at a
// level.
func (v *View) processFigure(r Row, m judge.Metric, i int) *Figure {
	if i > 0 {
		return v.figure(r, m, i-1)
	}
	f := &Figure{Absent: r.Excluded}
	f.Estimate, f.Least, f.Most = judge.Unloaded(v.run, r.Name, m)
	if f.N == 0 && r.Excluded == "" {
		f.Absent = "it could not be read"
	}
	return f
}
