package load

import (
	"errors"
	"fmt"

	"dyno/internal/http1"
	"dyno/internal/scenario"
)

// What engines say of a connection that ended, or of a request that was given up.
var (
	ErrClosed    = errors.New("the server closed the connection without an answer")
	ErrAnnounced = errors.New("the server announced that it closes, with requests still in the pipeline")
	ErrTimeout   = errors.New("no complete answer in time")
)

// Shown is how much of an answer a complaint quotes, in bytes.
const Shown = 200

// Complaint describes how an answer broke its contract. raw is what was read last. It allocates.
func Complaint(k Kind, p *http1.Parser, w *scenario.Want, s *scenario.Scenario, raw []byte) string {
	r := &s.Requests[w.Index]
	return fmt.Sprintf("%s %s: wrong %v: status %d, body of %d bytes; read last: %.*q",
		r.Method, r.Path, k, p.Status, p.Length, Shown, raw)
}
