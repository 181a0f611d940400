package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestText(t *testing.T) {
	for name, f := range fixtures {
		golden(t, name+".txt", written(t, Text, f()))
	}
	d := fixture()
	d.Color, d.Width = true, 140
	golden(t, "full-color-140.txt", written(t, Text, d))
}

// What stands between a column and the edge must hold at any width that a terminal has; the command alone is left whole.
func TestTextWidth(t *testing.T) {
	for name, f := range fixtures {
		for width := 40; width <= 200; width += 10 {
			d := f()
			d.Width = width
			fits(t, fmt.Sprintf("%s at width %d", name, width), string(written(t, Text, d)), width)
		}
	}
}

// fits checks the lines of a text; the command, which is there to be copied, stands below its heading.
func fits(t *testing.T, name, text string, width int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > width && lines[i-1] != "Repeat it" {
			t.Errorf("%s: a line of %d: %q", name, n, l)
		}
	}
}

// Colour only adds: without the escape codes the text is the same.
func TestTextColorOnlyAdds(t *testing.T) {
	d := fixture()
	plain := string(written(t, Text, d))
	d.Color = true
	colored := string(written(t, Text, d))
	if colored == plain {
		t.Fatal("no colour")
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""); got != plain {
		t.Errorf("colour changed the text:\n%s", got)
	}
}

func TestTextHostile(t *testing.T) {
	got := string(written(t, Text, hostile()))
	for _, r := range got {
		if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
			t.Errorf("control character %q reached the terminal", r)
		}
	}
}
