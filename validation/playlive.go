package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/stats"
)

// Budgets of live runs: with two servers; with four or with programs, whose epochs take longer; and of calibrations.
const (
	liveBudget      = 100 * time.Second
	costsBudget     = 150 * time.Second
	calibrateBudget = 7 * time.Minute
)

// live makes live runs and appends the results to file.
func (s *session) live(ctx context.Context, file, kind string, more int) error {
	done, err := readFile(file, ReadLive)
	if err != nil {
		return err
	}
	commit, now := s.commit(ctx, file), record.Run{Host: machine.Describe()}
	now.Plan.Origin.StartedUnixNS = time.Now().UnixNano()
	err = RunLive(ctx, &LiveOptions{
		Done: done, Kind: kind, More: more, Session: judge.SessionOf(&now),
		Play: func(ctx context.Context, t *LiveTask) (*record.Run, []Cost, error) {
			if t.Kind == LivePairs {
				if err := t.pairUp(done, &now); err != nil {
					return nil, nil, err
				}
			}
			fmt.Fprintf(s.stderr, "live run %d: %s\n", t.Number, strings.Join(t.Contestants, ", "))
			return s.playLive(ctx, *t)
		},
		Keep: func(l Live) error {
			l.Commit = commit
			done = append(done, l)
			fmt.Fprintf(s.stdout, "%d %v\n", l.Number, &l)
			return keepLine(file, l)
		},
	})
	for _, b := range (&Results{Live: done}).LiveBars() {
		fmt.Fprintf(s.stdout, "%s: %s (bar: %s)\n", b.Target, b.Worst, b.Limit)
	}
	return err
}

// playLive carries out one run in a temporary folder.
func (s *session) playLive(ctx context.Context, t LiveTask) (run *record.Run, costs []Cost, err error) {
	dir, err := machine.MkdirTemp("", "dyno-live-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(dir)) }()
	r := plan.Request{
		Contestants: t.Contestants, Controls: []string{"none"}, Primary: "cpu_per_request", Alpha: Alpha,
		Margin: Margin, Budget: liveBudget, Seed: t.Seed, NoRated: true, // tails are not judged
		Scenario: t.Scenario,
	}
	switch t.Kind {
	case LiveFull:
		r.Profile, r.Budget = "full", 0
	case LiveCosts, LivePairs:
		r.Budget = costsBudget
	case LiveCalibrate:
		r.Budget = calibrateBudget
	case LiveRelinked:
		if s, err = s.relinked(t); err != nil {
			return nil, nil, err
		}
		defer func() {
			for _, name := range t.Contestants { // no other run starts them
				err = errors.Join(err, forget(name))
			}
		}()
	}
	x, err := s.plan(ctx, r, dir)
	if err != nil {
		return nil, nil, err
	}
	if t.Hog {
		stop, err := s.startHog(dir, t.Seed)
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	data, err := x.Run(ctx)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, nil, err
	}
	if t.Relinks == nil && t.Scenario == "" {
		costs, err = costsIn(x.Folder, t.Contestants)
	}
	return data.Run, costs, err
}

// relinked returns a session in which t's contestants are built from one source, each with different layouts.
func (s *session) relinked(t LiveTask) (*session, error) {
	manifest, err := s.manifest(LiveSource)
	if err != nil {
		return nil, err
	}
	with := *s
	with.manifests = slices.Clone(s.manifests)
	for i, name := range t.Contestants {
		m := *manifest
		m.Name, m.Title, m.Relink = name, name, t.Relinks[i]
		with.manifests = append(with.manifests, &m)
	}
	return &with, nil
}

// costsIn reads the costs that the servers log, relative to the first server. AddedNS is the median over
// epochs of each process's median, which includes the time to read the clock. Own is the median over epochs
// of the relative total cost per request.
func costsIn(dir string, contestants []string) ([]Cost, error) {
	told := make([]Cost, len(contestants))
	first := map[string]float64{} // by epoch: the first server's total cost per request
	for i, name := range contestants {
		logs, err := filepath.Glob(filepath.Join(dir, "logs", bench.LogName(name, "epoch*")))
		if err != nil {
			return nil, err
		}
		var added, own []float64
		for _, log := range logs {
			var a refserver.Added
			last := machine.Tail(log, 1)
			if len(last) == 0 || json.Unmarshal([]byte(last[0]), &a) != nil {
				return nil, fmt.Errorf("the log of %s does not end with its added cost: %q in %s", name, last, log)
			}
			if a.Sampled > 0 {
				added = append(added, float64(a.P50NS))
			}
			_, epoch, _ := strings.Cut(filepath.Base(log), "-epoch")
			switch base := first[epoch]; {
			case i == 0:
				first[epoch] = a.OwnNS
			case base > 0 && a.OwnNS > 0:
				own = append(own, a.OwnNS/base-1)
			}
		}
		if len(added) == 0 {
			return nil, fmt.Errorf("%s: no sample of the added cost in %d epochs", name, len(logs))
		}
		told[i].AddedNS = stats.Median(added) - told[0].AddedNS
		if len(own) > 0 {
			told[i].Own = stats.Median(own)
		}
	}
	told[0] = Cost{}
	return told, nil
}

// forget removes all builds of the named contestant from dyno's cache.
func forget(name string) error {
	cache, err := contestant.Cache()
	if err != nil {
		return err
	}
	dirs, err := filepath.Glob(filepath.Join(cache, "built", name+"-????????????????*"))
	for _, dir := range dirs {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}
