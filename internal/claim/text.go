package claim

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"dyno/internal/foreign"
	"dyno/internal/report"
)

// Text writes the judgement for people, in lines of at most width cells where words allow. With all, every check stands on a line of its
// own; else checks of one kind and one table are one entry, shown by the one that is furthest off.
func Text(w io.Writer, j *Judgement, width int, all bool) error {
	var b bytes.Buffer
	p := printer{&b, max(width, 40)}
	p.summary(j)
	verdicts := []Verdict{Impossible, Doubtful, CannotTell}
	if all {
		verdicts = []Verdict{Impossible, Doubtful, CannotTell, Sound}
	}
	for _, v := range verdicts {
		p.section(j, v, all)
	}
	p.rules(j)
	_, err := w.Write(b.Bytes())
	return err
}

type printer struct {
	*bytes.Buffer
	width int
}

// line writes text after an indent, broken at blanks, further lines indented by two more.
func (p printer) line(indent int, format string, args ...any) {
	text := report.Clean(fmt.Sprintf(format, args...))
	lead, used := strings.Repeat(" ", indent), 0
	p.WriteString(lead)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if i > 0 {
			if indent+used+1+n > p.width {
				p.WriteString("\n" + lead + "  ")
				used = 2
			} else {
				p.WriteByte(' ')
				used++
			}
		}
		p.WriteString(word)
		used += n
	}
	p.WriteByte('\n')
}

func (p printer) summary(j *Judgement) {
	for _, d := range j.Documents {
		p.line(0, "%s: %s in %s (%s)", d.Name, plural(d.Printed(), "figure"), plural(len(d.Rows), "row"), d.Format)
	}
	total := j.Figures.Total()
	words := map[Verdict]string{
		Impossible: "contradict each other, or what is possible", Doubtful: "could be, but do not show what they are published for",
		Sound: "were checked, and nothing speaks against them", CannotTell: "nothing is published that they could be checked against, or they are missing",
	}
	for _, v := range []Verdict{Impossible, Doubtful, Sound, CannotTell} {
		n := j.Figures[v]
		share := ""
		if total > 0 {
			share = report.PerCent(float64(n) / float64(total))
		}
		fmt.Fprintf(p, "  %-11s %7s  %6s  %s\n", v, number(float64(n)), share, words[v])
	}
	if n := j.Prose.Total(); n > 0 {
		p.line(2, "and %s said in words beside the tables: %d impossible, %d doubtful, %d sound", plural(n, "figure"), j.Prose[Impossible], j.Prose[Doubtful], j.Prose[Sound])
	}
}

// entry is findings of one kind about one table.
type entry struct {
	first   *Finding // the one furthest off
	checks  int
	figures map[*foreign.Figure]bool
}

type kind struct{ rule, kind string }

// section prints the findings of one verdict.
func (p printer) section(j *Judgement, v Verdict, all bool) {
	var kinds []kind
	entries := map[kind]map[string]*entry{}
	tables := map[kind][]string{}
	for _, f := range j.Findings {
		if f.Verdict != v {
			continue
		}
		k, table := kind{f.Rule, f.Kind}, strings.TrimSpace(f.Row.Source+" "+f.Row.Date)
		if entries[k] == nil {
			entries[k] = map[string]*entry{}
			kinds = append(kinds, k)
		}
		e := entries[k][table]
		if e == nil {
			e = &entry{first: f, figures: map[*foreign.Figure]bool{}}
			entries[k][table] = e
			tables[k] = append(tables[k], table)
		}
		e.checks++
		if f.off > e.first.off {
			e.first = f
		}
		for _, fig := range f.Figures {
			e.figures[fig] = true
		}
	}
	if len(kinds) > 0 {
		p.line(0, "")
		p.line(0, "%s", v)
	}
	for _, k := range kinds {
		p.kind(j, v, k, entries[k], tables[k], all)
	}
}

func (p printer) kind(j *Judgement, v Verdict, k kind, entries map[string]*entry, tables []string, all bool) {
	figures, checks := map[*foreign.Figure]bool{}, 0
	for _, e := range entries {
		checks += e.checks
		for f := range e.figures {
			figures[f] = true
		}
	}
	of := plural(len(figures), "figure")
	if len(figures) == 0 {
		of = plural(checks, "table")
	}
	p.line(2, "%s %s: %s", k.rule, k.kind, of)
	note := ""
	for _, table := range tables {
		e := entries[table]
		if all {
			for _, f := range j.Findings {
				if f.Verdict == v && f.Rule == k.rule && f.Kind == k.kind && strings.TrimSpace(f.Row.Source+" "+f.Row.Date) == table {
					p.finding(f, &note)
				}
			}
			continue
		}
		head := table
		if e.checks > 1 {
			what := plural(len(e.figures), "figure")
			if len(e.figures) == 0 {
				what = plural(e.checks, "table")
			}
			head += ", " + what + "; the furthest off:"
		}
		p.line(4, "%s", head)
		p.finding(e.first, &note)
	}
}

// finding prints one, and its note unless it was the last one's too.
func (p printer) finding(f *Finding, last *string) {
	at := ""
	if len(f.Figures) > 0 {
		at = f.Figures[0].Place.String() + ": "
	}
	p.line(6, "%s%s: %s", at, name(f.Row), f.Text)
	if f.Note != "" && f.Note != *last {
		p.line(8, "(%s)", f.Note)
	}
	*last = f.Note
}

// rules prints what was checked by each rule.
func (p printer) rules(j *Judgement) {
	counts := map[string]*Counts{}
	for _, r := range Rules {
		counts[r.ID] = &Counts{}
	}
	for _, f := range j.Findings {
		counts[f.Rule][f.Verdict]++
	}
	wide := 0
	for _, r := range Rules {
		wide = max(wide, utf8.RuneCountInString(r.Name))
	}
	fmt.Fprintf(p, "\nrule %s  checks  impossible  doubtful   sound  cannot tell\n", strings.Repeat(" ", wide))
	for _, r := range Rules {
		c := counts[r.ID]
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(r.Name))
		if c.Total() == 0 {
			fmt.Fprintf(p, "%-4s %s%s       –\n", r.ID, r.Name, pad)
			continue
		}
		fmt.Fprintf(p, "%-4s %s%s  %6s  %10s  %8s  %6s  %11s\n", r.ID, r.Name, pad, number(float64(c.Total())), number(float64(c[Impossible])),
			number(float64(c[Doubtful])), number(float64(c[Sound])), number(float64(c[CannotTell])))
	}
	for _, r := range Rules {
		if r.Blind != "" {
			p.line(0, "%s: %s.", r.ID, r.Blind)
		}
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return number(float64(n)) + " " + word + "s"
}
