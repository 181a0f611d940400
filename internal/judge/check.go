package judge

import (
	"dyno/internal/record"
)

// Check is a row in the table, which defines everything about a check. A new check is a row with
// its function in table.go, cases in TestChecksAreProvoked, and the same row in doc/method.md.
type Check struct {
	ID       string
	Title    string
	Means    string // explains a warning or failure in few words; "" for MachineQuiet, whose finding explains itself
	Do       string // suggests a remedy; "" if the finding says it
	Question Question
	In       Scopes  // whether it applies to the whole run or each level, by kind of plan
	Metrics  Kind    // metrics that it applies to; 0: all
	Bounds   bool    // its failure makes figures lower bounds
	Limits   []Limit // limits for the figures that find computes
	find     func(*Check, *Evidence) []Finding
	One      OfOneLoad // how it judges a single load, as dyno load makes it
}

// Limit holds two thresholds for one figure. A figure beyond Warn is a warning, beyond Fail a
// failure.
type Limit struct {
	Of         string
	Warn, Fail float64
}

// Scope says whether a check covers the run as a whole or each level. The zero value means that the
// check does not apply.
type Scope uint8

// Scopes of a check.
const (
	Once      Scope = iota + 1 // the run as a whole
	EachLevel                  // each level; a contestant keeps its worst level
)

// Scopes gives a check's scope by kind of plan.
type Scopes struct {
	OneLevel Scope // all pairs are compared at one level
	Levels   Scope // pairs are compared at several levels
	Beside   Scope // levels that are shown but not compared
	Rates    Scope // an objective: the run searches for the highest rate
	Loads    Scope // loads outside rounds
}

// Spot is a place where checks are made.
type Spot int

// The spots.
const (
	WholeRun    Spot = iota
	OneOfMany        // one level, at which pairs are compared or claims judged
	NotCompared      // one level, at which nothing is compared
)

// of returns the scope for a plan at a place.
func (s *Scopes) of(p *record.Plan, at Spot) Scope {
	switch {
	case at == OneOfMany:
		return s.Levels
	case at == NotCompared:
		return s.Beside
	case p.Processes == record.PerLoad:
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
