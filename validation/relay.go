package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dyno/internal/bench"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// relayOf is the contestant that reaches a database directly and by a relay, with its scenario.
const (
	relayOf       = "net-http-pgx"
	relayScenario = "tfb-db"
)

// relays makes n pairs of runs, in each of which one program is compared with itself: first "relayed" alone
// reaches the database by a relay into a network namespace, then both do. It prints CPU per request and rate
// of "relayed" over those of "direct".
func (s *session) relays(ctx context.Context, n int) error {
	m, err := s.manifest(relayOf)
	if err != nil {
		return err
	}
	names := []string{"direct", "relayed"}
	for _, name := range names {
		own := *m
		own.Name, own.Title, own.Scenarios = name, name, []string{relayScenario}
		s.manifests = append(s.manifests, &own)
	}
	for i := range 2 * n {
		alone := names[1-i%2:]
		run, err := s.relayed(ctx, names, alone, 20170819+uint64(i))
		if err != nil {
			return err
		}
		fmt.Fprintf(s.stdout, "%d %d relayed:", i/2+1, len(alone))
		a := study.Analyse(run)
		for _, metric := range []string{"cpu_per_request", "throughput"} {
			p, _ := a.Pair(names[1], names[0], metric)
			r := p.Ratio
			if p.A == names[0] {
				r = judge.Estimate{Value: 1 / r.Value, Lo: 1 / r.Hi, Hi: 1 / r.Lo}
			}
			fmt.Fprintf(s.stdout, " %s %.4f (%.4f–%.4f) %s;", metric, r.Value, r.Lo, r.Hi, p.Verdict)
		}
		fmt.Fprintln(s.stdout, "", strings.Join(run.CheckedAlso(), "; "))
	}
	return nil
}

// relayed compares names; those in alone have a network namespace of their own.
func (s *session) relayed(ctx context.Context, names, alone []string, seed uint64) (run *record.Run, err error) {
	dir, err := machine.MkdirTemp("", "dyno-relay-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(dir)) }()
	x, err := s.plan(ctx, plan.Request{Contestants: names, Controls: []string{"none"}, Primary: "cpu_per_request",
		Alpha: Alpha, Margin: Margin, Budget: liveBudget, Seed: seed, NoRated: true, Scenario: relayScenario}, dir)
	if err != nil {
		return nil, err
	}
	db, err := scenario.Read(s.fsys, relayScenario)
	if err != nil {
		return nil, err
	}
	x.Plan.Services = bench.Services(db)
	x.NewHost = func(o bench.LocalOptions) (bench.Host, error) {
		o.Alone = alone
		return bench.NewLocal(o)
	}
	data, err := x.Run(ctx)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	return data.Run, nil
}
