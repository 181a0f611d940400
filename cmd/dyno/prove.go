package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/result"
	"dyno/internal/validate"
)

// liveFile holds the results of live runs, beside the page that shows them.
const liveFile = "live.jsonl"

func proveCommand() *cobra.Command {
	var o validate.Options
	var out string
	var condense, wait bool
	var more int
	var steady time.Duration
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Show by experiment that the verdicts hold",
		Long: "prove lets servers of known speed duel in known noise, replays recorded epochs, leaves out one part of the method at a time, and sets traps;\n" +
			"it writes what came of it, against the bars, as a page. The same seed gives the same page. Nothing is started and no network is used.\n\n" +
			"With --live it makes live runs instead, on this machine: servers of known cost duel in real runs of 100 s, 20 of one program against itself, half of\n" +
			"them beside a program that takes the CPU, and 20 of a cost of 5 %, and one more of that with profile full. It takes about 70 minutes, and the machine must have\n" +
			"nothing else to do. Each result is appended to " + liveFile + " beside the page as soon as it is there; --live again goes on with what is missing, and the\n" +
			"page, made anew without --live, shows what there is.",
		Example: "  dyno prove\n  dyno prove --reps 300 --only replay\n  dyno prove --live\n  dyno prove --live=4",
		Args: func(cmd *cobra.Command, args []string) error {
			if condense {
				return arguments(cobra.MinimumNArgs(1))(cmd, args)
			}
			return arguments(cobra.NoArgs)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case condense && !cmd.Flags().Changed("out"):
				return usagef("--condense wants --out")
			case condense:
				return condenseRuns(args, out)
			case cmd.Flags().Changed("steady") && (cmd.Flags().Changed("reps") || cmd.Flags().Changed("seed") || cmd.Flags().Changed("only") || cmd.Flags().Changed("live")):
				return usagef("--steady makes the steadiness experiment and nothing else; beside it there is room for --out only")
			case cmd.Flags().Changed("steady"):
				return proveSteady(cmd, beside(out, steadyFile), steady, wait)
			case cmd.Flags().Changed("live") && more < 0:
				return usagef("--live=%d: want how many more runs, or --live alone for all that are missing", more)
			case cmd.Flags().Changed("live") && (cmd.Flags().Changed("reps") || cmd.Flags().Changed("seed") || cmd.Flags().Changed("only")):
				return usagef("--live makes live runs and nothing else; beside it there is room for --out only")
			case cmd.Flags().Changed("live"):
				return proveLive(cmd, beside(out, liveFile), more, wait)
			case o.Reps < 1:
				return usagef("--reps %d; at least 1", o.Reps)
			case o.Only != "" && !validate.IsSection(o.Only):
				return usagef("--only %q%s", o.Only, suggest(o.Only, validate.Sections, "dyno prove --help"))
			}
			if o.Only != "" && !cmd.Flags().Changed("out") {
				out = "-"
			}
			debug.SetGCPercent(800) // little is kept, and much is made
			start := time.Now()
			o.Progress = func(text string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%6s  %s\n", time.Since(start).Round(time.Second), text)
			}
			live, err := readLines(beside(out, liveFile), validate.ReadLive)
			if err != nil {
				return err
			}
			p, err := validate.Run(cmd.Context(), &o)
			if err != nil {
				return err
			}
			p.Live = live
			if p.Steady, err = readLines(beside(out, steadyFile), validate.ReadSteady); err != nil {
				return err
			}
			var page bytes.Buffer
			if err := validate.Page(&page, p); err != nil {
				return err
			}
			o.Progress("done")
			if out == "-" {
				_, err := cmd.OutOrStdout().Write(page.Bytes())
				return err
			}
			return os.WriteFile(out, page.Bytes(), 0o644)
		},
	}
	cmd.Flags().IntVar(&o.Reps, "reps", validate.DefaultReps, "duels per cell")
	cmd.Flags().Uint64Var(&o.Seed, "seed", validate.DefaultSeed, "of all that is drawn")
	cmd.Flags().StringVar(&o.Only, "only", "", strings.Join(validate.Sections, ", ")+": only that, to stdout unless --out is given")
	cmd.Flags().StringVar(&out, "out", "doc/proof.md", "the page; - for stdout")
	cmd.Flags().IntVar(&more, "live", 0, "make live runs: all that are missing, or --live=N for N more")
	waitFlag(cmd, &wait)
	cmd.Flags().Lookup("live").NoOptDefVal = "0"
	cmd.Flags().DurationVar(&steady, "steady", 0, "make units of the steadiness experiment for so long (35m unless given as --steady=TIME)")
	cmd.Flags().Lookup("steady").NoOptDefVal = "35m"
	cmd.Flags().BoolVar(&condense, "condense", false, "condense the given runs into the recording that is replayed, at --out")
	if err := cmd.Flags().MarkHidden("condense"); err != nil {
		panic(err)
	}
	return cmd
}

// beside is where a file with results lies that a page shows.
func beside(page, file string) string {
	if page == "-" {
		return filepath.Join("doc", file)
	}
	return filepath.Join(filepath.Dir(page), file)
}

// readLines reads the results that a file has, one a line; none where there is no file.
func readLines[T any](name string, read func(io.Reader, string) ([]T, error)) ([]T, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name)
}

// keepLine appends a result to a file, and to the disk.
func keepLine(name string, result any) error {
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

func condenseRuns(paths []string, out string) error {
	var runs []*result.Run
	for _, path := range paths {
		run, err := result.Open(path)
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	var b bytes.Buffer
	if err := validate.Condense(&b, runs); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}
