package document

import (
	"strings"
	"testing"
)

// TestFitted: what fits is whole, and what does not is cut: the reason for a failure may be a word with 64 KiB.
func TestFitted(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1<<16), strings.Repeat("i", 1<<16), strings.Repeat("ab/", 1<<14), "a b"} {
		got := fitted(s, 12, 300)
		if textWidth(got, 12) > 310 {
			t.Errorf("%d runes are wider than 300", len(got))
		}
		if len(s) < 10 && got != s || len(s) > 100 && !strings.HasSuffix(got, "…") {
			t.Errorf("%q", got)
		}
	}
}
