// Package audit judges published figures by arithmetic alone: what contradicts itself is impossible, what could be but does not show what it
// is published for is doubtful, what was checked and held is sound, and of what nothing can be computed nobody can tell. It runs nothing and
// knows no contestant. doc/claims.md has the rules and their tolerances.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/bounds"
	"dyno/internal/importer"
)

// Verdict is what is said of a figure; the worse is the larger.
type Verdict int

// The verdicts.
const (
	CannotTell Verdict = iota
	Sound
	Doubtful
	Impossible
)

var verdictNames = [...]string{"cannot tell", "sound", "doubtful", "impossible"}

func (v Verdict) String() string { return verdictNames[v] }

// Tolerances. Each applies beyond what the printed digits leave open.
const (
	slack = bounds.Slack
	half  = 0.5 // share of the connections below which the load was not the one that is named
)

// Finding is one check and what came of it.
type Finding struct {
	Rule    string // R1 … R11
	Kind    string // what of the rule it is, in words
	Verdict Verdict
	Row     *importer.Row
	Figures []*importer.Figure // of which the verdict is said
	Text    string             // the arithmetic, in words
	Note    string             // what is likely behind it, or ""
	off     float64            // how far off: 1 is not at all
}

// Counts are numbers of figures or of checks by verdict.
type Counts [4]int

// Total is their sum.
func (c Counts) Total() int { return c[CannotTell] + c[Sound] + c[Doubtful] + c[Impossible] }

// Judgement is what came of all rules.
type Judgement struct {
	Documents []*importer.Document
	Findings  []*Finding
	Figures   Counts // of the published tables
	Prose     Counts // of what is said in words beside them
	Rows      int

	verdicts map[*importer.Figure]Verdict
}

// judge gathers findings.
type judge struct {
	rows  []*importer.Row
	found []*Finding
}

// Judge applies all rules to what was read.
func Judge(docs []*importer.Document) *Judgement {
	j := &judge{}
	for _, d := range docs {
		j.rows = append(j.rows, d.Rows...)
	}
	for _, row := range j.rows {
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

func (j *judge) add(f Finding) { j.found = append(j.found, &f) }

// sum counts each figure once, by the worst that is said of it.
func (j *judge) sum(docs []*importer.Document) *Judgement {
	out := &Judgement{Documents: docs, Rows: len(j.rows), verdicts: map[*importer.Figure]Verdict{}}
	for _, f := range j.found {
		for _, fig := range f.Figures {
			out.verdicts[fig] = max(out.verdicts[fig], f.Verdict)
		}
	}
	for _, row := range j.rows {
		for _, fig := range row.Figures {
			switch {
			case fig.Prose:
				out.Prose[out.verdicts[fig]]++
			case !fig.Derived:
				out.Figures[out.verdicts[fig]]++
			}
		}
	}
	out.Findings = j.found
	slices.SortStableFunc(out.Findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(ruleIndex(a.Rule), ruleIndex(b.Rule)))
	})
	return out
}

// Of is the verdict on one figure.
func (j *Judgement) Of(f *importer.Figure) Verdict { return j.verdicts[f] }

// Rule is one of the rules, and what of it no table can show.
type Rule struct{ ID, Name, Blind string }

// Rules are all of them.
var Rules = []Rule{
	{"R1", "rate against requests ÷ time", ""},
	{"R2", "Little's law: rate × mean latency = connections", ""},
	{"R3", "capacity: connections ÷ the handler's delay", ""},
	{"R4", "bytes per request", ""},
	{"R5", "right answers", "whether bodies were right"},
	{"R6", "the right server answered", "which server answered"},
	{"R7", "spread against ceiling and noise", ""},
	{"R8", "provenance", "on which machine, with which versions each figure was taken"},
	{"R9", "units, missing values, order", ""},
	{"R10", "equal work", "headers, logging, compression"},
	{"R11", "numbers in prose", "prose that it does not quote"},
}

func ruleIndex(id string) int {
	return slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
}

// name says whose row it is: scenario, contestant, connections.
func name(r *importer.Row) string {
	parts := slices.DeleteFunc([]string{r.Scenario, r.Contestant}, func(s string) bool { return s == "" })
	if r.Connections > 0 {
		parts = append(parts, fmt.Sprintf("c = %s", number(float64(r.Connections))))
	}
	return strings.Join(parts, ", ")
}

// published leaves out what was computed, of which no verdict is said.
func published(figures ...*importer.Figure) []*importer.Figure {
	return slices.DeleteFunc(figures, func(f *importer.Figure) bool { return f == nil || f.Derived })
}
