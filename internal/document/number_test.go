package document

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": Grouped(0, 0), "999": Grouped(999, 0), "1,000": Grouped(1000, 0), "−1,234,567.9": Grouped(-1234567.89, 1),
		"100,000": Whole(100_000), Missing: Grouped(math.NaN(), 0), "∞": Grouped(math.Inf(1), 2),
		"−∞":       Grouped(math.Inf(-1), 2),
		"1 server": Count(1, "server"), "0 servers": Count(0, "server"), "1,200 servers": Count(int64(1200), "server"),
		"3.14 %": Percent(.0314), "0, 1": Numbers([]int{0, 1}), "none": Numbers(nil),
		"7": Numbers([]int{7}), "0-3, 8": Numbers([]int{0, 1, 2, 3, 8}),
	} {
		if got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
