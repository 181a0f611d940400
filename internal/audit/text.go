package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"dyno/internal/importer"
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
		unread := ""
		if n := len(d.Troubles); n > 0 {
			unread = fmt.Sprintf("; %d cannot be read", n)
		}
		p.line(0, "%s: %s in %s (%s)%s", d.Name, plural(d.Printed(), "figure"), plural(len(d.Rows), "row"), d.Format, unread)
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

// kind is what findings have in common that are shown together.
type kind struct{ rule, kind, source string }

// entry is the findings of a kind.
type entry struct {
	found   []*Finding
	figures map[*importer.Figure]bool
	dates   []string
	perDate map[string]int // figures; findings, where they name none
}

func (e *entry) add(f *Finding) {
	e.found = append(e.found, f)
	if _, seen := e.perDate[f.Row.Date]; !seen {
		e.dates = append(e.dates, f.Row.Date)
	}
	if len(f.Figures) == 0 {
		e.perDate[f.Row.Date]++
	}
	for _, fig := range f.Figures {
		if !e.figures[fig] {
			e.figures[fig] = true
			e.perDate[f.Row.Date]++
		}
	}
}

// worst is the one that is furthest off.
func (e *entry) worst() *Finding {
	worst := e.found[0]
	for _, f := range e.found {
		if f.off > worst.off {
			worst = f
		}
	}
	return worst
}

// section prints the findings of one verdict.
func (p printer) section(j *Judgement, v Verdict, all bool) {
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
			entries[k] = &entry{figures: map[*importer.Figure]bool{}, perDate: map[string]int{}}
			kinds = append(kinds, k)
		}
		entries[k].add(f)
	}
	slices.SortStableFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(ruleIndex(a.rule), ruleIndex(b.rule)), cmp.Compare(a.kind, b.kind))
	})
	if len(kinds) > 0 {
		p.line(0, "")
		p.line(0, "%s", v)
	}
	for i, k := range kinds {
		if i == 0 || kinds[i-1].kind != k.kind || kinds[i-1].rule != k.rule {
			p.line(2, "%s %s", k.rule, k.kind)
		}
		p.entry(k.source, entries[k], all)
	}
}

func (p printer) entry(source string, e *entry, all bool) {
	n, unit := len(e.figures), "figure"
	if n == 0 {
		n, unit = len(e.found), "table"
	}
	head := source + ": " + plural(n, unit)
	if len(e.dates) > 1 || e.dates[0] != "" {
		slices.Sort(e.dates)
		for i, d := range e.dates {
			sep := ", "
			if i == 0 {
				sep = " – "
			}
			head += sep + cmp.Or(d, "undated")
			if len(e.dates) > 1 {
				head += " " + number(float64(e.perDate[d]))
			}
		}
	}
	p.line(4, "%s", head)
	last, worst := "", e.worst()
	for _, f := range e.found {
		if all || f == worst {
			p.finding(f, &last)
		}
	}
}

// finding prints one, and its note unless it was the last one's too.
func (p printer) finding(f *Finding, last *string) {
	at := ""
	if len(f.Figures) > 0 {
		at = f.Figures[0].Place.String() + ": "
	}
	if who := name(f.Row); who != "" {
		at += who + ": "
	}
	p.line(6, "%s%s", at, f.Text)
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
	var idle, blind []string
	for _, r := range Rules {
		if r.Blind != "" {
			blind = append(blind, r.Blind+" ("+r.ID+")")
		}
		c := counts[r.ID]
		if c.Total() == 0 {
			idle = append(idle, r.ID+" "+r.Name)
			continue
		}
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(r.Name))
		fmt.Fprintf(p, "%-4s %s%s  %6s  %10s  %8s  %6s  %11s\n", r.ID, r.Name, pad, number(float64(c.Total())), number(float64(c[Impossible])),
			number(float64(c[Doubtful])), number(float64(c[Sound])), number(float64(c[CannotTell])))
	}
	if len(idle) > 0 {
		p.line(0, "Found nothing to check or to say: %s.", strings.Join(idle, "; "))
	}
	p.line(0, "What no table shows: %s.", strings.Join(blind, "; "))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return number(float64(n)) + " " + word + "s"
}
