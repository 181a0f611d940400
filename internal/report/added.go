package report

import (
	"dyno/internal/document"
	"dyno/internal/judge"
)

// Added holds what a caller adds to the report of a run, such as the outcomes of an article's
// claims.
type Added struct {
	Question string          // the question that the run was made to answer
	Answer   []string        // sentences that precede those about who leads
	Closing  []document.Item // items that end the answer in a terminal
	// sections above the one on how far to trust the answer, and below the findings of the checks
	BelowAnswer, BelowFindings []document.Section

	Tables []string // metrics with tables even if the page omits most tables
	JSON   any      // the object under the key claims in run.json

	Conditions []Condition // conditions of dyno compare, as judged
}

// Condition is a --fail-if of dyno compare, judged for a side against the first.
type Condition struct {
	Text       string     `json:"condition"`
	Contestant string     `json:"contestant"`
	On         string     `json:"on,omitempty"` // on how many CPUs, where the sides are compared on several numbers
	State      string     `json:"state"`
	Change     *ratioJSON `json:"change"` // ratio to the first side
	Note       orNull     `json:"note"`
}

// RatioOf returns an estimate as run.json has it.
func RatioOf(e judge.Estimate) *ratioJSON { return new(ratio(e)) }
