package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	barsWidth = 720.0
	barHeight = 18.0
	barsTop   = 26.0 // px above the first row, for the column headers
	nameMost  = 250.0
	valueRoom = 78.0  // minimum width for a value right of the longest bar
	sideRoom  = 128.0 // width for the ratio at the right end
	nameLine  = 17.0
	smallLine = 14.0
	valueGap  = 7.0 // width between a bar and its value
)

// bars draws a BarChart, with the names left of the bars.
type bars struct {
	drawing
	c      *BarChart
	x0, x1 float64 // left and right end of the bars
	most   float64 // the value at x1
}

func drawBars(c *BarChart, standalone bool) string {
	s := &bars{c: c}
	value := valueRoom
	for _, b := range c.Bars {
		value = max(value, valueGap+boldWidth(b.value(), 14))
	}
	s.x1 = barsWidth - value
	for _, b := range c.Bars {
		s.x0 = max(s.x0, textWidth(b.Name, 14), textWidth(b.Small, 12))
	}
	s.x0 = min(s.x0, nameMost) + 14
	if c.Beside != "" {
		s.x1 -= sideRoom
	}
	words := []string{c.Title}
	for _, b := range c.Bars {
		if b.Missing == "" {
			s.most = max(s.most, b.At, b.reach())
		}
		words = append(words, strings.TrimSpace(b.Name+" "+b.Value+" "+b.Side+" "+b.Missing))
	}
	s.most = cmp.Or(s.most, 1)
	each := barHeight + 9
	if slices.ContainsFunc(c.Bars, func(b Bar) bool { return b.Small != "" }) {
		each = nameLine + smallLine + 9
	}
	height := barsTop + float64(len(c.Bars))*each + 4
	foot := height
	if standalone {
		height += 2 * nameLine
	}
	s.begin(c.ID, strings.Join(words, "; "), standalone, barsWidth, height)
	s.printf(`<g class="bars">`)
	s.heads(standalone)
	for i := range c.Bars {
		s.printf(`<g class="row l-%s" transform="translate(0 %g)">`, c.Bars[i].Key, barsTop+float64(i)*each)
		s.row(&c.Bars[i])
		s.printf("</g>")
	}
	s.printf("</g>")
	if standalone {
		s.text(0, foot+nameLine, "tick", "", c.Foot)
	}
	s.printf("</svg>")
	return s.String()
}

// reach returns the largest value up to which whiskers are drawn completely, so that one wide
// interval does not shorten all bars.
func (b *Bar) reach() float64 {
	if b.Hi > 1.5*b.At {
		return 1.2 * b.At
	}
	return b.Hi
}

// heads draws the text above the bars: the unit, and whether larger or smaller is better.
func (s *bars) heads(standalone bool) {
	way := "less is better"
	if s.c.More {
		way = "more is better"
	}
	text := s.c.Unit + ", " + way
	if standalone {
		text = s.c.Title + ", " + text
	}
	s.text(0, 12, "tick", "", text)
	if s.c.Beside != "" {
		s.text(barsWidth, 12, "tick", "end", s.c.Beside)
	}
}

// at returns the position for v.
func (s *bars) at(v float64) float64 { return s.x0 + (s.x1-s.x0)*min(v/s.most, 1) }

func (s *bars) row(b *Bar) {
	class := "name"
	if b.Excluded {
		class += " excluded"
	}
	if b.Failed {
		class += " failed"
	}
	s.text(0, nameLine-3, class, "", fitted(b.Name, 14, s.x0-12))
	if b.Small != "" {
		s.text(0, nameLine+smallLine-3, "meta", "", fitted(b.Small, 12, s.x0-12))
	}
	const top = 4.0
	if b.Missing != "" {
		s.text(s.x0, top+smallLine-4, "reason", "", fitted(b.Missing, 12, barsWidth-s.x0))
		return
	}
	s.bar(b, top)
	if s.c.Beside != "" {
		s.text(barsWidth, top+14, "side", "end", b.Side)
	}
}

// bar draws a bar, its whisker and its value.
func (s *bars) bar(b *Bar, top float64) {
	mid, x := top+barHeight/2, s.at(b.At)
	s.printf(`<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%g" rx="1.5"/>`, s.x0, top, max(x-s.x0, 1),
		barHeight)
	hi, whole, class := s.at(b.reach()), b.reach() == b.Hi, "whisker"
	if !whole {
		class = "whisker open"
	}
	if b.Hi > b.Lo {
		s.printf(`<path class="%s" d="%s"/>`, class, whisker(s.at(b.Lo), hi, mid, whole))
	}
	s.text(max(hi, x)+valueGap, mid+5, "value", "", b.value())
}

// value returns the value as drawn.
func (b *Bar) value() string {
	if b.Beyond {
		return "≥ " + strings.TrimPrefix(b.Value, "≥ ")
	}
	return b.Value
}

// whisker returns a line from lo to hi with ends.
func whisker(lo, hi, mid float64, closed bool) string {
	d := fmt.Sprintf("M%.1f %gV%gM%.1f %gH%.1f", lo, mid-4, mid+4, lo, mid, hi)
	if closed {
		d += fmt.Sprintf("M%.1f %gV%g", hi, mid-4, mid+4)
	}
	return d
}

// textWidth estimates a text's width. It tends to overestimate, because the reader's font is
// unknown.
func textWidth(s string, size float64) (w float64) {
	for _, r := range Clean(s) {
		switch {
		case strings.ContainsRune("iljtfrI.,:;'|!()[] /·", r):
			w += 0.38
		case strings.ContainsRune("mwMW@%", r):
			w += 0.95
		case r > 0x2e80:
			w += 1
		case unicode.IsUpper(r):
			w += 0.72
		default:
			w += 0.61
		}
	}
	return w * size
}

// boldWidth estimates a text's width in bold, which DejaVu Sans sets an eighth wider.
func boldWidth(s string, size float64) float64 { return 1.15 * textWidth(s, size) }

// fitted cuts a text that is wider than the room.
func fitted(s string, size, room float64) string {
	if textWidth(s, size) <= room {
		return s
	}
	return Cut(s, int(room/(0.61*size)))
}
