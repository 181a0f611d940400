package main

import (
	"context"
	"os"

	"dyno/internal/scenario"
)

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
