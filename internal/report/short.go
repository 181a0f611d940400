package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// ToBest is the header of a column with the best one's figure over that of each row.
const ToBest = "best ÷ row"

// rankedShort returns the answer in figures: a row for each server that ran, the best first, with
// its place, its figures, and its ratio to the best.
func (v *View) rankedShort() []document.Block {
	rows := v.ranked()
	if len(rows) == 0 {
		return nil
	}
	primary, metrics := v.primary(), v.shortMetrics()
	t := document.Table{Columns: []document.Column{{Lead: true}, {Lead: true},
		{Head: v.shortHead(primary), Number: true}, {Head: ToBest, Number: true}}}
	for _, m := range metrics {
		t.Columns = append(t.Columns, document.Column{Head: v.shortHead(m), Number: true})
	}
	var most float64 // the largest figure over the best one
	for _, r := range rows {
		if e := v.toBest(r, primary); e.Value > 0 {
			most = max(most, 1/e.Value)
		}
	}
	for _, r := range rows {
		row := document.Row{Key: r.Key(), Notes: NonEmpty(v.remark(r), v.resent(r.Name)),
			Cells: []document.Cell{{Value: rankText(r)},
				{Value: r.Title}, v.shortCell(r, primary), toBestCell(v.toBest(r, primary))}}
		if e := v.toBest(r, primary); e.Value > 0 {
			row.Cells[3].Bar = 1 / e.Value / most
		}
		for _, m := range metrics {
			row.Cells = append(row.Cells, v.shortCell(r, m))
		}
		t.Rows = append(t.Rows, row)
	}
	t.After = strings.Join(NonEmpty(v.surer(rows), v.shortWords(rows, metrics)), " · ")
	return []document.Block{t}
}

// shortened returns a table without notes, and without the rows that have no figures: sentences
// above the table explain them.
func shortened(t document.Table) document.Table {
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r document.Row) bool { return r.Excluded != "" })
	for i := range t.Rows {
		t.Rows[i].Notes = nil
	}
	return t
}

// shortMetrics returns the metrics shown next to the primary one: CPU, latency and memory, without
// those that restate the primary one.
func (v *View) shortMetrics() (list []judge.Metric) {
	restated := v.restated()
	for _, name := range []string{"throughput", "cpu_per_request", "p50", "response_p50", "response_p99",
		"response_p999", "memory"} {
		m, ok := judge.MetricNamed(name)
		shown := name == "response_p99" && v.Rated != nil || // without figures it says why
			slices.ContainsFunc(v.ranked(), func(r Row) bool { return v.shortFigure(r, m).Absent == "" })
		if ok && shown && name != v.primary().Name && !slices.Contains(restated, name) {
			list = append(list, m)
		}
	}
	return list
}

// restated returns the metrics that say what the primary one says. While each server uses its one
// CPU fully, its rate × the CPU per request, and its rate × the median service time, are the same in
// all rows: the three are one number. There are none if a server at the generator's limit is to be
// compared by its CPU per request.
func (v *View) restated() []string {
	const same, used = 1.03, 0.9
	rows, names := v.ranked(), []string{"throughput"}
	if judge.OnCPUs(v.run, 0) != judge.OnOneCPU || v.run.Plan.First().Open() || len(rows) < 2 {
		return nil
	}
	for _, name := range []string{"cpu_per_request", "p50"} {
		least, most := math.Inf(1), 0.
		for _, r := range rows {
			c := v.cell(r.Name, name)
			x := v.cell(r.Name, "throughput").Level.Value * c.Level.Value / 1e9 // CPUs in use, or requests in flight
			if c.Absent != "" || r.Place.LowerBound || name == "cpu_per_request" && x < used {
				return nil
			}
			least, most = min(least, x), max(most, x)
		}
		if most <= same*least {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, v.primary().Name) {
		return nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == v.primary().Name })
}

// shortFigure returns a figure of the answer. Tails come from the open loops after the epochs.
func (v *View) shortFigure(r Row, m judge.Metric) judge.Cell {
	if !v.isTail(m) {
		return v.cell(r.Name, m.Name)
	}
	f := v.figure(r, m, len(v.levels)-1)
	return judge.Cell{Level: f.Estimate, Least: f.Least, Most: f.Most, Absent: f.Absent}
}

// shortHead returns a short column header.
func (v *View) shortHead(m judge.Metric) string {
	switch head := v.columnHead(m); {
	case m.Name == "cpu_per_request":
		return strings.TrimSuffix(head, "/req")
	case m.Name == "memory":
		return strings.TrimPrefix(head, "memory ")
	case v.Rated != nil:
		return strings.TrimPrefix(head, "response ")
	default:
		return head
	}
}

// shortWords explains a table's places, headers and gaps.
func (v *View) shortWords(rows []Row, metrics []judge.Metric) string {
	var parts []string
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Place.Lo < r.Place.Hi }); i >= 0 {
		between := " or "
		if place := rows[i].Place; place.Hi > place.Lo+1 {
			between = " to "
		}
		parts = append(parts, fmt.Sprintf("%s: place %d%s%d", rankText(rows[i]), rows[i].Place.Lo, between,
			rows[i].Place.Hi))
	}
	gaps := ""
	for _, m := range metrics {
		switch {
		case m.Name == "cpu_per_request":
			parts = append(parts, "CPU: per request")
		case m.Name == "p50" && v.a.Busy > 0:
			parts = append(parts, "p50: service time, median of loads with little beside them")
		case m.Name == "p50":
			parts = append(parts, "p50: service time, median of loads")
		case m.Name == "memory":
			parts = append(parts, v.shortHead(m)+": "+v.memoryWords())
		case v.isTail(m):
			parts = append(parts, v.tailWords(rows, m)...)
			continue
		}
		if slices.ContainsFunc(rows, func(r Row) bool { return v.cell(r.Name, m.Name).Absent != "" }) {
			gaps = document.Missing + ": not measured"
		}
	}
	var heads []string
	for _, name := range v.restated() {
		m, _ := judge.MetricNamed(name)
		heads = append(heads, v.shortHead(m))
	}
	hidden := Led("not shown: ", And(heads))
	if hidden != "" {
		hidden += ", which restate " + v.shortHead(v.primary()) + " within 3 % (each server used 90 % of its CPU or more)"
	}
	return strings.Join(NonEmpty(append(parts, gaps, hidden)...), " · ")
}

