// Package checks holds the checks V01–V31 of doc/method.md as one table over recorded causes and the analysis. A check never
// looks at which contestant is ahead; it says whether a number can mean what it seems to.
package checks

// State of a check. The worst state of a number's checks is the number's.
type State int

// States, from good to bad. CannotTell is that of a statistical check that found nothing, and would have missed what it looks for.
const (
	Pass State = iota
	CannotTell
	Warn
	Fail
)

func (s State) String() string { return [...]string{"pass", "cannot tell", "warn", "fail"}[s] }

// Finding is the outcome of one check for one contestant, or for the whole run when Contestant is empty.
type Finding struct {
	ID         string // V01 …
	Title      string
	Contestant string
	State      State
	Text       string // the figure and what it means, one sentence
}
