package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// MostBars is the largest number of contestants in a chart.
const MostBars = 12

// asked returns the six questions, each answered in a word or two.
func (v *View) asked() (facts []document.Fact) {
	for _, a := range judge.Summary(v.Findings) {
		f := document.Fact{Name: v.fine(a), Note: v.because(a), Style: stateStyle[a.State]}
		switch {
		case len(a.Findings) == 0:
			continue
		case a.State == judge.CannotTell:
			f.Style = document.Quiet
			fallthrough
		case a.State != judge.Pass:
			f.Name, f.Value = a.Question.String(), a.Plain()
		}
		facts = append(facts, f)
	}
	return facts
}

// metricCharts returns a chart for each metric, the primary one first, with the best MostBars contestants.
func (v *View) metricCharts() document.Choice {
	choice := document.Choice{ID: "metric", Title: "Metric"}
	metrics := v.shown()
	if len(metrics) == 0 { // who failed, and why, is to be seen
		metrics = v.metrics[:1]
	}
	base, restated := "", v.restated()
	for _, m := range metrics {
		rows := v.inOrder(m)
		if m.Unranked || slices.Contains(restated, m.Name) {
			continue
		}
		if base == "" && len(rows) > 0 {
			base = rows[0].Name
		}
		c := v.barChart(m, rows, base)
		c.ID = "metric-" + c.ID
		choice.Options = append(choice.Options, document.Option{Name: m.Title, Block: c})
	}
	return choice
}

// inOrder returns a chart's rows: for the primary metric in the order of the tables, for another
// one the best first; rows without a figure come last. The reference is included if there is only
// one contestant to compare with it.
func (v *View) inOrder(m judge.Metric) []Row {
	rows := slices.Clone(v.rows)
	if len(v.ranked()) == 1 && len(v.controls) > 0 {
		rows = append(rows, v.controls[0])
	}
	value := func(r Row) float64 {
		c := v.cell(r.Name, m.Name)
		switch {
		case c.Ratio.N > 0:
			return c.Ratio.Value
		case v.isReference(r):
			return 1
		}
		return c.Level.Value
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := v.stands(a, m), v.stands(b, m)
		switch {
		case x != y && x:
			return -1
		case x != y:
			return 1
		case !x || m.Name == v.primary().Name:
			return 0
		case m.More:
			return cmp.Compare(value(b), value(a))
		}
		return cmp.Compare(value(a), value(b))
	})
	return rows
}

// stands reports whether a row has a figure for a metric.
func (v *View) stands(r Row, m judge.Metric) bool {
	return r.Excluded == "" && v.cell(r.Name, m.Name).Absent == ""
}

// barChart returns a chart with a bar for each row, whose length is its ratio to the base.
func (v *View) barChart(m judge.Metric, rows []Row, base string) document.BarChart {
	c := document.BarChart{ID: m.Name, Title: m.Title, Unit: v.scale(m).Name, More: m.More, Baseline: v.Title(base),
		Foot: "Bars: ratio to " + v.Title(base) + ", paired within rounds. Whiskers: its interval."}
	if m.Unit == "1/s" {
		c.Unit = "requests per second"
	}
	open := false
	for _, r := range rows[:min(len(rows), MostBars)] {
		b := document.Bar{Name: r.Title, Small: metaOf(r), Key: r.Key(), Excluded: r.Excluded != "",
			Failed: r.failed()}
		x := v.cell(r.Name, m.Name)
		ratio, known := v.against(r, base, m)
		switch {
		case !v.stands(r, m):
			b.Missing = orElse(r.Excluded, x.Absent)
		case !known:
			pair, _ := v.a.Pair(r.Name, base, m.Name)
			b.Missing = "no ratio to " + v.Title(base) + ": " + noRatio(pair)
		default:
			b.Value, b.Side = Sig3(x.Level.Value/v.scale(m).Per), "1"
			b.Ratio = document.Ratio{At: ratio.Value, Lo: ratio.Lo, Hi: ratio.Hi}
			b.Beyond = r.Place.LowerBound && m.AtCeiling && m.More
			switch {
			case r.Name == base:
			case math.IsInf(ratio.Hi, 0) && ratio.Lo <= 0: // an interval that says nothing
				b.Side, open = Sig3(ratio.Value), true
			default:
				b.Side = Ratio(ratio.Value, ratio.Lo, ratio.Hi)
			}
		}
		c.Bars = append(c.Bars, b)
	}
	if !slices.ContainsFunc(c.Bars, func(b document.Bar) bool { return b.Missing == "" }) {
		c.Baseline, c.Foot, c.Note = "", "No server has a figure.", "No server has a figure."
		return c
	}
	if open {
		c.Foot = strings.Replace(c.Foot, "Whiskers: its interval.", "Too few epochs for intervals.", 1)
	}
	c.Note = c.Foot
	switch {
	case len(rows) > MostBars:
		c.Foot = fmt.Sprintf("The best %d of %d. ", MostBars, len(rows)) + c.Foot
		c.Note = c.Foot
	case m.Name != v.primary().Name:
		c.Note += " It decides nothing: " + Lower(v.primary().Title) + " does."
	}
	return c
}

// against returns a row's ratio to another contestant or control, under a metric.
func (v *View) against(r Row, base string, m judge.Metric) (e judge.Estimate, ok bool) {
	if r.Name == base {
		return judge.Estimate{Value: 1, Lo: 1, Hi: 1}, true
	}
	if pair, ok := v.a.Pair(r.Name, base, m.Name); ok && pair.Ratio.N > 0 {
		return pair.Ratio, true
	}
	switch {
	case len(v.controls) > 0 && base == v.controls[0].Name && v.isReference(v.controls[0]):
		e = v.cell(r.Name, m.Name).Ratio
	case v.isReference(r):
		if e = v.cell(base, m.Name).Ratio; e.N > 0 {
			e = judge.Pair{Ratio: e}.Turned().Ratio
		}
	}
	return e, e.N > 0
}

// everyPair reports whether all pairs are compared at each level, and nothing else.
func (v *View) everyPair() bool {
	return slices.Equal(v.run.Plan.AllPairs(), v.run.Plan.Family)
}

// levelChart returns a chart with a bar for each contestant at a level, the best first.
func (v *View) levelChart(m judge.Metric, i int) document.BarChart {
	scale := v.scale(m, i)
	c := document.BarChart{ID: fmt.Sprintf("level-%d", i), Title: "Level " + v.names[i], Unit: m.Title + ", " +
		"" + UnitWords(scale), More: m.More,
		Foot: "Whiskers: intervals of 95 % between epochs; fewer than six have none."}
	for _, r := range v.rows {
		f := v.figure(r, m, i)
		if f.Absent != "" {
			continue
		}
		b := document.Bar{Name: r.Title, Small: metaOf(r), Key: r.Key(), Value: Sig3(f.Value / scale.Per),
			Side: f.side(), Beyond: f.Bound}
		b.Ratio = document.Ratio{At: f.Value, Lo: f.Lo, Hi: f.Hi}
		if f.Open() {
			b.Ratio.Lo, b.Ratio.Hi = f.Value, f.Value
		}
		c.Bars = append(c.Bars, b)
	}
	slices.SortStableFunc(c.Bars, func(a, b document.Bar) int {
		if m.More {
			a, b = b, a
		}
		return cmp.Compare(a.At, b.At)
	})
	if n := len(c.Bars); n > MostBars {
		c.Bars = c.Bars[:MostBars]
		c.Foot = fmt.Sprintf("The best %d of %d. ", MostBars, n) + c.Foot
	}
	c.Note = c.Foot + " The compared pairs are listed below."
	return c
}
