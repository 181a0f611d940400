package document

import (
	"strings"
	"testing"
)

func TestManual(t *testing.T) {
	const page = "# A\n\nSee [b.md](b.md#x).\n\n    code [b.md](b.md)\n\n| word | it is |\n|---|---|\n" +
		"| `a\\|b` | a [link](c.md) and some more words than fit |\n| c | short |\n\nend\n"
	var b strings.Builder
	Manual(&b, page, 32, func(text, address string) string { return text + " at " + address })
	const want = "# A\n\nSee b.md at b.md#x.\n\n    code [b.md](b.md)\n\n" +
		"`a|b`\n    a link at c.md and some more\n    words than fit\nc\n    short\n\nend\n"
	if got := b.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A table without a header loses no text, and an option stays whole at a line's end.
func TestManualKeepsText(t *testing.T) {
	const page = "| | |\n|---|---|\n| a | the first row is longer than its line --flag |\n| b | c |\n"
	for width := 12; width < 50; width++ {
		var b strings.Builder
		Manual(&b, page, width, nil)
		if got := strings.Join(strings.Fields(b.String()), " "); got != "a the first row is longer than its line --flag b c" {
			t.Errorf("width %d: %q", width, got)
		}
	}
}
