package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/bench"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
	"dyno/internal/wire"
)

// defaultStudy is the study of dyno run without arguments.
const defaultStudy = "iris-vs-netcore-mvc"

// runFlags are the flags of dyno run: the request, the chosen part of the study, and the output.
type runFlags struct {
	request plan.Request
	choice  study.Choice
	place   place
	resume  string
}

// fleetName is the flag for the file that names several machines.
const fleetName = "fleet"

// place holds the flags that all commands with runs share: where the run is recorded, and whether
// it waits for another run.
type place struct {
	out           string
	fleet         string // file that names several machines
	runs          int
	offline, wait bool
}

// define adds place's flags.
func (p *place) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.out, "out", "",
		"run folder (default: runs/<time> in a checkout, else in ~/.local/state/dyno)")
	cmd.Flags().IntVar(&p.runs, "runs", 1, "make so many runs, each with an order, layouts, ports and processes of its "+
		"own, in folders 1, 2, … of the run folder, and say what they show together")
	cmd.Flags().BoolVar(&p.offline, "offline", false, "fetch no toolchain")
	fleetPlaceFlag(cmd, p)
	waitFlag(cmd, &p.wait)
	verboseFlag(cmd)
}

// world returns what a plan needs to know. Other machines' CPUs are not known yet: before anything
// is measured, the server machine is asked whether it has enough.
func (p *place) world(pr *project) plan.World {
	w := pr.world()
	if p.fleet != "" {
		w.CPUs, w.Room = 0, nil
	}
	return w
}

// folder returns the run folder.
func (p *place) folder(pr *project) string {
	if p.out == "" {
		p.out = filepath.Join(pr.found.Runs(), time.Now().UTC().Format("20060102T150405Z"))
	}
	return p.out
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Build, verify and compare contestants, and say which is faster",
		Long: "run builds the contestants of a study, verifies that they answer alike, and compares them.\n" +
			"Without arguments it runs " + defaultStudy + " --quick.\n\n" +
			"Protocols:\n" +
			"  paired   all run at once, pinned to CPUs; all but the one under load are frozen (they get no\n" +
			"           CPU); short trials in random order are compared round by round\n" +
			"  sweep    the same at several --connections and --delay; all pairs at each level\n" +
			"  search   the highest rate at which each contestant keeps --slo: open loops, probed in turns\n" +
			"  classic  one long load after another, as published benchmarks do it; single figures, for\n" +
			"           comparison with theirs\n\n" +
			theseTerms("study", "contestant", "scenario", "level", "trial", "round", "epoch") + "\n" +
			"Exit codes: 0; 1 when a contestant failed, the run was interrupted, or the machine was so noisy\n" +
			"that nothing was measured; 2 usage.",
		Example: "  dyno run\n" +
			"  dyno run iris-vs-netcore-mvc --quick\n" +
			"  dyno run --contestants gin,chi,echo --scenario routes-github\n" +
			"  dyno run --contestants net-http,fasthttp --protocol search --slo 'p99<5ms'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("dyno run takes one study; to name contestants, use --contestants %s",
					strings.Join(args, ","))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.place.repeat(cmd, &f.request, func() error { return run(cmd, &f, args) })
		},
	}
	f.define(cmd)
	return cmd
}

