// Package checks holds the checks of doc/method.md as one table over recorded causes and the
// analysis. A check never looks at which contestant is ahead; it says whether a number can mean
// what it seems to.
package checks

import (
	"cmp"
	"slices"

	"dyno/internal/analysis"
)

// State of a check. The worst state of a number's checks is the number's.
type State int

// States, from good to bad. CannotTell is that of a statistical check that found nothing, and would
// have missed what it looks for.
const (
	Pass State = iota
	CannotTell
	Warn
	Fail
)

func (s State) String() string { return [...]string{"pass", "cannot tell", "warn", "fail"}[s] }

// Finding is the outcome of one check for one contestant, or for the whole run when Contestant is
// empty.
type Finding struct {
	ID         string // of its check
	Title      string
	Contestant string
	State      State
	Text       string // the figure and what it means, one sentence
}

// Question is what a reader wants to know before believing a run. Each check belongs to one.
type Question int

// The six questions.
const (
	MachineQuiet Question = iota
	GeneratorFree
	AnswersRight
	WarmedUp
	TwinsEqual
	EnoughData
)

// Questions are all of them, in the order in which they are answered.
var Questions = []Question{MachineQuiet, GeneratorFree, AnswersRight, WarmedUp, TwinsEqual, EnoughData}

func (q Question) String() string {
	return [...]string{"machine quiet?", "generator free?", "answers right?", "warmed up?", "twins equal?",
		"enough data?"}[q]
}

// Answer is what the checks of one question found together.
type Answer struct {
	Question Question
	State    State     // the worst of its findings
	Findings []Finding // worst first; none: no check of it applies to the run
}

// Plain is the answer in a word or two.
func (a Answer) Plain() string {
	switch {
	case len(a.Findings) == 0:
		return "not asked"
	case a.State == Pass:
		return "yes"
	case a.State == CannotTell:
		return "cannot tell"
	case a.State == Warn:
		return "nearly"
	}
	return "no"
}

// Troubles are the findings of an answer that are warnings or failures.
func (a Answer) Troubles() []Finding {
	n := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.State < Warn })
	if n < 0 {
		n = len(a.Findings)
	}
	return a.Findings[:n]
}

// Summary answers the six questions by what was found.
func Summary(findings []Finding) []Answer {
	out := make([]Answer, len(Questions))
	for _, q := range Questions {
		out[q].Question = q
	}
	for _, f := range findings {
		if c := ByID(f.ID); c != nil {
			a := &out[c.Question]
			a.State, a.Findings = max(a.State, f.State), append(a.Findings, f)
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].Findings, func(x, y Finding) int { return cmp.Compare(y.State, x.State) })
	}
	return out
}

// StateOf is the worst state that one check has found, and whether it was made.
func StateOf(findings []Finding, id string) (worst State, made bool) {
	for _, f := range findings {
		if f.ID == id {
			worst, made = max(worst, f.State), true
		}
	}
	return worst, made
}

// Concerns reports whether the check of a finding says something of metrics of a kind.
func (f Finding) Concerns(kind analysis.Kind) bool {
	c := ByID(f.ID)
	return c == nil || c.Metrics == 0 || c.Metrics&kind != 0
}

// Bounds reports whether a finding makes the figures that it concerns lower bounds.
func (f Finding) Bounds() bool {
	c := ByID(f.ID)
	return f.State == Fail && c != nil && c.Bounds
}

// StrikesOut reports whether a finding forbids to use the figures that it concerns. That of a lower
// bound does not: a comparison of it says so itself.
func (f Finding) StrikesOut() bool { return f.State == Fail && !f.Bounds() }
