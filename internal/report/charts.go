package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/claim"
	"dyno/internal/document"
	"dyno/internal/result"
)

// MostLines is the number of contestants that a chart with lines shows at most.
const MostLines = manyBars

// Chart is a chart that a study asks for: figures of one metric over levels, measured and published.
type Chart struct {
	Metric    claim.Metric
	Lines     []string // contestants with a line
	Published []string // dates whose figures have plots of their own; without any, figures are marked beside ours
	Plots     []Plot
}

// Plot is a plot of a Chart, with levels from left to right.
type Plot struct {
	Title     string
	Names     []string // of the levels
	Levels    []result.Level
	Ours      map[string][]PlotFigure // by contestant, at each level
	Alone     []PlotFigure            // of the backend, loaded directly; nil: none, or another metric
	Published []PlotPublished
}

// PlotFigure is a figure at a level.
type PlotFigure struct {
	analysis.Estimate
	Least, Most float64 // of its epochs
	Bound       bool    // at the generator's ceiling: it may do more
	Absent      string  // why there is none
}

// PlotPublished is a published figure at a level, by index.
type PlotPublished struct {
	claim.Figure
	Level int
}

// Any reports whether there is any figure of ours.
func (p *Plot) Any() bool {
	for _, figures := range p.Ours {
		if slices.ContainsFunc(figures, func(f PlotFigure) bool { return f.Absent == "" && f.N > 0 }) {
			return true
		}
	}
	return false
}

// figure returns it as the tables of levels have it.
func (f *PlotFigure) figure() *figure {
	if f.Absent == "" && f.N == 0 {
		return &figure{absent: "it could not be read"}
	}
	return &figure{Estimate: f.Estimate, least: f.Least, most: f.Most, bound: f.Bound, absent: f.Absent}
}

// scale returns the one that all figures of the chart's lines are printed with.
func (c *Chart) scale() analysis.Scale {
	var values []float64
	for i := range c.Plots {
		for _, name := range c.Lines {
			for _, f := range c.Plots[i].Ours[name] {
				values = append(values, f.Value)
			}
		}
	}
	return scaleOf(c.Metric.Unit, values...)
}

// file returns the name of the chart's picture.
func (c *Chart) file() string { return "chart-" + strings.ReplaceAll(c.Metric.Name, "_", "-") + ".svg" }

// title returns the metric with its unit.
func (c *Chart) title() string {
	if of := unitWords(c.scale()); !strings.EqualFold(of, "requests per second") {
		return c.Metric.Title + ", " + of
	}
	return "Requests per second"
}

// lineChart draws a chart: the measured plots, then those of each published date.
func (v *view) lineChart(c *Chart) document.LineChart {
	scale := c.scale()
	out := document.LineChart{ID: "study-" + c.Metric.Name, Title: c.title(), Unit: unitWords(scale), Per: scale.Per,
		Common: true, Way: better(c.Metric) + " is better"}
	if c.Metric.Unit == "%" || c.Metric.Unit == "share" {
		out.Axis = document.LinearAxis
	}
	if m, ok := analysis.MetricNamed(c.Metric.Name); ok && m.Unranked {
		out.Way = way(m)
	}
	var rows []row
	for _, r := range v.drawn(c) {
		if r.Failure != nil {
			out.Excluded = append(out.Excluded, r.absent(FailureText(r.Failure)))
			continue
		}
		rows = append(rows, r)
	}
	colours := v.colours(c)
	for _, r := range rows {
		out.Series = append(out.Series, document.Series{Name: r.Title, Key: colours.of(r).Key, Fixed: true})
	}
	alone := slices.ContainsFunc(c.Plots, func(p Plot) bool { return p.Alone != nil })
	if alone {
		out.Series = append(out.Series, document.Series{Name: v.title(v.run.Plan.Backend) + ", alone", Key: "control",
			Fixed: true})
	}
	open, beside := false, false
	for i := range c.Plots {
		p := &c.Plots[i]
		plot := p.axis("")
		for _, r := range rows {
			plot.Points = append(plot.Points, p.measured(c, p.Ours[r.Name], r.Title, scale))
			p.beside(c, r, plot.Points[len(plot.Points)-1])
		}
		if alone {
			plot.Points = append(plot.Points, p.measured(c, p.Alone, out.Series[len(rows)].Name, scale))
		}
		for _, f := range slices.Concat(plot.Points...) {
			open, beside = open || f.Open, beside || len(f.Beside) > 0
		}
		out.Plots = append(out.Plots, plot)
	}
	for _, date := range c.Published {
		for i := range c.Plots {
			plot := c.Plots[i].published(date, rows, len(out.Series))
			out.Plots = append(out.Plots, plot)
		}
	}
	if out.Note = "Bars: intervals of 95 %."; len(colours) > 0 {
		out.Note = "Colours: HTTP engines. " + out.Note
	}
	if open {
		out.Note += " Dotted: the range of too few epochs or loads for one."
	}
	if beside {
		out.Note += " Hollow: as published."
	}
	out.Foot = out.Title + ". " + out.Note
	return out
}

