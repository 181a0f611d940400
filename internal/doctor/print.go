package doctor

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"dyno/internal/document"
)

// states are the styles in which states are shown.
var states = map[string]document.Style{stateOK: document.Good, stateNote: document.Same, stateWarn: document.Warn,
	stateBad: document.Bad}

// Text writes the diagnosis for a terminal with width columns, with ANSI styles if color is set.
func (d *Diagnosis) Text(w io.Writer, color bool, width int) error {
	doc := &document.Document{}
	for i, f := range d.findings {
		if i == 0 || f.Group != d.findings[i-1].Group {
			doc.Sections = append(doc.Sections, document.Section{Title: f.Group, Blocks: []document.Block{document.List{}}})
		}
		item := document.Item{Label: f.State, Style: states[f.State], Text: document.Prose{
			{Text: f.Name + ": ", Style: document.Strong},
			{Text: strings.TrimSpace(sentence(f.Value) + " " + sentence(f.Means))}}}
		if f.Change != "" {
			item.More = document.Texts("Change: " + f.Change)
		}
		last := doc.Sections[len(doc.Sections)-1].Blocks
		last[0] = document.List{Items: append(last[0].(document.List).Items, item)}
	}
	doc.Sections = append(doc.Sections, document.Section{Blocks: []document.Block{
		document.Paragraph{Text: document.Plain(d.answer)}}})
	return document.Text(w, doc, document.Options{Width: width, Color: color})
}

// sentence returns s with a full stop and, unless it is a lone name such as ref or tsc, a capital.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	if strings.Contains(s, " ") {
		r, n := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(r)) + s[n:]
	}
	return strings.TrimSuffix(s, ".") + "."
}
