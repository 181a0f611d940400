package load

import (
	"fmt"

	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// shown is how much of an answer a complaint quotes.
const shown = 200

// Complaint says how an answer broke its contract, for a person; raw is what was read last. It allocates.
func Complaint(k Kind, p *http1.Parser, w *scenario.Want, s *scenario.Scenario, raw []byte) string {
	r := &s.Requests[w.Index]
	return fmt.Sprintf("%s %s: wrong %v: status %d, body of %d bytes; read last: %.*q", r.Method, r.Path, k, p.Status, p.Length, shown, raw)
}
