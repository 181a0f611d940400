package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/experiment"
	"dyno/internal/plan"
	"dyno/internal/proc"
	"dyno/internal/result"
	"dyno/internal/validate"
)

// steadyFile holds the units of the steadiness experiment, beside the page that shows them.
const steadyFile = "steady.jsonl"

// steadyBudget is a budget that no unit reaches.
const steadyBudget = 10 * time.Minute

// validateSteady makes units of the steadiness experiment for a time and appends each to file.
func validateSteady(cmd *cobra.Command, file string, most time.Duration, wait bool) error {
	release, err := measuring(cmd, wait, "")
	if err != nil {
		return err
	}
	defer release()
	pr, err := openProject()
	if err != nil {
		return err
	}
	done, err := readLines(file, validate.ReadSteady)
	if err != nil {
		return err
	}
	commit := commitOf(cmd.Context(), pr.root, file)
	err = validate.RunSteady(cmd.Context(), &validate.SteadyOptions{
		Done: done, For: most, Now: time.Now,
		Play: func(ctx context.Context, t validate.SteadyTask) (*result.Run, error) { return playSteady(cmd, pr, t) },
		Keep: func(u validate.SteadyUnit) error {
			u.Commit = commit
			done = append(done, u)
			fmt.Fprintf(cmd.ErrOrStderr(), "block %d, %v: %.0f s\n", u.Block, u.Arm, u.Seconds)
			return keepLine(file, u)
		},
	})
	if out := cmd.OutOrStdout(); err == nil {
		err = validate.SteadyTable(out, done)
	}
	return err
}

// playSteady carries out one unit, in a temporary folder.
func playSteady(cmd *cobra.Command, pr *project, t validate.SteadyTask) (run *result.Run, err error) {
	dir, err := proc.MkdirTemp("", "dyno-steady-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, proc.RemoveTemp(dir)) }()
	x, err := pr.validation(cmd, plan.Request{
		Protocol: "sweep", Contestants: validate.SteadyContestants, Primary: "throughput", Alpha: validate.Alpha,
		Margin: validate.Margin,
		Budget: steadyBudget, Epochs: 1, Seed: t.Seed,
	}, dir)
	if err != nil {
		return nil, err
	}
	p := x.Plan // one epoch of the arm, without what a sweep has around it, chained as a paired comparison
	p.TrialNS, p.Rounds, p.Pilots, p.Controls, p.Ceiling, p.Chained = t.TrialNS, t.Rounds(), 0, []string{}, "", true
	if !t.Frozen {
		x.NewHost = func(o bench.LocalOptions) (experiment.Host, error) {
			h, err := bench.NewLocal(o)
			return awake{h}, err
		}
	}
	data, err := measure(cmd, x)
	if err != nil {
		return nil, err
	}
	return data.Run, nil
}

// awake is a host whose servers are never frozen.
type awake struct{ experiment.Host }

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
