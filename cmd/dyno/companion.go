package main

import (
	"context"
	"os"

	"dyno/internal/bench"
	"dyno/internal/plan"
	"dyno/internal/scenario"
)

// manyRecords, with which a contract is proved besides plan.DefaultRecords, are more than one buffer holds.
const manyRecords = 500

// companionOf is where the companion of s listens; "" if s needs none.
func companionOf(s *scenario.Scenario) (addr string, err error) {
	if s.Companion == "" {
		return "", nil
	}
	if addr = os.Getenv("DYNO_COMPANION"); addr == "" {
		return "", usagef("scenario %s: contestants call the companion %s; say where it listens: DYNO_COMPANION=host:port", s.Name, s.Companion)
	}
	return addr, nil
}

// bind asks the companion of s, if it has one, what must come back.
func bind(ctx context.Context, s *scenario.Scenario) (*scenario.Scenario, error) {
	addr, err := companionOf(s)
	if addr == "" || err != nil {
		return s, err
	}
	return s.Bind(scenario.Ask(ctx, "tcp", addr))
}

// startCompanion builds and starts a companion.
func startCompanion(ctx context.Context, host *bench.Local, name string) (bench.Server, error) {
	if _, err := host.Build(ctx, name, func(string) {}); err != nil {
		return nil, err
	}
	return host.Launch(ctx, name, bench.Launch{Probe: func(ctx context.Context, network, addr string) error {
		return scenario.Tell(ctx, network, addr, plan.DefaultRecords, 1)
	}})
}

// told is what must come back in s when its companion answers with so many records.
func told(ctx context.Context, s *scenario.Scenario, companion bench.Server, records int) (*scenario.Scenario, error) {
	network, addr := companion.Addr()
	if err := scenario.Tell(ctx, network, addr, records, uint64(records)); err != nil {
		return nil, err
	}
	return s.Bind(scenario.Ask(ctx, network, addr))
}
