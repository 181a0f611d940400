package document

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Options are the options of Text.
type Options struct {
	Width  int  // columns; 0: lines are not wrapped
	Color  bool // ANSI styles may be used
	Detail bool // detail sections too
	Lines  int  // maximum, as far as tables may be cut; 0: no limit
}

// leastRows is the minimum number of rows in a shortened table.
const leastRows = 3

// Text draws a document for a terminal. It wraps long sentences; columns that do not fit follow
// below the table. If there are too many lines, it leaves out the last rows of tables with a Rest.
func Text(w io.Writer, d *Document, o Options) error {
	if o.Width <= 0 {
		o.Width = unlimited
	}
	text := textOf(d, o, unlimited)
	if over := strings.Count(text, "\n") - o.Lines; o.Lines > 0 && over > 0 {
		rows := 0
		for _, s := range d.Sections {
			for _, b := range s.Blocks {
				if t, ok := b.(Table); ok && t.Rest != "" {
					rows = max(rows, len(t.Rows))
				}
			}
		}
		text = textOf(d, o, max(leastRows, rows-over-1))
	}
	_, err := io.WriteString(w, text)
	return err
}

// textOf draws a document with at most rows rows in each table with a Rest.
func textOf(d *Document, o Options, rows int) string {
	t := &terminal{Options: o, rows: rows}
	t.head(d)
	for _, s := range d.Sections {
		if s.On == OnPage || s.Detail && !t.Detail || len(s.Blocks) == 0 {
			continue
		}
		if t.out.Len() > 0 {
			t.line("")
		}
		if s.Title != "" {
			t.para("", None, Prose{{Text: s.Title, Style: Strong}})
		}
		t.blocks(s.Blocks)
	}
	return t.out.String()
}

// head writes title and byline in a line, the lead with a line for each sentence, and the label.
func (t *terminal) head(d *Document) {
	head := Prose{{Text: d.Title, Style: Strong}}
	if more := strings.Join(d.Byline, " · "); more != "" {
		if d.Title != "" {
			more = " · " + more
		}
		head = append(head, Span{Text: more})
	}
	t.para("", None, head)
	for i, sentence := range d.Lead {
		if i == 0 && t.out.Len() > 0 {
			t.line("")
		}
		t.para("  ", None, sentence)
	}
	t.para("  ", None, Prose{{Text: d.Label, Style: Warn}})
}

const unlimited = 1 << 20

type terminal struct {
	Options
	out  strings.Builder
	bars int // cells in the longest bar
	rows int // maximum in tables with a Rest
}

// sgr are the styles' parameters (ECMA-48 8.3.117).
var sgr = [...]string{Strong: "1", Quiet: "2", Good: "32", Same: "36", Warn: "33", Bad: "31", Markup: ""}

func (t *terminal) paint(style Style, s string) string {
	if !t.Color || sgr[style] == "" || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + sgr[style] + "m" + s + "\x1b[0m"
}

func (t *terminal) line(s string) { t.out.WriteString(strings.TrimRight(s, " ") + "\n") }

// joined returns sentences as one text.
func joined(all []Prose) (one Prose) {
	for i, s := range all {
		if i > 0 {
			one = append(one, Span{Text: " "})
		}
		one = append(one, s...)
	}
	return one
}

// painted returns a text with its styles; figures are never separated from their units.
func (t *terminal) painted(text Prose) string {
	var s strings.Builder
	for _, p := range text {
		// a style must not go over the end of a line
		for i, word := range strings.SplitAfter(tight(spaced(p.Text)), " ") {
			if i > 0 || word != "" {
				s.WriteString(t.paint(p.Style, strings.TrimSuffix(word, " ")) + strings.Repeat(" ",
					len(word)-len(strings.TrimSuffix(word, " "))))
			}
		}
	}
	return s.String()
}

// para writes a wrapped text after a label, with further lines indented to its beginning.
func (t *terminal) para(label string, style Style, text Prose) {
	s := t.painted(text)
	if s == "" && strings.TrimSpace(label) == "" {
		return
	}
	indent := ansi.StringWidth(label)
	if indent > t.Width/2 { // a label that leaves no space gets its own line
		t.para("", None, Prose{{Text: label, Style: style}})
		label, indent = "  ", 2
	}
	s = strings.ReplaceAll(s, "-", hyphen) // ansi.Wrap breaks after hyphens, one column too late
	for i, l := range strings.Split(ansi.Wrap(s, max(8, t.Width-indent), ""), "\n") {
		lead := strings.Repeat(" ", indent)
		if i == 0 {
			name := strings.TrimRight(label, " ")
			lead = t.paint(style, name) + label[len(name):]
		}
		t.line(lead + loosen.Replace(strings.TrimLeft(l, " ")))
	}
}

