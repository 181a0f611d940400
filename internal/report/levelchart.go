package report

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// panel is one plot: levels of one delay, or all.
type panel struct {
	document.Plot
	levels []int // indices of levels
	xs     []float64
}

// panels returns the plots of a line chart: one for each delay, and number of CPUs. Other scenarios have their own
// panels, so that no line joins them to the rest. There is one panel if each has only one level. A panel for a single
// named level has its name.
func (v *View) panels() (list []panel) {
	type kind struct {
		record.LaunchPart
		scenario string
		form     wire.HTTP
	}
	at := map[kind]int{}
	apart := false
	for i, l := range v.levels {
		of := kind{l.At.Launch(), l.At.Scenario, l.At.HTTP}
		k, seen := at[of]
		if !seen {
			k = len(list)
			at[of] = k
			title := document.Clean(of.scenario)
			if of.form != wire.Clear {
				title = strings.Join(NonEmpty(title, of.form.Words()), ", ")
			}
			title = cmp.Or(strings.Join(NonEmpty(append([]string{title},
				judge.LevelWords(record.Level{DelayNS: of.DelayNS, Work: of.Work,
					CPUs: of.CPUs, AsPublished: of.AsPublished}, true)...)...), ", "), "no delay")
			list = append(list, panel{Plot: document.Plot{Title: title}})
		}
		list[k].levels = append(list[k].levels, i)
		apart = apart || of.scenario != "" || of.form != wire.Clear || of.Work != "" || of.AsPublished
	}
	if len(list) > 1 && len(list) == len(v.levels) && !apart {
		one := panel{}
		for _, p := range list {
			one.levels = append(one.levels, p.levels...)
		}
		list = []panel{one}
	}
	for i := range list {
		p, title := &list[i], list[i].Title
		if len(p.levels) == 1 && v.levels[p.levels[0]].Name != "" {
			title = v.levels[p.levels[0]].Title()
		}
		if len(list) == 1 {
			title = ""
		}
		var levels []record.Level
		for _, k := range p.levels {
			levels = append(levels, v.levels[k].At)
		}
		p.Plot, p.xs = AxisOf(levels)
		p.Title = title
	}
	return list
}

// lineChart returns a chart of metric m over the levels: a line with an interval at each level for
// every contestant and the reference.
func (v *View) lineChart(m judge.Metric) document.LineChart {
	scale := v.scale(m)
	c := document.LineChart{ID: m.Name, Unit: UnitWords(scale), Per: scale.Per, Way: Way(m), Foot: m.Title + "; " +
		familyLabel}
	var rows []Row
	for _, r := range v.all() {
		switch {
		case r.Excluded != "":
			c.Excluded = append(c.Excluded, r.Absent(r.Excluded))
		case !r.Control || v.isReference(r):
			rows = append(rows, r)
			c.Series = append(c.Series, document.Series{Name: r.Title, Key: r.Key()})
		}
	}
	for _, p := range v.panels() {
		for _, r := range rows {
			var points []document.Point
			for k, i := range p.levels {
				points = append(points, v.figure(r, m, i).Point(p.xs[k], r.Title+", "+v.names[i], scale))
			}
			p.Points = append(p.Points, points)
		}
		c.Plots = append(c.Plots, p.Plot)
	}
	return c
}

// AxisOf returns a plot with levels side by side on its x axis. A tick leaves out what the names of all levels have.
func AxisOf(levels []record.Level) (p document.Plot, xs []float64) {
	var names [][]string
	for _, l := range levels {
		l.Scenario = "" // which the plot's title says
		names = append(names, strings.Split(judge.LevelName(l), ", "))
	}
	for i, name := range names {
		own := slices.DeleteFunc(slices.Clone(name), func(part string) bool {
			return !slices.ContainsFunc(names, func(other []string) bool { return !slices.Contains(other, part) })
		})
		if len(own) == 0 {
			own = name
		}
		at := (float64(i) + 0.5) / float64(len(names))
		xs, p.Ticks = append(xs, at), append(p.Ticks, document.Tick{At: at, Text: strings.Join(own, ", ")})
	}
	return p, xs
}
