package document

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Grouped prints v with n decimals and a comma between thousands: 93412 is "93,412". It is Missing
// for a NaN, and "∞" or "−∞" for the infinities.
func Grouped(v float64, n int) string {
	switch {
	case math.IsNaN(v):
		return Missing
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', n, 64)
	integer, frac, _ := strings.Cut(s, ".")
	for i := len(integer) - 3; i > 0; i -= 3 {
		integer = integer[:i] + "," + integer[i:]
	}
	if v < 0 {
		integer = "−" + integer
	}
	if frac != "" {
		return integer + "." + frac
	}
	return integer
}

// Whole prints n with a comma between thousands.
func Whole[N int | int64](n N) string { return Grouped(float64(n), 0) }

// Count formats a number with a noun: "1 server", "1,200 servers".
func Count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Whole(n) + " " + noun
}

// Percent prints a share with three significant digits: 0.0314 is "3.14 %".
func Percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// Numbers joins ascending numbers with commas, runs of three or more as from-to: "0-3, 8"; "none" without one.
func Numbers(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); i++ {
		first := i
		for i+1 < len(numbers) && numbers[i+1] == numbers[i]+1 {
			i++
		}
		switch parts = append(parts, strconv.Itoa(numbers[first])); i - first {
		case 0:
		case 1:
			parts = append(parts, strconv.Itoa(numbers[i]))
		default:
			parts[len(parts)-1] += "-" + strconv.Itoa(numbers[i])
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// Sig3 prints v with three significant digits and a comma between thousands: 93412 is "93,400",
// 0.01234 is "0.0123". It is Missing for a NaN, and "∞" or "−∞" for the infinities.
func Sig3(v float64) string { return Grouped(Round3(v), Decimals3(v)) }

// Round3 rounds to three significant digits.
func Round3(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	f, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return f
}

// Decimals3 returns the number of decimals that show three significant digits of v.
func Decimals3(v float64) int {
	v = math.Abs(Round3(v))
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return max(0, 2-int(math.Floor(math.Log10(v)+1e-12)))
}

// Duration prints ns in the largest of ns, µs, ms, s that leaves at least 1, with three significant
// digits.
func Duration(ns float64) string {
	unit, per := unitOf(ns)
	return Sig3(ns/per) + " " + unit
}

func unitOf(ns float64) (unit string, per float64) {
	unit, per = "ns", 1
	for _, u := range []string{"µs", "ms", "s"} {
		if Round3(math.Abs(ns)/per/1e3) < 1 || math.IsInf(ns, 0) {
			break
		}
		unit, per = u, per*1e3
	}
	return unit, per
}

// Short prints v with three significant digits, or all digits before the point.
func Short(v float64) string {
	if math.Abs(v) >= 100 {
		return Grouped(v, 0)
	}
	return Sig3(v)
}

// Given formats a time in ns that someone chose, with no more digits than it has: "400 ms", "6
// min".
func Given(ns int64) string {
	switch {
	case ns >= 120e9 && ns%60e9 == 0:
		return strconv.FormatInt(ns/60e9, 10) + " min"
	case ns <= 0:
		return "0 s"
	}
	unit, per := unitOf(float64(ns))
	return strconv.FormatFloat(float64(ns)/per, 'f', -1, 64) + " " + unit
}