// hyphen is a non-breaking hyphen.
const hyphen = "\u2011"

var loosen = strings.NewReplacer("\u00a0", " ", hyphen, "-")

func (t *terminal) blocks(list []Block) {
	list = slices.DeleteFunc(slices.Clone(list), func(b Block) bool { // blocks that only a page can show
		switch b.(type) {
		case Legend, Choice, Picture, BarChart, LineChart:
			return true
		}
		return false
	})
	var before bool
	for i, b := range list {
		_, table := b.(Table)
		if i > 0 && (table || before) {
			t.line("")
		}
		before = table
		switch b := b.(type) {
		case Paragraph:
			label := Clean(b.Label)
			if label != "" {
				label += ": "
			} else if b.Style != None {
				b.Text = Prose{{Text: b.Text.String(), Style: b.Style}}
			}
			t.para(label, b.Style, b.Text)
		case List:
			t.list(b.Items)
		case Table:
			if n := len(b.Rows) - t.rows; b.Rest != "" && n > 0 {
				b.Rows = b.Rows[:t.rows]
				b.After = strings.TrimPrefix(b.After+fmt.Sprintf("\n… and %d %s", n, b.Rest), "\n")
			}
			t.table(&b)
		case Code:
			t.line("  " + strings.ReplaceAll(b.visible(), "\n", "\n  "))
		case Log:
			t.para("", None, Plain(b.Title))
			for l := range strings.SplitSeq(b.visible(), "\n") {
				t.line(t.paint(Quiet, ansi.Truncate("  | "+l, t.Width, "…")))
			}
		}
	}
}

// list writes items, those without labels after a dash. A label with one character is a mark,
// written before the text.
func (t *terminal) list(items []Item) {
	width := 0
	for _, it := range items {
		width = max(width, ansi.StringWidth(Clean(it.Label)))
	}
	for _, it := range items {
		label := Clean(it.Label)
		room := strings.Repeat(" ", width-ansi.StringWidth(label))
		if ansi.StringWidth(label) == 1 {
			label, room = room+label, ""
		}
		label += room + " "
		if width == 0 {
			label = "- "
		}
		if it.Code != "" {
			t.line(t.paint(it.Style, label) + Code{Text: it.Code}.visible())
			continue
		}
		t.para(label, it.Style, it.Text)
		if len(label) > t.Width/2 {
			label = "  "
		}
		for _, m := range it.More {
			t.para(strings.Repeat(" ", ansi.StringWidth(label)), None, m)
		}
	}
}

// column is a table column in a terminal, with aligned cells.
type column struct {
	head         string
	cells        []string
	rightAligned bool
	width        int
}

// measure computes a column's width.
func (c column) measure() column {
	c.width = ansi.StringWidth(c.head)
	for _, s := range c.cells {
		c.width = max(c.width, ansi.StringWidth(s))
	}
	return c
}

const gap = 2

// table writes a table, split into parts if it is too wide; notes and groups are between its lines.
func (t *terminal) table(tb *Table) {
	if tb.Title != "" {
		t.para("", None, Prose{{Text: tb.Title, Style: Strong}})
	}
	t.para("", None, Prose{{Text: tb.Note, Style: Quiet}})
	lead, cols := t.columns(tb)
	t.shorten(lead, cols)
	notes := 2
	for _, c := range lead[:max(0, len(lead)-1)] {
		notes += c.width + gap
	}
	for k, part := range stack(lead, cols, t.Width) {
		if k > 0 {
			t.line("")
		}
		lines := drawn(part)
		t.line(t.paint(Quiet, strings.TrimRight(lines[0], " ")))
		for i, r := range tb.Rows {
			if r.Group != "" {
				t.line(t.paint(Quiet, Clean(r.Group)))
			}
			if r.Excluded != "" && k > 0 {
				continue
			}
			t.line(lines[i+1])
			if k > 0 {
				continue
			}
			indent := strings.Repeat(" ", min(notes, t.Width/2))
			if r.Excluded != "" {
				t.para(indent, None, Prose{{Text: r.Excluded, Style: r.reasonStyle()}})
			}
			t.para(indent, None, Plain(strings.Join(r.Notes, "; ")))
		}
	}
	for l := range strings.SplitSeq(tb.After, "\n") {
		t.para("", None, Plain(l))
	}
}

