package audit

import (
	"math"
	"strings"

	"dyno/internal/document"
	"dyno/internal/importer"
)

// span is a number and the range of values that round to its printed digits.
type span struct{ lo, at, hi float64 }

// spanOf returns a figure's span, in base units.
func spanOf(f *importer.Figure) span { return span{f.Lo, f.Value, f.Hi} }

// exactly returns the span of a number that is known without rounding.
func exactly(v float64) span { return span{v, v, v} }

// times returns the product of two positive spans.
func (a span) times(b span) span { return span{a.lo * b.lo, a.at * b.at, a.hi * b.hi} }

// over returns the quotient of two positive spans.
func (a span) over(b span) span { return span{a.lo / b.hi, a.at / b.at, a.hi / b.lo} }

// gap returns the share by which a is above b (positive) or below it (negative); 0 if they overlap.
func (a span) gap(b span) float64 {
	switch {
	case a.lo > b.hi:
		return a.lo/b.hi - 1
	case a.hi < b.lo:
		return a.hi/b.lo - 1
	}
	return 0
}

// apart returns the gap's size.
func (a span) apart(b span) float64 { return math.Abs(a.gap(b)) }

// usable reports whether a span is positive and finite, so that it can be a factor or a divisor.
func (a span) usable() bool { return a.lo > 0 && !math.IsInf(a.hi, 0) && !math.IsNaN(a.at) }

// numberText formats v for a sentence.
func numberText(v float64) string { return short(document.Short(v)) }

// rateText prints a rate in 1/s.
func rateText(v float64) string { return numberText(v) + "/s" }

// timeText prints a time in s with a suitable unit.
func timeText(s float64) string {
	v, unit, _ := strings.Cut(document.Duration(s*1e9), " ")
	return short(v) + " " + unit
}

// short drops final zeros from a decimal fraction.
func short(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}
