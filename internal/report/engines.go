package report

import "slices"

// manyRows is the number of contestants from which a table without another order is grouped by
// engine.
const manyRows = 10

// ByEngine sorts many contestants by engine, and keeps their order within an engine.
func (v *View) ByEngine() {
	v.Engines = len(v.rows) >= manyRows && slices.ContainsFunc(v.rows,
		func(r Row) bool { return r.Engine() != v.rows[0].Engine() })
	if v.Engines {
		slices.SortStableFunc(v.rows, func(a, b Row) int { return CompareEngines(a.Engine(), b.Engine()) })
	}
}

// CompareEngines orders by name, with unknown engines last.
func CompareEngines(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == noEngine || b != noEngine && b < a:
		return 1
	}
	return -1
}

// noEngine stands for the engine of a contestant that failed before it had a record.
const noEngine = "engine unknown"

// Engine returns the contestant's HTTP engine.
func (r *Row) Engine() string {
	if r.Built == nil || r.Built.Engine == "" {
		return noEngine
	}
	return r.Built.Engine
}

// EngineOf returns the named contestant's HTTP engine.
func (v *View) EngineOf(name string) string {
	return (&Row{Built: v.run.Contestant(name)}).Engine()
}
