package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// SVG writes the chart of the primary metric as a picture of its own, with its styles in it.
func SVG(w io.Writer, d *Data) error {
	if write := d.unjudged("svg"); write != nil {
		return write(w, d)
	}
	return Chart(w, d, newView(d).primary().Name)
}

// Chart writes the chart of a metric as SVG: each contestant's ratio to the yardstick as a dot on a logarithmic axis, its
// interval as a bar, its level beside it. It is an error if there is no metric of that name.
func Chart(w io.Writer, d *Data, metric string) error {
	m, ok := analysis.MetricNamed(metric)
	if !ok {
		return fmt.Errorf("draw chart: no metric is called %q", metric)
	}
	_, err := io.WriteString(w, newView(d).chart(m, wideLayout, true)+"\n")
	return err
}

// layout is where a chart of some width puts its parts, in px.
type layout struct {
	name      string
	width     float64
	x0, x1    float64 // of the plot
	rowHeight float64
	titleY    float64 // baselines and centres, from the top of the row
	metaY     float64 // 0: no second line under the title
	dotY      float64
	levelY    float64
	chars     int // that fit into a title
	reasonX   float64
	reasonY   float64
	reason    int // characters that fit into a reason
}

// The wide layout has titles left of the plot and levels right of it; in the narrow one, for phones, they stand above it. A page
// holds both and shows one, so that text is never scaled.
var (
	wideLayout = layout{name: "wide", width: 880, x0: 200, x1: 730, rowHeight: 42, titleY: 19, metaY: 34, dotY: 21, levelY: 25, chars: 24,
		reasonX: 200, reasonY: 25, reason: 90}
	narrowLayout = layout{name: "narrow", width: 340, x0: 6, x1: 334, rowHeight: 50, titleY: 16, dotY: 33, levelY: 16, chars: 22,
		reasonX: 0, reasonY: 35, reason: 50}
)

const (
	chartTop    = 46 // px above the first row: direction and axis
	chartBottom = 8
)

// chart draws metric m. A picture of its own brings its styles and its namespace along; one in a page uses the page's.
func (v *view) chart(m analysis.Metric, l layout, alone bool) string {
	var rows []row
	var values []float64
	for _, r := range slices.Concat(v.rows, v.controls) {
		if v.isYardstick(r) {
			continue // it is the line at 1
		}
		rows = append(rows, r)
		if c := v.cell(r.Name, m.Name); r.Struck == "" && c.Absent == "" && c.Ratio.N > 0 {
			values = append(values, c.Ratio.Value, within(c.Ratio.Lo, c.Ratio.Value), within(c.Ratio.Hi, c.Ratio.Value))
		}
	}
	height := chartTop + float64(len(rows))*l.rowHeight + chartBottom
	s := &drawing{view: v, l: l, m: m, scale: v.scale(m), axis: newAxis(l.x0, l.x1, values...)}
	id := "chart-" + m.Name + "-" + l.name
	space, margin := "", 0.0
	if alone {
		space, margin = ` xmlns="http://www.w3.org/2000/svg"`, 20
	}
	w, h := l.width+2*margin, height+2*margin
	s.printf(`<svg%s class="chart %s" role="img" aria-labelledby="%s" viewBox="%g %g %g %g" width="%g" height="%g">`,
		space, l.name, id, -margin, -margin, w, h, w, h)
	s.printf(`<title id="%s">%s</title>`, id, html.EscapeString(s.describe(rows)))
	if alone {
		s.printf("<style>%s</style>", chartStyle)
		s.printf(`<rect class="paper" x="%g" y="%g" width="%g" height="%g"/>`, -margin, -margin, w, h)
	}
	s.frame(height)
	for i, r := range rows {
		s.printf(`<g transform="translate(0 %g)">`, chartTop+float64(i)*l.rowHeight)
		s.row(r)
		s.printf("</g>")
	}
	s.printf("</svg>")
	return s.String()
}

// within bounds how far one wide interval can stretch the axis for all; an open one does not stretch it.
func within(bound, value float64) float64 {
	if bound == 0 || math.IsInf(bound, 0) {
		return value
	}
	return min(max(bound, value/4), value*4)
}

type drawing struct {
	*view
	strings.Builder
	l     layout
	m     analysis.Metric
	scale Scale
	axis  axis
}