// measured returns the points of a line.
func (p *Plot) measured(c *Chart, figures []PlotFigure, name string, scale analysis.Scale) (points []document.Point) {
	_, xs := axisOf(p.Levels)
	for i, x := range xs {
		at := document.Point{At: x, Absent: true}
		if i < len(figures) {
			f := figures[i].figure()
			at.Value, at.Absent = f.Value, f.absent != ""
			if !at.Absent {
				at.Lo, at.Hi = f.bounds()
				at.Open, at.Beyond = f.open(), f.bound
				at.Text = fmt.Sprintf("%s, %s: %s (%s–%s)%s", name, p.Names[i], Sig3(f.Value/scale.Per),
					Sig3(at.Lo/scale.Per), Sig3(at.Hi/scale.Per), after(scale))
			}
		}
		points = append(points, at)
	}
	return points
}

// beside adds published figures to the points of a line, unless the chart has plots for them.
func (p *Plot) beside(c *Chart, r row, points []document.Point) {
	if len(c.Published) > 0 {
		return
	}
	for _, f := range p.Published {
		if f.Contestant == r.Name {
			points[f.Level].Beside = append(points[f.Level].Beside,
				document.Aside{Value: f.Base, Text: publishedPoint(r, f, p)})
		}
	}
}

// publishedPoint names a published figure.
func publishedPoint(r row, f PlotPublished, p *Plot) string {
	text := fmt.Sprintf("%s, %s: %s published %s", r.Title, p.Names[f.Level],
		document.Grouped(f.Value, decimals(f.Value))+after(analysis.Scale{Name: f.Unit}), f.Date)
	if f.Note != "" {
		text += " (" + document.Clean(f.Note) + ")"
	}
	return text
}

// published returns the plot of the figures of a date; of n series, the first are the rows'.
func (p *Plot) published(date string, rows []row, n int) document.Plot {
	of := "published " + date
	if at, err := time.Parse(time.DateOnly, date); err == nil {
		of = "published " + at.Format("Jan 2006")
	}
	out := p.axis(of)
	_, xs := axisOf(p.Levels)
	for k := range n {
		var points []document.Point
		for i, x := range xs {
			at := document.Point{At: x, Absent: true}
			for _, f := range p.Published {
				if k < len(rows) && f.Contestant == rows[k].Name && f.Level == i && f.Date == date {
					at = document.Point{At: x, Value: f.Base, Lo: f.Base, Hi: f.Base,
						Text: publishedPoint(rows[k], f, p)}
				}
			}
			points = append(points, at)
		}
		out.Points = append(out.Points, points)
	}
	return out
}

// axis returns the plot without its points.
func (p *Plot) axis(of string) document.Plot {
	out, _ := axisOf(p.Levels)
	out.Title = document.Clean(strings.Join(nonEmpty(p.Title, of), ", "))
	return out
}

