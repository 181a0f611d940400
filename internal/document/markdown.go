package document

import (
	"fmt"
	"io"
	"strings"
)

// Markdown draws a document in GitHub's dialect. Its title is a heading at the given level. All
// sections from the first detail section on are folded.
func Markdown(w io.Writer, d *Document, level int) error {
	m := &markdown{level: level}
	if d.Title != "" {
		m.printf("%s %s\n\n", strings.Repeat("#", level), escape(Clean(d.Title)))
	}
	if d.Comment != "" {
		m.printf("<!-- %s -->\n\n", strings.ReplaceAll(Clean(d.Comment), "-->", ""))
	}
	if d.Label != "" {
		m.printf("*%s*\n\n", escape(Clean(d.Label)))
	}
	if lead := m.text(joined(d.Lead)); lead != "" {
		m.printf("%s\n\n", lead)
	}
	if len(d.Byline) > 0 {
		m.printf("*%s.*\n\n", escape(Clean(strings.Join(d.Byline, ", "))))
	}
	folded := false
	for _, s := range d.Sections {
		if s.On == OnPage || len(s.Blocks) == 0 {
			continue
		}
		if s.Detail && !folded {
			folded = true
			m.printf("<details><summary>All details</summary>\n\n")
		}
		if s.Title != "" {
			m.printf("%s %s\n\n", strings.Repeat("#", level+1), escape(Clean(s.Title)))
		}
		for _, b := range s.Blocks {
			m.block(b)
		}
	}
	if folded {
		m.printf("</details>\n")
	}
	_, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n")
	return err
}

type markdown struct {
	strings.Builder
	level int
}

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(&m.Builder, format, args...) }

func (m *markdown) text(t Prose) string {
	var s strings.Builder
	for _, p := range t {
		text := escape(spaced(p.Text))
		switch {
		case p.Style == Markup:
			text = Clean(p.Text)
		case p.Style == Quiet && text != "":
			text = "*" + text + "*"
		case p.Style != None && text != "":
			text = "**" + text + "**"
		}
		if p.Link != "" {
			text = "[" + text + "](" + p.Link + ")"
		}
		s.WriteString(text)
	}
	return s.String()
}

func (m *markdown) block(b Block) {
	switch b := b.(type) {
	case Paragraph:
		text := m.text(b.Text)
		switch {
		case b.Label != "":
			text = "**" + escape(Clean(b.Label)) + ":** " + text
		case b.Style >= Warn:
			text = "**" + text + "**"
		}
		m.printf("%s\n\n", text)
	case List:
		m.list(b.Items)
	case Table:
		m.table(&b)
	case Code:
		m.fenced("sh", b.visible())
	case Picture:
		m.printf("![%s](%s)\n\n", escape(Clean(b.Words)), b.File)
	case Log:
		m.printf("%s:\n\n", escape(Clean(b.Title)))
		m.fenced("text", b.visible())
	}
}

// fenced writes text as a code block; its fence is longer than any in the text.
func (m *markdown) fenced(kind, text string) {
	longest, run := 2, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	m.printf("%s%s\n%s\n%s\n\n", fence, kind, text, fence)
}

func (m *markdown) list(items []Item) {
	for _, it := range items {
		m.printf("- ")
		if it.Label != "" {
			m.printf("**%s** ", escape(Clean(it.Label)))
		}
		m.printf("%s", m.text(it.Text))
		if it.Code != "" {
			m.printf("<code>%s</code>", escape(Code{Text: it.Code}.visible()))
		}
		for _, more := range it.More {
			m.printf("<br>%s", m.text(more))
		}
		m.printf("\n")
	}
	m.printf("\n")
}

func (m *markdown) table(t *Table) {
	if t.Title != "" {
		m.printf("**%s**", escape(Clean(t.Title)))
		if t.Note != "" {
			m.printf(" ")
		}
	}
	if t.Note != "" {
		m.printf("%s", escape(Clean(t.Note)))
	}
	if t.Title+t.Note != "" {
		m.printf("\n\n")
	}
	notes := false
	for _, r := range t.Rows {
		notes = notes || r.Excluded != "" || len(r.Notes) > 0
	}
	var heads, rule []string
	for _, c := range t.Columns {
		heads = append(heads, escape(Clean(c.text())))
		if c.Number {
			rule = append(rule, "--:")
		} else {
			rule = append(rule, "---")
		}
	}
	if notes {
		heads, rule = append(heads, "notes"), append(rule, "---")
	}
	m.row(heads)
	m.row(rule)
	for _, r := range t.Rows {
		if r.Group != "" {
			line := make([]string, len(heads))
			line[0] = "**" + escape(Clean(r.Group)) + "**"
			m.row(line)
		}
		m.row(m.fields(t, r, len(heads), notes))
	}
	m.printf("\n")
	if t.After != "" {
		var lines []string
		for l := range strings.SplitSeq(t.After, "\n") {
			lines = append(lines, escape(Clean(l)))
		}
		m.printf("%s\n\n", strings.Join(lines, "<br>\n"))
	}
}

// fields returns a row's fields.
func (m *markdown) fields(t *Table, r Row, n int, notes bool) []string {
	fields := make([]string, n)
	for i := range t.Columns {
		var c Cell
		if i < len(r.Cells) {
			c = r.Cells[i]
		}
		if r.Excluded != "" && !t.Columns[i].Lead {
			c = Cell{Value: Missing}
		}
		var lines []string
		for _, l := range strings.Split(c.text(), "\n") {
			lines = append(lines, escape(Clean(l)))
		}
		text := strings.Join(lines, "<br>")
		switch {
		case c.Link != "":
			text = "[" + text + "](" + c.Link + ")"
		case text == "" || i != t.name() && (c.Style == None || t.Columns[i].Number):
		case r.Failed && i == t.name():
			text = "~~" + text + "~~"
		case c.Style != None:
			text = "**" + text + "**"
		case r.Style == Quiet:
			text = "*" + text + "*"
		}
		fields[i] = text
	}
	if notes {
		all := r.Notes
		if r.Excluded != "" {
			all = append([]string{r.Excluded}, all...)
		}
		fields[n-1] = escape(Clean(strings.Join(all, "; ")))
	}
	return fields
}

func (m *markdown) row(fields []string) { m.printf("| %s |\n", strings.Join(fields, " | ")) }

// escape returns s as plain text in GitHub's dialect, inside or outside tables. s must be clean.
// GitHub still turns bare addresses into links.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`,
	"[", `\[`, "]", `\]`,
	"#", `\#`, "|", `\|`, "~", `\~`)
