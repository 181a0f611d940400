package refserver

import (
	"strings"

	"dyno/internal/scenario"
)

// Flaw is a defect of a Reference. Only tests set one: a verifier must find it.
type Flaw uint8

// The flaws.
const (
	AnyID         Flaw = iota + 1 // accepts any text as a number
	Forgetful                     // stores nothing
	OneForAll                     // gives all visitors the same session
	Renewing                      // changes the session id with each request
	LateRenewing                  // like Renewing, after LateAfter requests
	Trusting                      // takes an unknown id for the last issued one
	ByConnection                  // identifies visitors by connection, not by cookie
	Hasty                         // ignores the delay
	HastyInCrowds                 // ignores the delay during concurrent requests
)

// LateAfter is the number of right responses before a late defect.
const LateAfter = 10_000

func isError(q *scenario.Request) bool { return q.Expect.Status >= 400 }

// isDrawn reports whether the expected body repeats a drawn value.
func isDrawn(q *scenario.Request) bool { return drawnIn(q, bodyOf(q)) != "" }

// drawnIn returns the name of one of q's inputs that is a placeholder in body; "" if there is none.
func drawnIn(q *scenario.Request, body string) string {
	for name := range q.With {
		if !q.Expect.Verbatim && strings.Contains(body, "{"+name+"}") {
			return name
		}
	}
	return ""
}
