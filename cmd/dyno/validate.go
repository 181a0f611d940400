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

func validateCommand() *cobra.Command {
	var o validate.Options
	var out string
	var condense, wait bool
	var more, best int
	var steady time.Duration
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Measure the error rates of the verdicts",
		Long: "validate measures how often the verdicts are wrong, and how small a difference they find. It " +
			"compares\n" +
			"simulated servers of known speed in known noise, replays recorded epochs, leaves out one part of the\n" +
			"method at a time, and tries noise that was made to mislead. It writes a page with the results and the\n" +
			"limits that they must keep. The same seed gives the same page. It starts nothing and uses no " +
			"network.\n\n" +
			"With --live it makes real runs of 100 s on this machine instead: 20 that compare one program with\n" +
			"itself, half of them beside a program that takes the CPU; 20 with a cost of 5 %; and one of these with\n" +
			"--profile full. They take about 70 minutes, and the machine must have nothing else to do. Each result\n" +
			"is appended to " + liveFile + " beside the page; --live again makes the runs that are missing.\n" +
			"validate without --live then shows them on the page.",
		Example: "  dyno validate\n  dyno validate --reps 300 --only replay\n  dyno validate --live\n  dyno validate " +
			"--live=4",
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
			case cmd.Flags().Changed("steady") && (cmd.Flags().Changed("reps") || cmd.Flags().Changed("seed") ||
				cmd.Flags().Changed("only") || cmd.Flags().Changed("live")):
				return usagef("--steady makes the steadiness experiment and nothing else; it takes --out and no " +
					"other flag")
			case cmd.Flags().Changed("steady"):
				return validateSteady(cmd, beside(out, steadyFile), steady, wait)
			case cmd.Flags().Changed("best-of-three"):
				return validateBestOf(cmd, beside(out, bestOfFile), best, wait)
			case cmd.Flags().Changed("live") && more < 0:
				return usagef("--live=%d: want how many more runs, or --live alone for all that are missing", more)
			case cmd.Flags().Changed("live") && (cmd.Flags().Changed("reps") || cmd.Flags().Changed("seed") ||
				cmd.Flags().Changed("only")):
				return usagef("--live makes live runs and nothing else; it takes --out and no other flag")
			case cmd.Flags().Changed("live"):
				return validateLive(cmd, beside(out, liveFile), more, wait)
			case o.Reps < 1:
				return usagef("--reps %d; at least 1", o.Reps)
			case o.Only != "" && !validate.IsSection(o.Only):
				return usagef("--only %q%s", o.Only, suggest(o.Only, validate.Sections, "dyno validate --help"))
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
			if p.BestOf, err = readLines(beside(out, bestOfFile), validate.ReadBestOf); err != nil {
				return err
			}
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
	cmd.Flags().IntVar(&o.Reps, "reps", validate.DefaultReps, "simulated comparisons per cell")
	cmd.Flags().Uint64Var(&o.Seed, "seed", validate.DefaultSeed, "seed of all random numbers")
	cmd.Flags().StringVar(&o.Only, "only", "", strings.Join(validate.Sections,
		", ")+": only that, to stdout unless --out is given")
	cmd.Flags().StringVar(&out, "out", "doc/validation.md", "the page; - for stdout")
	cmd.Flags().IntVar(&more, "live", 0, "make live runs: all that are missing, or --live=N for N more")
	cmd.Flags().IntVar(&best, "best-of-three", 0,
		"compare equal servers by the best of three loads of wrk, 40 times or =N more (15 min)")
	cmd.Flags().Lookup("best-of-three").NoOptDefVal = "0"
	waitFlag(cmd, &wait)
	cmd.Flags().Lookup("live").NoOptDefVal = "0"
	cmd.Flags().DurationVar(&steady, "steady", 0,
		"make units of the steadiness experiment for this time (--steady alone: 35m)")
	cmd.Flags().Lookup("steady").NoOptDefVal = "35m"
	cmd.Flags().BoolVar(&condense, "condense", false,
		"condense the given runs into the recording that is replayed, at --out")
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
