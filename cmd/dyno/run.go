package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/analysis"
	"dyno/internal/bench"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/study"
	"dyno/internal/terminal"
	"dyno/internal/truth"
)

// defaultStudy is what `dyno run` asks when it is asked nothing.
const defaultStudy = "iris-vs-netcore-mvc"

// runFlags are the flags of dyno run.
type runFlags struct {
	budget      time.Duration
	contestants []string
	controls    []string
	scenario    string
	connections int
	delay       time.Duration
	seed        uint64
	out         string
	offline     bool
	resume      string
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [STUDY]",
		Short: "Build, verify and duel contestants, and say which is faster",
		Long: "run builds the contestants of a study, proves that they answer alike, and duels them: all are resident, pinned and frozen but the one\n" +
			"under load; short trials in random order are compared round by round. The default study is " + defaultStudy + ".",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(cmd, &f, append(args, defaultStudy)[0])
		},
	}
	fl := cmd.Flags()
	fl.DurationVar(&f.budget, "budget", 6*time.Minute, "time for measuring, after the builds")
	fl.StringSliceVar(&f.contestants, "contestants", nil, "contestants, by name (default: those of the study)")
	fl.StringSliceVar(&f.controls, "controls", []string{"ref", "ref'"}, "truth servers that ride along: the yardstick, its blinded copy, ref+X%")
	fl.StringVar(&f.scenario, "scenario", "", "scenario (default: that of the study)")
	fl.IntVar(&f.connections, "connections", 0, "connections kept in use (default: those of the study, 125)")
	fl.DurationVar(&f.delay, "delay", 0, "time that each handler waits before it answers")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of order and inputs (default: drawn)")
	fl.StringVar(&f.out, "out", "", "run folder (default: runs/<time>)")
	fl.BoolVar(&f.offline, "offline", false, "fetch no toolchain")
	fl.StringVar(&f.resume, "resume", "", "go on with the interrupted run in this folder; its plan stands")
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
	p, sc, err := planOf(pr, f, slug)
	if err != nil {
		return err
	}
	cost, err := plan.Estimate(p)
	if err != nil {
		return usage(err)
	}
	if err := os.MkdirAll(filepath.Dir(f.out), 0o755); err != nil {
		return fmt.Errorf("create run folder: %w", err)
	}
	store, err := result.Create(f.out)
	if err != nil {
		return fmt.Errorf("%w; give another --out", err)
	}
	defer store.Close()
	announce(cmd.ErrOrStderr(), p, &cost, f.out)
	return carryOut(cmd, f, pr, p, sc, store, func(b *bench.Bench) (*result.Run, error) { return b.Run(cmd.Context(), *p) })
}

