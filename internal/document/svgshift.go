package document

import "math"

// shiftWidth is the width of a line in a ShiftChart, in px.
const shiftWidth = 190.0

// shiftMost limits the axis if few figures lie beyond it; a chevron at its end represents each of
// these.
const shiftMost = 16.0

// axis returns the common axis for all lines, which contains 1.
func (c *ShiftChart) axis() valueAxis {
	var values, near []float64
	for _, s := range c.Shifts {
		values = append(values, s.From, s.To.At)
		if s.To.At > 0 {
			values = append(values, within(s.To.Lo, s.To.At), within(s.To.Hi, s.To.At))
		}
	}
	for _, v := range values {
		if v > 1/shiftMost && v < shiftMost {
			near = append(near, v)
		}
	}
	if 4*len(near) > 3*len(values) {
		values = near
	}
	return newValueAxis(append(values, 1), LogAxis)
}

// across returns the position for a ratio, in px.
func (a valueAxis) across(v float64) float64 { return 8 + a.at(v)*(shiftWidth-16) }

// scale draws the axis marks.
func (c *ShiftChart) scale() string {
	s, axis := &drawing{}, c.axis()
	s.printf(`<svg class="shift" viewBox="0 0 %g 18" width="%[1]g" height="18" aria-hidden="true">`, shiftWidth)
	for _, t := range axis.marks(1, 3) {
		s.text(min(max(axis.across(t), 12), shiftWidth-12), 13, "tick", "middle", tickValue(t))
	}
	s.printf("</svg>")
	return s.String()
}

// line draws one shift: the expected ratio, an arrow, and the measured ratio.
func (c *ShiftChart) line(f Shift) string {
	const y = 11.0
	s, axis := &drawing{}, c.axis()
	s.printf(`<svg class="shift %s" viewBox="0 0 %g 22" width="%[2]g" height="22" role="img"><title>%s</title>`,
		classes[f.Style], shiftWidth, safe(f.Small))
	s.stroke(axis.across(1), axis.across(1), 0, 22, "one")
	from, to := axis.across(f.From), axis.across(f.To.At)
	if f.To.At > 0 && f.To.Hi > f.To.Lo {
		s.stroke(axis.across(f.To.Lo), axis.across(f.To.Hi), y, y, "span")
	}
	if f.From > 0 && f.To.At > 0 && math.Abs(from-to) > 12 {
		way := math.Copysign(1, to-from)
		s.printf(`<path class="way" d="M%.1f %gH%.1f"/>`, from+4.5*way, y, to-5*way)
	}
	switch {
	case f.From <= 0:
	case f.From < axis.lo:
		s.printf(`<path class="from" d="M%.1f %gl-4 4l4 4"/>`, from, y-4)
	case f.From > axis.hi:
		s.printf(`<path class="from" d="M%.1f %gl4 4l-4 4"/>`, from, y-4)
	default:
		s.printf(`<circle class="from" cx="%.1f" cy="%g" r="4"/>`, from, y)
	}
	if f.To.At > 0 {
		s.printf(`<circle class="to" cx="%.1f" cy="%g" r="4.5"/>`, to, y)
	}
	s.printf("</svg>")
	return s.String()
}
