package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
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
	JSON, Quiet bool
	Fleet       string // file that names the machines which make the load; "": this one

	cmd *cobra.Command
}

func loadCommand() *cobra.Command {
	f := &loadFlags{}
	f.cmd = command("load", func(_ *cobra.Command, args []string) error { return f.run(args) }, f, &f.TLS)
	f.cmd.Args = cobra.ArbitraryArgs
	return f.cmd
}

// run plans the load, runs it and prints the summary.
func (f *loadFlags) run(args []string) error {
	for _, arg := range args {
		if _, err := strconv.Atoi(arg); err == nil && f.Follow > 0 {
			return usagef("%s is no URL; if it is the number of --follow, write --follow=%[1]s", arg)
		}
	}
	drawSeed(f.cmd)
	f.Dyno, f.Command = version(), repeated(f.cmd, args)
	if len(args) > 0 {
		f.URL, f.URLs = args[0], args[1:]
	}
	if f.Fleet != "" {
		return loadByFleet(f.cmd, f)
	}
	p, err := loader.New(f.cmd.Context(), f.Request)
	if err != nil {
		return err
	}
	if f.Find != nil {
		return f.find(p)
	}
	files, err := p.Open()
	if err != nil {
		return err
	}
	defer files.Close()
	s, err := f.watch(p)
	if err != nil {
		return err
	}
	return f.print(s, func() error { return files.Write(s) }, files.Close)
}

// print prints the summary, completes its files and returns the load's outcome.
func (f *loadFlags) print(s *report.Summary, rest ...func() error) error {
	stdout := f.cmd.OutOrStdout()
	s.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	write := report.SummaryText
	if f.JSON {
		write = report.SummaryJSON
	}
	err := write(stdout, s)
	for _, do := range rest {
		err = errors.Join(err, do())
	}
	if err != nil {
		return err
	}
	if f.Failed(s) {
		return exit(exitFailed)
	}
	return nil
}

// find searches for the highest rate, shows its probes on stderr and prints the result.
func (f *loadFlags) find(p *loader.Plan) error {
	stdout, stderr := f.cmd.OutOrStdout(), f.cmd.ErrOrStderr()
	n := 0
	tick := func(probe report.Probe) {
		if n++; !f.Quiet {
			fmt.Fprintf(stderr, "probe %d: %s, %s for %v: %s\n", n, probe.Kind, report.Rate(probe.PerSec),
				probe.Length.Round(time.Millisecond), cmp.Or(probe.Outcome(), "done"))
		}
	}
	if !f.Quiet {
		fmt.Fprintln(stderr, "loading "+document.Clean(p.Target+": "+p.Did))
	}
	found, failed := p.Search(f.cmd.Context(), tick)
	if found == nil {
		return failed
	}
	found.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	write := report.FoundText
	if f.JSON {
		write = report.FoundJSON
	}
	if err := errors.Join(failed, write(stdout, found)); err != nil {
		return err
	}
	if !found.OK() {
		return exit(exitFailed)
	}
	return nil
}

// watch runs the load and shows its progress on stderr.
func (f *loadFlags) watch(p *loader.Plan) (*report.Summary, error) {
	var tick func(record.Interval)
	if !f.Quiet {
		stderr := f.cmd.ErrOrStderr()
		columns := func() int { return width(stderr) }
		view := report.NewLoad(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", columns,
			p.Target+": "+p.Did, p.Length, p.Requests)
		view.Start()
		defer view.Close()
		tick = view.Tick
	}
	return p.Run(f.cmd.Context(), tick)
}
