package document

import (
	"cmp"
	"math"
	"slices"
)

// stripLayout is the layout for a StripChart, in px.
type stripLayout struct {
	wide  bool // plots side by side, names left of them
	width float64
	names float64 // maximum width for names
}

var (
	wideStrips   = stripLayout{wide: true, width: 720, names: 200}
	narrowStrips = stripLayout{width: 340, names: 110}
)

const (
	stripTop    = 24.0 // px above a plot's lines, for its title
	stripBottom = 26.0 // px below the lines, for ticks
	stripRow    = 26.0 // minimum height
	stripName   = 13.0 // height of one line in a name
	stripGap    = 28.0 // between plots
	dotSize     = 3.0
	dotApart    = 5.0 // closer dots are drawn in different lanes
	dotLane     = 4.0
)

// dotLanes are the lanes within a line, in the order of use, in px from its middle.
var dotLanes = []float64{0, -dotLane, dotLane, -2 * dotLane, 2 * dotLane}

// strips draws a StripChart.
type strips struct {
	drawing
	c       *StripChart
	x0, x1  float64    // left and right side of the plot, from the panel's left side
	names   [][]string // wrapped names
	middles []float64  // middle of each row
	down    float64    // total height of the rows
}

func drawStrips(c *StripChart, wide, standalone bool) string {
	s, l := &strips{c: c}, narrowStrips
	if wide {
		l = wideStrips
	}
	for _, n := range c.Names {
		s.x0 = max(s.x0, textWidth(n.Name, labelSize))
	}
	s.x0 = min(s.x0, l.names) + 12
	for _, n := range c.Names {
		name := wrapped(n.Name, labelSize, s.x0-11)
		high := max(stripRow, float64(len(name))*stripName+4)
		s.names, s.middles, s.down = append(s.names, name), append(s.middles, s.down+high/2), s.down+high
	}
	columns := 1.0
	if wide {
		columns = float64(max(1, len(c.Plots)))
	}
	s.x1 = s.x0 + (l.width-s.x0-(columns-1)*stripGap)/columns
	panel := stripTop + s.down + stripBottom
	s.begin(c.ID, c.Foot, wide, standalone, l.width, panel*math.Ceil(float64(len(c.Plots))/columns))
	for i := range c.Plots {
		x, y := 0.0, float64(i)*panel
		if wide {
			x, y = float64(i)*(s.x1-s.x0+stripGap), 0
		}
		s.printf(`<g class="strip" transform="translate(%.1f %.1f)">`, x, y+stripTop)
		s.plot(&c.Plots[i], !wide || i == 0)
		s.printf("</g>")
	}
	s.printf("</svg>")
	return s.String()
}

// plot draws one plot from 0 down.
func (s *strips) plot(p *StripPlot, names bool) {
	var values []float64
	for _, dots := range p.Dots {
		for _, d := range dots {
			values = append(values, d.At)
		}
	}
	title := p.Title
	if p.Unit != "" {
		title += ", " + p.Unit
	}
	at, ticks := p.axis(s.x0+dotSize, s.x1-dotSize, values)
	s.text(s.x0, -8, "way", "", title)
	for _, v := range ticks {
		class := "grid"
		if p.Ratio && v == 1 {
			class = "one"
		}
		s.stroke(at(v), at(v), 0, s.down+4, class)
		s.text(at(v), s.down+18, "tick", "middle", tickValue(v/p.Per))
	}
	for k, n := range s.c.Names {
		y := s.middles[k]
		for i, line := range s.names[k] {
			if names {
				s.text(s.x0-10, y+4+(float64(i)-float64(len(s.names[k])-1)/2)*stripName, "label", "end", line)
			}
		}
		s.printf(`<g class="dot l-%s" fill-opacity=".6">`, n.Key)
		s.dots(p.Dots[k], at, y)
		s.printf("</g>")
	}
}

// axis returns a function that places values in a plot, and its ticks.
func (p *StripPlot) axis(x0, x1 float64, values []float64) (at func(float64) float64, ticks []float64) {
	if p.Ratio {
		a := newRatioAxis(x0, x1, values...)
		return a.at, a.ticks(44)
	}
	a := newValueAxis(values, AutoAxis)
	last := math.Inf(-1)
	for _, v := range a.marks(p.Per, 5) {
		if x := x0 + a.at(v)*(x1-x0); x-last > 34 { // otherwise the labels would touch
			ticks, last = append(ticks, v), x
		}
	}
	return func(v float64) float64 { return x0 + a.at(v)*(x1-x0) }, ticks
}

// dots draws a line's dots, overlapping ones in lanes.
func (s *strips) dots(list []Dot, at func(float64) float64, y float64) {
	ends := make([]float64, len(dotLanes))
	for i := range ends {
		ends[i] = math.Inf(-1)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Dot) int { return cmp.Compare(a.At, b.At) })
	for _, d := range list {
		x := at(d.At)
		lane := max(0, slices.IndexFunc(ends, func(end float64) bool { return x-end >= dotApart }))
		ends[lane] = x
		s.printf(`<circle cx="%.1f" cy="%.1f" r="%g"><title>%s</title></circle>`, x,
			y+dotLanes[lane], dotSize, safe(d.Text))
	}
}