// resume goes on with an interrupted run.
func resume(cmd *cobra.Command, f *runFlags) error {
	for _, name := range []string{"budget", "contestants", "controls", "scenario", "connections", "delay", "seed", "out"} {
		if cmd.Flags().Changed(name) {
			return usagef("--resume goes on with the plan of the run; it leaves no room for --%s", name)
		}
	}
	run, err := result.Open(f.resume)
	if err != nil {
		return usage(err)
	}
	if _, err := plan.Resumable(run); err != nil {
		return usagef("resume %s: %w", f.resume, err)
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	sc, err := pr.scenario(run.Plan.Scenario)
	if err != nil {
		return err
	}
	if err := pr.contestants(run.Plan.Contestants); err != nil {
		return err
	}
	store, err := result.Continue(f.resume)
	if err != nil {
		return err
	}
	defer store.Close()
	f.out = f.resume
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\ngoing on with %s, %d epochs of it valid\n\n", run.Plan.Title, f.out, len(plan.Epochs(run)))
	return carryOut(cmd, f, pr, &run.Plan, sc, store, func(b *bench.Bench) (*result.Run, error) { return b.Resume(cmd.Context(), run) })
}

// carryOut sets the bench up, lets it do, and concludes.
func carryOut(cmd *cobra.Command, f *runFlags, pr *project, p *result.Plan, sc *scenario.Scenario, store *result.Store,
	do func(*bench.Bench) (*result.Run, error)) error {
	stderr := cmd.ErrOrStderr()
	host, err := bench.NewLocal(bench.LocalOptions{
		Root: pr.root, FS: pr.fsys, Manifests: pr.manifests, Scenario: p.Scenario, Folder: f.out, Offline: f.offline,
	})
	if err != nil {
		return err
	}
	defer host.Close()
	view := terminal.New(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", func() int { return width(stderr) })
	done, err := do(&bench.Bench{
		Host: host, Driver: host.Driver(), Scenario: sc, Append: store.Append, Sync: store.Sync, Event: view.Event,
		Decided:  func(r *result.Run) bool { return study.AllDecided(study.Analyse(r)) },
		Standing: standing, Note: note,
	})
	view.Close()
	if err != nil {
		return err
	}
	return conclude(cmd, done, f.out)
}

// planOf makes the plan of what was asked.
func planOf(pr *project, f *runFlags, slug string) (*result.Plan, *scenario.Scenario, error) {
	st, err := pr.study(slug)
	if err != nil {
		return nil, nil, err
	}
	level := st.Levels[0]
	delay := f.delay
	if delay == 0 && level.Launch.Delay != "" {
		if delay, err = time.ParseDuration(level.Launch.Delay); err != nil {
			return nil, nil, fmt.Errorf("study %s: delay: %w", slug, err)
		}
	}
	p := &result.Plan{
		Format: result.Format, Dyno: version(), Protocol: "duel", Profile: "quick", Study: slug, Title: st.Title, Scenario: st.Scenario,
		Contestants: st.Contestants, Controls: f.controls, Level: result.Level{DelayNS: int64(delay), Connections: level.Load.Connections, Pipeline: max(1, level.Load.Pipeline)},
		Seed: f.seed, Primary: st.Primary, Alpha: 0.05, Margin: 0.03, Pilots: 1, Looks: []int{8, 12, 16, 24},
		BudgetNS: int64(f.budget), StartedUnixNS: time.Now().UnixNano(),
	}
	if len(f.contestants) > 0 {
		p.Contestants, p.Title, p.Study = f.contestants, "", ""
	}
	if f.scenario != "" {
		p.Scenario = f.scenario
	}
	if f.connections != 0 {
		p.Level.Connections = f.connections
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64N(1 << 32)
	}
	if err := check(pr, f, p); err != nil {
		return nil, nil, err
	}
	sc, err := pr.scenario(p.Scenario)
	if err != nil {
		return nil, nil, err
	}
	if truth.CanNull(sc) && delay == 0 {
		p.Ceiling = "null"
	}
	if p.Title == "" {
		p.Title = sc.Title
	}
	for _, name := range p.Contestants {
		m := pr.manifest(name)
		if m == nil {
			continue
		}
		if !slices.Contains(m.Scenarios, p.Scenario) {
			return nil, nil, usagef("%s does not serve the scenario %q; it serves %s", name, p.Scenario, strings.Join(m.Scenarios, ", "))
		}
		if m.Managed() {
			p.Managed = append(p.Managed, name)
		}
	}
	plan.Quick(p)
	if f.out == "" {
		f.out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405Z"))
	}
	p.Command = commandOf(f, p, slug)
	return p, sc, nil
}

// check refuses values that cannot be meant.
func check(pr *project, f *runFlags, p *result.Plan) error {
	if err := pr.contestants(p.Contestants); err != nil {
		return err
	}
	for _, c := range p.Controls {
		if control, ok, err := truth.ParseControl(c); err != nil || !ok || control.Null {
			return usagef("--controls: %q is no truth server to ride along; want ref, ref' or ref+X%%", c)
		}
		if slices.Contains(p.Contestants, c) {
			return usagef("%q is both a contestant and a control; name others with --controls", c)
		}
	}
	if len(p.Controls) == 0 || p.Controls[0] != "ref" {
		return usagef("--controls: the first must be ref, the yardstick")
	}
	switch {
	case p.Level.Connections < 1 || p.Level.Connections > 60_000:
		return usagef("--connections %d: want 1 to 60000", p.Level.Connections)
	case f.delay < 0 || f.delay > time.Minute:
		return usagef("--delay %v: want 0 to 1m", f.delay)
	case f.budget <= 0:
		return usagef("--budget %v: want more than 0", f.budget)
	}
	return nil
}

// commandOf is the command that repeats the run.
func commandOf(f *runFlags, p *result.Plan, slug string) string {
	words := []string{"dyno", "run"}
	if p.Study != "" {
		words = append(words, slug)
	} else {
		words = append(words, "--contestants", strings.Join(p.Contestants, ","))
	}
	if f.scenario != "" {
		words = append(words, "--scenario", f.scenario)
	}
	if f.connections != 0 {
		words = append(words, "--connections", fmt.Sprint(f.connections))
	}
	if f.delay != 0 {
		words = append(words, "--delay", f.delay.String())
	}
	if c := strings.Join(p.Controls, ","); c != "ref,ref'" {
		words = append(words, "--controls", `"`+c+`"`)
	}
	return strings.Join(append(words, "--budget", f.budget.String(), "--seed", fmt.Sprint(p.Seed)), " ")
}

// announce tells the cost before anything is done.
func announce(w io.Writer, p *result.Plan, c *plan.Cost, out string) {
	fmt.Fprintf(w, "%s\n%d contestants and %d controls, %d connections, seed %d, into %s\n",
		p.Title, len(p.Contestants), len(p.Controls), p.Level.Connections, p.Seed, out)
	fmt.Fprintf(w, "after the builds: about %d trials of %v in %d epochs, %v; first possible verdict after %v; at most %v\n\n",
		c.Trials, time.Duration(p.TrialNS), c.Epochs+p.Pilots, c.Whole.Round(time.Second), c.FirstVerdict.Round(time.Second), time.Duration(p.BudgetNS))
}

// note is told when the pilots end: what this run can find.
func note(r *result.Run) string {
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
	return text
}

// standing is the interim table of the live view.
func standing(r *result.Run) []result.Standing {
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