// define adds the flags.
func (f *runFlags) define(cmd *cobra.Command) {
	fl, r := cmd.Flags(), &f.request
	fl.SortFlags = false
	fl.StringSliceVar(&r.Contestants, "contestants", nil,
		"contestants, by name, or by a folder, which stands for all that it holds (default: those of the study)")
	requestFlags(fl, r)
	fl.Var(flagOf(&r.Alpha, "0.05", "share", parsePositive), "alpha", "chance of any false difference in the whole run")
	fl.Lookup("controls").Usage += " (default: ref,ref' and, with --profile full and lab, ref+5%)"
	fl.Lookup("margin").Usage += " (default 0.03; with --profile lab 0.02, for p99 0.05)"
	fl.Lookup("scenario").Usage = "scenario (default: that of the study, or the first that all --contestants serve)"
	fl.IntSliceVar(&r.Connections, "connections", nil,
		"connections kept in use; a sweep takes several (default: those of the study, 125)")
	fl.IntSliceVar(&r.Records, "records", nil,
		"records that the backend of the scenario answers with; a sweep takes several (default 10)")
	fl.DurationSliceVar(&r.Delays, "delay", nil,
		"time that each handler waits before it answers; a sweep takes several")
	serversFlag(fl, r)
	httpFlag(fl, r)
	fl.Var(flagOf(&r.Rates, "", "rates", parseRates), "rate",
		"paired, sweep: show response times at these rates too, in open loops: 30%,50%,70%,85% of each contestant's "+
			"own capacity, as the first loads measure it; 10k for all alike; common: 70 % of the slowest contestant's")
	fl.StringVar(&r.Protocol, "protocol", plan.Names()[0], strings.Join(plan.Names(), ", "))
	fl.BoolVar(&f.choice.Quick, "quick", false,
		"only the levels and contestants that the study marks as quick; its other claims are not run")
	fl.StringArrayVar(&f.choice.Levels, "level", nil, "only this level of the study, by name; may be repeated")
	fl.Var(flagOf(&r.Budget, "", "time", parseSpan), "budget",
		"time for measuring, after the builds (default 5m; with --profile full 10m to 30m, in the lab 1h; of a sweep "+
			"or a classic run what it takes)")
	fl.VarP(flagOf(&r.Requests, "", "n", parseCount), "requests", "n", "classic: requests of one load: 5000, 10k, 5M")
	fl.VarP(flagOf(&r.Duration, "", "time", parseSpan), "duration", "d", "classic: length of one load (default 30s)")
	fl.IntVar(&r.Epochs, "epochs", 0,
		"paired: at most so many epochs, 8 or more (default 24 or 48); sweep: epochs of each delay (default 8); search and "+
			"classic: repeats (default 1)")
	fl.Var(flagOf(&r.SLO, "", "objective", parseSLO), "slo",
		"search: the response-time objective, such as p99<10ms or p50<2ms (default p99<10ms), with at most 0.1 % "+
			"errors")
	fl.StringSliceVar(&r.External, "external", nil,
		"classic: external tools that each make each load once more, for a cross-check: wrk, bombardier, ab, h2load "+
			"(default: those of the study's classic run)")
	fl.StringVar(&r.OwnRun, "classic", "",
		"classic: which of the study's classic runs, by name (default: the first)")
	fl.StringVar(&r.Primary, "primary", "",
		"metric that decides: throughput, cpu_per_request, p50, memory, or in the lab p99 (default: that of the study)")
	fl.StringVar(&f.resume, "resume", "",
		"go on with the interrupted run in this folder, of which only the record is needed, also on another machine of "+
			"the same kind; its plan stands")
	f.place.define(cmd)
	heading(fl, "What is compared", "contestants", "scenario", "quick", "level", "connections", "records", "delay",
		"server-cpus", "http", "streams", "rate")
	heading(fl, "How it is measured", "protocol", "profile", "budget", "requests", "duration", "epochs", "slo",
		"external", "classic", "controls", "seed", "runs")
	heading(fl, "What decides", "primary", "alpha", "margin")
	heading(fl, "The run and its output")
}

// serversFlag adds the flag for servers' CPUs.
func serversFlag(fl *pflag.FlagSet, r *plan.Request) {
	fl.IntSliceVar(&r.ServerCPUs, "server-cpus", nil,
		"start all servers on so many CPUs, which GOMAXPROCS and .NET's processor count follow; with several, as 1,2,4, "+
			"everything is compared on each (default: all that servers have here)")
}

// httpFlag adds the flags for the HTTP form.
func httpFlag(fl *pflag.FlagSet, r *plan.Request) {
	fl.Var(flagOf(&r.HTTP, "", "form", func(s string) (*wire.HTTP, error) {
		h, err := wire.ParseHTTP(s)
		return &h, err
	}), "http", "how the generator talks to all: "+wire.ProtocolNames()+"; h2 is HTTP/2 over TLS, h2c HTTP/2 in the clear "+
		"(default: as the study's levels say, else http)")
	fl.Var(flagOf(&r.Streams, "", "n", parseUpTo(1000)), "streams",
		"HTTP/2: requests in flight on each connection (default: as the study's levels say, else 1)")
}