func (s *drawing) printf(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

func (s *drawing) text(x, y float64, class, anchor, text string) {
	if anchor != "" {
		anchor = ` text-anchor="` + anchor + `"`
	}
	s.printf(`<text x="%.1f" y="%.1f" class="%s"%s>%s</text>`, x, y, class, anchor, html.EscapeString(text))
}

// describe is the chart in words, for those who do not see it.
func (s *drawing) describe(rows []row) string {
	parts := []string{s.m.Title + " as a ratio to " + s.yardstick()}
	for _, r := range rows {
		c := s.cell(r.Name, s.m.Name)
		switch {
		case r.Struck != "":
			parts = append(parts, r.Title+" "+r.Struck)
		case c.Absent != "":
			parts = append(parts, r.Title+" "+Clean(c.Absent))
		case c.Ratio.N > 0:
			parts = append(parts, r.Title+" "+Ratio(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi))
		}
	}
	return strings.Join(parts, "; ")
}

// frame draws the axis, the yardstick's line, and which way is better.
func (s *drawing) frame(height float64) {
	a := s.axis
	for _, t := range a.ticks(46) {
		class := "grid"
		if t == 1 {
			class = "one"
		}
		x := a.at(t)
		s.printf(`<line x1="%.1f" x2="%.1f" y1="%d" y2="%.1f" class="%s"/>`, x, x, chartTop-6, height-chartBottom, class)
		label, anchor := tickText(t), "middle"
		if t == 1 {
			label = s.yardstick() + " = 1"
			if len(label) > 12 {
				label = "1"
			}
		}
		s.text(min(max(x, s.l.x0+8), s.l.x1-8), chartTop-12, "tick", anchor, label)
	}
	unit := s.m.HeadIn(s.scale.Name) // of the levels
	switch wide := s.l.metaY > 0; {
	case wide:
		s.text(s.l.width, chartTop-12, "tick", "end", unit)
	case s.m.More:
		s.text(0, 14, "tick", "", unit)
	default:
		s.text(s.l.width, 14, "tick", "end", unit)
	}
	if s.m.More {
		s.text(s.l.x1, 14, "way", "end", "more is better →")
	} else {
		s.text(s.l.x0, 14, "way", "", "← less is better")
	}
}

func (s *drawing) row(r row) {
	l := s.l
	class := "name"
	if r.Struck != "" {
		class = "name struck"
	} else if r.Control {
		class = "name control"
	}
	s.text(0, l.titleY, class, "", shorten(r.Title, l.chars))
	if l.metaY > 0 {
		if meta := metaOf(r); meta != "" {
			s.text(0, l.metaY, "meta", "", shorten(meta, l.chars+8))
		}
	}
	c := s.cell(r.Name, s.m.Name)
	switch {
	case r.Struck != "":
		s.missing(r.Struck)
	case c.Absent != "":
		s.missing(Clean(c.Absent))
	default:
		s.dot(r, c)
		s.level(r, c)
	}
}

// missing draws why there is no figure, after a hollow dot that stands nowhere on the axis.
func (s *drawing) missing(why string) {
	l := s.l
	s.printf(`<circle cx="%.1f" cy="%.1f" r="4" class="hollow"/>`, l.reasonX+6, l.reasonY-4)
	s.printf(`<text x="%.1f" y="%.1f" class="reason"><title>%s</title>%s</text>`, l.reasonX+18, l.reasonY, html.EscapeString(why),
		html.EscapeString(shorten(why, l.reason)))
}

func (s *drawing) dot(r row, c analysis.Cell) {
	if c.Ratio.N == 0 {
		s.missing("no ratio: " + s.yardstick() + " has no figure to compare with")
		return
	}
	y, class := s.l.dotY, "lang "+languageClass(r)
	e := c.Ratio
	x0, x, x1 := s.axis.at(e.Lo), s.axis.at(e.Value), s.axis.at(e.Hi)
	bar := "bar"
	if e.Lo == 0 || math.IsInf(e.Hi, 1) || e.Lo < s.axis.lo || e.Hi > s.axis.hi {
		bar = "bar open" // it goes on beyond the axis
	}
	s.printf(`<g class="%s"><title>%s</title>`, class, html.EscapeString(r.Title+": "+Ratio(e.Value, e.Lo, e.Hi)+" × "+s.yardstick()))
	s.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="%s"/>`, x0, x1, y, y, bar)
	if s.bounded(r) {
		s.printf(`<path d="M%.1f %.1fh16m-5 -4l5 4l-5 4" class="beyond"/>`, max(x1, x+6), y)
	}
	s.printf(`<circle cx="%.1f" cy="%.1f" r="3.5" class="dot"/></g>`, x, y)
}

// bounded says whether the row's figure here is only a lower bound.
func (s *drawing) bounded(r row) bool { return r.Place.LowerBound && s.m.AtCeiling && s.m.More }

func (s *drawing) level(r row, c analysis.Cell) {
	value, side := levelParts(c.Level, s.scale)
	if s.bounded(r) {
		value = "≥ " + value
	}
	text := html.EscapeString(value) + `<tspan class="side" dx="6">` + html.EscapeString(side) + "</tspan>"
	s.printf(`<text x="%.1f" y="%.1f" class="level" text-anchor="end">%s</text>`, s.l.width, s.l.levelY, text)
}

// languages are their names and classes of colour; others share one colour. C# and F#, and likewise others of one runtime, look alike.
var languages = map[string][2]string{
	"go": {"Go", "go"}, "csharp": {"C#", "dotnet"}, "fsharp": {"F#", "dotnet"}, "dotnet": {".NET", "dotnet"}, "rust": {"Rust", "rust"},
	"java": {"Java", "jvm"}, "kotlin": {"Kotlin", "jvm"}, "scala": {"Scala", "jvm"}, "javascript": {"JavaScript", "js"},
	"typescript": {"TypeScript", "js"}, "node": {"Node.js", "js"}, "python": {"Python", "python"}, "c": {"C", "native"},
	"cpp": {"C++", "native"}, "zig": {"Zig", "native"}, "php": {"PHP", "script"}, "ruby": {"Ruby", "script"}, "elixir": {"Elixir", "script"},
}

// languageClass is the class of colour of a row.
func languageClass(r row) string {
	if r.Control {
		return "l-control"
	}
	if r.Built != nil {
		if l, ok := languages[strings.ToLower(r.Built.Language)]; ok {
			return "l-" + l[1]
		}
	}
	return "l-other"
}

// metaOf is what a row is made of: its language and what speaks HTTP in it.
func metaOf(r row) string {
	if r.Built == nil {
		return ""
	}
	language := Clean(r.Built.Language)
	if l, ok := languages[strings.ToLower(language)]; ok {
		language = l[0]
	}
	var parts []string
	for _, s := range []string{language, Clean(r.Built.Engine)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}
