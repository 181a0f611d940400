package document

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

//go:embed chart.css
var chartStyle string

//go:embed page.js
var pageScript string

// HTML draws a document as a self-contained page that needs no network and is readable without
// scripts. With scripts, readers can sort and filter tables, and copy these and charts. The page
// follows the system's light or dark setting, adapts to narrow screens, where charts scroll, and can
// be printed.
func HTML(w io.Writer, d *Document) error {
	page, err := template.New("page").Funcs(pageFuncs).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, d)
}

// pageFuncs are the functions of the template.
var pageFuncs = template.FuncMap{
	"say":    func(s string) string { return tight(spaced(s)) },
	"code":   Code.visible,
	"lines":  func(s string) []string { return strings.Split(s, "\n") },
	"log":    Log.visible,
	"class":  func(s Style) string { return classes[s] },
	"kind":   func(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "document.") },
	"byline": func(facts []string) string { return strings.Join(facts, " · ") },
	"style":  func() template.CSS { return template.CSS(pageStyle) },
	"chart":  func() template.CSS { return template.CSS(chartStyle) },
	"script": func() template.JS { return template.JS(pageScript) },
	"first":  func(d *Document) Prose { return joined(d.Lead[:min(1, len(d.Lead))]) },
	"others": func(d *Document) Prose { return joined(d.Lead[min(1, len(d.Lead)):]) },
	"folded": folded,
	"shown":  func(s Section) bool { return s.On != OffPage && len(s.Blocks) > 0 },
	"rest":   func(t Table) int { return max(1, len(t.Columns)-t.name()-1) },
	"before": func(t Table) int { return t.name() },
	"after":  func(t Table) int { return len(t.Columns) - t.name() },
	"isName": func(t Table, i int) bool { return i == t.name() },
	"leads":  func(t Table, r Row) []Cell { return r.Cells[:min(len(r.Cells), t.name()+1)] },
	"absent": Cell.missing,
	"onRow":  rowClass,
	"onCell": cellClass,
	"row":    func(t Table, r Row) tableRow { return tableRow{Table: t, Row: r} },
	"cell": func(t Table, r Row, i int) tableRow {
		return tableRow{Table: t, Row: r, Cell: r.Cells[i], Name: i == t.name()}
	},
	"svg": func(b Block) template.HTML { return template.HTML(draw(b, false)) },
}

// mostOpen is the largest section that a page shows open, in lines; a chart counts as chartLines.
const (
	mostOpen   = 40
	chartLines = 10
)

// folded reports whether a page shows only the section's title until the reader opens it.
func folded(s Section) bool {
	lines := 0
	for _, b := range s.Blocks {
		switch b := b.(type) {
		case Table:
			for _, r := range b.Rows {
				lines += 1 + len(r.Notes) + len(r.Cells)/7
			}
		case List:
			for _, it := range b.Items {
				lines += 1 + len(it.More)
			}
		case BarChart, LineChart:
			lines += chartLines
		}
	}
	return s.Folded || lines > mostOpen
}

// rowClass returns a row's CSS classes.
func rowClass(r Row) string {
	list := []string{classes[r.Style]}
	if r.Rule {
		list = append(list, "rule")
	}
	if r.Excluded != "" {
		list = append(list, "excluded")
	}
	return spacedOut(list)
}

// cellClass returns the CSS classes for a cell in a column.
func cellClass(c Column, x Cell) string {
	list := []string{classes[x.Style]}
	switch {
	case c.Number:
		list = append(list, "num")
	case !c.Lead:
		list = append(list, "wide")
	}
	if x.missing() != "" {
		list = append(list, "absent")
	}
	return spacedOut(list)
}

// spacedOut joins all texts but the empty ones with spaces.
func spacedOut(list []string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

// tableRow is a row for the template, with its table, and one cell.
type tableRow struct {
	Table Table
	Row   Row
	Cell  Cell
	Name  bool // the cell names the row
}
