package refserver

import (
	"context"
	"net"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/scenario"
)

// Options say how a reference server runs.
type Options struct {
	Scenarios []*scenario.Scenario // that it answers; at least one
	Addr      string               // host:port to listen on
	Delay     time.Duration        // that a reference waits before it answers
	Hash      bool                 // a reference computes a hash for each answer
}

// Run serves as c until ctx is done. It returns what the server counted, for a line of JSON: the Tally
// of a null server, what a reference has Added, and nil of a mutant.
func (c *Control) Run(ctx context.Context, o Options) (counted any, err error) {
	if c.Null {
		null, _, err := NullOf(o.Scenarios[0], o.Scenarios[1:]...)
		if err != nil {
			return nil, err
		}
		null.Manner = c.Manner
		return null.Serve(ctx, "tcp", o.Addr)
	}
	s, err := Join(o.Scenarios)
	if err == nil {
		err = Can(s)
	}
	if err != nil {
		return nil, err
	}
	extra := time.Duration(c.Extra * float64(RefCost))
	ref := &Reference{Scenario: s, Delay: o.Delay, Hash: o.Hash, Turns: TurnsFor(extra)}
	backend, err := s.BackendAddr()
	if err != nil {
		return nil, err
	}
	if backend != "" {
		ref.Ask = scenario.Ask(ctx, endpoint.TCP(backend))
	}
	ln, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, err
	}
	if c.Mutant != nil {
		return nil, c.Mutant.Serve(ctx, ln, ref)
	}
	if err := ref.Serve(ctx, ln); err != nil {
		return nil, err
	}
	return ref.Added(), nil
}
