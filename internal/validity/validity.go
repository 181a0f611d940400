// Package validity holds the checks V01–V29 of doc/method.md as one table over recorded causes and the analysis. A check never
// looks at which contestant is ahead; it says whether a number can mean what it seems to.
package validity

// State of a check. The worst state of a number's checks is the number's.
type State int

// States, from good to bad.
const (
	Pass State = iota
	Warn
	Fail
)

func (s State) String() string { return [...]string{"pass", "warn", "fail"}[s] }

// Finding is the outcome of one check for one contestant, or for the whole run when Contestant is empty.
type Finding struct {
	ID         string // V01 …
	Title      string
	Contestant string
	State      State
	Text       string // the figure and what it means, one sentence
}
