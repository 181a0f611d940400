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
	const want = "# A\n\nSee b.md at b.md#x.\n\n    code [b.md](b.md)\n\nword  it is\n\n" +
		"`a|b` a link at c.md and some\n      more words than fit\nc     short\n\nend\n"
	if got := b.String(); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
