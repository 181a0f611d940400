package study

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// chart is a chart that a study asks for: one metric's figures over levels, measured and published.
type chart struct {
	Metric Metric
	Lines  []string // contestants with a line
	Plots  []plot
}

// plot is one plot in a chart, with levels from left to right.
type plot struct {
	Title     string
	Names     []string // names of the levels
	Levels    []record.Level
	Ours      map[string][]report.Figure // measured figures by contestant, at each level
	Published []plotPublished
}

// plotPublished is a published figure at a level, by index.
type plotPublished struct {
	Figure
	Level int
}

// Any reports whether there is any measured figure.
func (p *plot) Any() bool {
	for _, figures := range p.Ours {
		if slices.ContainsFunc(figures, func(f report.Figure) bool { return f.Absent == "" && f.N > 0 }) {
			return true
		}
	}
	return false
}

// scale returns the scale for all figures in the chart's lines.
func (c *chart) scale() judge.Scale {
	var values []float64
	for i := range c.Plots {
		for _, name := range c.Lines {
			for _, f := range c.Plots[i].Ours[name] {
				values = append(values, f.Value)
			}
		}
	}
	return report.ScaleOf(c.Metric.Unit, values...)
}

// file returns the chart's picture file.
func (c *chart) file() string { return "chart-" + strings.ReplaceAll(c.Metric.Name, "_", "-") + ".svg" }

// title returns the metric with its unit.
func (c *chart) title() string {
	if of := report.UnitWords(c.scale()); !strings.EqualFold(of, "requests per second") {
		return c.Metric.Title + ", " + of
	}
	return "Requests per second"
}

// lineChart draws a chart, with published figures beside the measured ones.
func (v *page) lineChart(c *chart) document.LineChart {
	scale := c.scale()
	out := document.LineChart{ID: "study-" + c.Metric.Name, Title: c.title(), Unit: report.UnitWords(scale),
		Per:    scale.Per,
		Common: true, Way: better(c.Metric) + " is better"}
	if c.Metric.Unit == "%" || c.Metric.Unit == "share" {
		out.Axis = document.LinearAxis
	}
	if m, ok := judge.MetricNamed(c.Metric.Name); ok && m.Unranked {
		out.Way = report.Way(m)
	}
	rows := v.drawn(c)
	for _, r := range rows {
		if r.Failure != nil {
			out.Excluded = append(out.Excluded, r.Absent(report.FailureText(r.Failure)))
		}
	}
	rows = slices.DeleteFunc(rows, func(r report.Row) bool { return r.Failure != nil })
	colours := v.colours(c)
	for _, r := range rows {
		out.Series = append(out.Series, document.Series{Name: r.Title, Key: colours.of(r).Key})
	}
	open, beside := false, false
	for i := range c.Plots {
		p := &c.Plots[i]
		plot, _ := report.AxisOf(p.Levels)
		plot.Title = document.Clean(p.Title)
		for _, r := range rows {
			plot.Points = append(plot.Points, p.measured(p.Ours[r.Name], r.Title, scale))
			p.beside(r, plot.Points[len(plot.Points)-1])
		}
		for _, f := range slices.Concat(plot.Points...) {
			open, beside = open || f.Open, beside || len(f.Beside) > 0
		}
		out.Plots = append(out.Plots, plot)
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

// measured returns a line's points.
func (p *plot) measured(figures []report.Figure, name string, scale judge.Scale) (points []document.Point) {
	_, xs := report.AxisOf(p.Levels)
	for i, x := range xs {
		points = append(points, figures[i].Point(x, name+", "+p.Names[i], scale))
	}
	return points
}

// beside adds published figures to a line's points.
func (p *plot) beside(r report.Row, points []document.Point) {
	for _, f := range p.Published {
		if f.Contestant == r.Name {
			points[f.Level].Beside = append(points[f.Level].Beside,
				document.Aside{Value: f.Base, Text: publishedPoint(r, f, p)})
		}
	}
}

// publishedPoint describes a published figure.
func publishedPoint(r report.Row, f plotPublished, p *plot) string {
	text := fmt.Sprintf("%s, %s: %s published %s", r.Title, p.Names[f.Level],
		document.Grouped(f.Value, report.Decimals(f.Value))+report.After(judge.Scale{Name: f.Unit}), f.Date)
	if f.Note != "" {
		text += " (" + document.Clean(f.Note) + ")"
	}
	return text
}

// studyCharts returns the charts that the study asks for, for a run's page: one selector for those with the same
// colours.
func (v *page) studyCharts() document.Section {
	s := document.Section{ID: "study-charts", Title: "Charts over the levels", On: document.OnPage}
	var shown []document.LegendItem
	for i := range v.Claims.Charts {
		c := &v.Claims.Charts[i]
		legend := []document.LegendItem(v.colours(c))
		if len(legend) == 0 {
			legend = v.Legend()
		}
		if i == 0 || !slices.Equal(legend, shown) {
			s.Blocks = append(s.Blocks, document.Legend{Items: legend},
				document.Choice{ID: "charts-" + c.Metric.Name, Title: "Chart"})
			shown = legend
		}
		choice := s.Blocks[len(s.Blocks)-1].(document.Choice)
		choice.Options = append(choice.Options, document.Option{Name: c.title(), Block: v.lineChart(c)})
		s.Blocks[len(s.Blocks)-1] = choice
	}
	return s
}

// drawn returns the rows for a chart's lines.
func (v *page) drawn(c *chart) []report.Row {
	return slices.DeleteFunc(slices.Clone(v.Rows()), func(r report.Row) bool { return !slices.Contains(c.Lines, r.Name) })
}

// engineColours assigns colours to engines, if all contestants use one language.
type engineColours []document.LegendItem

// colours returns a chart's engine colours; nil if its contestants differ in language, or not in
// engine, or there are too many engines.
func (v *page) colours(c *chart) (list engineColours) {
	free := []string{"go", "rust", "dotnet", "jvm", "js"}
	rows := v.drawn(c)
	slices.SortStableFunc(rows, func(a, b report.Row) int { return strings.Compare(b.Engine(), a.Engine()) })
	for _, r := range rows {
		if r.Key() != rows[0].Key() || len(list) == len(free) {
			return nil
		}
		if !slices.ContainsFunc(list, func(l document.LegendItem) bool { return l.Name == r.Engine() }) {
			list = append(list, document.LegendItem{Key: free[len(list)], Name: r.Engine()})
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// of returns a row's colour.
func (e engineColours) of(r report.Row) document.LegendItem {
	for _, l := range e {
		if l.Name == r.Engine() {
			return l
		}
	}
	return document.LegendItem{Key: r.Key()}
}

// pictures returns the same charts as links to picture files, for a study's page.
func (v *page) pictures() document.Section {
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

// chartTables returns the charts' figures as tables, with all contestants.
func (v *page) chartTables() document.Section {
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
		for _, r := range v.Rows() {
			row := v.TableRow(r)
			for _, p := range c.Plots {
				for _, f := range p.Ours[r.Name] {
					row.Cells = append(row.Cells, f.Cell(scale))
				}
			}
			t.Rows = append(t.Rows, row)
		}
		s.Blocks = append(s.Blocks, t)
	}
	return s
}
