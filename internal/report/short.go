package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
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
		{Head: shortHead(primary, v.scale(primary)), Number: true}, {Head: ToBest, Number: true}}}
	for _, m := range metrics {
		t.Columns = append(t.Columns, document.Column{Head: shortHead(m, v.shortScale(m)), Number: true})
	}
	var most float64 // the largest figure over the best one
	for _, r := range rows {
		if e := v.toBest(r); e.Value > 0 {
			most = max(most, 1/e.Value)
		}
	}
	marks, footnotes := v.footnotes(rows)
	for _, r := range rows {
		row := document.Row{Key: r.Key(), Cells: []document.Cell{{Value: rankText(r)},
			{Value: strings.TrimSpace(r.Title + " " + marks[r.Name])}, v.shortCell(r, primary), {Absent: "no ratio"}}}
		if e := v.toBest(r); e.Value > 0 {
			row.Cells[3] = toBestCell(e)
			row.Cells[3].Bar = 1 / e.Value / most
		}
		for _, m := range metrics {
			row.Cells = append(row.Cells, v.shortCell(r, m))
		}
		t.Rows = append(t.Rows, row)
	}
	words := strings.Join(NonEmpty(v.surer(rows), v.shortWords(rows, metrics)), " · ")
	t.After = strings.Join(NonEmpty(words, footnotes), "\n")
	v.addSentAgain(&t, rows)
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

// shortMetrics returns the metrics shown next to the primary one: CPU, latency and memory.
func (v *View) shortMetrics() (list []judge.Metric) {
	for _, m := range []string{"throughput", "cpu_per_request", "p50", "p99", "response_p50", "response_p99",
		"memory"} {
		x, ok := judge.MetricNamed(m)
		if m == "p99" {
			x, ok = judge.ClassicNamed(m), true
		}
		shown := slices.ContainsFunc(v.ranked(), func(r Row) bool { return v.cell(r.Name, m).Absent == "" })
		if ok && shown && m != v.primary().Name {
			list = append(list, x)
		}
	}
	return list
}

// shortScale returns a column's scale. A tail has the same scale as the median, which stands beside
// it.
func (v *View) shortScale(m judge.Metric) judge.Scale {
	if m.Name == "p99" {
		m = judge.ClassicNamed("p50")
	}
	return v.scale(m)
}

// shortHead returns a short column header.
func shortHead(m judge.Metric, s judge.Scale) string {
	switch m.Name {
	case "cpu_per_request":
		return "CPU " + s.Name
	case "memory":
		return s.Name
	}
	return m.HeadIn(s.Name)
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
	for _, m := range metrics {
		switch m.Name {
		case "cpu_per_request":
			parts = append(parts, "CPU: per request")
		case "p50":
			parts = append(parts, v.latencyWords(rows, metrics)...)
		case "memory":
			parts = append(parts, v.shortScale(m).Name+": memory")
		}
	}
	lacks := func(m judge.Metric) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return v.cell(r.Name, m.Name).Absent != "" })
	}
	switch gaps := slices.DeleteFunc(slices.Clone(metrics), func(m judge.Metric) bool { return !lacks(m) }); {
	case len(gaps) == 1 && gaps[0].Name == "p99":
		parts = append(parts, document.Missing+": too few requests")
	case len(gaps) > 0:
		parts = append(parts, document.Missing+": not measured")
	}
	return strings.Join(parts, " · ")
}

// latencyWords explains the columns with service times. A median is the median of the trials'
// medians, over epochs and rounds. The 99th percentile is computed likewise for a record that lacks
// a trial's histogram, else from one histogram of all right answers in the trials that count.
func (v *View) latencyWords(rows []Row, metrics []judge.Metric) []string {
	tail := slices.ContainsFunc(metrics, func(m judge.Metric) bool { return m.Name == "p99" })
	merged := !slices.ContainsFunc(rows, func(r Row) bool {
		c := v.cell(r.Name, "p99")
		return c.Absent == "" && !c.Merged
	})
	of := "median of loads"
	if v.a.Busy > 0 {
		of += " with little beside them"
	}
	switch {
	case tail && merged:
		return []string{"p50: service time, " + of, "p99: over all right answers in these loads"}
	case tail:
		return []string{"p50, p99: service times, " + of}
	}
	return []string{"p50: service time, " + of}
}

// shortCell returns a figure without its interval, which the note below the table summarizes.
func (v *View) shortCell(r Row, m judge.Metric) document.Cell {
	c := v.cell(r.Name, m.Name)
	if c.Absent != "" {
		return document.Cell{Absent: c.Absent}
	}
	text := Sig3(c.Level.Value / v.shortScale(m).Per)
	if r.Place.LowerBound && m.AtCeiling && m.More {
		text = "≥ " + text
	}
	return document.Cell{Value: text}
}

// toBest returns the first row's ratio to a row under the primary metric, from the comparison of the
// two in common rounds.
func (v *View) toBest(r Row) judge.Estimate {
	best := v.ranked()[0]
	if r.Name == best.Name {
		return judge.Estimate{Value: 1, Lo: 1, Hi: 1}
	}
	pair, ok := v.a.Pair(best.Name, r.Name, v.primary().Name)
	if !ok || pair.Ratio.N == 0 {
		return judge.Estimate{}
	}
	return pair.Ratio
}

// toBestCell returns a ratio with its interval, if it has one.
func toBestCell(e judge.Estimate) document.Cell {
	c := ratioCell(e)
	if e.Lo == e.Hi || math.IsInf(e.Hi, 0) {
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
		ratios = ratios || v.toBest(r).N > 0
	}
	per := ""
	if ratios && v.a.Taken > 0.02 && m.PerCPU {
		per = ToBest + ": per CPU time that other programs left (they took " + document.Percent(v.a.Taken) + ")"
	}
	return strings.Join(NonEmpty(Led(shortHead(m, v.scale(m))+" ", spread(levels)), per), " · ")
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

// footnotes returns the remarks about rows: a mark for each row that has a remark, and the texts
// for the marks.
func (v *View) footnotes(rows []Row) (marks map[string]string, text string) {
	marks = map[string]string{}
	var notes []string
	for _, r := range rows {
		note := ""
		switch moving := v.moving(r.Name); {
		case len(moving) > 0:
			note = "its speed still changed: only far larger differences count"
		case r.Place.LowerBound:
			note = "at the load generator's limit: perhaps faster than shown"
		default:
			continue
		}
		i := slices.Index(notes, note)
		if i < 0 {
			i, notes = len(notes), append(notes, note)
		}
		marks[r.Name] = []string{"¹", "²"}[i]
	}
	for i := range notes {
		notes[i] = []string{"¹", "²"}[i] + " " + notes[i]
	}
	return marks, strings.Join(notes, " · ")
}
