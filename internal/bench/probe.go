package bench

import (
	"context"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/scenario"
)

// Probe is what a program is asked until it is ready. It is a value, so that the machine that starts
// the program can ask it, and reads one clock.
type Probe struct {
	Scenario *scenario.Scenario // its first loaded request must be answered with the right status
	Delay    time.Duration      // of the handlers
	Records  *Records           // of a backend, which must take them instead
}

// Records are what a backend answers with.
type Records struct {
	Number int
	Seed   uint64
}

// Ask asks a server once. The error says why it is not ready.
func (p Probe) Ask(ctx context.Context, to endpoint.Endpoint) error {
	if r := p.Records; r != nil {
		return scenario.Tell(ctx, to, r.Number, r.Seed)
	}
	return p.Scenario.Probe(p.Delay)(ctx, to)
}