// columns returns a table's columns, with bars as long as the width allows.
func (t *terminal) columns(tb *Table) (lead, cols []column) {
	for t.bars = 10; ; t.bars -= 2 {
		lead, cols = nil, nil
		for i, c := range tb.Columns {
			if c.Lead {
				lead = append(lead, t.column(tb, i).measure())
			} else {
				cols = append(cols, t.column(tb, i).measure())
			}
		}
		if t.bars == 0 || len(stack(lead, cols, t.Width)) == 1 {
			return lead, cols
		}
	}
}

// bar returns a bar of block characters, in eighths of a cell; the longest bar is as wide as the
// table allows.
func (t *terminal) bar(share float64) string {
	eighths := int(8*float64(t.bars)*min(share, 1) + 0.5)
	s := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return s
}

// column aligns the cells in a column: values right, then intervals and bars.
func (t *terminal) column(tb *Table, k int) column {
	c := column{head: Clean(tb.Columns[k].text()), rightAligned: tb.Columns[k].Number}
	values, sides := make([]string, len(tb.Rows)), make([]string, len(tb.Rows))
	var wide, apart, side int // widths: values; text beside them without bars; the same with bars
	for i, r := range tb.Rows {
		if k < len(r.Cells) {
			values[i], sides[i] = Clean(Cell{Value: r.Cells[k].Value, Absent: r.Cells[k].Absent}.text()),
				Clean(r.Cells[k].Side)
			apart = max(apart, ansi.StringWidth(sides[i]))
		}
		if r.Excluded != "" {
			if sides[i] = ""; !tb.Columns[k].Lead {
				values[i] = ""
			} else if r.Failed && k == tb.name() {
				values[i] = "✗ " + values[i]
			}
		}
		wide = max(wide, ansi.StringWidth(values[i]))
	}
	for i, r := range tb.Rows {
		if k < len(r.Cells) && r.Cells[k].Bar > 0 && r.Excluded == "" && t.bars > 0 {
			sides[i] += strings.Repeat(" ", apart-ansi.StringWidth(sides[i])+1) + t.bar(r.Cells[k].Bar)
		}
		side = max(side, ansi.StringWidth(sides[i]))
	}
	if head := ansi.StringWidth(c.head); c.rightAligned && side > 0 {
		wide = max(wide, min(head, wide+1+side)-side-1)
		if head < wide+1+side {
			c.head = strings.Repeat(" ", max(0, wide-head)) + c.head
		}
		c.rightAligned = false // it is aligned already
	}
	for i, v := range values {
		room := strings.Repeat(" ", wide-ansi.StringWidth(v))
		switch {
		case side > 0 && tb.Columns[k].Number:
			v = room + v + " " + sides[i]
		case sides[i] != "":
			v += " " + sides[i]
		}
		style := tb.Rows[i].Style
		if k < len(tb.Rows[i].Cells) && tb.Rows[i].Cells[k].Style != None {
			style = tb.Rows[i].Cells[k].Style
		}
		c.cells = append(c.cells, t.paint(style, strings.TrimRight(v, " ")))
	}
	return c
}

// shorten truncates names so that the widest column fits beside them.
func (t *terminal) shorten(lead, cols []column) {
	if len(lead) == 0 {
		return
	}
	room := t.Width
	for _, c := range lead[:len(lead)-1] {
		room -= c.width + gap
	}
	widest := 0
	for _, c := range cols {
		widest = max(widest, c.width)
	}
	name := &lead[len(lead)-1]
	for i, s := range name.cells {
		name.cells[i] = ansi.Truncate(s, max(8, min(room-widest-gap, max(40, t.Width/2))), "…")
	}
	*name = name.measure()
}

// stack puts columns beside the lead columns as far as the width allows, and the rest into further
// tables, each with the last lead column repeated.
func stack(lead, cols []column, width int) (parts [][]column) {
	used := 0
	for i, c := range cols {
		if used += gap + c.width; i > 0 && used <= width {
			parts[len(parts)-1] = append(parts[len(parts)-1], c)
			continue
		}
		first := lead
		if i > 0 {
			first = lead[max(0, len(lead)-1):]
		}
		used = c.width
		for _, l := range first {
			used += l.width + gap
		}
		parts = append(parts, append(slices.Clone(first), c))
	}
	if len(cols) == 0 {
		parts = append(parts, lead)
	}
	return parts
}

// drawn returns a table's lines, beginning with its header.
func drawn(cols []column) []string {
	lines := make([]string, 1+len(cols[0].cells))
	for k, c := range cols {
		for i, s := range append([]string{c.head}, c.cells...) {
			room := strings.Repeat(" ", c.width-ansi.StringWidth(s))
			if c.rightAligned {
				s, room = room+s, ""
			}
			if k < len(cols)-1 {
				room += strings.Repeat(" ", gap)
			}
			lines[i] += s + room
		}
	}
	return lines
}