// memoryWords says what a record's memory is: older ones have the proportional set size.
func (v *View) memoryWords() string {
	if slices.ContainsFunc(v.run.Trials, func(t *record.Trial) bool { return t.Server.PSSBytes != nil }) {
		return "memory (PSS)"
	}
	return "private memory"
}

// isTail reports whether m is a percentile of the open loops after the epochs.
func (v *View) isTail(m judge.Metric) bool { return v.Rated != nil && m.Kind == judge.TailTime }

// tailWords explains a column with a percentile of the open loops after the epochs, and its gaps.
func (v *View) tailWords(rows []Row, m judge.Metric) (parts []string) {
	name, _, _ := strings.Cut(v.shortHead(m), " ")
	var list []judge.Estimate
	for _, r := range rows {
		c := v.shortFigure(r, m)
		if gap := name + " " + document.Missing + ": " + c.Absent; c.Absent == "" {
			list = append(list, judge.Estimate{Value: c.Level.Value, Lo: c.Least, Hi: c.Most})
		} else if !slices.Contains(parts, gap) {
			parts = append(parts, gap)
		}
	}
	if m.Name != "response_p99" {
		return parts
	}
	text := fmt.Sprintf("p99: response time in an open loop of %s requests/s, %s of the slowest's throughput, in %s",
		document.Grouped(v.Rated.At.RatePerSec, 0), document.Percent(v.Rated.At.RateShare), v.ratedLoads())
	if most := widest(list); most > 0 {
		text += "; single loads differ from it by up to " + PerCent(most)
	}
	return append([]string{text + "; not ranked"}, parts...)
}

// shortCell returns a figure without its interval, which the note below the table summarizes.
func (v *View) shortCell(r Row, m judge.Metric) document.Cell {
	c := v.shortFigure(r, m)
	if c.Absent != "" {
		return document.Cell{Absent: c.Absent}
	}
	text := document.Sig3(c.Level.Value / v.scale(m).Per)
	if r.Place.LowerBound && m.AtCeiling && m.More {
		text = "≥ " + text
	}
	return document.Cell{Value: text}
}

// toBest returns the first row's ratio to a row under a metric, from the comparison of the two in common rounds. Its
// value is 0 if there is none.
func (v *View) toBest(r Row, m judge.Metric) judge.Estimate {
	best := v.ranked()[0]
	if r.Name == best.Name {
		return judge.Estimate{Value: 1, Lo: 1, Hi: 1}
	}
	pair, _ := v.a.Pair(best.Name, r.Name, m.Name)
	if v.isReference(r) {
		pair.Ratio = v.cell(best.Name, m.Name).Ratio
	}
	if pair.Ratio.N == 0 {
		return judge.Estimate{}
	}
	return pair.Ratio
}

// toBestCell returns such a ratio with its interval, if it has one.
func toBestCell(e judge.Estimate) document.Cell {
	c := ratioCell(e)
	switch {
	case e.Value == 0:
		return document.Cell{Absent: "no ratio"}
	case e.Lo == e.Hi || math.IsInf(e.Hi, 0):
		c.Side = ""
	}
	return c
}

// surer gives the widths of the levels' intervals, which the table omits, and says how the ratios
// allow for other programs.
func (v *View) surer(rows []Row) string {
	var levels []judge.Estimate
	ratios, m := false, v.primary()
	for _, r := range rows {
		levels = append(levels, v.cell(r.Name, m.Name).Level)
		ratios = ratios || v.toBest(r, m).N > 0
	}
	per := ""
	if ratios && v.a.Taken > 0.02 && m.PerCPU {
		per = ToBest + ": per CPU time that other programs left each (they took up to " + document.Percent(v.a.Taken) + ")"
	}
	return strings.Join(NonEmpty(Led(v.shortHead(m)+" ", spread(levels)), per), " · ")
}

// spread returns the range of the intervals' widths: "±1.8–4.8 %"; "" if one is open.
func spread(list []judge.Estimate) string {
	least, most := math.Inf(1), widest(list)
	for _, e := range list {
		least = min(least, widest([]judge.Estimate{e}))
	}
	if len(list) == 0 || math.IsInf(most, 0) {
		return ""
	}
	from, to := strings.TrimSuffix(PerCent(least), " %"), PerCent(most)
	if from+" %" == to {
		return "±" + to
	}
	return "±" + from + "–" + to
}

// widest returns the wider side of the widest interval, as a share of its figure; +Inf if one is
// missing or open.
func widest(list []judge.Estimate) (most float64) {
	for _, e := range list {
		side := max(e.Hi-e.Value, e.Value-e.Lo) / math.Abs(e.Value)
		if math.IsNaN(side) {
			side = math.Inf(1)
		}
		most = max(most, side)
	}
	return most
}

// remark returns what must be known beside a row's place.
func (v *View) remark(r Row) string {
	switch {
	case len(v.moving(r.Name)) > 0:
		return "its speed still changed: only far larger differences count"
	case r.Place.LowerBound:
		return "at the load generator's limit: perhaps faster than shown"
	}
	return ""
}
