package study

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/report"
)

// Files in a study that are written from its trials.
const (
	ReadmeFile     = "README.md"
	ChartFile      = "chart.svg"
	allFiguresFile = "figures.md" // if there are many contestants: what the first page has no room for
)

// Pages returns a study's files that are written from a run. The same trials and study give the
// same bytes.
func Pages(j *Judged) (map[string][]byte, error) {
	forms := map[string]func(io.Writer, *Judged) error{ReadmeFile: Readme, ChartFile: func(w io.Writer, j *Judged) error {
		return report.SVG(w, j.Data)
	}}
	if newPage(j).many() {
		forms[allFiguresFile] = figuresPage
	}
	files := map[string][]byte{}
	for name, write := range forms {
		var b bytes.Buffer
		if err := write(&b, j); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

// page draws a judged run: the claims beside the findings.
type page struct {
	*report.View
	Claims *Claims
}

func newPage(j *Judged) *page { return &page{report.NewView(j.Data), j.Claims} }

// many reports whether a page has no room for all contestants.
func (v *page) many() bool { return len(v.Rows()) > report.MostBars }

// Readme writes a study's page from a run: question, chart, claims with their outcomes, our figures
// beside the published ones, machines, differences from the article, and the command.
func Readme(w io.Writer, j *Judged) error {
	c, v := j.Claims, newPage(j)
	intro := document.Section{Blocks: []document.Block{}}
	paragraph := func(label, text string) {
		if text != "" {
			intro.Blocks = append(intro.Blocks, document.Paragraph{Label: label, Text: document.Plain(text)})
		}
	}
	paragraph("Question", c.Question)
	if v.Analysis != nil && v.Run.Plan.Ranks() {
		paragraph("Answer, here and today"+report.Led(",", judge.OnCPUs(v.Run, 0)), strings.Join(v.Answer(), " "))
	}
	intro.Blocks = append(intro.Blocks, v.picture(""))
	paragraph("", v.Limits())
	paragraph("Source", c.Source)
	page := &document.Document{Title: c.Title, Comment: writtenBy(c)}
	page.Sections = []document.Section{intro, v.claims(), v.ServiceAlone(),
		v.publishedFigures(!v.many()), v.costs()}
	if v.Run.Plan.Fresh() {
		page.Sections = append(page.Sections, v.Processes())
	}
	for i := range j.Classics {
		page.Sections = append(page.Sections, j.Classics[i].section())
	}
	checked := v.Checked(!v.many())
	if v.many() && len(checked.Blocks) > 0 {
		checked.Blocks = append(checked.Blocks, elsewhere("All of them"))
	}
	page.Sections = append(page.Sections, v.Machines(c.PublishedOn), c.differences(), checked,
		document.Section{Title: "Repeat it", Blocks: []document.Block{
			document.Code{Text: document.Command(v.Run.Plan.Origin.Command) + "\ndyno check " + c.Slug}}})
	return document.Markdown(w, page, 1)
}

func writtenBy(c *Claims) string {
	return fmt.Sprintf("Written by `dyno check %s --write` from the trials beside it. Change study.toml or the "+
		"trials, not this page.", c.Slug)
}

// figuresPage writes the published figures of all contestants and levels, and all findings.
func figuresPage(w io.Writer, j *Judged) error {
	v := newPage(j)
	return document.Markdown(w, &document.Document{Title: j.Claims.Title + ": all figures", Comment: writtenBy(j.Claims),
		Sections: []document.Section{v.publishedFigures(true), v.Checked(true)}}, 1)
}

// Picture returns the study's chart, in a folder.
func (j *Judged) Picture(folder string) document.Picture { return newPage(j).picture(folder) }

func (v *page) picture(folder string) document.Picture {
	words := "Bars of all contestants"
	if v.Analysis != nil && v.Run.Plan.Ranks() && len(v.dearness()) == 0 {
		words = v.Answer()[0]
	}
	return document.Picture{File: folder + ChartFile, Words: words}
}

// elsewhere links the page with the rest.
func elsewhere(words string) document.Paragraph {
	return document.Paragraph{Text: document.Prose{{Text: words + ": "}, {Text: allFiguresFile, Link: allFiguresFile},
		{Text: "."}}}
}

// differences returns the differences from the article, as the study states them.
func (c *Claims) differences() document.Section {
	var list document.List
	for _, n := range c.Notes {
		list.Items = append(list.Items, document.Item{Text: document.Prose{{Text: n, Style: document.Markup}}})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Unavailable)) {
		list.Items = append(list.Items, document.Item{Text: document.Plain(name + " is not " +
			"available: " + c.Unavailable[name])})
	}
	s := document.Section{Title: "What differs from the article, and why"}
	if c.Source == "" {
		s.Title = "Notes"
	}
	if len(list.Items) > 0 {
		s.Blocks = []document.Block{list}
	}
	return s
}

// publishedFigures returns the published figures beside ours, one table per level, or only some
// contestants at the first level.
func (v *page) publishedFigures(all bool) document.Section {
	s := document.Section{Title: "Published figures and ours"}
	if len(v.Claims.Published) == 0 {
		return s
	}
	s.Blocks = append([]document.Block{document.Para("They are from other machines, versions and years; they are shown, " +
		"not judged. Each cell has the published figure, then ours with its interval. * is computed.")},
		v.publishedTables()...)
	if !all {
		first := s.Blocks[1].(document.Table)
		s.Blocks = append(s.Blocks[:1], shortTable(first), elsewhere("All contestants, at all levels"))
	}
	computed := map[string]bool{}
	for i := range v.Claims.Published {
		if m := v.Claims.Published[i].Metric; m.Computed != "" {
			computed[m.Title+": "+m.Computed+"."] = true
		}
	}
	if len(computed) > 0 {
		s.Blocks = append(s.Blocks, document.Para("* "+strings.Join(slices.Sorted(maps.Keys(computed)), " ")))
	}
	return s
}

// shortTable returns a table's first few contestants.
func shortTable(t document.Table) document.Table {
	var names []string
	for i, r := range t.Rows {
		if name := r.Cells[0].Value; !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) > report.MostBars {
			t.Rows = t.Rows[:i]
			break
		}
	}
	return t
}

