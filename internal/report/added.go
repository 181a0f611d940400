package report

import (
	"dyno/internal/document"
)

// Added is what a caller shows of a run beyond its record, such as how it stands to the claims of an article.
type Added struct {
	Question string           // that the run was made to answer
	Answer   []string         // sentences before those about who leads
	Front    []document.Block // below the charts beside the answer
	Closing  []document.Item  // of the answer in a terminal
	Sections []Placed
	Charted  []string // metrics that Sections chart
	Tables   []string // metrics that have tables also where others are left out
	JSON     any      // what run.json has under claims
}

// Placed is a section with its place in a report.
type Placed struct {
	At Place
	document.Section
}

// Place is a place in a report at which a caller adds sections.
type Place int

const (
	BelowAnswer   Place = iota // above how far to trust it
	AboveLevels                // of a run at several, above their tables
	BelowFindings              // of the checks
)

// placed returns the sections that the caller adds at a place.
func (v *View) placed(at Place) (list []document.Section) {
	for _, s := range v.Added.Sections {
		if s.At == at {
			list = append(list, s.Section)
		}
	}
	return list
}
