// Command validation measures dyno's error rates and the smallest differences that dyno detects. It writes
// validation/README.md:
//
//	go run ./validation --reps 3000
//
// It compares simulated servers with known speeds and noise, replays recorded epochs, and tries noise
// designed to mislead. Every comparison is decided by judge.Decide, as in dyno itself; the traps also run
// plan, analysis and checks on full records. The same seed, repetitions and recorded experiments give the
// same page on any number of CPUs. This command starts no server and uses no network.
//
// These experiments append results to files beside the page, and the page shows them. Each experiment runs
// only the missing tasks. The first simulates; the others measure on this machine:
//
//	go run ./validation cases [N]          the statistic alone, N simulated runs per case
//	go run ./validation live [KIND] [N]    live runs with known truth: all, one kind's (aa, ab, …), or N of them
//	go run ./validation best-of-three [N]  equal servers, each at the best of three wrk loads
//	go run ./validation relay [N]          as root: a server's cost of a relay to its database, N pairs; not kept
//
// Live runs take 70 to 150 s each: 20 compare one program with itself, half of them while another program
// uses the CPU; 20 have an added cost of 5 %, and one more with profile full; 40 compare programs linked anew
// from one source; and 20 compare four servers that cost 0, 2, 5 and 10 % more. Together they take three
// hours on an otherwise idle machine.
//
// Different programs with equal means take two sessions; a session is one day of one boot. In the first, live
// calibrate finds, within 40 min, the ref+x% that take as much CPU time per request as some twenty programs.
// In the second, live pairs compares 20 pairs of these, in an hour; each boot has 20 of its own.
//
// go run ./validation picture draws best-of-three beside the live runs of kind aa: doc/pictures/apart.svg.
//
// go run ./validation starts prints the spread between epochs for all pairs in the studies' records.
//
// go run ./validation sessions [FOLDER…] reads the runs in the folders, adds what they measured to
// internal/judge/sessions.jsonl, and prints the spread between sessions that dyno's second verdict allows for.
//
// go run ./validation condense FILE RUN… condenses runs into a recording for replays, epochs.json.gz.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/study"
)

// Result files of the experiments, in the page's folder.
const (
	casesFile  = "cases.jsonl"
	liveFile   = "live.jsonl"
	bestOfFile = "best_of_three.jsonl"
)

// Exit codes, equal to dyno's.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	machine.KeepFilesPrivate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	switch first := append(args, "")[0]; first { // this program starts itself with the first three
	case "refserver":
		err = serve(ctx, args[1:], stderr)
	case "hog":
		err = hog(ctx, args[1:])
	case "supervise":
		err = machine.Supervise(os.Stdin, args[1])
	default:
		err = validation(ctx, args, stdout, stderr)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	fmt.Fprintln(stderr, "validation:", err)
	if u := new(conf.UsageError); errors.As(err, &u) {
		fmt.Fprintln(stderr, "go doc ./validation says how it is called")
		return exitUsage
	}
	return exitFailed
}

// serve runs the reference server args[0]; the flags after it name scenario files.
func serve(ctx context.Context, args []string, stderr io.Writer) error {
	var files []string
	f := flag.NewFlagSet("refserver", flag.ContinueOnError)
	f.Func("scenario", "scenario `file`; may be repeated", func(s string) error { files = append(files, s); return nil })
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	return refserver.Command(ctx, args[0], files, "", stderr)
}

// validation writes the page, or runs the experiment in args.
func validation(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o Options
	var out string
	f := flag.NewFlagSet("validation", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&o.Reps, "reps", DefaultReps, "simulated comparisons per cell")
	f.Uint64Var(&o.Seed, "seed", DefaultSeed, "seed of all random numbers")
	f.StringVar(&o.Only, "only", "", "only this `part`, to stdout unless --out is given: "+strings.Join(Sections, ", "))
	f.StringVar(&out, "out", "validation/README.md", "the page, a `file`; - for stdout")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return conf.Usage(err)
	}
	given := map[string]bool{}
	f.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if rest := f.Args(); len(rest) > 0 {
		if given["reps"] || given["seed"] || given["only"] {
			return conf.Usagef("%s simulates nothing; it can be combined only with --out", rest[0])
		}
		return experimentNamed(ctx, rest, resultsFolder(out), stdout, stderr)
	}
	switch {
	case o.Reps < 1:
		return conf.Usagef("--reps %d: want at least 1", o.Reps)
	case o.Only != "" && !IsSection(o.Only):
		return conf.Usagef("--only %q: want one of %s", o.Only, strings.Join(Sections, ", "))
	case o.Only != "" && !given["out"]:
		out = "-"
	}
	start := time.Now()
	o.Progress = func(text string) {
		fmt.Fprintf(stderr, "%6s  %s\n", time.Since(start).Round(time.Second), text)
	}
	page, err := makePage(ctx, &o, resultsFolder(out))
	if err != nil {
		return err
	}
	o.Progress("done")
	if out == "-" {
		_, err := stdout.Write(page)
		return err
	}
	return os.WriteFile(out, page, 0o644)
}

