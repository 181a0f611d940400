package document

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

//go:embed chart.css
var chartStyle string

// pageTemplate is never executed itself: each page has a copy that knows which words it explains.
var pageTemplate = template.Must(template.New("page").Funcs(pageFuncs(nil)).Parse(pageText))

// HTML draws a document as one page that needs nothing else: no network, no script. It is light or
// dark as its reader's system is, has a form for narrow screens, and can be printed.
func HTML(w io.Writer, d *Document) error {
	words := map[string]bool{}
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if defs, ok := b.(Definitions); ok && s.On != OffPage && s.On != OnTerminal {
				for _, it := range defs.Items {
					words[it.ID] = true
				}
			}
		}
	}
	page, err := pageTemplate.Clone()
	if err != nil {
		return err
	}
	return page.Funcs(pageFuncs(words)).Execute(w, d)
}

func pageFuncs(words map[string]bool) template.FuncMap {
	return template.FuncMap{
		"say":    func(s string) string { return tight(spaced(s)) },
		"code":   Code.visible,
		"lines":  func(s string) []string { return strings.Split(s, "\n") },
		"log":    Log.visible,
		"word":   func(id string) bool { return words[id] },
		"class":  func(s Style) string { return classes[s] },
		"kind":   func(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "document.") },
		"joined": joined,
		"byline": func(facts []string) string { return strings.Join(facts, " · ") },
		"style":  func() template.CSS { return template.CSS(pageStyle + chartStyle) },
		"shown":  func(s Section) bool { return s.On != OffPage && s.On != OnTerminal && len(s.Blocks) > 0 },
		"rest":   func(t Table) int { return max(1, len(t.Columns)-t.name()-1) },
		"before": func(t Table) int { return t.name() },
		"after":  func(t Table) int { return len(t.Columns) - t.name() },
		"isName": func(t Table, i int) bool { return i == t.name() },
		"leads":  func(t Table, r Row) []Cell { return r.Cells[:min(len(r.Cells), t.name()+1)] },
		"wide":   func(t Table, i int) bool { return !t.Columns[i].Number && !t.Columns[i].Lead },
		"row":    func(t Table, r Row) tableRow { return tableRow{Table: t, Row: r} },
		"cell": func(t Table, r Row, i int) tableRow {
			return tableRow{Table: t, Row: r, Cell: r.Cells[i], Name: i == t.name()}
		},
		"svg": func(b Block, layout string) template.HTML {
			return template.HTML(draw(b, layout == "wide", false))
		},
	}
}

// tableRow is a row for the template, with its table, and one of its lead cells.
type tableRow struct {
	Table Table
	Row   Row
	Cell  Cell
	Name  bool // the cell names the row
}
