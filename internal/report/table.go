package report

import (
	"strings"
	"unicode"
)

// column is one of a text table; all columns of a table have the same number of cells.
type column struct {
	head  string
	right bool
	cells []string
}

func (c column) width() int {
	w := cells(c.head)
	for _, s := range c.cells {
		w = max(w, cells(s))
	}
	return w
}

// pairColumn joins two strings per row, the first flush right and the second aligned after it.
func pairColumn(head string, first, second []string, secondRight bool) column {
	var wa, wb int
	for i := range first {
		wa, wb = max(wa, cells(first[i])), max(wb, cells(second[i]))
	}
	c := column{head: head}
	if w := wa + 1 + wb; cells(head) < w {
		c.head = pad(head, min(w, max(wa, cells(head))), true)
	}
	for i := range first {
		s := pad(first[i], wa, true)
		if second[i] != "" {
			s += " " + pad(second[i], wb, secondRight)
		}
		c.cells = append(c.cells, strings.TrimRight(s, " "))
	}
	return c
}

// stack lays columns beside the lead ones as far as width goes, and those that are left into further tables below, each with the last
// lead column repeated. A column alone is never split, so a table can be wider than a very narrow width.
func stack(lead, cols []column, width int) [][]column {
	const gap = 2
	var tables [][]column
	used := 0
	for i, c := range cols {
		if w := used + gap + c.width(); i > 0 && w <= width {
			tables[len(tables)-1] = append(tables[len(tables)-1], c)
			used = w
			continue
		}
		head := lead
		if i > 0 {
			head = lead[len(lead)-1:]
		}
		used = -gap
		for _, h := range head {
			used += gap + h.width()
		}
		used += gap + c.width()
		tables = append(tables, append(append([]column(nil), head...), c))
	}
	if len(cols) == 0 {
		tables = append(tables, lead)
	}
	return tables
}

// line prints row i of a table, its head if i is -1; paint may style a padded cell.
func line(t []column, i int, paint func(col int, s string) string) string {
	var b strings.Builder
	for k, c := range t {
		s := c.head
		if i >= 0 {
			s = c.cells[i]
		}
		padded := pad(s, c.width(), c.right)
		if k == len(t)-1 {
			padded = strings.TrimRight(padded, " ")
		}
		if paint != nil && strings.TrimSpace(padded) != "" {
			padded = paint(k, padded)
		}
		if k > 0 {
			b.WriteString("  ")
		}
		b.WriteString(padded)
	}
	return strings.TrimRight(b.String(), " ")
}

func pad(s string, width int, right bool) string {
	n := max(0, width-cells(s))
	if right {
		return strings.Repeat(" ", n) + s
	}
	return s + strings.Repeat(" ", n)
}

// shorten cuts s to width cells, the last one an ellipsis.
func shorten(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	w := 0
	for i, r := range s {
		if w+runeCells(r) > width-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		w += runeCells(r)
	}
	return s
}

// wrap breaks s at spaces into lines of at most width cells; a word that is longer is cut.
func wrap(s string, width int) []string {
	width = max(width, 8)
	var lines []string
	cur := ""
	for _, word := range strings.Fields(s) {
		for cells(word) > width {
			if cur != "" {
				lines, cur = append(lines, cur), ""
			}
			n := cut(word, width)
			lines, word = append(lines, word[:n]), word[n:]
		}
		switch {
		case cur == "":
			cur = word
		case cells(cur)+1+cells(word) <= width:
			cur += " " + word
		default:
			lines, cur = append(lines, cur), word
		}
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}

// cut is the number of bytes of s that fill at most width cells; at least one rune.
func cut(s string, width int) int {
	w := 0
	for i, r := range s {
		if w += runeCells(r); w > width && i > 0 {
			return i
		}
	}
	return len(s)
}

// cells is the number of terminal cells that s takes; s holds no escape codes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

// runeCells knows marks that take no cell and the wide blocks of East Asian scripts and emoji (Unicode TR 11, classes W and F).
//
// Note: go-runewidth knows more; its one door is the terminal room, and titles of HTTP servers need no more than this.
func runeCells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
