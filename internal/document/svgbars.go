package document

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

const (
	barsWidth = 720.0
	barHeight = 18.0
	barsTop   = 26.0 // px above the first row, for the column headers
	laneWidth = 9.0  // width of a bracket
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
	right  float64 // right end of the ratios: left of the brackets
	most   float64 // the value at x1
	lanes  []int   // lane for each group
}

func drawBars(c *BarChart, standalone bool) string {
	s := &bars{c: c}
	var lanes int
	s.lanes, lanes = c.lanes()
	s.right = barsWidth - float64(lanes)*laneWidth
	value := valueRoom
	for _, b := range c.Bars {
		value = max(value, valueGap+boldWidth(b.value(), 14))
	}
	s.x1 = s.right - value
	for _, b := range c.Bars {
		s.x0 = max(s.x0, textWidth(b.Name, 14), textWidth(b.Small, 12))
	}
	s.x0 = min(s.x0, nameMost) + 14
	if c.Baseline != "" {
		s.x1 -= sideRoom
	}
	words := []string{c.Title}
	for _, b := range c.Bars {
		if b.Missing == "" {
			s.most = max(s.most, b.At, b.reach())
		}
		words = append(words, strings.TrimSpace(b.Name+" "+b.Value+" "+b.Side+" "+b.Missing))
	}
	if s.most == 0 {
		s.most = 1
	}
	tops, height := s.places()
	foot := height
	if standalone {
		height += 2 * nameLine
	}
	s.begin(c.ID, strings.Join(words, "; "), standalone, barsWidth, height)
	s.printf(`<g class="bars" data-chart="%s" data-x0="%.1f" data-x1="%.1f">`, safe(c.ID), s.x0, s.x1)
	s.heads(standalone)
	if c.Baseline != "" {
		s.stroke(s.at(1), s.at(1), barsTop-4, s.drawn(tops), "one")
	}
	for i := range c.Bars {
		s.printf(`<g class="row l-%s" data-i="%d" transform="translate(0 %g)">`, c.Bars[i].Key, i, tops[i])
		s.row(&c.Bars[i])
		s.printf("</g>")
	}
	s.brackets(tops)
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
	if b.open() {
		return b.At
	}
	if math.IsInf(b.Hi, 0) || b.Hi > 1.5*b.At {
		return 1.2 * b.At
	}
	return b.Hi
}

// open reports whether a ratio has no finite interval.
func (r Ratio) open() bool { return r.Lo <= 0 && math.IsInf(r.Hi, 0) }

// places returns the tops of the rows and the total height.
func (s *bars) places() (tops []float64, y float64) {
	y = barsTop
	for i := range s.c.Bars {
		tops = append(tops, y)
		y += s.rowHeight(&s.c.Bars[i])
	}
	return tops, y + 4
}

func (s *bars) rowHeight(b *Bar) float64 {
	names := float64(len(wrapped(b.Name, 14, s.x0-12))) * nameLine
	if b.Small != "" {
		names += smallLine
	}
	reason := float64(len(wrapped(b.Missing, 12, s.right-s.x0))) * smallLine
	return max(names, reason, barHeight) + 9
}

// drawn returns the last bar's bottom.
func (s *bars) drawn(tops []float64) float64 {
	for i := len(tops) - 1; i >= 0; i-- {
		if s.c.Bars[i].Missing == "" {
			return tops[i] + s.rowHeight(&s.c.Bars[i]) - 6
		}
	}
	return barsTop
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
	if s.c.Baseline != "" {
		s.text(s.right, 12, "tick base", "end", "× "+s.c.Baseline)
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
	y := 0.0
	for _, line := range wrapped(b.Name, 14, s.x0-12) {
		y += nameLine
		s.text(0, y-3, class, "", line)
	}
	if b.Small != "" {
		s.text(0, y+smallLine-3, "meta", "", b.Small)
	}
	const top = 4.0
	if b.Missing != "" {
		for i, line := range wrapped(b.Missing, 12, s.right-s.x0) {
			s.text(s.x0, top+float64(i+1)*smallLine-4, "reason", "", line)
		}
		return
	}
	s.bar(b, top)
	if s.c.Baseline != "" {
		s.text(s.right, top+14, "side", "end", b.Side)
	}
}

// bar draws a bar, its whisker and its value.
func (s *bars) bar(b *Bar, top float64) {
	mid, x := top+barHeight/2, s.at(b.At)
	s.printf(`<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%g" rx="1.5"/>`, s.x0, top, max(x-s.x0, 1),
		barHeight)
	lo, hi := s.at(b.Lo), s.at(b.reach())
	class, end := "whisker", ""
	if b.reach() < b.Hi {
		class, end = "whisker open", "open"
	}
	if b.Hi > b.Lo && !b.open() {
		s.printf(`<path class="%s" d="%s"/>`, class, whisker(lo, hi, mid, end == ""))
	} else {
		s.printf(`<path class="whisker" d=""/>`)
		hi = x
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

// brackets draws the brackets, which join bars that are not separated.
func (s *bars) brackets(tops []float64) {
	for i, g := range s.c.Groups {
		x := s.right + float64(s.lanes[i])*laneWidth + 3
		y0, y1 := tops[g.From]+3, tops[g.To]+barHeight+6
		s.printf(`<g class="bracket"><title>%s</title><path d="M%.1f %.1fh4V%.1fh-4"/></g>`, safe(g.Why), x, y0, y1)
	}
}

// lanes assigns overlapping brackets to different lanes.
func (c *BarChart) lanes() (lane []int, n int) {
	var ends []int // end of the last group in each lane
	for _, g := range c.Groups {
		k := 0
		for k < len(ends) && ends[k] >= g.From {
			k++
		}
		if k == len(ends) {
			ends = append(ends, 0)
		}
		ends[k] = g.To
		lane = append(lane, k)
	}
	return lane, len(ends)
}

// narrowest is the width of the narrowest letters at size 1.
const narrowest = 0.38

// textWidth estimates a text's width. It tends to overestimate, because the reader's font is
// unknown.
func textWidth(s string, size float64) (w float64) {
	for _, r := range Clean(s) {
		switch {
		case strings.ContainsRune("iljtfrI.,:;'|!()[] /·", r):
			w += narrowest
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

// wrapped breaks a text into lines that fit into room: at spaces, after hyphens, slashes,
// underscores and dots, and if necessary anywhere.
func wrapped(s string, size, room float64) (lines []string) {
	line, rest := "", []rune(Clean(s))
	most := max(1, int(room/(narrowest*size))+1) // maximum runes in a line
	for len(rest) > 0 {
		n := 1 // length of the next piece that stays together
		for n < min(len(rest), most) && !strings.ContainsRune(" -/_.", rest[n-1]) {
			n++
		}
		for n > 1 && textWidth(string(rest[:n]), size) > room {
			n--
		}
		piece := string(rest[:n])
		if line != "" && textWidth(line+strings.TrimRight(piece, " "), size) > room {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		line, rest = line+piece, rest[n:]
	}
	if line != "" {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
