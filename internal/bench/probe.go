package bench

import (
	"context"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Probe is the question to a program until it is ready. It is a value, so that the machine that
// starts the program can ask it, and reads one clock.
type Probe struct {
	Scenario *scenario.Scenario // its first loaded request must be answered with the right status
	Delay    time.Duration      // the handlers' delay
	Records  *Records           // for the source: the records that it must accept
}

// Records are the records in the source's answers.
type Records struct {
	Number int
	Seed   uint64
}

// Ask asks a server once. The error says why it is not ready.
func (p Probe) Ask(ctx context.Context, to wire.Endpoint) error {
	if r := p.Records; r != nil {
		return scenario.Tell(ctx, to, r.Number, r.Seed)
	}
	return p.Scenario.Probe(p.Delay)(ctx, to)
}
