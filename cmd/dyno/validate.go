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
	"dyno/internal/study"
	"dyno/internal/validate"
)

// liveFile holds the results of live runs, beside the page that shows them.
const liveFile = "live.jsonl"

// validateFlags are the flags of dyno validate: the contents of the page, or the experiment to run
// instead.
type validateFlags struct {
	validate.Options
	out            string
	condense, wait bool
	live, best     int
	steady         time.Duration
}

func validateCommand() *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Measure the error rates of the verdicts",
		Long: "validate measures how often the verdicts are wrong and how small a difference they detect. It " +
			"compares\n" +
			"simulated servers of known speed in known noise, replays recorded epochs, leaves out one part of the\n" +
			"method at a time, and tries noise designed to mislead. It writes a page with the results and their\n" +
			"limits. The same seed gives the same page. It starts no server and uses no network.\n\n" +
			"With --live it makes real runs of 70 to 150 s on this machine instead: 20 that compare one program\n" +
			"with itself, half of them while another program uses the CPU; 20 with an added cost of 5 %, and one\n" +
			"with --profile full; 40 that compare programs linked anew of one source; and 20 of four servers that\n" +
			"cost 0, 2, 5 and 10 % more. They take three hours on an otherwise idle machine. Each result is appended\n" +
			"to " + liveFile + " beside the page; --live again makes the runs that are missing, --live=N the next N.\n" +
			"validate without --live then shows them on the page.",
		Example: "  dyno validate\n  dyno validate --reps 300 --only replay\n  dyno validate --live\n" +
			"  dyno validate --live=4",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.condense {
				return arguments(cobra.MinimumNArgs(1))(cmd, args)
			}
			return arguments(cobra.NoArgs)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	fl.IntVar(&f.Reps, "reps", validate.DefaultReps, "simulated comparisons per cell")
	fl.Uint64Var(&f.Seed, "seed", validate.DefaultSeed, "seed of all random numbers")
	fl.StringVar(&f.Only, "only", "", strings.Join(validate.Sections, ", ")+": only this part, to stdout unless "+
		"--out is given")
	fl.StringVar(&f.out, "out", "doc/validation.md", "the page; - for stdout")
	fl.IntVar(&f.live, "live", 0, "make the missing live runs; --live=N: N more")
	fl.IntVar(&f.best, "best-of-three", 0,
		"compare equal servers by the best of three loads with wrk, 40 times (25 min); --best-of-three=N: N more times")
	waitFlag(cmd, &f.wait)
	fl.DurationVar(&f.steady, "steady", 0,
		"run the steadiness experiment, which repeats equal loads, for this time (--steady alone: 35m)")
	fl.BoolVar(&f.condense, "condense", false,
		"condense the given runs into a recording for replays, written to --out")
	for name, alone := range map[string]string{"live": "0", "best-of-three": "0", "steady": "35m"} {
		fl.Lookup(name).NoOptDefVal = alone
	}
	if err := fl.MarkHidden("condense"); err != nil {
		panic(err)
	}
	return cmd
}

// run runs the experiment that the flags select, or makes the page.
func (f *validateFlags) run(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	simulates := given("reps") || given("seed") || given("only")
	switch {
	case f.condense && !given("out"):
		return usagef("--condense needs --out")
	case f.condense:
		return condenseRuns(args, f.out)
	case given("steady") && (simulates || given("live")):
		return usagef("--steady runs only the steadiness experiment; it can be combined only with --out")
	case given("steady"):
		return validateSteady(cmd, beside(f.out, steadyFile), f.steady, f.wait)
	case given("best-of-three") && (simulates || given("live")):
		return usagef("--best-of-three runs only that experiment; it can be combined only with --out")
	case f.best < 0:
		return usagef("--best-of-three=%d: want a number of experiments above 0, or --best-of-three alone for all "+
			"that are missing", f.best)
	case given("best-of-three"):
		return validateBestOf(cmd, beside(f.out, bestOfFile), f.best, f.wait)
	case given("live") && f.live < 0:
		return usagef("--live=%d: want a number of runs above 0, or --live alone for all that are missing", f.live)
	case given("live") && simulates:
		return usagef("--live makes only live runs; it can be combined only with --out")
	case given("live"):
		return validateLive(cmd, beside(f.out, liveFile), f.live, f.wait)
	case f.Reps < 1:
		return usagef("--reps %d: want at least 1", f.Reps)
	case f.Only != "" && !validate.IsSection(f.Only):
		return usagef("--only %q%s", f.Only, suggest(f.Only, validate.Sections, "dyno validate --help"))
	}
	if f.Only != "" && !given("out") {
		f.out = "-"
	}
	return f.page(cmd)
}

// page simulates, and writes the page with the results of the experiments that are recorded beside it.
func (f *validateFlags) page(cmd *cobra.Command) error {
	debug.SetGCPercent(800) // little is kept, and much is made
	start := time.Now()
	f.Progress = func(text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%6s  %s\n", time.Since(start).Round(time.Second), text)
	}
	live, err := readLines(beside(f.out, liveFile), validate.ReadLive)
	if err != nil {
		return err
	}
	p, err := validate.Run(cmd.Context(), &f.Options)
	if err != nil {
		return err
	}
	p.Live = live
	if p.BestOf, err = readLines(beside(f.out, bestOfFile), validate.ReadBestOf); err != nil {
		return err
	}
	if p.Steady, err = readLines(beside(f.out, steadyFile), validate.ReadSteady); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := validate.Page(&page, p); err != nil {
		return err
	}
	f.Progress("done")
	if f.out == "-" {
		_, err := cmd.OutOrStdout().Write(page.Bytes())
		return err
	}
	return os.WriteFile(f.out, page.Bytes(), 0o644)
}

// beside returns the path of a file with results for a page.
func beside(page, file string) string {
	if page == "-" {
		return filepath.Join("doc", file)
	}
	return filepath.Join(filepath.Dir(page), file)
}

// readLines reads the results in a file, one a line; none if there is no file.
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

// keepLine appends a result to a file and syncs the file.
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
		run, err := study.Open(path)
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
