package report

import (
	"cmp"
	"math"
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

// panels returns the plots of a line chart: one for each delay, and for each number of CPUs unless
// the levels differ in that alone. Open loops and other scenarios have their own panels, so that no
// line joins them to the rest. There is one panel if all delays are equal, or if each has only one
// level. A panel for a single named level has its name.
func (v *View) panels() (list []panel) {
	type kind struct {
		record.LaunchPart
		open     bool
		own      bool // the rate is a share of each contestant's own capacity
		scenario string
		form     wire.HTTP
	}
	at := map[kind]int{}
	apart, onCPUs := false, v.differInCPUs()
	for i, l := range v.levels {
		of := kind{l.At.Launch(), l.At.Open(), l.At.OwnRate, l.At.Scenario, l.At.HTTP}
		if onCPUs {
			of.CPUs = 0
		}
		k, seen := at[of]
		if !seen {
			k = len(list)
			at[of] = k
			title := document.Clean(of.scenario)
			if of.form != wire.Clear {
				title = strings.Join(NonEmpty(title, of.form.Words()), ", ")
			}
			title = orElse(strings.Join(NonEmpty(append([]string{title},
				judge.LevelWords(record.Level{DelayNS: of.DelayNS, Work: of.Work,
					CPUs: of.CPUs, AsPublished: of.AsPublished}, true)...)...), ", "), "no delay")
			switch {
			case of.own:
				title += ", at shares of its capacity"
			case of.open:
				title += ", open loop"
			}
			list = append(list, panel{Plot: document.Plot{Title: title}})
		}
		list[k].levels = append(list[k].levels, i)
		apart = apart || of.open || of.scenario != "" || of.form != wire.Clear || of.Work != "" || of.AsPublished
	}
	if len(list) > 1 && len(list) == len(v.levels) && !apart {
		one := panel{}
		for _, p := range list {
			one.levels = append(one.levels, p.levels...)
		}
		list = []panel{one}
	}
	for i := range list {
		if only := list[i].levels; len(only) == 1 && v.levels[only[0]].Name != "" {
			list[i].Title = v.levels[only[0]].Title()
		}
		if len(list) == 1 {
			list[i].Title = ""
		}
		v.place(&list[i])
	}
	return list
}

// differInCPUs reports whether levels of one kind differ only in their number of CPUs.
func (v *View) differInCPUs() bool {
	kind := map[[2]any]record.Level{}
	for _, l := range v.levels {
		at := l.At
		at.CPUs, at.RatePerSec = 0, 0
		of := at
		of.Connections, of.Records, of.Pipeline, of.PerConnection, of.RateShare, of.Step = 0, 0, 0, 0, 0, 0
		k := [2]any{of, l.At.Open()}
		if other, seen := kind[k]; seen && other != at {
			return false
		}
		kind[k] = at
	}
	return true
}

// place puts the levels on the plot's axis.
func (v *View) place(p *panel) {
	slices.SortStableFunc(p.levels, func(a, b int) int {
		for _, d := range dimensions {
			if order := cmp.Compare(d.of(v.levels[a].At), d.of(v.levels[b].At)); order != 0 {
				return order
			}
		}
		return 0
	})
	var levels []record.Level
	for _, i := range p.levels {
		levels = append(levels, v.levels[i].At)
	}
	title := p.Title
	p.Plot, p.xs = AxisOf(levels)
	p.Title = title
}

// lineChart returns a chart of metric m over the levels: a line with an interval at each level for
// every contestant and the reference.
func (v *View) lineChart(m judge.Metric) document.LineChart {
	scale := v.scale(m)
	c := document.LineChart{ID: m.Name, Unit: UnitWords(scale), Per: scale.Per, Way: Way(m), Foot: m.Title + "; " +
		familyLabel}
	if m.Kind&judge.OpenLoop != 0 {
		c.Axis = document.LogAxis
	}
	var rows []Row
	for _, r := range v.all() {
		switch {
		case r.Excluded != "":
			c.Excluded = append(c.Excluded, r.Absent(r.Excluded))
		case !r.Control || v.isReference(r):
			rows = append(rows, r)
			c.Series = append(c.Series, document.Series{Name: r.Title, Key: r.Key(), Fixed: r.Control})
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

// dimension is a value of levels that can be an axis.
type dimension struct {
	name  string
	place func(x, lo, hi float64) float64 // nil: side by side
	of    func(record.Level) float64      // 0: the level has none
	clear func(*record.Level)
	text  func(record.Level) string
}

var dimensions = []dimension{
	{"share of its own " +
		"capacity", func(x, lo, hi float64) float64 { return (x - lo) / (hi - lo) }, func(l record.Level) float64 {
		if !l.OwnRate {
			return 0
		}
		return l.RateShare
	}, noRate, judge.RateName},
	{"requests due per second", logarithmic, func(l record.Level) float64 {
		if l.OwnRate {
			return 0
		}
		return l.RatePerSec
	}, noRate, judge.RateName},
	{"connections, log scale", logarithmic, func(l record.Level) float64 { return float64(l.Connections) },
		func(l *record.Level) { l.Connections = 0 }, func(l record.Level) string { return document.Whole(l.Connections) }},
	{"records, log scale", logarithmic, func(l record.Level) float64 { return float64(l.Records) },
		func(l *record.Level) { l.Records = 0 }, func(l record.Level) string { return document.Whole(l.Records) }},
	{"CPUs of the server, log scale", logarithmic, func(l record.Level) float64 { return float64(l.CPUs) },
		func(l *record.Level) { l.CPUs = 0 }, func(l record.Level) string { return document.Whole(l.CPUs) }},
	{"time that handlers wait", nil, func(l record.Level) float64 { return float64(l.DelayNS) },
		func(l *record.Level) { l.DelayNS = 0 }, func(l record.Level) string { return document.Given(l.DelayNS) }},
}

func logarithmic(x, lo, hi float64) float64 { return math.Log(x/lo) / math.Log(hi/lo) }

func noRate(l *record.Level) { l.RateShare, l.RatePerSec = 0, 0 }

// alone reports whether levels differ in this value only, which rises from each to the next. A single open loop
// has an axis for its rate.
func (d *dimension) alone(levels []record.Level) bool {
	for i, l := range levels {
		first := levels[0]
		if d.clear(&first); i > 0 && d.of(levels[i-1]) >= d.of(l) {
			return false
		}
		if d.clear(&l); l != first {
			return false
		}
	}
	return len(levels) > 1 || len(levels) == 1 && levels[0].Open() && d.of(levels[0]) > 0
}

// AxisOf returns a plot with levels on its x axis. Levels that differ in one value only are placed by it; otherwise,
// and by delays, they stand side by side.
func AxisOf(levels []record.Level) (p document.Plot, xs []float64) {
	by := dimension{name: "level", text: func(l record.Level) string {
		l.Scenario = "" // which the plot's title says
		return judge.LevelName(l)
	}}
	if i := slices.IndexFunc(dimensions, func(d dimension) bool { return d.alone(levels) }); i >= 0 {
		by = dimensions[i]
	}
	p.X = by.name
	for i, l := range levels {
		at := (float64(i) + 0.5) / float64(len(levels))
		if by.place != nil && len(levels) > 1 {
			at = by.place(by.of(l), by.of(levels[0]), by.of(levels[len(levels)-1]))
		}
		xs, p.Ticks = append(xs, at), append(p.Ticks, document.Tick{At: at, Text: by.text(l)})
	}
	return p, xs
}
