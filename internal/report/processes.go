package report

import (
	"dyno/internal/document"
	"dyno/internal/judge"
)

// Processes returns the tables for a run with fresh processes: each contestant's use of resources,
// first idle, then after each load.
func (v *View) Processes() document.Section {
	out := document.Section{ID: "held"}
	if !v.run.Plan.Fresh() || !v.any() {
		return out
	}
	out.Title = "CPU, memory, threads and sockets of the processes, idle and " +
		"after " + document.Whole(v.run.Plan.Load.Requests) + " requests at each level"
	for _, m := range v.metrics {
		if v.idles(m) {
			out.Blocks = append(out.Blocks, v.metricTable(m, len(out.Blocks) == 0))
		}
	}
	out.Blocks = append(out.Blocks, document.Items(
		"Idle is a process that has been started and verified, and was frozen before its first load; its CPU time "+
			"is since its start. Each level has its own processes without warm-up; load 2 and load 3 use the "+
			"processes of the previous level. CPU time is that of the load, or since the start of the process.",
		"Memory and threads are read after the load, when the connections are closed and the process is frozen; "+
			"sockets just before the connections are closed, including the listening one."))
	return out
}

// idles reports whether idle processes were read for a metric.
func (v *View) idles(m judge.Metric) bool { return v.run.Plan.Fresh() && m.Idle != nil }

// idleFigure returns an idle process's figure.
func (v *View) idleFigure(r Row, m judge.Metric) *Figure {
	f := &Figure{}
	if f.Estimate, f.Least, f.Most = judge.Unloaded(v.run, r.Name, m); f.N == 0 {
		f.Absent = "it could not be read"
	}
	return f
}
