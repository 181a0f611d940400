package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/claim"
	"dyno/internal/document"
)

// Files of a study that are written from its trials.
const (
	ReadmeFile  = "README.md"
	ChartFile   = "chart.svg"
	figuresFile = "figures.md" // of many contestants: what the first has no room for
)

// Pages returns the files of a study that are written from a run of it. The same trials and study
// give the same bytes.
func Pages(d *Data) (map[string][]byte, error) {
	forms := map[string]Writer{ReadmeFile: Readme, ChartFile: SVG}
	v := newView(d)
	if v.many() {
		forms[figuresFile] = figuresPage
	}
	for i := range d.Claims.Charts {
		c := &d.Claims.Charts[i]
		forms[c.file()] = func(w io.Writer, _ *Data) error {
			return document.SVG(w, &document.Document{Front: []document.Block{v.lineChart(c)}})
		}
	}
	files := map[string][]byte{}
	for name, write := range forms {
		var b bytes.Buffer
		if err := write(&b, d); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

// many says whether a page has no room for all contestants.
func (v *view) many() bool { return len(v.rows) > manyBars }

// Readme writes the page of a study from a run of it: question, chart, claims with their outcomes,
// our figures beside the published, machines, what differs and why, and the command.
func Readme(w io.Writer, d *Data) error {
	c := d.Claims
	v := newView(d)
	if !v.many() {
		v.byEngine()
	}
	intro := document.Section{Blocks: []document.Block{}}
	paragraph := func(label, text string) {
		if text != "" {
			intro.Blocks = append(intro.Blocks, document.Paragraph{Label: label, Text: document.Plain(text)})
		}
	}
	paragraph("Question", c.Question)
	if v.Analysis != nil && v.ranks() {
		paragraph("Answer, here and today", strings.Join(v.answer(), " "))
	}
	intro.Blocks = append(intro.Blocks, v.picture(""))
	paragraph("Source", c.Source)
	page := &document.Document{Title: c.Title, Comment: writtenBy(c)}
	page.Sections = []document.Section{intro, v.claims(), newLevels(v).backendAlone(), v.pictures(),
		v.publishedFigures(!v.many()), v.costs(), v.variants(), newLevels(v).byLoadTables()}
	if d.Run.Plan.Fresh {
		page.Sections = append(page.Sections, newSweep(newView(d)).processes())
	}
	for i := range d.Classics {
		page.Sections = append(page.Sections, d.Classics[i].sections()...)
	}
	page.Sections = append(page.Sections, v.machines(), c.differences())
	page.Sections = append(page.Sections, v.checked(!v.many()))
	page.Sections = append(page.Sections, document.Section{Title: "Repeat it", Blocks: []document.Block{
		document.Code{Text: document.Command(d.Run.Plan.Command) + "\ndyno check " + c.Slug}}})
	return document.Markdown(w, page, 1)
}

func writtenBy(c *Claims) string {
	return fmt.Sprintf("Written by `dyno check %s --write` from the trials beside it. Change study.toml or the trials, not this page.", c.Slug)
}

// figuresPage has the tables of all contestants and levels, and all that the checks found.
func figuresPage(w io.Writer, d *Data) error {
	v := newView(d)
	v.byEngine()
	return document.Markdown(w, &document.Document{Title: d.Claims.Title + ": all figures", Comment: writtenBy(d.Claims),
		Sections: []document.Section{v.chartTables(), v.publishedFigures(true), v.checked(true)}}, 1)
}

// picture returns the study's chart, in a folder.
func (v *view) picture(folder string) document.Picture {
	words := "Bars of all contestants"
	if v.Analysis != nil && v.ranks() && len(v.dearness()) == 0 {
		words = v.answer()[0]
	}
	return document.Picture{File: folder + ChartFile, Words: words}
}

// elsewhere links the page with what this one leaves out.
func elsewhere(words string) document.Paragraph {
	return document.Paragraph{Text: document.Prose{{Text: words + ": "}, {Text: figuresFile, Link: figuresFile},
		{Text: "."}}}
}

// checked returns the six questions with their answers, and the findings behind one that is no
// plain yes: all, or the worst.
func (v *view) checked(all bool) document.Section {
	s := document.Section{Title: "What the checks found"}
	if len(v.Findings) == 0 {
		return s
	}
	var list document.List
	for _, a := range checks.Summary(v.Findings) {
		item := document.Item{Label: a.Question.String(), Text: document.Plain(a.Plain())}
		if a.State == checks.Pass {
			item.Text = document.Plain(v.because(a))
		}
		troubles := a.Troubles()
		if !all && len(troubles) > 1 {
			item.Text = document.Plain(fmt.Sprintf("%s: %d findings, the worst of which is", a.Plain(), len(troubles)))
			troubles = troubles[:1]
		}
		for _, f := range troubles {
			item.More = append(item.More, document.Plain(f.State.String()+", "+f.Title+": "+v.finding(f)))
		}
		list.Items = append(list.Items, item)
	}
	s.Blocks = []document.Block{list}
	if !all {
		s.Blocks = append(s.Blocks, elsewhere("All of them"))
	}
	return s
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

// publishedFigures returns the published figures beside ours, one table for each level; or of the
// first level those of some contestants.
func (v *view) publishedFigures(all bool) document.Section {
	s := document.Section{Title: "Published figures and ours"}
	if len(v.Claims.Published) == 0 {
		return s
	}
	s.Blocks = append([]document.Block{document.Paragraph{Text: document.Plain("They are from other machines, " +
		"versions and years; they are shown, not judged. Each cell has the published figure, then ours with its " +
		"interval. * is computed.")}}, v.publishedTables()...)
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
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("* " +
			strings.Join(slices.Sorted(maps.Keys(computed)), " "))})
	}
	return s
}

