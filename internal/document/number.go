package document

import (
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

// Numbers joins numbers with a separator: "0, 1".
func Numbers(numbers []int, separator string) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, separator)
}
