package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno/internal/bench"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// steadyBudget is a budget that no unit reaches.
const steadyBudget = 10 * time.Minute

// steady makes units of the steadiness experiment until the time is over and appends each to file.
func (s *session) steady(ctx context.Context, file string, most time.Duration) error {
	done, err := readFile(file, ReadSteady)
	if err != nil {
		return err
	}
	commit := s.commit(ctx, file)
	err = RunSteady(ctx, &SteadyOptions{
		Done: done, For: most, Now: time.Now, Play: s.playSteady,
		Keep: func(u SteadyUnit) error {
			u.Commit = commit
			done = append(done, u)
			fmt.Fprintf(s.stderr, "block %d, %v: %.0f s\n", u.Block, u.Arm, u.Seconds)
			return keepLine(file, u)
		},
	})
	if err == nil {
		fmt.Fprint(s.stdout, steadyTable(done))
	}
	return err
}

// playSteady carries out one unit in a temporary folder.
func (s *session) playSteady(ctx context.Context, t SteadyTask) (run *record.Run, err error) {
	dir, err := machine.MkdirTemp("", "dyno-steady-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(dir)) }()
	x, err := s.plan(ctx, plan.Request{
		Protocol: "sweep", Contestants: SteadyContestants, Primary: "throughput", Alpha: Alpha,
		Margin: Margin, Budget: steadyBudget, Epochs: 1, Seed: t.Seed,
	}, dir)
	if err != nil {
		return nil, err
	}
	p := x.Plan // one epoch of the arm alone, without pilots, controls or a ceiling
	p.Load.NS, p.Rounds, p.Pilots, p.Controls, p.Ceiling = t.TrialNS, t.Rounds(), 0, []string{}, ""
	if !t.Frozen {
		x.NewHost = func(o bench.LocalOptions) (bench.Host, error) {
			h, err := bench.NewLocal(o)
			return awake{h}, err
		}
	}
	data, err := x.Run(ctx)
	if err != nil {
		return nil, err
	}
	return data.Run, nil
}

// awake is a host whose servers are never frozen.
type awake struct{ bench.Host }

func (a awake) Launch(ctx context.Context, name string, l bench.Launch) (bench.Server, error) {
	s, err := a.Host.Launch(ctx, name, l)
	if err != nil {
		return nil, err
	}
	return awakeServer{s}, nil
}

type awakeServer struct{ bench.Server }

func (awakeServer) Freeze() error { return nil }
func (awakeServer) Thaw() error   { return nil }
