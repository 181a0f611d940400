package document

import (
	"io"
	"regexp"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/lipgloss/table"
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
			if strings.Trim(cells, "|-: ") != "" { // else the line below the header
				rows = append(rows, manualCells(plain(cells)))
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

func manualTable(rows [][]string, width int) string {
	t := table.New().Headers(rows[0]...).Rows(rows[1:]...).Border(lipgloss.HiddenBorder()).BorderTop(false).
		BorderBottom(false).BorderLeft(false).BorderRight(false).BorderHeader(true).BorderStyle(lipgloss.NewStyle()).Wrap(true)
	text := t.String()
	if lipgloss.Width(text) > width {
		text = t.Width(width).String()
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}
