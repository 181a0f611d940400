package contestant

import (
	"strconv"
	"strings"
)

// isVersion reports whether v consists of digits and dots, with an optional suffix after - or +.
func isVersion(v string) bool {
	v, _, _ = strings.Cut(v, "+")
	v, _, _ = strings.Cut(v, "-")
	for _, part := range strings.Split(v, ".") {
		if _, err := strconv.Atoi(part); err != nil {
			return false
		}
	}
	return true
}

// atLeast reports whether version satisfies the minimum ">=x.y". It ignores a leading v or go, and suffixes.
func atLeast(version, floor string) bool {
	a, b := numbers(version), numbers(strings.TrimPrefix(floor, ">="))
	for i := range b {
		x := 0
		if i < len(a) {
			x = a[i]
		}
		if x != b[i] {
			return x > b[i]
		}
	}
	return true
}

func numbers(v string) []int {
	v = strings.TrimLeft(v, "vgo")
	v, _, _ = strings.Cut(v, "-")
	v, _, _ = strings.Cut(v, "+")
	var out []int
	for _, part := range strings.Split(v, ".") {
		digits := strings.TrimRightFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
			digits = digits[:i] // 26rc1
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}
