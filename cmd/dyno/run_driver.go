package main

import (
	"context"
	"errors"

	"dyno/internal/bench"
	"dyno/internal/load/external"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// driver finds the plan's external load generator and checks that it can make the loads; nil where the plan has none.
func driver(ctx context.Context, p *result.Plan, scenarios []*scenario.Scenario) (bench.External, error) {
	if p.Driver == "" {
		return nil, nil
	}
	tool, err := external.Find(ctx, p.Driver)
	if err != nil {
		var missing *external.Missing
		if !errors.As(err, &missing) {
			err = usage(err)
		}
		return nil, err
	}
	for _, s := range scenarios {
		for _, l := range p.Points() {
			if err := tool.Check(s, l, p.Requests); err != nil {
				return nil, usagef("--driver %s: %w", p.Driver, err)
			}
		}
	}
	return tool, nil
}
