package judge

import (
	"cmp"
	"slices"
)

// State is a check's outcome. A number's state is the worst state among its checks.
type State int

// States, from good to bad. CannotTell means that the check lacked the data it needs.
const (
	Pass State = iota
	CannotTell
	Warn
	Fail
)

func (s State) String() string { return [...]string{"pass", "cannot tell", "warn", "fail"}[s] }

// Finding is the outcome of one check for one contestant, or for the whole run if Contestant is
// empty.
type Finding struct {
	ID         string // the check's ID
	Title      string
	Contestant string
	State      State
	Text       string // the figure and its meaning, in one sentence
	Longer     bool   // it cannot tell, but may with more epochs
	Relative   bool   // it passes only because each difference found is far larger (Evidence.small)
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

// Questions lists all questions in the order in which reports answer them.
var Questions = []Question{MachineQuiet, GeneratorFree, AnswersRight, WarmedUp, TwinsEqual, EnoughData}

func (q Question) String() string {
	return [...]string{"machine quiet?", "generator free?", "answers right?", "warmed up?", "twins equal?",
		"enough data?"}[q]
}

// Answer combines the findings of all checks on one question.
type Answer struct {
	Question Question
	State    State     // the worst state among Findings
	Findings []Finding // worst first; none: no such check applies to the run
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

// StateOf returns the worst state among one check's findings, and whether the check was made.
func StateOf(findings []Finding, id string) (worst State, made bool) {
	for _, f := range findings {
		if f.ID == id {
			worst, made = max(worst, f.State), true
		}
	}
	return worst, made
}

// Concerns reports whether the finding's check applies to metrics of a kind.
func (f Finding) Concerns(kind Kind) bool {
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