// requestFlags adds the request flags that all commands with runs share.
func requestFlags(fl *pflag.FlagSet, r *plan.Request) {
	fl.StringSliceVar(&r.Controls, "controls", r.Controls,
		"reference servers that are measured too: ref, its copy ref' for the A/A check, ref+X%; or none")
	fl.StringVar(&r.Scenario, "scenario", "", "scenario (default: the first that all sides serve)")
	fl.StringVar(&r.Profile, "profile", plan.Standard,
		"standard; full: longer and more epochs; or lab: trials of seconds, on 4 CPUs or more")
	fl.Var(flagOf(&r.Margin, "0.03", "share", parsePositive), "margin",
		"differences within it are equivalent")
	fl.Uint64Var(&r.Seed, "seed", 0, "seed of order and inputs (default: drawn)")
}

// run carries out dyno run, from its arguments to the verdicts.
func run(cmd *cobra.Command, f *runFlags, args []string) error {
	if f.resume != "" && f.place.runs > 1 {
		return usagef("--resume goes on with one run; --runs makes new ones")
	}
	prepare := f.experiment
	if f.resume != "" {
		prepare = f.resumed
	}
	x, err := prepare(cmd, args)
	if err != nil {
		return err
	}
	if err := onFleet(cmd, &f.place, x); err != nil {
		return err
	}
	data, err := carryOut(cmd, x, &f.place)
	if err != nil {
		return err
	}
	return conclude(cmd, data, x.Folder)
}

// experiment plans the run that the flags request.
func (f *runFlags) experiment(cmd *cobra.Command, args []string) (*bench.Experiment, error) {
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	drawSeed(cmd)
	r := f.request
	if len(args) == 0 && len(r.Contestants) == 0 {
		args = []string{defaultStudy}
		if len(f.choice.Levels) == 0 {
			if err := cmd.Flags().Set("quick", "true"); err != nil { // as if given: the record says so
				return nil, err
			}
		}
	}
	r.Command = repeated(cmd, args)
	if r.Contestants, err = pr.know(r.Contestants); err != nil {
		return nil, err
	}
	if len(args) == 0 && len(r.Contestants) > 0 && r.Scenario == "" {
		if r.Scenario, err = pr.shared(r.Contestants); err != nil {
			return nil, err
		}
		if r.Scenario != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "scenario %s: the first that all contestants serve; choose another with "+
				"--scenario\n",
				r.Scenario)
		}
	}
	st, err := pr.ask(&r, append(args, defaultStudy)[0], f.choice)
	if err != nil {
		return nil, err
	}
	x, err := bench.New(cmd.Context(), r, f.place.world(pr), pr.setup(cmd, &f.place))
	if err == nil && x.Plan.Study.ClaimsHash != "" {
		x.Settled = st.Settled
	}
	return x, err
}

