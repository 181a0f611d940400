package main

import (
	"cmp"
	"context"
	"os"

	"dyno/internal/bench"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// fewRecords is how many records a companion answers with where nobody says; manyRecords, with which a contract is proved too, are more than one
// buffer holds.
const fewRecords, manyRecords = 10, 500

// setCompanion puts into a plan which companion its scenarios need, all the same one or none, and into its levels how many records it answers with.
func (p *project) setCompanion(of *result.Plan, sc *scenario.Scenario) error {
	others, err := p.others(of)
	if err != nil {
		return err
	}
	of.Companion = sc.Companion
	levels := []*result.Level{&of.Level}
	for i := range of.Levels {
		levels = append(levels, &of.Levels[i])
	}
	for _, l := range levels {
		s := cmp.Or(others[l.Scenario], sc)
		switch {
		case s.Companion != of.Companion:
			return usagef("the scenarios %s and %s cannot be run at once: want one companion for all, or none", sc.Name, s.Name)
		case s.Companion == "" && l.Records != 0:
			return usagef("--records: contestants of the scenario %s call no companion that answers with records", s.Name)
		case l.Records < 0:
			return usagef("--records %d: want 1 or more", l.Records)
		case s.Companion != "" && l.Records == 0 && of.Study != "":
			return usagef("the study %s: a level of the scenario %s has no records: say how many its companion answers with", of.Study, s.Name)
		case s.Companion != "" && l.Records == 0:
			l.Records = fewRecords
		}
	}
	return nil
}

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
		return scenario.Tell(ctx, network, addr, fewRecords, 1)
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
