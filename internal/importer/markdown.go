package importer

import (
	"bytes"
	"fmt"
	"strings"

	"dyno/internal/conf"
)

var (
	// underHead matches the line below a Markdown table's header.
	underHead = conf.Regexp(`(?m)^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$`)
	mdLink    = conf.Regexp(`!?\[([^\]]*)\]\([^)]*\)`)
	mdMarks   = strings.NewReplacer("**", "", "__", "", "`", "", "<br>", " ", "<br/>", " ", "\\|", "|")
	mdHeading = conf.Regexp(`^#+\s+(.*?)[\s#]*$`)
)

// mdCell is a cell's text and its column in the line.
type mdCell struct {
	text string
	at   int
}

// markdown reads the tables in a Markdown file. If a table has no column for the scenario, the
// heading above it names the scenario. A first column without figures holds the contestants.
func (r *reader) markdown() error {
	lines := bytes.Split(r.data, []byte("\n"))
	part, tables := "", 0
	var heads []string
	for i := 0; i < len(lines); i++ {
		text := string(lines[i])
		if m := mdHeading().FindStringSubmatch(text); m != nil {
			part = plainCell(m[1])
		}
		if i+1 == len(lines) || !strings.Contains(text, "|") || !underHead().Match(lines[i+1]) {
			continue
		}
		head := cellsOf(text)
		end := i + 2
		for end < len(lines) && strings.Contains(string(lines[end]), "|") {
			end++
		}
		if r.mdTable(part, head, i, lines[i+2:end]) {
			tables++
		} else {
			heads = append(heads, fmt.Sprintf("%s: "+noFigures, r.place(i+1, 1), strings.Join(texts(head), ", ")))
		}
		i = end - 1
	}
	switch {
	case tables == 0 && len(heads) > 0:
		return fmt.Errorf("%s", strings.Join(heads, "\n"))
	case tables == 0:
		return fmt.Errorf("no table; want a header, below it a line such as |---|---|, and a line for each contestant")
	}
	return nil
}

// mdTable reads the table whose header is the line at index. It reports whether the table has
// figures.
func (r *reader) mdTable(part string, head []mdCell, index int, body [][]byte) bool {
	cells, lineNumber := head, index+1
	t := newTable(r, func(column int) (int, int) { return lineNumber, cells[column].at })
	t.part = part
	t.head(texts(head))
	if _, figures := t.wide[0]; !figures && len(t.column) == 0 {
		t.column["contestant"] = 0
	}
	take := t.take(texts(head))
	if take == nil {
		return false
	}
	for i, line := range body {
		lineNumber = index + 3 + i
		cells = cellsOf(string(line))
		if len(cells) != len(head) {
			r.trouble(lineNumber, 1, "%d cells; the header has %d", len(cells), len(head))
			continue
		}
		take(texts(cells))
	}
	return true
}

// cellsOf splits a table line.
func cellsOf(line string) (cells []mdCell) {
	line = strings.TrimRight(line, " \t\r")
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	if strings.HasPrefix(line[start:], "|") {
		start++
	}
	end := len(line)
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, "\\|") && end > start {
		end--
	}
	for at := start; at <= end; {
		next := at
		for next < end && (line[next] != '|' || line[next-1] == '\\') {
			next++
		}
		text := line[at:next]
		cells = append(cells, mdCell{plainCell(text), at + len(text) - len(strings.TrimLeft(text, " \t*_`")) + 1})
		at = next + 1
	}
	return cells
}

// plainCell returns a cell's text without its marks.
func plainCell(text string) string {
	return strings.TrimSpace(mdMarks.Replace(mdLink().ReplaceAllString(text, "$1")))
}

func texts(cells []mdCell) (list []string) {
	for _, c := range cells {
		list = append(list, c.text)
	}
	return list
}