// shortTable returns a table of the first few contestants.
func shortTable(t document.Table) document.Table {
	var names []string
	for i, r := range t.Rows {
		if name := r.Cells[0].Value; !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) > manyBars {
			t.Rows = t.Rows[:i]
			break
		}
	}
	return t
}

// publishedTables have a row for each contestant and date, a column for each metric.
func (v *view) publishedTables() (tables []document.Block) {
	var levels []string
	for i := range v.Claims.Published {
		if l := v.Claims.Published[i].Level; !slices.Contains(levels, l) {
			levels = append(levels, l)
		}
	}
	for _, l := range levels {
		tables = append(tables, v.publishedTable(l))
		if t := v.printedTable(l); len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

func (v *view) publishedTable(level string) document.Table {
	type key struct{ contestant, date string }
	var rows []key
	var heads []claim.Metric
	fields := map[key]map[string][]string{}
	for i := range v.Claims.Published {
		p := &v.Claims.Published[i]
		if p.Level != level || p.Metric.Part != "" {
			continue
		}
		k := key{p.Contestant, p.Date}
		if fields[k] == nil {
			rows, fields[k] = append(rows, k), map[string][]string{}
		}
		if !slices.ContainsFunc(heads, func(m claim.Metric) bool { return m.Name == p.Metric.Name }) {
			heads = append(heads, p.Metric)
		}
		fields[k][p.Metric.Name] = append(fields[k][p.Metric.Name], p.theirs()+" → "+p.ours())
	}
	t := document.Table{Title: level, Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "published"}}}
	for _, m := range heads {
		t.Columns = append(t.Columns, document.Column{Head: fmt.Sprintf("%s, %s is better", m.Title, better(m))})
	}
	if v.engines {
		slices.SortStableFunc(rows, func(a, b key) int {
			return compareEngines(v.engineOf(a.contestant),
				v.engineOf(b.contestant))
		})
	}
	for i, k := range rows {
		row := document.Row{Cells: []document.Cell{{Value: k.contestant}, {Value: k.date}}}
		if e := v.engineOf(k.contestant); v.engines && (i == 0 || v.engineOf(rows[i-1].contestant) != e) {
			row.Group = e
		}
		for _, m := range heads {
			row.Cells = append(row.Cells, document.Cell{Value: strings.Join(fields[k][m.Name], "\n"),
				Absent: "it was not published"})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func better(m claim.Metric) string {
	if m.More {
		return "bigger"
	}
	return "smaller"
}

// theirs returns a published figure as it was published.
func (p *Published) theirs() string {
	s := document.Grouped(p.Value, decimals(p.Value)) + after(analysis.Scale{Name: p.Unit})
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

// ours returns the measured figure in the same unit, or why there is none.
func (p *Published) ours() string {
	if p.Absent != "" {
		return Missing + " (" + document.Clean(p.Absent) + ")"
	}
	if p.Ours.N == 0 {
		return Missing
	}
	s := Sig3(p.Ours.Value / p.Per)
	if p.Ours.Lo != p.Ours.Hi {
		s += " (" + intervalIn(p.Ours, analysis.Scale{Per: p.Per}) + ")"
	}
	s += after(analysis.Scale{Name: p.Unit})
	if p.Metric.Computed != "" {
		s += " *"
	}
	return s
}

// decimals returns the number of decimals of a published figure, at most four.
func decimals(v float64) int {
	_, after, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return min(4, len(after))
}

// machines puts the article's beside ours.
func (v *view) machines() document.Section {
	h, p := &v.run.Host, &v.run.Plan
	var versions []string
	for _, r := range v.rows {
		if b := r.Built; b != nil && b.Version != "" {
			versions = append(versions, b.Name+" "+b.Version)
		}
	}
	ours := map[string]string{
		"cpu":    fmt.Sprintf("%s, %s", orElse(strings.Join(v.cpus(), "; "), "unknown"), document.Count(h.CPUs, "CPU")),
		"memory": Bytes(float64(h.MemoryBytes)),
		"os":     strings.TrimSpace(h.OS + " " + h.Kernel), "power": "governor " + orElse(h.Governor, "unknown"),
		"tool": "dyno " + p.Dyno, "versions": strings.Join(versions, ", "), "command": p.Command, "date": v.started(),
	}
	if h.Hypervisor != "" {
		ours["machine"] = "a virtual machine (" + h.Hypervisor + ")"
	}
	t := document.Table{Columns: []document.Column{{Lead: true}, {Head: "here"}}}
	published := len(v.Claims.PublishedOn) > 0
	if published {
		t.Columns = slices.Insert(t.Columns, 1, document.Column{Head: "published on"})
	}
	keys := []string{"date", "machine", "cpu", "memory", "os", "power", "tool", "versions", "command"}
	for _, k := range slices.Sorted(maps.Keys(v.Claims.PublishedOn)) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if theirs := v.Claims.PublishedOn[k]; theirs+ours[k] != "" {
			row := document.Row{Cells: []document.Cell{{Value: k}, {Value: orElse(ours[k], Missing)}}}
			if published {
				row.Cells = slices.Insert(row.Cells, 1, document.Cell{Value: orElse(theirs, Missing)})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	place := fmt.Sprintf("Server on CPU %s, generator on CPU %s.", list(h.ServerCPUs), list(h.GeneratorCPUs))
	if len(h.Generators) > 0 {
		place = "Servers " + where(h) + ". Generators: " + generators(h) + "."
	}
	text := fmt.Sprintf("%s %d "+
		"valid epochs of %d rounds, %d of %d trials discarded. Equivalent: within %s; the chance of any false "+
		"difference is at most %s.", place,
		v.a.Epochs, p.Rounds, v.Discarded, v.Valid+v.Discarded, PerCent(v.margin()), PerCent(p.Alpha))
	if parts := v.parts(); parts != "" {
		text += " The run was " + parts + "."
	}
	if e := v.encryption(); e != "" {
		text += " Encryption: " + e + "."
	}
	return document.Section{Title: "The machines", Blocks: []document.Block{t,
		document.Paragraph{Text: document.Plain(text)}}}
}
