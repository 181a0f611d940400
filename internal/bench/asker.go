package bench

import (
	"context"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/scenario"
)

// Asker sends single requests to servers, from where they are loaded: with several machines a server
// may be out of the bench's own reach. What it takes and returns are values.
type Asker interface {
	Verify(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint, differs []string, delay time.Duration) (
		*scenario.Observed, error)
	Inspect(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint) (*scenario.Observed, error)
	Answers(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint) ([]scenario.Answer, error)
	// Dial opens n connections at once, closes them, and returns how many were late (dialledLate) or
	// failed.
	Dial(ctx context.Context, to endpoint.Endpoint, n int) (late int, err error)
	Tell(ctx context.Context, backend endpoint.Endpoint, r Records) error
	Fetch(ctx context.Context, backend endpoint.Endpoint, path string) ([]byte, error)
}

// Direct is the Asker of this machine.
type Direct struct{}

// Verify calls scenario.Verify.
func (Direct) Verify(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint, differs []string,
	delay time.Duration) (*scenario.Observed, error) {
	return scenario.Verify(ctx, s, to, differs, delay)
}

// Inspect calls Scenario.Inspect.
func (Direct) Inspect(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint) (*scenario.Observed, error) {
	return s.Inspect(ctx, to)
}

// Answers calls Scenario.Answers.
func (Direct) Answers(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint) ([]scenario.Answer, error) {
	return s.Answers(ctx, to)
}

// InTurn calls Scenario.InTurn. Generators on other machines, which take no samples either, have no such method.
func (Direct) InTurn(ctx context.Context, s *scenario.Scenario, to endpoint.Endpoint) ([]scenario.Answer, error) {
	return s.InTurn(ctx, to)
}

// Dial opens n connections and closes them. Its error is that of ctx.
func (Direct) Dial(ctx context.Context, to endpoint.Endpoint, n int) (late int, err error) {
	return dialAll(ctx, to, n), ctx.Err()
}

// Tell calls scenario.Tell.
func (Direct) Tell(ctx context.Context, backend endpoint.Endpoint, r Records) error {
	return scenario.Tell(ctx, backend, r.Number, r.Seed)
}

// Fetch calls scenario.Ask.
func (Direct) Fetch(ctx context.Context, backend endpoint.Endpoint, path string) ([]byte, error) {
	return scenario.Ask(ctx, backend)(path)
}
