package checks

import (
	"dyno/internal/analysis"
	"dyno/internal/result"
)

// Check is a row of the table, which defines everything about a check. A new one is a row with its
// function in table.go, cases in TestChecksAreProvoked, and the same row in doc/method.md.
type Check struct {
	ID       string
	Title    string
	Means    string // for a reader, if its finding is a warning or worse; in few words; "" of MachineQuiet, whose texts say it
	Do       string // what a reader may do about it; empty where the finding says all
	Question Question
	In       Scopes        // of what it speaks, by what its plan has
	Metrics  analysis.Kind // that it concerns; 0: all
	Bounds   bool          // its failure makes figures lower bounds
	Limits   []Limit       // what its function compares its figures with
	find     func(*Check, *Evidence) []Finding
}

// Limit are the two thresholds of one figure of a check. A figure beyond Warn is a warning, one
// beyond Fail a failure.
type Limit struct {
	Of         string
	Warn, Fail float64
}

// Scope is the subject of a check in a run: the run as a whole, or each level. The zero value means
// that the check does not apply.
type Scope uint8

// Scopes of a check.
const (
	Once      Scope = iota + 1 // of the run as a whole
	EachLevel                  // of each level; of a contestant's levels the worst is kept
)

// Scopes is the scope of a check by what a plan has.
type Scopes struct {
	OneLevel Scope // all pairs are compared at one level
	Levels   Scope // pairs are compared at several levels
	Beside   Scope // levels that are shown, and at which nothing is compared
	Rates    Scope // an objective, for which the highest rate is searched
	Loads    Scope // loads that are no part of rounds
}

// Place is where checks are made.
type Place int

// Places.
const (
	WholeRun    Place = iota
	OneOfMany         // one level, at which pairs are compared or claims judged
	NotCompared       // one level, at which nothing is compared
)

// of returns the scope in a run of a plan.
func (s *Scopes) of(p *result.Plan, at Place) Scope {
	switch {
	case at == OneOfMany:
		return s.Levels
	case at == NotCompared:
		return s.Beside
	case p.Processes == result.PerLoad:
		return s.Loads
	case p.SLO != nil:
		return s.Rates
	case p.Ranks():
		return s.OneLevel
	}
	return s.Levels
}

// ByID returns the check with that id, or nil if there is none. Records and reports of older
// versions may name checks that no longer exist.
func ByID(id string) *Check {
	for i := range table {
		if table[i].ID == id {
			return &table[i]
		}
	}
	return nil
}

// ScopeOf returns the scope of the check with that id in a run of a plan.
func ScopeOf(id string, p *result.Plan, at Place) Scope {
	if c := ByID(id); c != nil {
		return c.In.of(p, at)
	}
	return 0
}