// resumed returns the experiment that continues an interrupted run.
func (f *runFlags) resumed(cmd *cobra.Command, _ []string) (*bench.Experiment, error) {
	alone := true
	cmd.Flags().Visit(func(f *pflag.Flag) {
		alone = alone && slices.Contains([]string{"resume", "offline", "contestants", "wait", fleetName}, f.Name)
	})
	if !alone {
		return nil, usagef("--resume continues with the run's own plan; it can be combined only with " +
			"--offline, --wait, --fleet, and --contestants with folders")
	}
	run, err := openRun(f.resume)
	if err != nil {
		return nil, usage(err)
	}
	if isComparison(run) {
		return nil, notResumable(f.resume, run)
	}
	if len(run.Host.Generators) > 0 && f.place.fleet == "" {
		return nil, usagef("--resume %s: it was measured on several machines; pass --fleet FILE, too", f.resume)
	}
	if !isDir(f.resume) {
		return nil, usagef("--resume %s: want a folder, in which the run goes on; put the file into one of its own, as "+
			"%s or %[2]s.gz", f.resume, record.TrialsFile)
	}
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	if _, err := pr.knowOnly(f.request.Contestants); err != nil {
		return nil, err
	}
	f.place.out = f.resume
	x, err := bench.Resume(cmd.Context(), run, pr.setup(cmd, &f.place))
	if err != nil {
		return nil, err
	}
	if st, err := pr.asked(&run.Plan); err == nil && run.Plan.Study.ClaimsHash != "" {
		x.Settled = st.Settled
	}
	for _, name := range run.Plan.Contestants {
		if _, err := pr.facts(name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// conclude prints the verdicts and writes the run folder's pages.
func conclude(cmd *cobra.Command, data *report.Data, dir string) error {
	data.Verbose, _ = cmd.Flags().GetBool(verboseName)
	data.Folder, data.Page = dir, filepath.Join(dir, pageFile)
	stdout := cmd.OutOrStdout()
	data.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	data.Width = width(stdout)
	if err := report.Text(stdout, data); err != nil {
		return err
	}
	complain(cmd, writePages(data, dir))
	r := data.Run
	if command := resumption(r, dir); command != "" {
		if f := cmd.Flags().Lookup(fleetName); f != nil && f.Changed {
			command += " --" + fleetName + " " + quoted(f.Value.String())
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "go on with this run: %s\n", command)
	}
	failed := slices.ContainsFunc(r.Failures, func(f record.Failure) bool { return !f.Unavailable() })
	if failed || r.End == nil || r.End.Reason == plan.Interrupted || r.End.Reason == string(plan.Nobody) {
		return exit(exitFailed)
	}
	if data.Valid == 0 {
		complain(cmd, unmeasuredRun(r))
		return exit(exitFailed)
	}
	return nil
}

// unmeasuredRun is the error for a completed run without a valid trial.
func unmeasuredRun(r *record.Run) error {
	discarded, all := plan.Discarded(r)
	if discarded == 0 {
		return fmt.Errorf("nothing was measured: the budget ended %s; give a larger --budget", plan.Reached(r))
	}
	return fmt.Errorf("nothing was measured: %s of %s were discarded, because other programs, the hypervisor or pauses "+
		"disturbed them; run it again while nothing else uses the machine, or on another one; dyno doctor says what "+
		"disturbs", document.Whole(discarded), document.Count(all, "trial"))
}

// resumption returns the command that continues an interrupted run; "" if there is nothing to
// continue.
func resumption(r *record.Run, dir string) string {
	if r.End == nil || r.End.Reason != plan.Interrupted || isComparison(r) || len(plan.Valid(r)) == 0 {
		return ""
	}
	return "dyno run --resume " + quoted(dir)
}

// pageFile is a run's page in its folder.
const pageFile = "report.html"

// writePages writes report.html and run.json beside the trials.
func writePages(data *report.Data, dir string) error {
	for name, write := range map[string]report.Writer{pageFile: report.HTML, "run.json": report.JSON} {
		err := foreign.Replace(dir, name, 0o600, func(w io.Writer) error {
			var page bytes.Buffer
			err := write(&page, data)
			_, failed := w.Write(foreign.Hide(page.Bytes()))
			return errors.Join(err, failed)
		})
		if err != nil {
			return fmt.Errorf("warning: %s could not be written: %w", filepath.Join(dir, name), err)
		}
	}
	return nil
}

// parsePositive reads a number above 0.
func parsePositive(s string) (float64, error) {
	v, err := scaled(s)
	if err == nil && v <= 0 {
		err = errors.New("want more than 0")
	}
	return v, err
}

// parseSLO reads an objective such as p99<10ms.
func parseSLO(s string) (*record.SLO, error) {
	quantile, limit, found := strings.Cut(s, "<")
	d, err := time.ParseDuration(strings.TrimSpace(limit))
	q := map[string]float64{"p99": 0.99, "p50": 0.5}[strings.TrimSpace(quantile)]
	if !found || err != nil || d <= 0 || q == 0 {
		return nil, errors.New("want a quantile and its limit, such as p99<10ms or p50<2ms")
	}
	return &record.SLO{Quantile: q, LimitNS: int64(d), ErrorShare: 0.001}, nil
}

// parseRates reads open-loop rates: shares of each contestant's own capacity, requests per second
// and the common rate.
func parseRates(s string) (rates []plan.OpenRate, err error) {
	for text := range strings.SplitSeq(strings.ReplaceAll(s, " ", ""), ",") {
		rate := plan.OpenRate{Share: plan.CommonShare}
		if share, own := strings.CutSuffix(text, "%"); own {
			rate.Own = true
			rate.Share, err = scaled(share)
			rate.Share /= 100
		} else if text != "common" {
			rate.Share = 0
			rate.PerSec, err = parseRate(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: want shares of each contestant's capacity such as 50%%, requests per second "+
				"such as 10k, or common", text)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}
