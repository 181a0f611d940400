package document

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

var markdownLink = regexp.MustCompile(`!?\[([^\]]+)\]\(([^)\s]*)\)`)

// Manual writes a Markdown page as plain text for a terminal: tables are drawn within width columns, and links are
// replaced by label(text, address); everything else stays as it is written. page must be dyno's own; it is not cleaned.
func Manual(w io.Writer, page string, width int, label func(text, address string) string) error {
	plain := func(s string) string {
		return markdownLink.ReplaceAllStringFunc(s, func(link string) string {
			part := markdownLink.FindStringSubmatch(link)
			return label(part[1], part[2])
		})
	}
	var b strings.Builder
	var rows [][]string
	flush := func() {
		if len(rows) > 0 {
			b.WriteString(manualTable(rows, width) + "\n")
			rows = nil
		}
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if cells, ok := strings.CutPrefix(line, "|"); ok {
			if len(rows) != 1 { // 1: the line below the header
				rows = append(rows, manualCells(plain(cells)))
			} else {
				rows = append(rows, make([]string, len(rows[0])))
			}
			continue
		}
		flush()
		if !strings.HasPrefix(line, "    ") {
			line = plain(line)
		}
		b.WriteString(line + "\n")
	}
	flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// manualCells splits a table's line after its first bar. A bar behind a backslash is text.
func manualCells(line string) (cells []string) {
	const bar = "\x00"
	line = strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(line, `\|`, bar)), "|")
	for cell := range strings.SplitSeq(line, "|") {
		cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
	}
	return cells
}

// manualTable draws a table; the second row, below the header, is empty. The widest columns give way until it fits
// into width, and words break at blanks alone.
func manualTable(rows [][]string, width int) string {
	if strings.Join(rows[0], "") == "" {
		rows = rows[2:]
	}
	widths := make([]int, len(rows[0]))
	total := len(widths) - 1 // the blanks between them
	for _, r := range rows {
		for i := range min(len(r), len(widths)) {
			total += max(0, ansi.StringWidth(r[i])-widths[i])
			widths[i] = max(widths[i], ansi.StringWidth(r[i]))
		}
	}
	for ; total > width; total-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	var b strings.Builder
	for _, r := range rows {
		var cells [][]string
		height := 0
		for i := range min(len(r), len(widths)) {
			text := ansi.Wrap(strings.ReplaceAll(r[i], "-", hyphen), max(1, widths[i]), "")
			cells = append(cells, strings.Split(loosen.Replace(text), "\n"))
			height = max(height, len(cells[i]))
		}
		for k := range height {
			line := ""
			for i, c := range cells {
				text := append(c, slices.Repeat([]string{""}, height)...)[k]
				line += text + strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text))+1)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
