package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/analysis"
	"dyno/internal/bench"
	"dyno/internal/plan"
	"dyno/internal/proc"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/study"
	"dyno/internal/terminal"
)

// defaultStudy is what `dyno run` asks when it is asked nothing.
const defaultStudy = "iris-vs-netcore-mvc"

// runFlags are the flags of dyno run.
type runFlags struct {
	protocol    string
	profile     string
	quick       bool
	levels      []string
	budget      time.Duration
	contestants []string // names
	typed       []string // the same, with the folders that some of them were named by
	controls    []string
	scenario    string
	connections []int
	records     []int
	delays      []time.Duration
	requests    string
	duration    time.Duration
	epochs      int
	slo         string
	idle        []int
	driver      string
	spin        string
	primary     string
	alpha       float64
	margin      float64
	marginGiven bool
	force       bool
	looks       []int
	seed        uint64
	out         string
	offline     bool
	resume      string
	wait        bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Build, verify and compare contestants, and say which is faster",
		Long: "run builds the contestants of a study, proves that they answer alike, and compares them. The default study is " + defaultStudy + ".\n\n" +
			"Protocols:\n" +
			"  duel     all are resident, pinned and frozen but the one under load; short trials in random order are compared round by round\n" +
			"  sweep    the same at several --connections and --delay; figures with intervals, no verdicts\n" +
			"  search   the highest rate at which each contestant keeps --slo: open loops, probed in turns\n" +
			"  classic  one long load after another, as published benchmarks do it; single figures, for comparison with theirs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("dyno run takes one study; contestants are given as --contestants %s", strings.Join(args, ","))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.marginGiven = cmd.Flags().Changed("margin")
			return run(cmd, &f, append(args, defaultStudy)[0])
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.contestants, "contestants", nil, "contestants, by name, or by a folder, which stands for all that it holds (default: those of the study)")
	fl.StringSliceVar(&f.controls, "controls", nil, "truth servers that ride along: the yardstick, its blinded copy, ref+X%; or none (default: ref,ref' and, with --profile full and lab, ref+5%)")
	fl.StringVar(&f.scenario, "scenario", "", "scenario (default: that of the study)")
	fl.IntSliceVar(&f.connections, "connections", nil, "connections kept in use; a sweep takes several (default: those of the study, 125)")
	fl.IntSliceVar(&f.records, "records", nil, "records that the companion of the scenario answers with; a sweep takes several (default 10)")
	fl.DurationSliceVar(&f.delays, "delay", nil, "time that each handler waits before it answers; a sweep takes several")
	fl.StringVar(&f.protocol, "protocol", plan.Duel, "duel, sweep, search or classic")
	fl.StringVar(&f.profile, "profile", "quick", "quick; full: longer epochs, more looks, a positive control; or lab: trials of seconds, on 4 CPUs or more")
	fl.BoolVar(&f.quick, "quick", false, "only the levels and contestants that the study marks as quick; its other claims are not run")
	fl.StringArrayVar(&f.levels, "level", nil, "only this level of the study, by name; may be repeated")
	fl.DurationVar(&f.budget, "budget", 0, "time for measuring, after the builds (default 6m; of a full duel 10m to 30m, in the lab 1h; of a sweep or a classic run what it takes)")
	fl.StringVarP(&f.requests, "requests", "n", "", "classic: requests of one load: 5000, 10k, 5m")
	fl.DurationVarP(&f.duration, "duration", "d", 0, "classic: length of one load (default 30s)")
	fl.IntVar(&f.epochs, "epochs", 0, "sweep: epochs of each delay (default 6); search and classic: repeats (default 1)")
	fl.StringVar(&f.slo, "slo", "", "search: the response time that is to be kept, p99<10ms or p50<2ms (default p99<10ms), with at most 0.1 % errors")
	fl.IntSliceVar(&f.idle, "idle-connections", nil, "duel, sweep: numbers of idle connections with which memory is read after each epoch; their slope is memory per connection (default none; in the lab 1,500,1000)")
	fl.StringVar(&f.driver, "driver", "", "classic: let another load generator make each load once more, and set it beside ours: wrk, bombardier, ab or h2load")
	f.spin = "auto"
	fl.Var(flagOf(&f.spin, "auto", "when", oneOf("auto", "on", "off")), "spin", "whether the generator polls instead of sleeping: on, off, or auto: where that takes a CPU from nobody")
	fl.StringVar(&f.primary, "primary", "", "metric that decides: throughput, cpu_per_request, p50, memory, or in the lab p99 (default: that of the study)")
	fl.Float64Var(&f.alpha, "alpha", 0.05, "chance of any false difference in the whole run")
	fl.Float64Var(&f.margin, "margin", 0.03, "differences within it are a tie; in the lab 0.02, for p99 0.05")
	fl.IntSliceVar(&f.looks, "looks", nil, "valid epochs after which the verdicts are looked at (default: those of the profile)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of order and inputs (default: drawn)")
	fl.StringVar(&f.out, "out", "", "run folder (default: runs/<time>)")
	fl.BoolVar(&f.offline, "offline", false, "fetch no toolchain")
	fl.BoolVar(&f.force, "force", false, "run --profile lab on a machine that is too small for it; the report says so")
	fl.StringVar(&f.resume, "resume", "", "go on with the interrupted run in this folder; its plan stands, and --budget may raise its budget until its first look")
	waitFlag(cmd, &f.wait)
	return cmd
}

