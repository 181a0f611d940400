package report

import (
	"cmp"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// sweepSVG writes the chart of the primary metric as a picture of its own.
func sweepSVG(w io.Writer, d *Data) error {
	s := newSweep(d)
	_, err := io.WriteString(w, s.chart(s.primary(), wideSweep, true)+"\n")
	return err
}

// sweepLayout is where the chart of a sweep puts its parts, in px. Each panel has its labels at its right side.
type sweepLayout struct {
	name      string
	width     float64
	columns   int     // panels side by side, where there are several
	left      float64 // of the plot, from the left of its panel
	right     float64 // room for the labels
	height    float64 // of the plot of a panel
	alone     float64 // the same where there is one panel
	chars     int     // that fit into a label
	charsOne  int
	rightOne  float64
	reasonLen int // characters that fit into a reason
}

var (
	wideSweep   = sweepLayout{name: "wide", width: 880, columns: 2, left: 58, right: 124, height: 190, alone: 280, chars: 15, charsOne: 24, rightOne: 180, reasonLen: 110}
	narrowSweep = sweepLayout{name: "narrow", width: 340, columns: 1, left: 60, right: 96, height: 190, alone: 220, chars: 11, charsOne: 11, rightOne: 96, reasonLen: 46}
)

const (
	panelTop    = 34 // px above a plot: its title
	panelBottom = 44 // px below it: ticks and their name
	panelGap    = 20
	labelGap    = 16 // between two labels
	struckRow   = 20
	lineAtMost  = 12 // contestants whose lines can be told apart; of more, the best and the worst few are labelled
	labelled    = 3
)

// sweepDrawing draws one metric.
type sweepDrawing struct {
	*sweep
	out   drawing
	m     analysis.Metric
	scale Scale
	y     valueAxis
	lay   sweepLayout
	lines []row // that are drawn, in each panel
	marks map[string]int
}

// chart draws metric m: its levels on the x axis, a line with an interval at each level for every contestant and the yardstick.
func (s *sweep) chart(m analysis.Metric, l sweepLayout, alone bool) string {
	d := &sweepDrawing{sweep: s, m: m, scale: s.sweepScale(m), lay: l, marks: map[string]int{}}
	panels := s.panels()
	d.collect()
	height, right, chars, columns := l.height, l.right, l.chars, l.columns
	if len(panels) < 2 {
		height, right, chars, columns = l.alone, l.rightOne, l.charsOne, 1
	}
	each := (l.width - float64(columns-1)*panelGap) / float64(columns)
	rows := (len(panels) + columns - 1) / columns
	struck := slices.DeleteFunc(slices.Concat(s.rows, s.controls), func(r row) bool { return r.Struck == "" })
	h := float64(rows) * (height + panelTop + panelBottom)
	id := "chart-" + m.Name + "-" + l.name
	space, margin := "", 0.0
	if alone {
		space, margin = ` xmlns="http://www.w3.org/2000/svg"`, 20
		h += float64(len(struck)+1)*struckRow + 6
	}
	d.out.printf(`<svg%s class="chart %s" role="img" aria-labelledby="%s" viewBox="%g %g %g %g" width="%g" height="%g">`,
		space, l.name, id, -margin, -margin, l.width+2*margin, h+2*margin, l.width+2*margin, h+2*margin)
	d.out.printf(`<title id="%s">%s</title>`, id, html.EscapeString(d.describe()))
	if alone {
		d.out.printf("<style>%s%s</style>", chartStyle, levelsStyle)
		d.out.printf(`<rect class="paper" x="%g" y="%g" width="%g" height="%g"/>`, -margin, -margin, l.width+2*margin, h+2*margin)
	}
	for i, p := range panels {
		d.out.printf(`<g transform="translate(%.1f %.1f)">`, float64(i%columns)*(each+panelGap), float64(i/columns)*(height+panelTop+panelBottom)+panelTop)
		d.panel(p, l.left, each-right, height, chars)
		d.out.printf("</g>")
	}
	if alone { // in a page the table says both
		y := float64(rows)*(height+panelTop+panelBottom) + 8
		for _, r := range struck {
			d.struck(r, y)
			y += struckRow
		}
		d.out.text(0, y+4, "tick", "", m.Title+"; "+s.label())
	}
	d.out.printf("</svg>")
	return d.out.String()
}

// collect finds the lines and their marks.
func (d *sweepDrawing) collect() {
	shapes := map[string]int{}
	for _, r := range slices.Concat(d.rows, d.controls) {
		if r.Struck != "" || r.Control && !d.isYardstick(r) {
			continue
		}
		class := languageClass(r)
		d.marks[r.Name] = shapes[class]
		shapes[class]++
		d.lines = append(d.lines, r)
	}
}

// axis is how far the y axis of a panel goes. Wide intervals stretch it within bounds.
func (d *sweepDrawing) axis(p panel) valueAxis {
	var values []float64
	for _, r := range d.lines {
		for _, i := range p.levels {
			if f := d.figure(r, d.m, i); f.absent == "" {
				lo, hi := f.bounds()
				values = append(values, f.Value, within(lo, f.Value), within(hi, f.Value))
			}
		}
	}
	return newValueAxis(values)
}

// describe is the chart in words, for those who do not see it.
func (d *sweepDrawing) describe() string {
	parts := []string{d.m.Title + ", " + unitWords(d.scale) + "; " + d.label()}
	for _, r := range slices.Concat(d.rows, d.controls) {
		if r.Struck != "" {
			parts = append(parts, r.Title+" "+r.Struck)
			continue
		}
		var at []string
		for i, name := range d.names {
			if f := d.figure(r, d.m, i); f.absent == "" {
				at = append(at, name+" "+Sig3(f.Value/d.scale.Per)+" "+f.side())
			}
		}
		if len(at) > 0 {
			parts = append(parts, r.Title+": "+strings.Join(at, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// panel draws one plot from x0 to x1 and from 0 down to height.
func (d *sweepDrawing) panel(p panel, x0, x1, height float64, chars int) {
	d.y = d.axis(p)
	d.out.text(0, -18, "name", "", p.title)
	for _, v := range d.y.marks(d.scale.Per, 5) {
		y := height * (1 - d.y.at(v))
		d.out.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="%s"/>`, x0, x1, y, y, map[bool]string{true: "one", false: "grid"}[v == 0])
		d.out.text(x0-8, y+4, "tick", "end", tickValue(v/d.scale.Per))
	}
	const inset = 16 // of the outer levels
	at := make([]float64, len(p.xs))
	last := math.Inf(-1)
	for k, x := range p.xs {
		at[k] = x0 + inset + x*(x1-x0-2*inset)
		d.out.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="grid"/>`, at[k], at[k], height, height+5)
		if room := 3.4*float64(len(p.ticks[k])) + 4; at[k]-room > last { // else its label would touch the one before
			d.out.text(at[k], height+19, "tick", "middle", p.ticks[k])
			last = at[k] + room
		}
	}
	scale := unitWords(d.scale)
	if d.y.log {
		scale += ", log scale"
	}
	if p.title == "" {
		d.out.text(0, -18, "way", "", scale+" · "+way(d.m))
	} else {
		d.out.text(float64(cells(p.title))*7.4+14, -18, "way", "", scale)
	}
	d.out.text((x0+x1)/2, height+36, "tick", "middle", p.name)
	d.series(p, at, x1, height, chars)
}

// end is where a line ends, and its label.
type end struct {
	r     row
	value float64
	x, y  float64 // of the last point
	at    float64 // of the label
}

// series draws the lines of a panel and labels them.
func (d *sweepDrawing) series(p panel, at []float64, x1, height float64, chars int) {
	var ends []end
	for k, r := range d.lines {
		if e, ok := d.last(r, p, at, d.shift(k), height); ok {
			ends = append(ends, e)
		}
	}
	named := d.named(ends)
	for k, r := range d.lines {
		class := "series " + languageClass(r)
		if !named[r.Name] {
			class = "series dull"
		}
		d.out.printf(`<g class="%s">`, class)
		d.line(r, p, at, d.shift(k), height)
		d.out.printf("</g>")
	}
	ends = slices.DeleteFunc(ends, func(e end) bool { return !named[e.r.Name] })
	spreadLabels(ends, height)
	for _, e := range ends {
		d.out.printf(`<g class="series %s">`, languageClass(e.r))
		d.out.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="leader"/>`, e.x+5, x1+6, e.y, e.at)
		d.mark(e.r, x1+12, e.at)
		d.out.text(x1+20, e.at+4, "label", "", shorten(e.r.Title, chars))
		d.out.printf("</g>")
	}
}

// shift keeps the points of one level apart, px.
func (d *sweepDrawing) shift(k int) float64 {
	n := float64(len(d.lines))
	return (float64(k) - (n-1)/2) * min(3, 16/n)
}

// last is the last point of a line in a panel.
func (d *sweepDrawing) last(r row, p panel, at []float64, shift, height float64) (e end, ok bool) {
	for k, i := range p.levels {
		if f := d.figure(r, d.m, i); f.absent == "" {
			y := height * (1 - d.y.at(f.Value))
			e, ok = end{r: r, value: f.Value, x: at[k] + shift, y: y, at: y}, true
		}
	}
	return e, ok
}

// named are the lines with a label: all, or of more than can be told apart the best and the worst few, and the yardstick.
func (d *sweepDrawing) named(ends []end) map[string]bool {
	var own []end
	names := map[string]bool{}
	for _, e := range ends {
		if e.r.Control {
			names[e.r.Name] = true
		} else {
			own = append(own, e)
		}
	}
	slices.SortStableFunc(own, func(a, b end) int { return cmp.Compare(a.value, b.value) })
	for i, e := range own {
		if len(own) <= lineAtMost || i < labelled || i >= len(own)-labelled {
			names[e.r.Name] = true
		}
	}
	return names
}

// spreadLabels moves labels apart, as little as it takes, within the plot.
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

// line draws one contestant: a level without a figure breaks it.
func (d *sweepDrawing) line(r row, p panel, at []float64, shift, height float64) {
	px, py, joined := 0.0, 0.0, false
	for k, i := range p.levels {
		f := d.figure(r, d.m, i)
		if f.absent != "" {
			joined = false
			continue
		}
		x, y := at[k]+shift, height*(1-d.y.at(f.Value))
		if joined {
			d.out.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="stroke"/>`, px, x, py, y)
		}
		px, py, joined = x, y, true
	}
	for k, i := range p.levels { // above the strokes
		if f := d.figure(r, d.m, i); f.absent == "" {
			d.point(r, f, i, at[k]+shift, height)
		}
	}
}

// point draws a figure and its interval; where there is none, how far the epochs lie apart, dashed.
func (d *sweepDrawing) point(r row, f figure, i int, x, height float64) {
	lo, hi := f.bounds()
	y, class := height*(1-d.y.at(f.Value)), "whisker"
	if f.open() {
		class = "whisker open"
	}
	d.out.printf(`<g><title>%s</title>`, html.EscapeString(r.Title+", "+d.names[i]+": "+d.value(f)))
	d.out.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="%s"/>`, x, x, height*(1-d.y.at(lo)), height*(1-d.y.at(hi)), class)
	d.mark(r, x, y)
	if f.bound {
		d.out.printf(`<path d="M%.1f %.1fv-12m-4 5l4 -5l4 5" class="beyond"/>`, x, y-5)
	}
	d.out.printf("</g>")
}

// value is a figure with its interval, for a tip.
func (d *sweepDrawing) value(f figure) string {
	lo, hi := f.bounds()
	s := Sig3(f.Value/d.scale.Per) + " (" + Sig3(lo/d.scale.Per) + "–" + Sig3(hi/d.scale.Per) + ") " + unitWords(d.scale)
	if f.open() {
		s += ", no interval but the range of its epochs"
	}
	return s
}

// mark draws the sign of a contestant: those of one language differ by it.
func (d *sweepDrawing) mark(r row, x, y float64) {
	switch d.marks[r.Name] % 5 {
	case 0:
		d.out.printf(`<circle cx="%.1f" cy="%.1f" r="3.5" class="dot"/>`, x, y)
	case 1:
		d.out.printf(`<path d="M%.1f %.1fh6.4v6.4h-6.4z" class="dot"/>`, x-3.2, y-3.2)
	case 2:
		d.out.printf(`<path d="M%.1f %.1fl4.2 7h-8.4z" class="dot"/>`, x, y-4.4)
	case 3:
		d.out.printf(`<path d="M%.1f %.1fl4.4 4.4l-4.4 4.4l-4.4 -4.4z" class="dot"/>`, x, y-4.4)
	default:
		d.out.printf(`<circle cx="%.1f" cy="%.1f" r="3" class="ring"/>`, x, y)
	}
}

// struck says below the plots who has no line, and why.
func (d *sweepDrawing) struck(r row, y float64) {
	d.out.printf(`<circle cx="6" cy="%.1f" r="4" class="hollow"/>`, y-4)
	title := shorten(r.Title, 24)
	d.out.printf(`<text x="18" y="%.1f" class="reason"><title>%s</title><tspan class="gone">%s</tspan><tspan dx="8">%s</tspan></text>`, y,
		html.EscapeString(r.Struck), html.EscapeString(title), html.EscapeString(shorten(r.Struck, d.lay.reasonLen-cells(title))))
}
