//go:build linux

// Command loadgen-benchmark races dyno against other load generators on this machine and writes
// loadgen-benchmark/performance.md:
//
//	go run ./loadgen-benchmark
//
// A row on that page is one claim, usually with a bar that was set beforehand. In a race, dyno and another
// load generator, the peer, load the same server: the null server, or nginx over TLS and in HTTP/2. They take
// turns, in random order within each pair. The server has CPU 0, the generators CPU 1. A pair gives one
// ratio. A pair during which other programs took more than 3 % of the two CPUs is discarded and repeated,
// whatever its ratio. The worse end of the 95 % interval must meet the bar. Where the server's CPU limits a
// race, the generators' CPU per request is judged instead.
//
// Results are kept in loadgen-benchmark/results.json, from which the page is made, so that --only can measure
// single rows anew. The file also keeps the pairs of an interrupted row: the next measurement of the same
// programs continues with them. Requirements are Linux, two CPUs, gcc and taskset. Missing peers are
// installed, into the user's cache unless they are Debian packages.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Exit codes, equal to dyno's.
const (
	exitDone   = 0
	exitFailed = 1 // an error, or a bar that is not met
	exitUsage  = 2
)

type options struct {
	only    *regexp.Regexp
	pairs   int
	window  time.Duration
	out     string
	results string
	dyno    string
	base    string
	list    bool
	render  bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	for command, do := range map[string]func([]string, io.Writer) error{timedCommand: timed, flawedCommand: flawed} {
		if len(args) == 0 || args[0] != command {
			continue
		}
		if err := do(args[1:], stderr); err != nil {
			fmt.Fprintln(stderr, "loadgen-benchmark:", err)
			return exitFailed
		}
		return exitDone
	}
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintln(stderr, "loadgen-benchmark:", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	met, err := peers(ctx, o, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "loadgen-benchmark:", err)
	}
	if err != nil || !met {
		return exitFailed
	}
	return exitDone
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var only string
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&only, "only", "", "measure the rows whose names match this regular `expression`; others keep "+
		"their results")
	f.IntVar(&o.pairs, "pairs", 15, "valid pairs of each race")
	f.DurationVar(&o.window, "window", 2*time.Second, "length of a window, whole seconds; some rows take multiples of it")
	f.StringVar(&o.out, "out", "loadgen-benchmark/performance.md", "write the page to this `file`")
	f.StringVar(&o.results, "results", "loadgen-benchmark/results.json", "keep the results in this `file`")
	f.StringVar(&o.dyno, "dyno", "", "race this `program` rather than a build of this checkout")
	f.StringVar(&o.base, "base", "", "race dyno against itself at this `commit` too: the rows before and before-cpu")
	f.BoolVar(&o.list, "list", false, "list the rows, and measure nothing")
	f.BoolVar(&o.render, "render", false, "write the page from the results that there are, and measure nothing")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		return o, fmt.Errorf("--only: %w", err)
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.base != "" && o.dyno != "":
		return o, errors.New("--dyno and --base: the rows before need this checkout's source; give one of them")
	case o.pairs < 1:
		return o, fmt.Errorf("--pairs %d: want 1 or more; an interval needs 6", o.pairs)
	case o.base != "" && o.window >= 100*time.Millisecond:
		// Short windows side by side meet the same machine: pairs of 300 ms spread less than those of 1 s.
	case o.window < time.Second || o.window%time.Second != 0:
		return o, fmt.Errorf("--window %v: want whole seconds, or at least 100ms with --base", o.window)
	}
	return o, nil
}

// peers does what o requests. It reports whether all measured rows met their bars.
func peers(ctx context.Context, o options, stdout, stderr io.Writer) (bool, error) {
	root, err := checkout(ctx)
	if err != nil {
		return false, err
	}
	o.out, o.results = below(root, o.out), below(root, o.results)
	kept, err := openResults(o.results)
	if err != nil {
		return false, err
	}
	all := experiments()
	switch {
	case o.list:
		list(stdout, all, kept)
		return true, nil
	case o.render:
		return true, writePage(o.out, all, kept)
	}
	var chosen []experiment
	for _, e := range all {
		if e.matches(o.only) && (o.base != "" || !e.needs(before)) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return false, fmt.Errorf("--only %s matches no row that can be measured; see --list "+
			"(rows before and before-cpu need --base)", o.only)
	}
	machine := thisMachine()
	if len(chosen) < len(all) && len(kept.Rows) > 0 && !kept.Machine.like(machine) {
		return false, fmt.Errorf("%s is of another machine (%s): measure all rows, or give other --results", o.results,
			kept.Machine.CPU)
	}
	if !kept.Machine.like(machine) {
		kept = &results{Machine: machine}
	}
	b, err := openBench(ctx, root, o, kept, stderr)
	if err != nil {
		return false, err
	}
	defer b.close()
	met := true
	for _, e := range chosen {
		for _, r := range b.measure(ctx, e) {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			row := e.row(r.Name)
			met = met && row.met(&r)
			fmt.Fprintf(stdout, "%-14s bar %-18s %s\n", r.Name, row.barText(), row.resultText(&r))
			if r.Kernel = machine.Kernel; r.Kernel == kept.Machine.Kernel {
				r.Kernel = ""
			}
			kept.put(r)
			if r.Reason == "" {
				kept.ended(r.Name)
			}
		}
		if err := errors.Join(kept.write(o.results), writePage(o.out, all, kept)); err != nil {
			return false, err
		}
	}
	return met, nil
}

func list(w io.Writer, all []experiment, kept *results) {
	for _, e := range all {
		for _, row := range e.rows {
			text := "not measured"
			if r := kept.get(row.name); r != nil {
				text = row.resultText(r)
			}
			fmt.Fprintf(w, "%-14s bar %-18s %s: %s\n", row.name, row.barText(), row.what, text)
		}
	}
}

// checkout returns the folder of dyno's module.
func checkout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || filepath.Base(file) != "go.mod" {
		return "", fmt.Errorf("find the checkout: go env GOMOD says %q: %v", file, err)
	}
	return filepath.Dir(file), nil
}

// below returns an absolute path; relative paths are below root.
func below(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}
