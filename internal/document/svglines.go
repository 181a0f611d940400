package document

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The layout for a LineChart, in px. Labels are at the right side of each plot.
const (
	linesWidth  = 880.0
	plotLeft    = 58.0 // distance from the panel's left side to the plot
	plotHeight  = 190.0
	onlyHeight  = 280.0 // height of a single plot
	reasonLen   = 110   // number of characters that fit into a reason
	plotTop     = 34.0  // px above a plot: its title
	plotBottom  = 28.0  // px below it: ticks
	plotGap     = 20.0
	labelGap    = 16.0 // height between two labels
	labelAt     = 20.0 // px right of a plot
	labelSize   = 12.5
	labelShare  = 0.4 // maximum share of a plot's width
	excludedRow = 20.0
	commonTop   = 26.0 // above all plots: the unit of their common axis
	inset       = 16.0 // distance of the outer points
)

// lines draws a LineChart.
type lines struct {
	drawing
	c      *LineChart
	y      valueAxis
	x0, x1 float64 // left and right side of the plot
	height float64
	room   float64 // width for a label
	marks  []int   // each series' mark, which distinguishes series in one colour
}

func drawLines(c *LineChart, standalone bool) string {
	s := &lines{c: c, height: plotHeight}
	used := map[string]int{}
	for _, r := range c.Series {
		s.marks = append(s.marks, used[r.Key])
		used[r.Key]++
	}
	columns := 2
	if len(c.Plots) < 2 {
		s.height, columns = onlyHeight, 1
	}
	each := (linesWidth - float64(columns-1)*plotGap) / float64(columns)
	s.x0, s.x1, s.room = plotLeft, each, c.labelWidth(each*labelShare)
	s.x1 -= s.room + labelAt
	panel, top := s.height+plotTop+plotBottom, plotTop
	h := float64((len(c.Plots)+columns-1)/columns) * panel
	if c.Common {
		s.y = c.axis(c.Plots...)
		top, h = top+commonTop, h+commonTop
	}
	below := h + 8
	if standalone {
		h += float64(len(c.Excluded)+1)*excludedRow + 6
	}
	s.begin(c.ID, c.words(), standalone, linesWidth, h)
	if c.Common {
		s.text(0, 12, "way", "", s.unit())
	}
	for i := range c.Plots {
		s.printf(`<g transform="translate(%.1f %.1f)">`, float64(i%columns)*(each+plotGap),
			float64(i/columns)*panel+top)
		s.plot(&c.Plots[i])
		s.printf("</g>")
	}
	if standalone { // on a page the table says both
		for _, it := range c.Excluded {
			s.absent(it, below)
			below += excludedRow
		}
		s.text(0, below+4, "tick", "", c.Foot)
	}
	s.printf("</svg>")
	return s.String()
}

// words returns the chart as text for screen readers.
func (c *LineChart) words() string {
	parts := []string{c.Foot + ", " + c.Unit}
	for _, it := range c.Excluded {
		parts = append(parts, it.Label+" "+it.Text.String())
	}
	for k := range c.Series {
		for _, p := range c.Plots {
			for _, f := range p.Points[k] {
				if f.Text != "" {
					parts = append(parts, f.Text)
				}
			}
		}
	}
	return strings.Join(parts, "; ")
}

// at returns the position for a place on the x axis.
func (s *lines) at(x float64) float64 { return s.x0 + inset + x*(s.x1-s.x0-2*inset) }

func (s *lines) down(v float64) float64 { return s.height * (1 - s.y.at(v)) }

// axis returns the value axis for some plots.
func (c *LineChart) axis(plots ...Plot) valueAxis {
	var values []float64
	for _, p := range plots {
		for _, points := range p.Points {
			for _, f := range points {
				if !f.Absent {
					values = append(values, f.Value, within(f.Lo, f.Value), within(f.Hi, f.Value))
				}
			}
		}
	}
	return newValueAxis(values, c.Linear)
}

// unit returns the value axis's unit, and which figures are the better ones.
func (s *lines) unit() string {
	unit := s.c.Unit
	if s.y.log {
		unit += ", log scale"
	}
	if s.c.Way != "" && (s.c.Common || len(s.c.Plots) < 2) {
		unit += " · " + s.c.Way
	}
	return unit
}

// plot draws one plot from 0 down to height.
func (s *lines) plot(p *Plot) {
	if !s.c.Common {
		s.y = s.c.axis(*p)
	}
	s.text(0, -18, "name", "", p.Title)
	for _, v := range s.y.marks(s.c.Per, 5) {
		class := "grid"
		if v == 0 {
			class = "one"
		}
		s.stroke(s.x0, s.x1, s.down(v), s.down(v), class)
		s.text(s.x0-8, s.down(v)+4, "tick", "end", tickValue(v/s.c.Per))
	}
	last := math.Inf(-1)
	for _, t := range p.Ticks {
		x := s.at(t.At)
		s.stroke(x, x, s.height, s.height+5, "grid")
		if room := 3.4*float64(len(t.Text)) + 4; x-room > last { // otherwise its label would touch the previous one
			s.text(x, s.height+19, "tick", "middle", t.Text)
			last = x + room
		}
	}
	switch {
	case s.c.Common:
	case p.Title == "":
		s.text(0, -18, "way", "", s.unit())
	default:
		s.text(float64(len([]rune(p.Title)))*7.4+14, -18, "way", "", s.unit())
	}
	s.series(p)
}

