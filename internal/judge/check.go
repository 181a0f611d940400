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
	In       Kinds   // kinds of runs and levels to which it applies
	Each     bool    // in a run at several levels it judges each level, and a contestant keeps its worst
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

// Kinds are the kinds of runs and levels to which a check applies.
type Kinds uint8

// Kinds of runs, and of levels in a run at several.
const (
	OneLevel Kinds = 1 << iota // all pairs are compared at one level
	Levels                     // pairs are compared, or claims judged, at several levels; or such a level
	Beside                     // a level at which nothing is compared
	Loads                      // loads outside rounds
)

// kindOf returns the kind of a run with this plan.
func kindOf(p *record.Plan) Kinds {
	switch {
	case p.Processes == record.PerLoad:
		return Loads
	case p.Ranks():
		return OneLevel
	}
	return Levels
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