// experimentNamed runs the experiment args[0] and keeps the results in folder.
func experimentNamed(ctx context.Context, args []string, folder string, stdout, stderr io.Writer) error {
	name, args := args[0], args[1:]
	if name == "condense" {
		if len(args) < 2 {
			return conf.Usagef("want: condense FILE RUN…")
		}
		return condenseRuns(args[1:], args[0])
	}
	if name == "starts" || name == "sessions" {
		if name == "starts" && len(args) > 0 {
			return conf.Usagef("starts takes no argument")
		}
		found, err := contestant.FindProject()
		if err != nil {
			return err
		}
		if name == "sessions" {
			return addSessions(args, filepath.Join(found.Root, filepath.FromSlash(sessionsFile)), stdout)
		}
		return printStarts(found.Root, stdout)
	}
	if name == "picture" {
		if len(args) > 0 {
			return conf.Usagef("picture takes no argument")
		}
		p := &Results{}
		if err := p.readRecorded(folder); err != nil {
			return err
		}
		return Picture(stdout, p)
	}
	kind := ""
	if name == "live" && len(args) > 0 && slices.Contains(liveKinds, args[0]) {
		kind, args = args[0], args[1:]
	}
	more := 0 // live runs, comparisons or runs of a case
	var err error
	switch {
	case len(args) > 1:
		return conf.Usagef("%s takes one argument at most", name)
	case len(args) == 1:
		more, err = strconv.Atoi(args[0])
	}
	if err != nil || more < 0 || len(args) == 1 && more == 0 {
		return conf.Usagef("%s %s: want a number above 0 of runs or comparisons", name, args[0])
	}
	if name == "cases" {
		return playCases(ctx, filepath.Join(folder, casesFile), cmp.Or(more, caseRuns), stdout)
	}
	var play func(*session) error
	switch name {
	case "live":
		play = func(s *session) error { return s.live(ctx, filepath.Join(folder, liveFile), kind, more) }
	case "best-of-three":
		play = func(s *session) error { return s.bestOf(ctx, filepath.Join(folder, bestOfFile), more) }
	case "relay":
		play = func(s *session) error { return s.relays(ctx, max(1, more)) }
	default:
		return conf.Usagef("no experiment %q: want cases, live, best-of-three, relay, picture, starts, sessions or condense",
			name)
	}
	s, release, err := newSession(ctx, name, stdout, stderr)
	if err != nil {
		return err
	}
	defer release()
	return play(s)
}

// makePage simulates, reads the recorded experiments in folder, and returns the page.
func makePage(ctx context.Context, o *Options, folder string) ([]byte, error) {
	debug.SetGCPercent(800) // little is live, much is allocated
	var recorded Results
	if err := recorded.readRecorded(folder); err != nil {
		return nil, err
	}
	p, err := Run(ctx, o)
	if err != nil {
		return nil, err
	}
	p.Cases, p.Live, p.BestOf = recorded.Cases, recorded.Live, recorded.BestOf
	var page bytes.Buffer
	err = Page(&page, p)
	return page.Bytes(), err
}

// readRecorded reads the results of the experiments in folder.
func (p *Results) readRecorded(folder string) (err error) {
	if p.Cases, err = readFile(filepath.Join(folder, casesFile), readCases); err != nil {
		return err
	}
	if p.Live, err = readFile(filepath.Join(folder, liveFile), ReadLive); err != nil {
		return err
	}
	p.BestOf, err = readFile(filepath.Join(folder, bestOfFile), ReadBestOf)
	return err
}

// playCases simulates every case that has fewer than runs, and appends the results to file.
func playCases(ctx context.Context, file string, runs int, stdout io.Writer) error {
	all, err := readFile(file, readCases)
	if err != nil {
		return err
	}
	if all == nil {
		all = cases()
	}
	return simulateCases(ctx, all, runs, func(at CaseAt) error {
		fmt.Fprintf(stdout, "%s, %s, %d servers, %d epochs: error %s %%, found %s %%\n", at.Group, at.What, at.K, at.N,
			at.Error, at.Found)
		return keepLine(file, at)
	})
}

// resultsFolder returns the folder with the experiment results for a page.
func resultsFolder(page string) string {
	if page == "-" {
		return "validation"
	}
	return filepath.Dir(page)
}

// readFile reads the JSON lines in a file; a missing file has none.
func readFile[T any](name string, read func(io.Reader, string) ([]T, error)) ([]T, error) {
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
	var runs []*record.Run
	for _, path := range paths {
		run, err := study.Open(path)
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	var b bytes.Buffer
	if err := Condense(&b, runs); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}
