package audit

import (
	"math"
	"strconv"
	"strings"

	"dyno/internal/importer"
	"dyno/internal/report"
)

// span is a number and what its printed digits leave open.
type span struct{ lo, at, hi float64 }

func of(f *importer.Figure) span { return span{f.Lo, f.Value, f.Hi} }

func exactly(v float64) span { return span{v, v, v} }

// times and over are for positive spans.
func (a span) times(b span) span { return span{a.lo * b.lo, a.at * b.at, a.hi * b.hi} }

func (a span) over(b span) span { return span{a.lo / b.hi, a.at / b.at, a.hi / b.lo} }

func (a span) hull(b span) span { return span{min(a.lo, b.lo), a.at, max(a.hi, b.hi)} }

// gap is how far a is above b (positive) or below it (negative), as a share, where they do not overlap.
func (a span) gap(b span) float64 {
	switch {
	case a.lo > b.hi:
		return a.lo/b.hi - 1
	case a.hi < b.lo:
		return a.hi/b.lo - 1
	}
	return 0
}

// usable says that a span can be divided by and multiplied with.
func (a span) usable() bool { return a.lo > 0 && !math.IsInf(a.hi, 0) && !math.IsNaN(a.at) }

// number prints v for a sentence: whole from 100 on, with commas, else with three significant digits.
func number(v float64) string {
	if math.Abs(v) < 100 || math.IsInf(v, 0) || math.IsNaN(v) {
		s := report.Sig3(v)
		if strings.Contains(s, ".") {
			s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	if v < 0 {
		return "−" + b.String()
	}
	return b.String()
}

func rateText(v float64) string { return number(v) + "/s" }

// timeText prints a time in s, without zeros that say nothing.
func timeText(s float64) string {
	v, unit, _ := strings.Cut(report.Duration(s*1e9), " ")
	if strings.Contains(v, ".") {
		v = strings.TrimSuffix(strings.TrimRight(v, "0"), ".")
	}
	return v + " " + unit
}
