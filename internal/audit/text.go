package audit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/importer"
	"dyno/internal/report"
)

// Text writes the report for people, in lines of at most width cells if words allow. With all,
// every check has its own line; otherwise checks with one kind and one source are one entry, with
// the finding that is furthest off.
func Text(w io.Writer, j *Report, width int, all bool) error {
	d := &document.Document{Sections: []document.Section{summary(j)}}
	verdicts := []Verdict{Impossible, Doubtful, CannotTell}
	if all {
		verdicts = append(verdicts, Sound)
	}
	for _, v := range verdicts {
		d.Sections = append(d.Sections, section(j, v, all))
	}
	d.Sections = append(d.Sections, rules(j))
	return document.Text(w, d, document.Options{Width: max(width, 40)})
}

// counts returns cells with a number each.
func counts(list ...int) (cells []document.Cell) {
	for _, n := range list {
		cells = append(cells, document.Cell{Value: numberText(float64(n))})
	}
	return cells
}

// mostNames limits how many unread columns are named.
const mostNames = 20

// summary counts the figures for each document and each verdict.
func summary(j *Report) document.Section {
	var s document.Section
	for _, d := range j.Documents {
		unread := ""
		if n := len(d.Troubles); n > 0 {
			unread = "; " + numberText(float64(n)) + " cannot be read"
		}
		s.Blocks = append(s.Blocks, document.Para(fmt.Sprintf("%s: %s in %s (%s)%s",
			d.Name, document.Count(d.Printed(), "figure"), document.Count(len(d.Rows), "row"), d.Format, unread)))
		if n := len(d.Unread); n > 0 {
			var names []string
			for _, u := range d.Unread[:min(n, mostNames)] {
				names = append(names, u.Text)
			}
			more := ""
			if n > mostNames {
				more = " and " + numberText(float64(n-mostNames)) + " more"
			}
			s.Blocks = append(s.Blocks, document.Para("Columns that are not read: "+strings.Join(names, ", ")+more))
		}
	}
	total := j.Figures.Total()
	t := document.Table{Columns: []document.Column{
		{Head: "verdict", Lead: true}, {Head: "figures", Number: true}, {Head: "share", Number: true},
		{Head: "meaning"},
	}}
	for _, v := range []struct {
		Verdict
		meaning string
	}{
		{Impossible, "they contradict each other, or what is possible"},
		{Doubtful, "possible, but they do not show what they are published for"},
		{Sound, "checked, and consistent"},
		{CannotTell, "too little was published to check them"},
	} {
		row := document.Row{Cells: append([]document.Cell{{Value: v.String()}}, counts(j.Figures[v.Verdict])...)}
		share := document.Cell{Absent: "no figures"}
		if total > 0 {
			share = document.Cell{Value: report.PerCent(float64(j.Figures[v.Verdict]) / float64(total))}
		}
		row.Cells = append(row.Cells, share, document.Cell{Value: v.meaning})
		t.Rows = append(t.Rows, row)
	}
	s.Blocks = append(s.Blocks, t)
	if n := j.Prose.Total(); n > 0 {
		s.Blocks = append(s.Blocks, document.Para(fmt.Sprintf(
			"and %s in prose beside the tables: %d impossible, %d doubtful, %d sound",
			document.Count(n, "figure"), j.Prose[Impossible], j.Prose[Doubtful], j.Prose[Sound])))
	}
	return s
}

// kind is the key by which findings are grouped for display.
type kind struct{ rule, kind, source string }

// entry has the findings of one kind, and the figures that they name.
type entry struct {
	found   []*Finding
	figures map[*importer.Figure]bool
}

