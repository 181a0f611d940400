package contestant

import (
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
)

// isVersion matches digits and dots, with an optional suffix after - or +.
var isVersion = conf.Regexp(`^[0-9]+(\.[0-9]+)*([-+].*)?$`)

// atLeast reports whether version satisfies the minimum ">=x.y". It ignores a leading v or go, and suffixes.
func atLeast(version, floor string) bool {
	a, b := numbers(version), numbers(floor)
	return slices.Compare(append(a, make([]int, len(b))...), b) >= 0
}

var leading = conf.Regexp(`^(?:>=)?(?:v|go)?([0-9]+(?:\.[0-9]+)*)`)

// numbers returns the numbers at a version's start; none of a text that does not begin with a version.
func numbers(v string) (out []int) {
	if found := leading().FindStringSubmatch(v); found != nil {
		for _, digits := range strings.Split(found[1], ".") {
			n, _ := strconv.Atoi(digits)
			out = append(out, n)
		}
	}
	return out
}
