package report

import (
	"math"
	"strconv"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// Rate prints a rate in 1/s, as Sig3, with its unit.
func Rate(perSec float64) string { return document.Sig3(perSec) + "/s" }

// Bytes prints b in the largest of B, KiB, MiB, GiB, TiB that leaves at least 1, with three
// significant digits.
func Bytes(b float64) string {
	s := ScaleOf("bytes", math.Abs(b))
	return document.Sig3(b/s.Per) + " " + s.Name
}

// PerCent prints a share as a percentage: 0.031 is "3.1 %". It keeps one decimal below 10 % and
// none from there on; a decimal of zero is left out.
func PerCent(share float64) string {
	p := 100 * share
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return document.Grouped(p, 0) + " %"
	}
	n := 1
	if math.Abs(p) >= 9.95 {
		n = 0
	}
	return strings.TrimSuffix(strconv.FormatFloat(p, 'f', n, 64), ".0") + " %"
}

// Ratio formats a ratio and its interval: "1.42 (1.38–1.47)". All three have the decimals that give
// the ratio three significant digits, or more if a bound would otherwise look exactly like 1, which
// readers check. A bound that too few epochs leave open is 0 or ∞.
func Ratio(value, lo, hi float64) string {
	v, i := RatioParts(value, lo, hi)
	return v + " " + i
}

// RatioParts returns the two parts of Ratio, for tables that align them separately.
func RatioParts(value, lo, hi float64) (v, interval string) {
	n := document.Decimals3(value)
	for n < 4 && (seemsOne(lo, n) || seemsOne(hi, n)) {
		n++
	}
	return document.Grouped(value, n), "(" + openBound(lo, n) + "–" + openBound(hi, n) + ")"
}

func openBound(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	return document.Grouped(v, n)
}

// seemsOne reports whether v is not 1 but prints as 1 with n decimals.
func seemsOne(v float64, n int) bool { return v != 1 && math.Abs(v-1) < 0.5*math.Pow10(-n) }

// widestSide formats the wider side of an interval around value as a percentage: "±2.3 %"; "±∞" if
// a side is open or value is 0.
func widestSide(value, lo, hi float64) string {
	if lo == value && hi == value {
		return "±0 %"
	}
	side := max(hi-value, value-lo) / math.Abs(value)
	if math.IsNaN(side) || math.IsInf(side, 0) {
		return "±∞"
	}
	if side > 0 && side < 0.0005 {
		return "±0.1 %"
	}
	return "±" + PerCent(side)
}

// pText formats a p-value: "0.0005", "< 0.0001".
func pText(p float64) string {
	n := 2 // decimals
	switch {
	case math.IsNaN(p):
		return document.Missing
	case p < 0.0001:
		return "< 0.0001"
	case p < 0.001:
		n = 4
	case p < 0.1:
		n = 3
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(p, 'f', n, 64), "0"), ".")
}

// ScaleOf returns the best scale for a column of values in a base unit (1/s, ns, bytes): the
// largest in which the smallest value is at least 1. Values that are not positive and finite do not
// count.
func ScaleOf(unit string, values ...float64) judge.Scale {
	list := judge.UnitNamed(unit).Scales
	if list == nil {
		return judge.Scale{Per: 1, Name: unit}
	}
	least := math.Inf(1)
	for _, v := range values {
		if v > 0 && v < least {
			least = v
		}
	}
	best := list[0]
	for _, s := range list[1:] {
		if !math.IsInf(least, 1) && document.Round3(least/s.Per) >= 1 {
			best = s
		}
	}
	return best
}

// IntervalIn formats a level's bounds in a scale, without the scale's name: "91,200–95,100".
func IntervalIn(e judge.Estimate, s judge.Scale) string {
	if math.IsInf(e.Lo, 0) && math.IsInf(e.Hi, 0) {
		return "interval open"
	}
	return document.Sig3(e.Lo/s.Per) + "–" + document.Sig3(e.Hi/s.Per)
}

// Decimals returns the number of decimals in a figure as it was written, at most four.
func Decimals(v float64) int {
	_, after, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return min(4, len(after))
}

// After returns a scale's name as written after a number.
func After(s judge.Scale) string {
	if s.Name == "1/s" {
		return "/s"
	}
	return " " + s.Name
}

// Change formats a ratio as a change in percent, with its interval in this session.
func Change(e judge.Estimate) string {
	if math.IsInf(e.Hi, 1) {
		return signedPerCent(e.Value-1) + ", too few epochs for an interval"
	}
	return signedPerCent(e.Value-1) + " (here " + signedPerCent(e.Lo-1) + " to " + signedPerCent(e.Hi-1) + ")"
}

// signedPerCent formats a share as a percentage with its sign.
func signedPerCent(share float64) string {
	text := PerCent(math.Abs(share))
	switch {
	case text == "0 %":
		return text
	case share < 0:
		return "−" + text
	}
	return "+" + text
}
