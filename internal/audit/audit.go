// Package audit judges published figures by arithmetic alone. It runs nothing and knows no
// contestant.
//
// A figure that contradicts other figures or the laws of arithmetic is impossible. A possible
// figure that does not show what it was published for is doubtful. A figure that passed every check
// is sound. If nothing can be computed, the verdict is "cannot tell". doc/studies.md has the rules
// and their tolerances.
//
// Invariant: the same documents give the same findings in the same order.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/foreign"
	"dyno/internal/importer"
)

// Verdict is a check's result; a larger one is worse.
type Verdict int

// The verdicts. A figure gets the largest verdict from all checks that name it.
const (
	CannotTell Verdict = iota
	Sound
	Doubtful
	Impossible
)

// verdictNames follow the order of the verdicts.
var verdictNames = [...]string{"cannot tell", "sound", "doubtful", "impossible"}

func (v Verdict) String() string { return verdictNames[v] }

// Tolerances, in addition to the rounding of printed digits.
const (
	slack = foreign.Slack
	half  = 0.5 // share of the connections below which the load was not as stated
)

// Finding is one check and its result.
type Finding struct {
	Rule    string // the rule's ID: R1 … R11
	Kind    string // the rule's result in words; findings of one kind are shown together
	Verdict Verdict
	Row     *importer.Row
	Figures []*importer.Figure // the figures that the verdict applies to
	Text    string             // the arithmetic, in words
	Note    string             // the likely cause, or ""
	off     float64            // deviation as a factor; 1 is none
}

// Counts are numbers of figures or checks, indexed by verdict.
type Counts [4]int

// Total returns the sum over all verdicts.
func (c Counts) Total() int { return c[CannotTell] + c[Sound] + c[Doubtful] + c[Impossible] }

// Report is the result of all rules.
type Report struct {
	Documents []*importer.Document
	Findings  []*Finding // the worst first
	Figures   Counts     // counts of figures in the published tables
	Prose     Counts     // figures that the prose beside the tables quotes
}

// examiner gathers findings.
type examiner struct {
	rows  []*importer.Row
	found []*Finding
}

// Examine applies all rules to the documents. Rules for single rows come first, then those for
// tables, because delayLess and power use earlier findings.
func Examine(docs []*importer.Document) *Report {
	j := &examiner{}
	for _, d := range docs {
		j.rows = append(j.rows, d.Rows...)
	}
	for _, row := range j.rows {
		for _, f := range row.Figures {
			f.Judged = 0
		}
		j.traps(row)
		j.rate(row)
		j.identities(row)
		j.goBench(row)
		j.little(row)
		j.capacity(row)
		j.errors(row)
		j.order(row)
		j.prose(row)
	}
	j.delayLess()
	j.unlike()
	j.size()
	j.twice()
	j.stale()
	j.copied()
	j.power()
	j.processes()
	return j.sum(docs)
}

// check adds a finding that is sound until fail or cannotTell changes it. It leaves out derived
// figures and nil, which get no verdict.
func (j *examiner) check(rule, kind string, r *importer.Row, figures ...*importer.Figure) *Finding {
	f := &Finding{Rule: rule, Kind: kind, Verdict: Sound, Row: r, off: 1}
	f.concern(figures...)
	j.found = append(j.found, f)
	return f
}

// concern sets the figures that the verdict applies to.
func (f *Finding) concern(figures ...*importer.Figure) {
	f.Figures = slices.DeleteFunc(slices.Clone(figures), func(f *importer.Figure) bool { return f == nil || f.Derived })
}

// say sets the finding's text: its arithmetic in words.
func (f *Finding) say(format string, args ...any) { f.Text = fmt.Sprintf(format, args...) }

// fail sets the finding's verdict, kind and likely cause.
func (f *Finding) fail(v Verdict, kind, note string) { f.Verdict, f.Kind, f.Note = v, kind, note }

// mark notes the worst verdict on each figure that a finding names.
func (j *examiner) mark() {
	for _, f := range j.found {
		for _, fig := range f.Figures {
			fig.Judged = max(fig.Judged, 1+uint8(f.Verdict))
		}
	}
}

// verdict returns the verdict on a figure, CannotTell if no finding names it; see mark.
func verdict(f *importer.Figure) Verdict { return Verdict(max(f.Judged, 1) - 1) }

// sum sorts the findings and counts each figure once, by its worst verdict.
func (j *examiner) sum(docs []*importer.Document) *Report {
	out := &Report{Documents: docs}
	j.mark()
	for _, row := range j.rows {
		for _, fig := range row.Figures {
			switch {
			case fig.Prose:
				out.Prose[verdict(fig)]++
			case !fig.Derived:
				out.Figures[verdict(fig)]++
			}
		}
	}
	out.Findings = slices.Clone(j.found)
	slices.SortStableFunc(out.Findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(ruleIndex(a.Rule), ruleIndex(b.Rule)))
	})
	return out
}

// checks counts each rule's findings by verdict.
func (j *Report) checks() map[string]Counts {
	all := map[string]Counts{}
	for _, f := range j.Findings {
		c := all[f.Rule]
		c[f.Verdict]++
		all[f.Rule] = c
	}
	return all
}

// Rule is an audit rule. Blind names the part that tables cannot show, or is "".
type Rule struct {
	ID    string `json:"rule"`
	Name  string `json:"name"`
	Blind string `json:"blind,omitempty"`
}

// Rules are all rules, in numerical order.
var Rules = []Rule{
	{"R1", "rate against requests ÷ time", ""},
	{"R2", "Little's law: rate × mean latency = connections", ""},
	{"R3", "capacity: connections ÷ the handler's delay", ""},
	{"R4", "bytes per request", ""},
	{"R5", "right answers", "whether bodies were right"},
	{"R6", "the right server answered", "which server answered"},
	{"R7", "spread against ceiling and noise", ""},
	{"R8", "provenance", "the machine and the versions with which each figure was measured"},
	{"R9", "units, missing values, order", ""},
	{"R10", "equal work", "headers, logging, compression"},
	{"R11", "numbers in prose", "prose that it does not quote"},
}

// ruleIndex returns a rule's place in the order of findings.
func ruleIndex(id string) int {
	return slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
}

// name identifies a row in a sentence by scenario, contestant and connections.
func name(r *importer.Row) string {
	parts := slices.DeleteFunc([]string{r.Scenario, r.Contestant}, func(s string) bool { return s == "" })
	if r.Connections > 0 {
		parts = append(parts, "c = "+numberText(float64(r.Connections)))
	}
	return strings.Join(parts, ", ")
}
