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
			title = orElse(strings.Join(NonEmpty(append([]string{title}, judge.LevelWords(record.Level{DelayNS: of.DelayNS, Work: of.Work,
				CPUs: of.CPUs}, true)...)...), ", "), "no delay")
			switch {
			case of.own:
				title += ", at shares of its capacity"
			case of.open:
				title += ", open loop"
			}
			list = append(list, panel{Plot: document.Plot{Title: title}})
		}
		list[k].levels = append(list[k].levels, i)
		apart = apart || of.open || of.scenario != "" || of.form != wire.Clear || of.Work != ""
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

// place puts the levels on the plot's axis, by their connections and records.
func (v *View) place(p *panel) {
	if v.placeRates(p) {
		return
	}
	at := func(i int) *record.Level { return &v.levels[i].At }
	slices.SortStableFunc(p.levels, func(a, b int) int {
		return cmp.Or(cmp.Compare(at(a).Connections, at(b).Connections), cmp.Compare(at(a).Records, at(b).Records),
			cmp.Compare(at(a).CPUs, at(b).CPUs))
	})
	var levels []record.Level
	for _, i := range p.levels {
		levels = append(levels, *at(i))
	}
	title := p.Title
	p.Plot, p.xs = AxisOf(levels)
	p.Title = title
}

func (p *panel) tick(at float64, text string) {
	p.xs, p.Ticks = append(p.xs, at), append(p.Ticks, document.Tick{At: at, Text: text})
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

// AxisOf returns a plot with levels on its x axis: logarithmic if they differ only in connections,
// records or CPUs, else side by side and named by their values.
func AxisOf(levels []record.Level) (p document.Plot, xs []float64) {
	tick := func(at float64, text string) {
		xs, p.Ticks = append(xs, at), append(p.Ticks, document.Tick{At: at, Text: text})
	}
	for _, d := range []struct {
		name string
		of   func(*record.Level) *int
	}{
		{"connections", func(l *record.Level) *int { return &l.Connections }},
		{"records", func(l *record.Level) *int { return &l.Records }},
		{"CPUs of the server", func(l *record.Level) *int { return &l.CPUs }},
	} {
		if !alone(levels, d.of) {
			continue
		}
		p.X = d.name + ", log scale"
		lo, hi := *d.of(&levels[0]), *d.of(&levels[len(levels)-1])
		for i := range levels {
			x := *d.of(&levels[i])
			tick(math.Log(float64(x)/float64(lo))/math.Log(float64(hi)/float64(lo)), document.Whole(x))
		}
		return p, xs
	}
	p.X = "level"
	delays := alone(levels, func(l *record.Level) *int64 { return &l.DelayNS })
	if delays {
		p.X = "time that handlers wait"
	}
	for i, l := range levels {
		text := document.Given(l.DelayNS)
		if !delays {
			l.Scenario = "" // which the plot's title says
			text = judge.LevelName(l)
		}
		tick((float64(i)+0.5)/float64(len(levels)), text)
	}
	return p, xs
}

// alone reports whether levels differ in one value only, which rises from each to the next.
func alone[N int | int64](levels []record.Level, of func(*record.Level) *N) bool {
	for i := 1; i < len(levels); i++ {
		a, b := levels[i-1], levels[i]
		if *of(&a) >= *of(&b) {
			return false
		}
		*of(&a) = *of(&b)
		if a != b {
			return false
		}
	}
	return len(levels) > 1
}
