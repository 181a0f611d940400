package document

import (
	"io"
	"regexp"
	"strings"
)

var markdownLink = regexp.MustCompile(`!?\[([^\]]+)\]\(([^)\s]*)\)`)

// Manual writes a Markdown page as plain text for a terminal: tables are lists within width columns, and links are
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

// manualTable writes each row below the header and its empty second row: the first cell, and below it the others,
// with their heads if there are several.
func manualTable(rows [][]string, width int) string {
	t := &terminal{Options: Options{Width: width}}
	for _, r := range rows[2:] {
		t.line(r[0])
		for i := 1; i < min(len(r), len(rows[0])); i++ {
			text := r[i]
			if head := rows[0][i]; head != "" && text != "" && len(rows[0]) > 2 {
				text = head + ": " + text
			}
			t.para("    ", None, Plain(text))
		}
	}
	return strings.TrimSuffix(t.out.String(), "\n")
}
