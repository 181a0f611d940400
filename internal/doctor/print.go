package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"dyno/internal/document"
	"dyno/internal/plan"
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
	if len(d.expected) > 0 {
		doc.Sections = append(doc.Sections, document.Section{Blocks: []document.Block{d.differences()}})
	}
	doc.Sections = append(doc.Sections, document.Section{Blocks: []document.Block{
		document.Paragraph{Text: document.Plain(d.answer)}}})
	return document.Text(w, doc, document.Options{Width: width, Color: color})
}

// differences is the table of the smallest differences to expect, with a row for each number of
// contestants.
func (d *Diagnosis) differences() document.Table {
	n := d.calibration.Noise
	_, _, rounds := spread(n)
	if rounds < leastRounds {
		rounds = len(n.Rounds) // all were taken
	}
	t := document.Table{
		Title: "Smallest difference in throughput that four of five runs detect in the current noise, if restarts do not " +
			"differ",
		Note: fmt.Sprintf("estimated from %d rounds of %d servers: %s", rounds, len(n.Servers),
			trust(len(n.Servers), rounds)),
		Columns: []document.Column{{Head: "contestants", Lead: true}, {Head: "dyno run"}, {Head: "dyno run --profile full"}},
	}
	for _, e := range d.expected {
		if e.Profile != plan.Standard {
			continue
		}
		row := document.Row{Cells: []document.Cell{{Value: fmt.Sprint(e.Contestants)}, {Value: e.String()}, {}}}
		for _, f := range d.expected {
			if f.Profile == "full" && f.Contestants == e.Contestants {
				row.Cells[2].Value = f.String()
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
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