// run is the main job, from words to verdicts.
func run(cmd *cobra.Command, f *runFlags, slug string) error {
	if f.resume != "" {
		return resume(cmd, f)
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	f.typed = f.contestants
	if f.contestants, err = pr.know(f.typed); err != nil {
		return err
	}
	p, sc, err := planOf(pr, f, slug)
	if err != nil {
		return err
	}
	cost, err := plan.Estimate(p)
	if err != nil {
		return usage(err)
	}
	if _, err := driver(cmd.Context(), p, []*scenario.Scenario{sc}); err != nil {
		return err
	}
	if err := roomFor(p); err != nil {
		return err
	}
	release, err := measuring(cmd, f.wait, f.out)
	if err != nil {
		return err
	}
	defer release()
	store, unlock, err := createRun(f.out)
	if err != nil {
		return err
	}
	defer unlock()
	defer store.Close()
	announce(cmd.ErrOrStderr(), p, &cost, f.out)
	return carryOut(cmd, f, pr, p, sc, store, func(b *bench.Bench) (*result.Run, error) { return b.Run(cmd.Context(), *p) })
}

// createRun makes the run folder dir, which nobody else writes into until unlock is called.
func createRun(dir string) (store *result.Store, unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, fmt.Errorf("create run folder: %w; give another --out", err)
	}
	if unlock, err = proc.LockFolder(dir); err != nil {
		return nil, nil, fmt.Errorf("%w; give another --out", err)
	}
	if store, err = result.Create(dir); err != nil {
		unlock()
		return nil, nil, fmt.Errorf("%w; give another --out", err)
	}
	return store, unlock, nil
}

