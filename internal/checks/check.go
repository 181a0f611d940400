package checks

import "dyno/internal/analysis"

// Check is a row of the table, which defines everything about a check. A new one is a row with its
// function in table.go, cases in TestChecksAreProvoked, and the same row in doc/method.md.
type Check struct {
	ID       string
	Title    string
	Means    string // for a reader, if its finding is a warning or worse; in few words; "" of MachineQuiet, whose texts say it
	Do       string // what a reader may do about it; empty where the finding says all
	Question Question
	In       Scopes        // of what it speaks, by kind of run
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

// RunKind is a kind of run to which its own set of checks applies.
type RunKind int

// Kinds of runs. Beside is no run of its own, but the levels that a paired run shows and does not
// judge.
const (
	Paired     RunKind = iota // all contestants at one level
	NamedPairs                // named comparisons at several levels
	ExtraLevels
	Sweep
	Search
	Classic
	runKinds
)

// Scope is the subject of a check in a run: the run as a whole, or each level. The zero value means
// that the check does not apply.
type Scope uint8

// Scopes of a check.
const (
	Once      Scope = iota + 1 // of the run as a whole
	EachLevel                  // of each level; of a contestant's levels the worst is kept
)

// Scopes is the scope of a check by kind of run.
type Scopes [runKinds]Scope

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

// ScopeOf returns the scope of the check with that id in a kind of run.
func ScopeOf(id string, kind RunKind) Scope {
	if c := ByID(id); c != nil {
		return c.In[kind]
	}
	return 0
}