// publishedTables have a row for each contestant and date, and a column for each metric.
func (v *page) publishedTables() (tables []document.Block) {
	var levels []string
	for i := range v.Claims.Published {
		levels = report.AddNew(levels, v.Claims.Published[i].Level)
	}
	for _, l := range levels {
		tables = append(tables, v.publishedTable(l))
	}
	return tables
}

func (v *page) publishedTable(level string) document.Table {
	type key struct{ contestant, date string }
	var g grid[key]
	for _, p := range v.Claims.Published {
		if p.Level != level {
			continue
		}
		k, head := key{p.Contestant, p.Date}, fmt.Sprintf("%s, %s is better", p.Metric.Title, better(p.Metric))
		text := p.theirs() + " → " + p.ours()
		if before := g.cells[k][head].Value; before != "" {
			text = before + "\n" + text
		}
		g.set(k, head, document.Cell{Value: text})
	}
	t := document.Table{Title: level, Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "published"}}}
	return g.table(t, false, "it was not published", func(k key) document.Row {
		return document.Row{Cells: []document.Cell{{Value: k.contestant}, {Value: k.date}}}
	})
}

func better(m Metric) string {
	if m.More {
		return "bigger"
	}
	return "smaller"
}

// theirs formats a published figure as it was published.
func (p *published) theirs() string {
	s := document.Grouped(p.Value, report.Decimals(p.Value)) + report.After(judge.Scale{Name: p.Unit})
	if p.N > 0 {
		s = document.Whole(p.N) + " in " + s
	}
	switch to := document.Clean(p.To.String()); {
	case to == "":
	case p.Metric.More:
		s += " over " + to
	default:
		s += " from " + to
	}
	if p.Note != "" {
		s += " (" + document.Clean(p.Note) + ")"
	}
	return s
}

// ours formats the measured figure in the same unit, or says why there is none.
func (p *published) ours() string {
	if p.Absent != "" {
		return document.Missing + " (" + document.Clean(p.Absent) + ")"
	}
	if p.Ours.N == 0 {
		return document.Missing
	}
	s := document.Sig3(p.Ours.Value / p.Per)
	if p.Ours.Lo != p.Ours.Hi {
		s += " (" + report.IntervalIn(p.Ours, judge.Scale{Per: p.Per}) + ")"
	}
	s += report.After(judge.Scale{Name: p.Unit})
	if p.Metric.Computed != "" {
		s += " *"
	}
	return s
}
