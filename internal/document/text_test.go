package document

import (
	"strings"
	"testing"
)

func drawText(t *testing.T, width int, blocks ...Block) string {
	t.Helper()
	var b strings.Builder
	if err := Text(&b, &Document{Sections: []Section{{Blocks: blocks}}}, Options{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Sentences are wrapped by their width in a terminal, a word that is too long is cut, and figures
// hold together with their units.
func TestTextWraps(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""}, {"one two three", 9, "one two\nthree\n"}, {"abcdefghijkl", 8, "abcdefgh\nijkl\n"},
		{"日本語日本語", 8, "日本語日\n本語\n"}, {"it takes 12 ms", 11, "it takes\n12 ms\n"}, {"one " +
			"two", 0, "one two\n"},
	} {
		if got := drawText(t, c.width, Paragraph{Text: Plain(c.text)}); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got, want := drawText(t, 20, Paragraph{Label: "Power", Text: Plain("one two three four")}),
		"Power: one two three\n       four\n"; got != want {
		t.Errorf("a label: %q, want %q", got, want)
	}
}

// Columns that do not fit follow below, after the names again; notes are under their row, and the
// reason for missing figures replaces them.
func TestTextTable(t *testing.T) {
	table := Table{Columns: []Column{{Head: "rank", Lead: true}, {Head: "name", Lead: true},
		{Head: "rate", Unit: "1/s", Number: true}, {Head: "memory", Number: true}}, Rows: []Row{
		{Cells: []Cell{{Value: "1"}, {Value: "alpha"}, {Value: "1,200", Side: "±3 %"}, {Value: "12"}},
			Notes: []string{"at the ceiling", "see V02"}},
		{Cells: []Cell{{}, {Value: "beta"}}, Excluded: "failed: no port", Failed: true},
		{Cells: []Cell{{}, {Value: "gamma"}}, Excluded: "not measured"},
		{Group: "reference", Cells: []Cell{{}, {Value: "ref"}, {Value: "90", Side: "±10 %"}, {Absent: "unreadable"}}},
	}}
	want := `rank  name    rate 1/s     memory
1     alpha   1,200 ±3 %       12
        at the ceiling; see V02
      ✗ beta
        failed: no port
      gamma
        not measured
reference
      ref        90 ±10 %       –
`
	if got := drawText(t, 60, table); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `rank  name    rate 1/s
1     alpha   1,200 ±3 %
        at the ceiling; see
        V02
      ✗ beta
        failed: no port
      gamma
        not measured
reference
      ref        90 ±10 %

name    memory
alpha       12
reference
ref          –
`
	if got := drawText(t, 28, table); got != want {
		t.Errorf("narrow: got\n%s\nwant\n%s", got, want)
	}
}

// A bar follows value and interval, and gets shorter rather than move a column below.
func TestTextBars(t *testing.T) {
	table := Table{Columns: []Column{{Head: "name", Lead: true}, {Head: "ratio", Number: true},
		{Head: "rate", Number: true}}, Rows: []Row{
		{Cells: []Cell{{Value: "a"}, {Value: "1.00", Bar: 1}, {Value: "12"}}},
		{Cells: []Cell{{Value: "b"}, {Value: "0.50", Side: "(0.4–0.6)", Bar: 0.5}, {Value: "6"}}}}}
	for width, want := range map[int]string{
		50: "name  ratio                      rate\na     1.00           ██████████    12\n" +
			"b     0.50 (0.4–0.6) █████          6\n",
		30: "name  ratio              rate\na     1.00           ██    12\nb     0.50 (0.4–0.6) █      6\n",
		26: "name  ratio           rate\na     1.00              12\nb     0.50 (0.4–0.6)     6\n",
	} {
		if got := drawText(t, width, table); got != want {
			t.Errorf("at %d got\n%s\nwant\n%s", width, got, want)
		}
	}
}

// If there are too many lines, a table that may be cut says how many rows it lacks; others are
// complete.
func TestTextCut(t *testing.T) {
	table := Table{Columns: []Column{{Head: "name", Lead: true}}, Rest: "more pairs"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		table.Rows = append(table.Rows, Row{Cells: []Cell{{Value: name}}})
	}
	for lines, want := range map[int]string{0: "f", 7: "f", 6: "… and 2 more pairs", 5: "… and 3 more pairs",
		1: "… and 3 more pairs"} {
		var b strings.Builder
		if err := Text(&b, &Document{Sections: []Section{{Blocks: []Block{table}}}}, Options{Lines: lines}); err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSpace(b.String()), "\n")
		if all[len(all)-1] != want || lines > leastRows+1 && len(all) > lines {
			t.Errorf("of %d lines got\n%s", lines, b.String())
		}
	}
	table.Rest = ""
	var b strings.Builder
	if err := Text(&b, &Document{Sections: []Section{{Blocks: []Block{table}}}}, Options{Lines: 3}); err != nil ||
		!strings.HasSuffix(b.String(), "f\n") {
		t.Errorf("%v: cut though it may not be:\n%s", err, b.String())
	}
}

func TestTextMarks(t *testing.T) {
	got := drawText(t, 20, List{Items: []Item{{Label: "Trust", Text: Plain("all")}, {Label: "!",
		Text: Plain("one two three four")}, {Text: Plain("five")}}})
	if want := "Trust all\n    ! one two three\n      four\n      five\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextLists(t *testing.T) {
	got := drawText(t, 40, List{Items: []Item{{Label: "fail V02",
		Text: Plain("alpha is at the ceiling of the generator"), More: Texts("a lower bound")},
		{Label: "warn V5", Text: Plain("a busy machine")}}}, Items("one", "two"))
	want := `fail V02 alpha is at the ceiling of the
         generator
         a lower bound
warn V5  a busy machine
- one
- two
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Blocks that only a page shows are left out; text by others cannot reach the
// terminal.
func TestTextLeavesOut(t *testing.T) {
	var b strings.Builder
	d := &Document{Title: "a\x1b[2J title", Sections: []Section{{On: OnPage,
		Blocks: []Block{Paragraph{Text: Plain("page")}}},
		{Title: "empty"}, {Blocks: []Block{
			BarChart{}, Legend{}, Log{Lines: []string{"\x07log"}}}}}}
	if err := Text(&b, d, Options{Width: 40}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a title\n\n  |  log\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