// axisOf returns a plot with levels on its x axis: logarithmic where they differ in their connections,
// their records or their CPUs alone, else side by side, with their values for names.
func axisOf(levels []result.Level) (p document.Plot, xs []float64) {
	tick := func(at float64, text string) {
		xs, p.Ticks = append(xs, at), append(p.Ticks, document.Tick{At: at, Text: text})
	}
	for _, d := range []struct {
		name string
		of   func(*result.Level) *int
	}{
		{"connections", func(l *result.Level) *int { return &l.Connections }},
		{"records", func(l *result.Level) *int { return &l.Records }},
		{"CPUs of the server", func(l *result.Level) *int { return &l.CPUs }},
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
	delays := alone(levels, func(l *result.Level) *int64 { return &l.DelayNS })
	if delays {
		p.X = "time that handlers wait"
	}
	for i, l := range levels {
		text := planned(l.DelayNS)
		if !delays {
			l.Scenario = "" // which the plot's title says
			text = LevelName(l)
		}
		tick((float64(i)+0.5)/float64(len(levels)), text)
	}
	return p, xs
}

// alone reports whether levels differ in one value alone, which rises from each to the next.
func alone[N int | int64](levels []result.Level, of func(*result.Level) *N) bool {
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

// charted reports whether a chart of the study shows the metric.
func (v *view) charted(m analysis.Metric) bool {
	return v.Claims != nil &&
		slices.ContainsFunc(v.Claims.Charts, func(c Chart) bool { return c.Metric.Name == m.Name })
}

// studyCharts returns the charts that the study asks for, on a page of a run.
func (v *view) studyCharts() document.Section {
	s := document.Section{ID: "study-charts", Title: "Charts over the levels", On: document.OnPage}
	if v.Claims == nil {
		return s
	}
	var shown []document.LegendItem
	for i := range v.Claims.Charts {
		c := &v.Claims.Charts[i]
		legend := []document.LegendItem(v.colours(c))
		if len(legend) == 0 {
			legend = v.legend()
		}
		if !slices.Equal(legend, shown) {
			s.Blocks, shown = append(s.Blocks, document.Legend{Items: legend}), legend
		}
		s.Blocks = append(s.Blocks, v.lineChart(c))
	}
	return s
}

// drawn returns the rows of a chart's lines.
func (v *view) drawn(c *Chart) []row {
	return slices.DeleteFunc(slices.Clone(v.rows), func(r row) bool { return !slices.Contains(c.Lines, r.Name) })
}

// engineColours are the colours of engines, where all contestants are of one language.
type engineColours []document.LegendItem

// colours returns those of a chart; none where its contestants differ in language or not in engine.
func (v *view) colours(c *Chart) (list engineColours) {
	free := []string{"go", "rust", "dotnet", "jvm", "js"}
	rows := v.drawn(c)
	slices.SortStableFunc(rows, func(a, b row) int { return -compareEngines(a.engine(), b.engine()) })
	for _, r := range rows {
		if keyOf(r) != keyOf(rows[0]) || len(list) == len(free) {
			return nil
		}
		if !slices.ContainsFunc(list, func(l document.LegendItem) bool { return l.Name == r.engine() }) {
			list = append(list, document.LegendItem{Key: free[len(list)], Name: r.engine()})
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// of returns the colour of a row.
func (e engineColours) of(r row) document.LegendItem {
	for _, l := range e {
		if l.Name == r.engine() {
			return l
		}
	}
	return document.LegendItem{Key: keyOf(r)}
}

// pictures returns the same charts as links to their pictures, beside a study's page.
func (v *view) pictures() document.Section {
	s := document.Section{Title: "Charts over the levels"}
	for i := range v.Claims.Charts {
		c := &v.Claims.Charts[i]
		s.Blocks = append(s.Blocks, document.Paragraph{Label: c.title(), Text: document.Plain(v.lineChart(c).Note)},
			document.Picture{File: c.file(), Words: c.title()})
	}
	if len(s.Blocks) > 0 && v.many() {
		s.Blocks = append(s.Blocks, elsewhere("All contestants"))
	}
	return s
}

// chartTables returns tables of the charts' figures, with all contestants.
func (v *view) chartTables() document.Section {
	s := document.Section{Title: "Charts over the levels"}
	for i := range v.Claims.Charts {
		c := &v.Claims.Charts[i]
		scale := c.scale()
		t := document.Table{Title: c.title(), Columns: []document.Column{{Head: "contestant", Lead: true}}}
		for _, p := range c.Plots {
			for _, name := range p.Names {
				t.Columns = append(t.Columns, document.Column{Head: name, Number: true})
			}
		}
		for _, r := range v.rows {
			row := v.tableRow(r)
			for _, p := range c.Plots {
				for _, f := range p.Ours[r.Name] {
					row.Cells = append(row.Cells, f.figure().cell(scale))
				}
			}
			t.Rows = append(t.Rows, row)
		}
		s.Blocks = append(s.Blocks, t)
	}
	return s
}
