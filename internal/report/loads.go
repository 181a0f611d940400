package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// loadsLabel is the label at the top of every form of a classic run's report.
const loadsLabel = "classic: one long load after another, as published benchmarks do; single figures, no " +
	"pairing, no interval"

// loadsMislead states how large the error in such figures can be. The 28 % were measured with loads
// of 5 s, while another job compiled.
const loadsMislead = "The machine's speed changes from one load to the next, and a classic run does not " +
	"compensate for it: two identical servers, loaded one after the other on a shared machine, differed by 28 % in " +
	"the median. These figures cannot show who is faster; a paired comparison of the same contestants can."

// loads returns a contestant's loads.
func (v *View) loads(name string) (list []*record.Trial) {
	for _, t := range v.Loads {
		if t.Contestant == name {
			list = append(list, t)
		}
	}
	return list
}

// loadAnalysis has a cell for each metric and each contestant that was loaded: the figure from one
// load, or the median over several, without an interval.
func (v *View) loadAnalysis() *judge.Analysis {
	a := &judge.Analysis{}
	for _, name := range v.run.Plan.Contestants {
		loads := v.loads(name)
		for _, m := range judge.LoadMetrics {
			if len(loads) == 0 {
				continue
			}
			a.Cells = append(a.Cells, judge.CellOf(name, m, loads))
		}
	}
	return a
}

// loadCell returns a figure as a table cell, with the range over its loads if there are several.
func (f *Figure) loadCell(s judge.Scale) document.Cell {
	if f.Absent != "" {
		return document.Cell{Absent: f.Absent}
	}
	cell := document.Cell{Value: document.Sig3(f.Value / s.Per)}
	if f.N > 1 || f.Least < f.Most {
		cell.Side = "(" + document.Sig3(f.Least/s.Per) + "–" + document.Sig3(f.Most/s.Per) + ")"
	}
	return cell
}

// totals returns the number of requests in a row's loads with right answers, and the others by
// kind. A failed row has them too, because they are counts.
func (v *View) totals(r Row) (requests int64, errors map[string]int64) {
	errors = map[string]int64{}
	for _, t := range v.loads(r.Name) {
		requests += t.Load.Succeeded
		for _, kinds := range []map[string]int64{t.Load.Failures, t.Load.Errors} {
			for kind, n := range kinds {
				errors[kind] += n
			}
		}
		if t.Load.InFlight > 0 {
			errors["in flight"] += t.Load.InFlight
		}
	}
	return requests, errors
}

// errorsText formats errors by kind, the most frequent first: "timeout 3, reset 1".
func errorsText(errors map[string]int64) string {
	var kinds []string
	for _, k := range judge.MostFirst(errors) {
		kinds = append(kinds, document.Clean(k.Kind)+" "+document.Whole(k.N))
	}
	return cmp.Or(strings.Join(kinds, ", "), "none")
}

// disturbed returns the number of a contestant's loads that other programs disturbed, and the
// number of all its loads.
func (v *View) disturbed(name string) (n, of int) {
	loads := v.loads(name)
	for i := range loads {
		if judge.Disturbed(loads[i : i+1]) {
			n++
		}
	}
	return n, len(loads)
}

// totalCells returns the cells for a row's requests and errors.
func (v *View) totalCells(r Row) []document.Cell {
	if len(v.loads(r.Name)) == 0 {
		return []document.Cell{{Absent: "it was not loaded"}, {Absent: "it was not loaded"}}
	}
	n, errs := v.totals(r)
	return []document.Cell{{Value: document.Whole(n)}, {Value: errorsText(errs)}}
}

// repeats returns the planned number of loads for each contestant.
func (v *View) repeats() int {
	return max(1, slices.Max(append([]int{1}, v.run.Plan.Epochs...))*max(1, v.run.Plan.Rounds))
}

// Each describes the planned length of one load: "200,000 requests", "30 s".
func (v *View) Each() string {
	if n := v.run.Plan.Load.Requests; n > 0 {
		return document.Whole(n) + " requests"
	}
	return document.Given(v.run.Plan.Load.NS)
}

// loadMarks says what the figures in the table are.
func (v *View) loadMarks() []string {
	const shown = "Latency is service time in a closed loop, sent to done: it leaves out what a user would have " +
		"waited. Memory is read after the load."
	if v.repeats() > 1 {
		return []string{"Each figure is the median of its loads (of an even number the worse of the middle two), " +
			"with their range, lowest to highest: a range is no interval.", shown}
	}
	return []string{"Each figure is of one load.", shown}
}

// bestLoad says which load had the highest rate.
func (v *View) bestLoad() string {
	m := judge.ClassicNamed("throughput")
	who, most := "", 0.
	for _, r := range v.rows {
		if f := v.figure(r, m, 0); f.Absent == "" && f.Value > most {
			who, most = r.Title, f.Value
		}
	}
	if who == "" {
		return "Nothing was measured."
	}
	return fmt.Sprintf("Most requests per second: %s, %s; a single figure, which decides nothing.",
		who, document.Sig3(most))
}
