package report

import "slices"

// manyRows is from how many contestants on those of one engine stand together, where the order of
// the table says nothing else.
const manyRows = 10

// byEngine puts many contestants of several engines in order of these, each engine's as they were.
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

// engineOf is that of a contestant by name.
func (v *view) engineOf(name string) string {
	return (&row{Built: v.run.Contestant(name)}).engine()
}
