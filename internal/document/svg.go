package document

import (
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// SVG draws the first chart of a document as a picture of its own.
func SVG(w io.Writer, d *Document) error {
	if d.NoChart != "" {
		return errors.New("draw chart: " + d.NoChart)
	}
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if picture := draw(b, true, true); picture != "" {
				_, err := io.WriteString(w, picture+"\n")
				return err
			}
		}
	}
	return errors.New("draw chart: nothing here has one")
}

// draw draws a chart, wide or for phones; "" of what is none. A page holds both and shows one, so
// that text is never scaled. A picture that stands alone brings its styles, its namespace and a
// margin.
func draw(b Block, wide, alone bool) string {
	switch c := b.(type) {
	case DotChart:
		return drawDots(&c, wide, alone)
	case LineChart:
		return drawLines(&c, wide, alone)
	}
	return ""
}

// drawing is a picture in the making.
type drawing struct{ strings.Builder }

func (s *drawing) printf(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

func (s *drawing) text(x, y float64, class, anchor, text string) {
	if anchor != "" {
		anchor = ` text-anchor="` + anchor + `"`
	}
	s.printf(`<text x="%.1f" y="%.1f" class="%s"%s>%s</text>`, x, y, class, anchor, safe(text))
}

func (s *drawing) stroke(x1, x2, y1, y2 float64, class string) {
	s.printf(`<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="%s"/>`, x1, x2, y1, y2, class)
}

// safe is text of others within markup.
func safe(s string) string { return html.EscapeString(Clean(s)) }

func short(s string, n int) string { return ansi.Truncate(Clean(s), n, "…") }

// begin opens a picture of w by h px.
func (s *drawing) begin(id, words string, wide, alone bool, w, h float64) {
	space, margin, layout := "", 0.0, "narrow"
	if wide {
		layout = "wide"
	}
	if alone {
		space, margin = ` xmlns="http://www.w3.org/2000/svg"`, 20
	}
	id = "chart-" + id + "-" + layout
	s.printf(`<svg%s class="chart %s" role="img" aria-labelledby="%s" viewBox="%g %g %g %g" width="%g" height="%g">`,
		space, layout, id, -margin, -margin, w+2*margin, h+2*margin, w+2*margin, h+2*margin)
	s.printf(`<title id="%s">%s</title>`, id, safe(words))
	if alone {
		s.printf("<style>%s</style>", chartStyle)
		s.printf(`<rect class="paper" x="%g" y="%g" width="%g" height="%g"/>`, -margin, -margin, w+2*margin, h+2*margin)
	}
}

// dotLayout is where a DotChart of some width puts its parts, in px.
type dotLayout struct {
	width     float64
	x0, x1    float64 // of the plot
	rowHeight float64
	titleY    float64 // baselines and centres, from the top of the row
	smallY    float64 // 0: no second line under the name
	dotY      float64
	valueY    float64
	chars     int // that fit into a name
	reasonX   float64
	reasonY   float64
	reason    int // characters that fit into a reason
}

// The wide layout has names left of the plot and values right of it; in the narrow one, for phones,
// they stand above it.
var (
	wideDots = dotLayout{width: 880, x0: 200, x1: 730, rowHeight: 42, titleY: 19, smallY: 34, dotY: 21, valueY: 25,
		chars:   24,
		reasonX: 200, reasonY: 25, reason: 90}
	narrowDots = dotLayout{width: 340, x0: 6, x1: 334, rowHeight: 50, titleY: 16, dotY: 33, valueY: 16, chars: 22,
		reasonX: 0, reasonY: 35, reason: 50}
)

const (
	dotsTop    = 46.0 // px above the first row: direction and axis
	dotsBottom = 8.0
)

// dots draws a DotChart.
type dots struct {
	drawing
	c    *DotChart
	l    dotLayout
	axis ratioAxis
}

func drawDots(c *DotChart, wide, alone bool) string {
	s := &dots{c: c, l: narrowDots}
	if wide {
		s.l = wideDots
	}
	var values []float64
	words := []string{c.Title + " as a ratio to " + c.Reference}
	for _, d := range c.Dots {
		if d.Missing != "" {
			words = append(words, d.Name+" "+d.Missing)
			continue
		}
		values = append(values, d.Ratio, within(d.Lo, d.Ratio), within(d.Hi, d.Ratio))
		words = append(words, d.Name+" "+d.Text)
	}
	s.axis = newRatioAxis(s.l.x0, s.l.x1, values...)
	height := dotsTop + float64(len(c.Dots))*s.l.rowHeight + dotsBottom
	s.begin(c.ID, strings.Join(words, "; "), wide, alone, s.l.width, height)
	s.frame(height)
	for i := range c.Dots {
		s.printf(`<g transform="translate(0 %g)">`, dotsTop+float64(i)*s.l.rowHeight)
		s.row(&c.Dots[i])
		s.printf("</g>")
	}
	s.printf("</svg>")
	return s.String()
}

// frame draws the axis, the line at 1, and which way is better.
func (s *dots) frame(height float64) {
	for _, t := range s.axis.ticks(46) {
		class, label := "grid", fmt.Sprint(t)
		if t == 1 {
			class = "one"
			if len(s.c.Reference) <= 8 {
				label = s.c.Reference + " = 1"
			}
		}
		x := s.axis.at(t)
		s.stroke(x, x, dotsTop-6, height-dotsBottom, class)
		s.text(min(max(x, s.l.x0+8), s.l.x1-8), dotsTop-12, "tick", "middle", label)
	}
	switch wide := s.l.smallY > 0; {
	case wide:
		s.text(s.l.width, dotsTop-12, "tick", "end", s.c.Unit)
	case s.c.More:
		s.text(0, 14, "tick", "", s.c.Unit)
	default:
		s.text(s.l.width, 14, "tick", "end", s.c.Unit)
	}
	if s.c.More {
		s.text(s.l.x1, 14, "way", "end", "more is better →")
	} else {
		s.text(s.l.x0, 14, "way", "", "← less is better")
	}
}

func (s *dots) row(d *Dot) {
	class := "name"
	switch {
	case d.Struck:
		class = "name struck"
	case d.Quiet:
		class = "name control"
	}
	s.text(0, s.l.titleY, class, "", short(d.Name, s.l.chars))
	if s.l.smallY > 0 && d.Small != "" {
		s.text(0, s.l.smallY, "meta", "", short(d.Small, s.l.chars+8))
	}
	if d.Missing != "" { // a hollow dot that stands nowhere on the axis
		s.printf(`<circle cx="%.1f" cy="%.1f" r="4" class="hollow"/>`, s.l.reasonX+6, s.l.reasonY-4)
		s.printf(`<text x="%.1f" y="%.1f" class="reason"><title>%s</title>%s</text>`, s.l.reasonX+18, s.l.reasonY, safe(d.Missing),
			safe(short(d.Missing, s.l.reason)))
	} else {
		s.dot(d)
	}
	if d.Value == "" {
		return
	}
	value := safe(d.Value) + `<tspan class="side" dx="6">` + safe(d.Side) + "</tspan>"
	s.printf(`<text x="%.1f" y="%.1f" class="level" text-anchor="end">%s</text>`, s.l.width, s.l.valueY, value)
}

func (s *dots) dot(d *Dot) {
	x0, x, x1, y := s.axis.at(d.Lo), s.axis.at(d.Ratio), s.axis.at(d.Hi), s.l.dotY
	bar := "bar"
	if d.Lo < s.axis.lo || d.Hi > s.axis.hi {
		bar = "bar open" // it goes on beyond the axis
	}
	s.printf(`<g class="l-%s"><title>%s</title>`, d.Key, safe(d.Name+": "+d.Text+" × "+s.c.Reference))
	s.stroke(x0, x1, y, y, bar)
	if d.Beyond {
		s.printf(`<path d="M%.1f %.1fh16m-5 -4l5 4l-5 4" class="beyond"/>`, max(x1, x+6), y)
	}
	s.printf(`<circle cx="%.1f" cy="%.1f" r="3.5" class="dot"/></g>`, x, y)
}
