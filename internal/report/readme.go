package report

import (
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
	"dyno/internal/result"
)

// ClassicFile is the record of a study's long loads, beside that of its trials.
const ClassicFile = "classic.jsonl.gz"

// Readme writes the page of a study from a run of it: question, machines, claims with their
// outcomes, our figures beside the published, what differs and why, and the command. The same
// trials and study give the same bytes.
func Readme(w io.Writer, d *Data) error {
	c := d.Claims
	v := newView(d)
	v.byEngine()
	intro := document.Section{Blocks: []document.Block{}}
	paragraph := func(label, text string) {
		if text != "" {
			intro.Blocks = append(intro.Blocks, document.Paragraph{Label: label, Text: document.Plain(text)})
		}
	}
	paragraph("Question", c.Question)
	paragraph("Source", c.Source)
	if v.Analysis != nil && len(d.Run.Plan.Levels) == 0 {
		paragraph("Answer, here and today", strings.Join(v.answer(), " "))
	}
	page := &document.Document{Title: c.Title, Comment: fmt.Sprintf("Written by `dyno check %s --write` from the trials beside it. Change study.toml or the trials, not this page.", c.Slug)}
	page.Sections = []document.Section{intro, v.claims(), v.publishedBesideOurs(), v.costs()}
	if d.Run.Plan.Fresh {
		page.Sections = append(page.Sections, newSweep(newView(d)).held())
	}
	if d.Classic != nil {
		page.Sections = append(page.Sections, newClassic(newView(d.Classic)).growthTable())
	}
	page.Sections = append(page.Sections, v.machines(), c.differences())
	page.Sections = append(page.Sections, v.checked())
	page.Sections = append(page.Sections, document.Section{Title: "Repeat it", Blocks: []document.Block{
		document.Code{Text: document.Command(d.Run.Plan.Command) + "\ndyno check " + c.Slug}}})
	return document.Markdown(w, page, 1)
}

// checked are the six questions with their answers, and every finding behind one that is no plain
// yes.
func (v *view) checked() document.Section {
	s := document.Section{Title: "What the checks found"}
	if len(v.Findings) == 0 {
		return s
	}
	var list document.List
	for _, a := range checks.Summary(v.Findings) {
		item := document.Item{Label: a.Question.String(), Text: document.Plain(a.Plain())}
		for _, f := range a.Troubles() {
			item.More = append(item.More, document.Plain(f.State.String()+", "+f.Title+": "+v.finding(f)))
		}
		list.Items = append(list.Items, item)
	}
	s.Blocks = []document.Block{list}
	return s
}

// differences are what differs from the article, in the words of the study's author.
func (c *Claims) differences() document.Section {
	var list document.List
	for _, n := range c.Notes {
		list.Items = append(list.Items, document.Item{Text: document.Prose{{Text: n, Style: document.Markup}}})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Unavailable)) {
		list.Items = append(list.Items, document.Item{Text: document.Plain(name + " cannot be had: " + c.Unavailable[name])})
	}
	s := document.Section{Title: "What differs from the article, and why"}
	if len(list.Items) > 0 {
		s.Blocks = []document.Block{list}
	}
	return s
}

