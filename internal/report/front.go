package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// MostBars is the largest number of contestants in a chart.
const MostBars = 12

// metricCharts returns a ranking's chart for each metric, the primary one first.
func (v *View) metricCharts() document.Choice {
	choice := document.Choice{ID: "metric", Title: "Metric"}
	metrics := v.shown()
	if len(metrics) == 0 { // who failed, and why, is to be seen
		metrics = v.metrics[:1]
	}
	restated := v.restated()
	for _, m := range metrics {
		if !m.Unranked && !slices.Contains(restated, m.Name) {
			choice.Options = append(choice.Options, document.Option{Name: m.Title, Block: v.barChart(m, 0)})
		}
	}
	return choice
}

// barChart returns a chart of a metric at level i with the best MostBars contestants, the best first, in a ranking the
// primary metric's in the order of the tables. A ranking's chart has the ratios of the table beside the bars, and the
// reasons why bars are missing. If it has only one contestant, it has the reference, too.
func (v *View) barChart(m judge.Metric, i int) document.BarChart {
	scale, ranks, rows := v.scale(m, i), v.ranks && i == 0, v.rows
	c := document.BarChart{ID: fmt.Sprintf("level-%d", i), Title: "Level " + v.names[i], More: m.More,
		Unit: m.Title + ", " + UnitWords(scale), Foot: "Whiskers: 95 % intervals between epochs; fewer than six have none."}
	if ranks {
		c.ID, c.Title, c.Unit, c.Beside = "metric-"+m.Name, m.Title, UnitWords(scale), ToBest
		c.Foot += " Ratios: paired within rounds."
	}
	if ranks && len(v.ranked()) == 1 && len(v.controls) > 0 {
		rows = v.all()[:len(rows)+1]
	}
	for _, r := range rows {
		f := v.figure(r, m, i)
		if f.Absent != "" && !ranks {
			continue
		}
		b := document.Bar{Name: r.Title, Small: metaOf(r), Key: r.Key(), Excluded: r.Excluded != "", Failed: r.failed(),
			Missing: f.Absent, At: f.Value, Lo: f.Lo, Hi: f.Hi, Beyond: f.Bound}
		if f.Open() {
			b.Lo, b.Hi = f.Value, f.Value
		}
		if f.Absent == "" {
			b.Value, b.Side = document.Sig3(f.Value/scale.Per), f.side()
		}
		if ranks && f.Absent == "" {
			ratio := toBestCell(v.toBest(r, m))
			b.Side = strings.TrimSpace(ratio.Absent + ratio.Value + " " + ratio.Side)
		}
		c.Bars = append(c.Bars, b)
	}
	slices.SortStableFunc(c.Bars, func(a, b document.Bar) int {
		switch {
		case a.Missing != "" || b.Missing != "":
			return cmp.Compare(min(1, len(a.Missing)), min(1, len(b.Missing)))
		case ranks && m.Name == v.primary().Name:
			return 0
		case m.More:
			return cmp.Compare(b.At, a.At)
		}
		return cmp.Compare(a.At, b.At)
	})
	if n := len(c.Bars); n > MostBars {
		c.Bars = c.Bars[:MostBars]
		c.Foot = fmt.Sprintf("The best %d of %d. ", MostBars, n) + c.Foot
	}
	c.Note = c.Foot
	switch {
	case !slices.ContainsFunc(c.Bars, func(b document.Bar) bool { return b.Missing == "" }):
		c.Beside, c.Foot, c.Note = "", "No server has a figure.", "No server has a figure."
	case !ranks:
		c.Note += " The compared pairs are listed below."
	case m.Name != v.primary().Name:
		c.Note += " It decides nothing: " + Lower(v.primary().Title) + " does."
	}
	return c
}

// everyPair reports whether all pairs are compared at each level, and nothing else.
func (v *View) everyPair() bool { return slices.Equal(v.run.Plan.AllPairs(), v.run.Plan.Family) }
