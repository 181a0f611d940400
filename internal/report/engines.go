package report

import "slices"

// manyRows is the number of contestants from which a table without another order is grouped by
// engine.
const manyRows = 10

// byEngine sorts many contestants by engine, and keeps their order within an engine.
func (v *view) byEngine() {
	v.engines = len(v.rows) >= manyRows && slices.ContainsFunc(v.rows,
		func(r row) bool { return r.engine() != v.rows[0].engine() })
	if v.engines {
		slices.SortStableFunc(v.rows, func(a, b row) int { return compareEngines(a.engine(), b.engine()) })
	}
}

// compareEngines orders by name, with unknown engines last.
func compareEngines(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == noEngine || b != noEngine && b < a:
		return 1
	}
	return -1
}

// noEngine is the engine of a contestant that failed before it had a record.
const noEngine = "engine unknown"

// engine returns the HTTP engine of the contestant.
func (r *row) engine() string {
	if r.Built == nil || r.Built.Engine == "" {
		return noEngine
	}
	return r.Built.Engine
}

// engineOf returns the engine of the named contestant.
func (v *view) engineOf(name string) string {
	return (&row{Built: v.run.Contestant(name)}).engine()
}
