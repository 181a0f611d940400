package document

import (
	"strings"
	"testing"
)

// TestWrapped: lines fit and nothing is lost, in a time proportional to the text: the reason for a
// failure may be a word with 64 KiB.
func TestWrapped(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1<<16), strings.Repeat("i", 1<<16),
		strings.Repeat("ab/", 1<<14), "a b"} {
		lines := wrapped(s, 12, 300)
		for _, l := range lines {
			if textWidth(l, 12) > 300 {
				t.Fatalf("a line of %d runes is wider than 300", len(l))
			}
		}
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("%d of %d letters are left", len(got), len(s))
		}
	}
}