// resume goes on with an interrupted run.
func resume(cmd *cobra.Command, f *runFlags) error {
	others := cmd.Flags().NFlag() - 1
	for _, flag := range []string{"offline", "contestants", "budget", "wait"} {
		if cmd.Flags().Changed(flag) {
			others--
		}
	}
	if others > 0 {
		return usagef("--resume goes on with the plan of the run; beside it there is room for " +
			"--budget, --offline, --wait, and --contestants with folders, only")
	}
	unlock, err := proc.LockFolder(f.resume)
	if err != nil {
		return usage(err)
	}
	defer unlock()
	run, err := result.Open(f.resume)
	if err != nil {
		return usage(err)
	}
	if isComparison(run) {
		return notResumable(f.resume, run)
	}
	if _, err := plan.Resumable(run, int64(f.budget)); err != nil {
		return usagef("resume %s: %w", f.resume, err)
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	if _, err := pr.knowOnly(f.contestants); err != nil {
		return err
	}
	sc, err := pr.scenario(run.Plan.Scenario)
	if err != nil {
		return err
	}
	if err := pr.contestants(run.Plan.Contestants); err != nil {
		return err
	}
	if err := roomFor(&run.Plan); err != nil {
		return err
	}
	release, err := measuring(cmd, f.wait, f.resume)
	if err != nil {
		return err
	}
	defer release()
	store, err := result.Continue(f.resume)
	if err != nil {
		return err
	}
	defer store.Close()
	f.out = f.resume
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\ngoing on with %s, %d epochs of it valid\n\n", run.Plan.Title, f.out, len(plan.Epochs(run)))
	return carryOut(cmd, f, pr, &run.Plan, sc, store, func(b *bench.Bench) (*result.Run, error) { return b.Resume(cmd.Context(), run, f.budget) })
}

// carryOut sets the bench up, lets it do, and concludes.
func carryOut(cmd *cobra.Command, f *runFlags, pr *project, p *result.Plan, sc *scenario.Scenario, store *result.Store,
	do func(*bench.Bench) (*result.Run, error)) error {
	done, err := measure(cmd, f, pr, p, sc, store, do)
	if err != nil {
		return err
	}
	return conclude(cmd, done, f.out)
}

// runHost is where the contestants of a run live, and what loads them.
type runHost interface {
	bench.Host
	Driver() bench.Driver
	Close()
}

// newHost makes that of dyno run: this machine. A test puts another in its place.
var newHost = func(o bench.LocalOptions) (runHost, error) { return bench.NewLocal(o) }

// measure sets the bench up and lets it do.
func measure(cmd *cobra.Command, f *runFlags, pr *project, p *result.Plan, sc *scenario.Scenario, store *result.Store,
	do func(*bench.Bench) (*result.Run, error)) (*result.Run, error) {
	stderr := cmd.ErrOrStderr()
	host, err := newHost(bench.LocalOptions{
		Root: pr.root, FS: pr.fsys, Manifests: pr.manifests, Scenario: p.Scenario, Others: otherScenarios(p), Companion: p.Companion, Folder: f.out, Offline: f.offline,
	})
	if err != nil {
		return nil, err
	}
	defer host.Close()
	others, err := pr.others(p)
	if err != nil {
		return nil, err
	}
	tool, err := driver(cmd.Context(), p, append(slices.Collect(maps.Values(others)), sc))
	if err != nil {
		return nil, err
	}
	var last *result.Calibration
	if f.resume == "" {
		if last, err = calibrated(cmd, p); err != nil {
			return nil, err
		}
	}
	view := terminal.New(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", func() int { return width(stderr) })
	defer view.Close()
	return do(&bench.Bench{
		Host: host, Driver: host.Driver(), External: tool, Folder: f.out, Scenario: sc, Others: others, Last: last, Append: store.Append, Sync: store.Sync, Event: view.Event,
		Decided:  decided(pr, p),
		Standing: standing, Note: note,
	})
}

// decided says when a run may end: when all pairs are decided, and all that the claims of its study compare.
func decided(pr *project, p *result.Plan) func(*result.Run) bool {
	st, err := pr.asked(p)
	claims := p.ClaimsHash != "" && err == nil
	return func(r *result.Run) bool {
		a := study.Analyse(r)
		return study.AllDecided(a) && (!claims || st.Settled(r, a))
	}
}

// announce tells the cost before anything is done.
func announce(w io.Writer, p *result.Plan, c *plan.Cost, out string) {
	levels := fmt.Sprintf("%d connections", p.Level.Connections)
	if len(p.Levels) > 0 {
		levels = fmt.Sprintf("%d levels", len(p.Levels))
	}
	if len(p.Family) > 0 {
		levels += fmt.Sprintf(", of which %d pairs are decided", len(p.Family))
	}
	fmt.Fprintf(w, "%s\n%s of %s and %s, %s, seed %d, into %s\nafter the builds: ", p.Title, p.Protocol, plural(int64(len(p.Contestants)), "contestant"), plural(int64(len(p.Controls)), "control"), levels, p.Seed, out)
	whole := c.Whole.Round(time.Second)
	switch {
	case p.Protocol == plan.Classic && p.Requests > 0:
		fmt.Fprintf(w, "%d loads of %d requests, one after another\n\n", c.Trials, p.Requests)
	case p.Protocol == plan.Classic:
		fmt.Fprintf(w, "%d loads of %v, one after another, %v\n\n", c.Trials, time.Duration(p.TrialNS), whole)
	case p.Protocol == plan.Search:
		fmt.Fprintf(w, "about %d probes for %s, %v\n\n", c.Trials, sloWords(p.SLO), whole)
	case p.Protocol == plan.Sweep:
		fmt.Fprintf(w, "about %d trials in %d epochs, %v; figures with intervals, no verdicts\n\n", c.Trials, c.Epochs+p.Pilots, whole)
	default:
		each := time.Duration(p.TrialNS).String()
		if p.Fresh {
			each = fmt.Sprintf("%d requests", p.Requests)
		}
		fmt.Fprintf(w, "about %d trials of %s in %d epochs, %v; first possible verdict after %v; at most %v\n\n",
			c.Trials, each, c.Epochs+p.Pilots, whole, c.FirstVerdict.Round(time.Second), time.Duration(p.BudgetNS))
	}
}

// note is told when the pilots end: what this run can find.
func note(r *result.Run) string {
	if r.Plan.Protocol != plan.Duel {
		return "the pilots are over: what follows counts"
	}
	a := study.Analyse(r)
	looks := plan.Looks(r)
	if len(looks) == 0 {
		return "the pilots took longer than planned: no verdict fits the budget; what is measured will be shown"
	}
	at := make([]string, len(looks))
	for i, l := range looks {
		at[i] = fmt.Sprint(l.N)
	}
	text := fmt.Sprintf("looks after %s epochs", strings.Join(at, ", "))
	if a.MDE > 0 {
		text += fmt.Sprintf("; differences from about %.1f %% can be found", 100*a.MDE)
	}
	for i, l := range r.Plan.Points() {
		if rate, ok := plan.Rate(r, i); ok && l.RateShare > 0 {
			text += fmt.Sprintf("; %.0f/s is %.0f %% of what the slowest bears", rate, 100*l.RateShare)
		}
	}
	return text
}

// standing is the interim table of the live view.
func standing(r *result.Run) []result.Standing {
	if r.Plan.Protocol != plan.Duel || len(r.Plan.Family) > 0 {
		return study.Standing(r)
	}
	a := study.Analyse(r)
	decided, pairs := 0, 0
	for _, p := range a.Pairs {
		if p.Metric == a.Primary {
			pairs++
			if p.Verdict != analysis.Undecided {
				decided++
			}
		}
	}
	var out []result.Standing
	for _, name := range a.Order {
		if c, rate := a.Cell(name, a.Primary), a.Cell(name, "throughput"); c != nil && c.Absent == "" && rate != nil {
			out = append(out, result.Standing{Name: name, PerSec: rate.Level.Value, Ratio: c.Ratio.Value, Lo: c.Ratio.Lo, Hi: c.Ratio.Hi, Decided: decided, Pairs: pairs})
		}
	}
	slices.SortStableFunc(out, func(x, y result.Standing) int {
		return cmp.Compare(y.PerSec, x.PerSec)
	})
	return out
}

// conclude prints the verdicts and writes the run folder's pages.
func conclude(cmd *cobra.Command, r *result.Run, dir string) error {
	data := study.Judge(r)
	claims(cmd, data, filepath.Join(dir, result.TrialsFile))
	if err := writePages(data, dir); err != nil {
		return err
	}
	stdout := cmd.OutOrStdout()
	data.Color = isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
	data.Width = width(stdout)
	if err := report.Text(stdout, data); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "\nwritten: %s, %s\n", filepath.Join(dir, "report.html"), filepath.Join(dir, result.TrialsFile))
	failed := slices.ContainsFunc(r.Failures, func(f result.Failure) bool { return !f.Unavailable() })
	if failed || r.End == nil || r.End.Reason == plan.Interrupted || r.End.Reason == string(plan.Nobody) {
		return exit(exitFailed)
	}
	return nil
}

// writePages writes report.html and run.json beside the trials.
func writePages(data *report.Data, dir string) error {
	for name, write := range map[string]report.Writer{"report.html": report.HTML, "run.json": report.JSON} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := errors.Join(write(f, data), f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", f.Name(), err)
		}
	}
	return nil
}
