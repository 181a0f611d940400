// Package checks holds the checks of doc/method.md as one table over recorded causes and the
// analysis. A check does not depend on which contestant is ahead; it says whether a number is
// reliable.
package checks

import (
	"cmp"
	"slices"

	"dyno/internal/analysis"
)

// State is the outcome of a check. The state of a number is the worst state of its checks.
type State int

// States, from good to bad. CannotTell is the state of a check that lacked what it needs to find
// anything.
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
	Text       string // the figure and its meaning, in one sentence
}

// Question is a question that a reader asks before trusting a run. Each check belongs to one.
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

// Questions are all questions, in the order in which reports answer them.
var Questions = []Question{MachineQuiet, GeneratorFree, AnswersRight, WarmedUp, TwinsEqual, EnoughData}

func (q Question) String() string {
	return [...]string{"machine quiet?", "generator free?", "answers right?", "warmed up?", "twins equal?",
		"enough data?"}[q]
}

// Answer combines the findings of all checks of one question.
type Answer struct {
	Question Question
	State    State     // the worst of its findings
	Findings []Finding // worst first; none: no check of it applies to the run
}

// Plain returns the answer in one or two words.
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

// Troubles returns the findings that are warnings or failures.
func (a Answer) Troubles() []Finding {
	n := slices.IndexFunc(a.Findings, func(f Finding) bool { return f.State < Warn })
	if n < 0 {
		n = len(a.Findings)
	}
	return a.Findings[:n]
}

// Summary answers the six questions from the findings.
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

// StateOf returns the worst state among the findings of one check, and whether the check was made.
func StateOf(findings []Finding, id string) (worst State, made bool) {
	for _, f := range findings {
		if f.ID == id {
			worst, made = max(worst, f.State), true
		}
	}
	return worst, made
}

// Concerns reports whether the check of a finding applies to metrics of a kind.
func (f Finding) Concerns(kind analysis.Kind) bool {
	c := ByID(f.ID)
	return c == nil || c.Metrics == 0 || c.Metrics&kind != 0
}

// Bounds reports whether a finding turns the figures that it concerns into lower bounds.
func (f Finding) Bounds() bool {
	c := ByID(f.ID)
	return f.State == Fail && c != nil && c.Bounds
}

// Excludes reports whether the figures that a finding concerns must not be used. A finding that
// makes them lower bounds does not forbid their use, because comparisons mark lower bounds.
func (f Finding) Excludes() bool { return f.State == Fail && !f.Bounds() }