// section has the findings with one verdict, a list for each rule and kind.
func section(j *Report, v Verdict, all bool) document.Section {
	var kinds []kind
	entries := map[kind]*entry{}
	for _, f := range j.Findings {
		if f.Verdict != v {
			continue
		}
		k := kind{f.Rule, f.Kind, f.Row.Source}
		if k.source == "" && len(f.Figures) > 0 {
			k.source = f.Figures[0].File
		}
		if entries[k] == nil {
			entries[k] = &entry{figures: map[*importer.Figure]bool{}}
			kinds = append(kinds, k)
		}
		entries[k].found = append(entries[k].found, f)
		for _, fig := range f.Figures {
			entries[k].figures[fig] = true
		}
	}
	// Stable: kinds with one name stay in the order of their sources.
	slices.SortStableFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(ruleIndex(a.rule), ruleIndex(b.rule)), cmp.Compare(a.kind, b.kind))
	})
	s := document.Section{Title: v.String()}
	for i, k := range kinds {
		if i == 0 || kinds[i-1].kind != k.kind || kinds[i-1].rule != k.rule {
			s.Blocks = append(s.Blocks, document.Para(k.rule+" "+k.kind))
		}
		s.Blocks = append(s.Blocks, document.List{Items: []document.Item{entries[k].item(k.source, all)}})
	}
	if list := j.Missing(); v == CannotTell && len(list) > 0 {
		s.Blocks = append(s.Blocks, document.Para("not checked; what could check them"))
		var l document.List
		for _, m := range list {
			l.Items = append(l.Items, document.Item{Text: document.Plain(fmt.Sprintf("%s: %s: %s", m.File,
				document.Count(m.Figures, m.What), m.Needs))})
		}
		s.Blocks = append(s.Blocks, l)
	}
	return s
}

// item returns an entry: the number of figures, and below it all findings or the one that is furthest off.
func (e *entry) item(source string, all bool) document.Item {
	head := source + ": " + document.Count(len(e.figures), "figure")
	if len(e.figures) == 0 {
		head = source + ": " + document.Count(len(e.found), "table")
	}
	it := document.Item{Text: document.Plain(head)}
	found := e.found
	if !all {
		found = []*Finding{slices.MaxFunc(found, func(a, b *Finding) int { return cmp.Compare(a.off, b.off) })}
	}
	last := ""
	for _, f := range found {
		at := ""
		if len(f.Figures) > 0 {
			at = f.Figures[0].Place.String() + ": "
		}
		if who := name(f.Row); who != "" {
			at += who + ": "
		}
		it.More = append(it.More, document.Plain(at+f.Text))
		if f.Note != "" && f.Note != last {
			it.More = append(it.More, document.Plain("("+f.Note+")"))
		}
		last = f.Note
	}
	return it
}

// rules counts each rule's checks, and names the parts that no rule covers.
func rules(j *Report) document.Section {
	checked := j.checks()
	t := document.Table{Columns: []document.Column{{Head: "rule", Lead: true}, {Lead: true}, {Head: "checks",
		Number: true}, {Head: "impossible", Number: true},
		{Head: "doubtful", Number: true}, {Head: "sound", Number: true}, {Head: "cannot tell", Number: true}}}
	var idle, blind []string
	for _, r := range Rules {
		if r.Blind != "" {
			blind = append(blind, r.Blind+" ("+r.ID+")")
		}
		c := checked[r.ID]
		if c.Total() == 0 {
			idle = append(idle, r.ID+" "+r.Name)
			continue
		}
		t.Rows = append(t.Rows, document.Row{Cells: append([]document.Cell{{Value: r.ID}, {Value: r.Name}},
			counts(c.Total(), c[Impossible], c[Doubtful], c[Sound], c[CannotTell])...)})
	}
	s := document.Section{Blocks: []document.Block{t}}
	if len(idle) > 0 {
		s.Blocks = append(s.Blocks, document.Para("Without findings: "+strings.Join(idle, "; ")+"."))
	}
	s.Blocks = append(s.Blocks, document.Para("Not shown by any table: "+strings.Join(blind, "; ")+"."))
	return s
}
