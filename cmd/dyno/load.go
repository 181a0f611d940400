package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/loader"
	"dyno/internal/record"
	"dyno/internal/report"
)

// loadFlags are the flags of dyno load.
type loadFlags struct {
	loader.Request
	output output
	Quiet  bool

	cmd *cobra.Command
}

func loadCommand() *cobra.Command {
	f := &loadFlags{}
	f.cmd = command("load", func(_ *cobra.Command, args []string) error { return f.run(args) }, f, &f.TLS, &f.output)
	return f.cmd
}

// run plans the load, runs it and prints the summary.
func (f *loadFlags) run(args []string) error {
	drawSeed(f.cmd)
	f.Dyno, f.Command = version(), repeated(f.cmd, args)
	if len(args) > 0 {
		f.URL = args[0]
	}
	forms := slices.Sorted(maps.Keys(report.SummaryForms))
	if f.Find != nil {
		forms = slices.Sorted(maps.Keys(report.FoundForms))
	}
	p, err := loader.New(f.cmd.Context(), f.Request)
	if err == nil {
		err = f.output.open(forms)
	}
	if err != nil {
		return err
	}
	defer f.output.close()
	if f.Find != nil {
		return f.find(p)
	}
	s, err := f.watch(p)
	if err != nil {
		return err
	}
	return f.print(s)
}

// print writes the summary and returns the load's outcome.
func (f *loadFlags) print(s *report.Summary) error {
	err := f.write(func(w io.Writer, form string, color bool) error {
		s.Color = color
		return report.SummaryForms[form](w, s)
	})
	if err == nil && f.Failed(s) {
		err = exit(exitFailed)
	}
	return err
}

// write writes a result in the forms that the flags name.
func (f *loadFlags) write(draw func(w io.Writer, form string, color bool) error) error {
	stdout := f.cmd.OutOrStdout()
	return f.output.write(stdout, func(w io.Writer, form string) error { return draw(w, form, w == stdout && colored(w)) })
}

// find searches for the highest rate, shows its probes on stderr and writes the result.
func (f *loadFlags) find(p *loader.Plan) error {
	stderr, n := f.cmd.ErrOrStderr(), 0
	if f.Quiet {
		stderr = io.Discard
	}
	fmt.Fprintln(stderr, "loading "+document.Clean(p.Target+": "+p.Did))
	found, failed := p.Search(f.cmd.Context(), func(probe report.Probe) {
		n++
		fmt.Fprintf(stderr, "probe %d: %s, %s for %v: %s\n", n, probe.Kind, report.Rate(probe.PerSec),
			probe.Length.Round(time.Millisecond), cmp.Or(probe.Outcome(), "done"))
	})
	if found == nil {
		return failed
	}
	err := errors.Join(failed, f.write(func(w io.Writer, form string, color bool) error {
		found.Color = color
		return report.FoundForms[form](w, found)
	}))
	if err == nil && !found.OK() {
		err = exit(exitFailed)
	}
	return err
}

// watch runs the load and shows its progress on stderr.
func (f *loadFlags) watch(p *loader.Plan) (*report.Summary, error) {
	var tick func(record.Interval)
	if !f.Quiet {
		stderr := f.cmd.ErrOrStderr()
		columns := func() int { return width(stderr) }
		view := report.NewLoad(stderr, isTerminal(stderr), columns, p.Target+": "+p.Did, p.Length, p.Requests)
		view.Start()
		defer view.Close()
		tick = view.Tick
	}
	return p.Run(f.cmd.Context(), tick)
}
