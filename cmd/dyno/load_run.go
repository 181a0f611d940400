package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	machine "dyno/internal/host"
	"dyno/internal/load"
	"dyno/internal/result"
	"dyno/internal/summary"
	"dyno/internal/terminal"
)

// run puts the load on and says what came of it.
func (p *loadPlan) run(cmd *cobra.Command) error {
	files, err := p.open()
	if err != nil {
		return err
	}
	defer files.close()
	debug.SetGCPercent(400)                                                                // what is observed is garbage by the second, and little of it
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), min(p.job.Workers, runtime.NumCPU())+1)) // the loops keep theirs; one is for the observer

	stderr := cmd.ErrOrStderr()
	var view *terminal.LoadView
	if !p.quiet {
		view = terminal.NewLoad(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", func() int { return width(stderr) },
			p.target.url+": "+p.did, p.length, p.requests)
		view.Start()
	}
	s, err := p.observe(cmd.Context(), files, view)
	if view != nil {
		view.Close()
	}
	if err != nil {
		return err
	}
	return p.conclude(cmd, s, files)
}

// observe runs the load. An interruption is no error: what was seen until then counts.
func (p *loadPlan) observe(ctx context.Context, files *loadFiles, view *terminal.LoadView) (*summary.Summary, error) {
	s := &summary.Summary{
		Dyno: version(), Command: p.command, Target: p.target.url, Did: p.did, Seed: p.seed, Open: p.openLoop, Joining: p.job.Lazy, For: p.length, Timeout: p.timeout,
		Renewing:  p.job.PerConnection > 0,
		SpinAsked: p.spin, NoSpin: p.noSpin,
	}
	session, err := p.engine.Open(ctx, p.job)
	if err != nil && ctx.Err() != nil {
		return nil, errors.New("interrupted while the connections were being made")
	}
	if err != nil {
		return nil, fmt.Errorf("%w; is a server listening at %s?", err, p.target.addr)
	}
	defer session.Close()
	start := time.Now()
	hlog := files.log(start, p.command)
	p.window.Observe = &load.Observe{Into: &s.Detail, Every: time.Second, Tick: func(i result.Interval) {
		s.Seconds = append(s.Seconds, summary.Of(i))
		if hlog != nil {
			hlog.Add(i)
		}
		if view != nil {
			view.Tick(i)
		}
	}}
	suspended := machine.Suspended()
	s.Load, err = session.Run(ctx, p.window)
	s.Wall = time.Since(start)
	s.Suspended = machine.SuspendedBetween(suspended, machine.Suspended())
	if s.Interrupted = err != nil && ctx.Err() != nil; s.Interrupted {
		err = nil
	}
	return s, err
}

// conclude prints the summary and judges.
func (p *loadPlan) conclude(cmd *cobra.Command, s *summary.Summary, files *loadFiles) error {
	stdout := cmd.OutOrStdout()
	s.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	write := summary.Text
	if p.json {
		write = summary.JSON
	}
	err := write(stdout, s)
	if files.csv != nil {
		err = errors.Join(err, summary.CSV(files.csv, s))
	}
	if err = errors.Join(err, files.close()); err != nil {
		return err
	}
	if p.failed(s) {
		return exit(exitFailed)
	}
	return nil
}

// failed reports whether the load must not pass for a good one.
func (p *loadPlan) failed(s *summary.Summary) bool {
	warnings := s.Warnings()
	has := func(id string) bool { return summary.Has(warnings, id) }
	return s.ErrorShare() > p.maxErrors || has(summary.Ended) || has(summary.Connections) || has(summary.Interrupted) || has(summary.Ledger) ||
		p.strict && (has(summary.Generator) || has(summary.Paused))
}