// publishedBesideOurs are the published figures beside ours, one table for each level.
func (v *view) publishedBesideOurs() document.Section {
	s := document.Section{Title: "Published figures beside ours"}
	if len(v.Claims.Published) == 0 {
		return s
	}
	s.Blocks = append([]document.Block{document.Paragraph{Text: document.Plain("They are of other machines, versions " +
		"and years: shown, never judged. In each field stands the " +
		"published figure, then ours with its interval. * is computed.")}}, v.publishedTables()...)
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
		if p.Level != level {
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

// theirs is a published figure as it was published.
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

// ours is ours of it in the same unit, or why there is none.
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

// decimals is how many a published figure was given with, at most four.
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
		"cpu": fmt.Sprintf("%s, %s", orElse(h.CPU, "unknown"), document.Count(h.CPUs, "CPU")), "memory": Bytes(float64(h.MemoryBytes)),
		"os": strings.TrimSpace(h.OS + " " + h.Kernel), "power": "governor " + orElse(h.Governor, "unknown"),
		"tool": "dyno " + p.Dyno, "versions": strings.Join(versions, ", "), "command": p.Command, "date": v.started(),
	}
	if h.Hypervisor != "" {
		ours["machine"] = "a virtual machine (" + h.Hypervisor + ")"
	}
	t := document.Table{Columns: []document.Column{{Lead: true}, {Head: "published on"}, {Head: "here"}}}
	keys := []string{"date", "machine", "cpu", "memory", "os", "power", "tool", "versions", "command"}
	for _, k := range slices.Sorted(maps.Keys(v.Claims.PublishedOn)) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if theirs := v.Claims.PublishedOn[k]; theirs+ours[k] != "" {
			t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: k}, {Value: orElse(theirs, Missing)},
				{Value: orElse(ours[k], Missing)}}})
		}
	}
	return document.Section{Title: "The machines", Blocks: []document.Block{t,
		document.Paragraph{Text: document.Plain(fmt.Sprintf("Server on CPU %s, generator on CPU %s. %d "+
			"valid epochs of %d rounds, %d of %d trials discarded. A tie is within %s; the chance of any false difference "+
			"is at most %s.", list(h.ServerCPUs), list(h.GeneratorCPUs),
			v.a.Epochs, p.Rounds, v.Discarded, v.Valid+v.Discarded, PerCent(v.margin()), PerCent(p.Alpha)))}}}
}

// FindingsPage writes what was confirmed, what was not, and why, of several studies: for people who
// read the articles.
func FindingsPage(w io.Writer, all []*Data) error {
	page := &document.Document{Title: "Findings: here, today", Comment: "Written by `dyno check --findings` from the trials of the studies."}
	about := document.Section{Blocks: []document.Block{document.Paragraph{Text: document.Prose{{Text: "What the articles concluded, and what our own trials of today's versions say of it. " +
		"Each study's page has the figures, their intervals and the machines; "}, {Text: "studies.md", Link: "studies.md"},
		{Text: " has the rules. A source in parentheses: the claim or its figure is from there."}}}}}
	if len(all) == 0 {
		about.Blocks = append(about.Blocks, document.Paragraph{Text: document.Plain("No study has committed trials yet.")})
		page.Sections = []document.Section{about}
		return document.Markdown(w, page, 1)
	}
	t := document.Table{Columns: []document.Column{{Head: "study", Lead: true}, {Head: "claims", Number: true}}}
	for _, verdict := range claim.Verdicts {
		t.Columns = append(t.Columns, document.Column{Head: string(verdict), Number: true})
	}
	for _, d := range all {
		row := document.Row{Cells: []document.Cell{{Value: d.Claims.Slug, Link: "../studies/" + d.Claims.Slug +
			"/README.md"}, {Value: fmt.Sprint(len(d.Claims.Outcomes))}}}
		for _, verdict := range claim.Verdicts {
			row.Cells = append(row.Cells, document.Cell{Value: fmt.Sprint(len(d.Claims.having(verdict).Items))})
		}
		t.Rows = append(t.Rows, row)
	}
	about.Blocks = append(about.Blocks, t)
	page.Sections = append(page.Sections, about)
	for _, d := range all {
		c := d.Claims
		s := document.Section{Title: c.Title, Blocks: []document.Block{document.Paragraph{Text: document.Plain(c.Source +
			". " + hereAt(d.Run))}}}
		if c.Changed {
			s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain(changedText), Style: document.Warn})
		}
		for _, verdict := range claim.Verdicts {
			if list := c.having(verdict); len(list.Items) > 0 {
				s.Blocks = append(s.Blocks, list)
			}
		}
		page.Sections = append(page.Sections, s)
	}
	return document.Markdown(w, page, 1)
}

// having are the claims with an outcome.
func (c *Claims) having(verdict claim.Verdict) (list document.List) {
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; o.Verdict == verdict {
			list.Items = append(list.Items, c.item(o, false))
		}
	}
	return list
}

// hereAt is the machine and the day of a run.
func hereAt(run *result.Run) string {
	v := newView(&Data{Run: run})
	return "Here: " + v.machine() + "; " + v.started() + "."
}
