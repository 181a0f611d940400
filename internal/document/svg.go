package document

import (
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// SVG draws a document's first chart as a separate image.
func SVG(w io.Writer, d *Document) error {
	if d.NoChart != "" {
		return errors.New("draw chart: " + d.NoChart)
	}
	blocks := slices.Clone(d.Front)
	for _, s := range d.Sections {
		blocks = append(blocks, s.Blocks...)
	}
	for _, b := range blocks {
		if c, ok := b.(Choice); ok {
			b = c.Options[0].Block
		}
		if picture := draw(b, true); picture != "" {
			_, err := io.WriteString(w, picture+"\n")
			return err
		}
	}
	return errors.New("draw chart: nothing here has one")
}

// draw draws a bar or line chart; it returns "" for other blocks. A separate image contains its styles, its
// namespace and a margin.
func draw(b Block, standalone bool) string {
	switch c := b.(type) {
	case BarChart:
		return drawBars(&c, standalone)
	case LineChart:
		return drawLines(&c, standalone)
	}
	return ""
}

// drawing builds an SVG image.
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

// safe escapes text for use in markup.
func safe(s string) string { return html.EscapeString(Clean(s)) }

// Cut shortens a text to n columns.
func Cut(s string, n int) string { return ansi.Truncate(Clean(s), n, "…") }

// begin starts an image with w by h px.
func (s *drawing) begin(id, words string, standalone bool, w, h float64) {
	space, margin := "", 0.0
	if standalone {
		space, margin = ` xmlns="http://www.w3.org/2000/svg"`, 20
	}
	id = "chart-" + id
	s.printf(`<svg%s class="chart" role="img" aria-labelledby="%s" viewBox="%g %g %g %g" width="%g" height="%g">`,
		space, id, -margin, -margin, w+2*margin, h+2*margin, w+2*margin, h+2*margin)
	s.printf(`<title id="%s">%s</title>`, id, safe(words))
	if standalone {
		s.printf("<style>%s</style>", chartStyle)
		s.printf(`<rect class="paper" x="%g" y="%g" width="%g" height="%g"/>`, -margin, -margin, w+2*margin, h+2*margin)
	}
}