// end is a line's end and its label.
type end struct {
	series int
	x, y   float64 // position of the last point
	at     float64 // position of the label
}

// series draws a plot's lines and labels them.
func (s *lines) series(p *Plot) {
	var ends []end
	for k, points := range p.Points {
		for i := len(points) - 1; i >= 0; i-- {
			if f := points[i]; !f.Absent {
				ends = append(ends, end{series: k, x: s.at(f.At) + s.shift(k), y: s.down(f.Value),
					at: s.down(f.Value)})
				break
			}
		}
	}
	for k, points := range p.Points {
		s.printf(`<g class="series l-%s">`, s.c.Series[k].Key)
		s.line(k, points)
		s.printf("</g>")
	}
	spreadLabels(ends, s.height)
	for _, e := range ends {
		s.printf(`<g class="series l-%s">`, s.c.Series[e.series].Key)
		s.stroke(e.x+5, s.x1+6, e.y, e.at, "leader")
		s.mark(e.series, s.x1+12, e.at)
		s.text(s.x1+labelAt, e.at+4, "label", "", fitted(s.c.Series[e.series].Name, labelSize, s.room+1))
		s.printf("</g>")
	}
}

// labelWidth returns the width that the line names need, limited to a maximum.
func (c *LineChart) labelWidth(most float64) (w float64) {
	for _, r := range c.Series {
		w = max(w, textWidth(r.Name, labelSize))
	}
	return min(w, most)
}

// shift returns a series' horizontal offset in px, which separates points at the same place.
func (s *lines) shift(k int) float64 {
	n := float64(len(s.c.Series))
	return (float64(k) - (n-1)/2) * min(3, 16/n)
}

// spreadLabels moves labels apart, as little as possible, within the plot.
func spreadLabels(ends []end, height float64) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	for i := range ends {
		if i > 0 {
			ends[i].at = max(ends[i].at, ends[i-1].at+labelGap)
		}
	}
	limit := height + 4
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].at = min(ends[i].at, limit)
		limit = ends[i].at - labelGap
	}
}

// line draws one series; an absent point interrupts it.
func (s *lines) line(k int, points []Point) {
	var x, y float64
	joined := false
	for _, f := range points {
		if f.Absent {
			joined = false
			continue
		}
		x1, y1 := s.at(f.At)+s.shift(k), s.down(f.Value)
		if joined {
			s.stroke(x, x1, y, y1, "stroke")
		}
		x, y, joined = x1, y1, true
	}
	for _, f := range points { // above the strokes
		if !f.Absent {
			s.point(k, f)
		}
	}
}

// title adds a title to the open element.
func (s *lines) title(words string) { s.printf(`<title>%s</title>`, safe(words)) }

// point draws a figure and its interval or, if there is none, its range as a dashed line.
func (s *lines) point(k int, f Point) {
	x, y, class := s.at(f.At)+s.shift(k), s.down(f.Value), "whisker"
	if f.Open {
		class = "whisker open"
	}
	s.printf("<g>")
	s.title(f.Text)
	if f.Hi > f.Lo {
		s.stroke(x, x, s.down(f.Lo), s.down(f.Hi), class)
	}
	s.mark(k, x, y)
	if f.Beyond {
		s.printf(`<path d="M%.1f %.1fv-12m-4 5l4 -5l4 5" class="beyond"/>`, x, y-5)
	}
	s.printf("</g>")
}

// shapes are the marks, each with its position relative to the point.
var shapes = [...]struct {
	format string
	dx, dy float64
}{
	{`<circle cx="%.1f" cy="%.1f" r="3.5" class="dot"/>`, 0, 0},
	{`<path d="M%.1f %.1fh6.4v6.4h-6.4z" class="dot"/>`, -3.2, -3.2},
	{`<path d="M%.1f %.1fl4.2 7h-8.4z" class="dot"/>`, 0, -4.4},
	{`<path d="M%.1f %.1fl4.4 4.4l-4.4 4.4l-4.4 -4.4z" class="dot"/>`, 0, -4.4},
	{`<circle cx="%.1f" cy="%.1f" r="3" class="ring"/>`, 0, 0},
}

// mark draws the mark for a series.
func (s *lines) mark(k int, x, y float64) {
	m := shapes[s.marks[k]%len(shapes)]
	s.printf(m.format, x+m.dx, y+m.dy)
}

// absent lists, below the plots, the contestants without a line and the reasons.
func (s *lines) absent(it Item, y float64) {
	name, why, class := it.Label, it.Text.String(), "absent"
	if it.Style == Bad {
		class = "gone"
	}
	s.printf(`<circle cx="6" cy="%.1f" r="4" class="hollow"/>`, y-4)
	s.printf(`<text x="18" y="%.1f" class="reason"><title>%s</title><tspan class="%s">%s</tspan>`, y, safe(why), class,
		safe(name))
	s.printf(`<tspan dx="8">%s</tspan></text>`, safe(Cut(why, max(12, reasonLen-len([]rune(name))))))
}
