package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/analysis"
	"dyno/internal/bench"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/study"
	"dyno/internal/terminal"
)

// The names of the two that are compared. They are equally long, so that neither's paths are.
const (
	baseName = "base"
	headName = "head"
)

// compareFlags are the flags of dyno compare. Those that dyno run has too stand in run, which is checked as there.
type compareFlags struct {
	run         runFlags
	contestant  string
	connections int
	records     int
	delay       time.Duration
	failIf      []string
	folders     []string
	resume      string
}

func compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE HEAD",
		Short: "Compare two builds of one contestant, and say whether the second is worse",
		Long: "compare builds two states of one contestant side by side and lets them duel in one run. BASE and HEAD are each\n\n" +
			"  a folder      that holds a contestant.toml\n" +
			"  a revision    of the git repository that holds the folder of --contestant: main, HEAD~1, v1.2, a1b2c3d\n" +
			"  .             the folder of --contestant as it is now\n" +
			"  a program     that is built already; what it needs stands in the manifest of --contestant\n\n" +
			"Exit code 1 if the data show that a --fail-if is true of HEAD against BASE.",
		Example: "  dyno compare main . --contestant net-http\n" +
			"  dyno compare v1.2 HEAD --contestant contestants/go/iris --fail-if 'cpu_per_request>3%' --fail-if 'memory>10%'\n" +
			"  dyno compare ../before/net-http contestants/go/net-http",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" {
				run, err := result.Open(f.resume)
				if err != nil {
					return usage(err)
				}
				if !isComparison(run) {
					return usagef("resume %s: it is no comparison; dyno run --resume goes on with it", f.resume)
				}
				return notResumable(f.resume, run)
			}
			return arguments(cobra.ExactArgs(2))(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return compare(cmd, &f, args[0], args[1]) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.contestant, "contestant", "", "contestant that revisions and programs are of: its name in this project, or its folder")
	contestantsFlag(cmd, &f.folders, knowFolders)
	fl.StringArrayVar(&f.failIf, "fail-if", []string{"cpu_per_request>3%"}, "fail when the data show this change: METRIC<-N% or METRIC>N%; may be repeated")
	fl.StringVar(&f.run.primary, "primary", "cpu_per_request", "metric that decides: throughput, cpu_per_request, p50 or memory")
	fl.StringVar(&f.run.scenario, "scenario", "", "scenario (default: the first that both serve)")
	fl.IntVar(&f.connections, "connections", 125, "connections kept in use")
	fl.IntVar(&f.records, "records", 0, "records that the companion of the scenario answers with (default 10)")
	fl.DurationVar(&f.delay, "delay", 0, "time that each handler waits before it answers")
	fl.StringSliceVar(&f.run.controls, "controls", []string{"ref"}, "truth servers that ride along: the yardstick, its blinded copy, ref+X%; or none")
	fl.StringVar(&f.run.profile, "profile", "quick", "quick; full: longer epochs, more looks; or lab: trials of seconds, on 4 CPUs or more")
	fl.DurationVar(&f.run.budget, "budget", 5*time.Minute, "time for measuring, after the builds")
	fl.Float64Var(&f.run.alpha, "alpha", 0.05, "chance of a false difference in the whole run")
	fl.Float64Var(&f.run.margin, "margin", 0.03, "differences within it are a tie")
	fl.Uint64Var(&f.run.seed, "seed", 0, "seed of order and inputs (default: drawn)")
	fl.StringVar(&f.run.out, "out", "", "run folder (default: runs/<time>)")
	fl.BoolVar(&f.run.offline, "offline", false, "fetch no toolchain")
	fl.BoolVar(&f.run.force, "force", false, "run --profile lab on a machine that is too small for it; the report says so")
	waitFlag(cmd, &f.run.wait)
	fl.StringVar(&f.resume, "resume", "", "")
	fl.MarkHidden("resume") // it is there to be refused in words
	return cmd
}

// isComparison reports whether a run was made by dyno compare.
func isComparison(run *result.Run) bool { return strings.HasPrefix(run.Plan.Command, "dyno compare ") }

// notResumable is why a comparison that was interrupted cannot go on, and what to do.
func notResumable(dir string, run *result.Run) error {
	return usagef("resume %s: it is a comparison, whose two builds were made in a folder of their own and are gone; start it anew:\n  %s", dir, run.Plan.Command)
}

// compare is the job from two names to one answer.
func compare(cmd *cobra.Command, f *compareFlags, baseText, headText string) (err error) {
	conditions, err := parseConditions(f.failIf)
	if err != nil {
		return err
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	if _, err := pr.knowOnly(f.folders); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "dyno-compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	var sides [2]*side
	for i, name := range []string{baseName, headName} {
		s, err := findSide(cmd.Context(), pr, f.contestant, name, []string{baseText, headText}[i])
		if err != nil {
			return err
		}
		defer func() { complain(cmd, s.remove()) }()
		sides[i] = s
	}
	both := &project{root: pr.root, fsys: pr.fsys}
	for _, s := range sides {
		if err := s.open(cmd.Context(), filepath.Join(work, s.name)); err != nil {
			return err
		}
		both.manifests = append(both.manifests, s.manifest)
	}
	p, sc, err := comparePlan(both, f, sides)
	if err != nil {
		return err
	}
	cost, err := plan.Estimate(p)
	if err != nil {
		return usage(err)
	}
	if err := roomFor(p); err != nil {
		return err
	}
	release, err := measuring(cmd, f.run.wait, f.run.out)
	if err != nil {
		return err
	}
	defer release()
	store, unlock, err := createRun(f.run.out)
	if err != nil {
		return err
	}
	defer unlock()
	defer store.Close()
	announce(cmd.ErrOrStderr(), p, &cost, f.run.out)
	return duelAndJudge(cmd, f, both, p, sc, store, conditions)
}

// complain says what went wrong where no error can be returned any more.
func complain(cmd *cobra.Command, err error) {
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "dyno:", err)
	}
}

// comparePlan makes the plan of a duel of two. pr holds the manifests of the two and no others.
func comparePlan(pr *project, f *compareFlags, sides [2]*side) (*result.Plan, *scenario.Scenario, error) {
	r := &f.run
	r.protocol = plan.Duel
	p := &result.Plan{
		Format: result.Format, Dyno: version(), Protocol: r.protocol, Profile: r.profile, Scenario: r.scenario,
		Title: sides[1].manifest.Title + " against " + sides[0].manifest.Title, Contestants: []string{baseName, headName},
		Level: result.Level{DelayNS: int64(f.delay), Connections: f.connections, Pipeline: 1, Records: f.records},
		Seed:  r.seed, Primary: r.primary, Alpha: r.alpha, Margin: r.margin, BudgetNS: int64(r.budget), StartedUnixNS: time.Now().UnixNano(),
	}
	if p.Scenario == "" {
		p.Scenario = commonScenario(sides)
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64N(1 << 32)
	}
	if p.Controls = r.controls; slices.Equal(r.controls, []string{"none"}) {
		p.Controls = []string{}
	}
	if err := tail(p); err != nil {
		return nil, nil, err
	}
	if r.budget <= 0 {
		return nil, nil, usagef("--budget %v: want more than 0", r.budget)
	}
	if err := check(pr, r, p); err != nil {
		return nil, nil, err
	}
	sc, err := pr.scenario(p.Scenario)
	if err != nil {
		return nil, nil, err
	}
	if err := pr.setCompanion(p, sc); err != nil {
		return nil, nil, err
	}
	if err := pr.ceiling(p, sc); err != nil {
		return nil, nil, err
	}
	if err := manage(pr, p); err != nil {
		return nil, nil, err
	}
	if err := plan.Profile(p); err != nil {
		return nil, nil, usagef("--profile: %w", err)
	}
	if err := atHome(p, runtime.NumCPU(), r.force); err != nil {
		return nil, nil, err
	}
	if r.out == "" {
		r.out = filepath.Join("runs", time.Now().UTC().Format("20060102T150405Z"))
	}
	p.Command = compareCommandOf(f, p, sides)
	return p, sc, nil
}

// commonScenario is the first of the base's scenarios that the head serves too, or the base's first.
func commonScenario(sides [2]*side) string {
	for _, s := range sides[0].manifest.Scenarios {
		if slices.Contains(sides[1].manifest.Scenarios, s) {
			return s
		}
	}
	return sides[0].manifest.Scenarios[0]
}

// compareCommandOf is the command that repeats the comparison, its revisions named by their hash.
func compareCommandOf(f *compareFlags, p *result.Plan, sides [2]*side) string {
	words := []string{"dyno", "compare", quoted(sides[0].again), quoted(sides[1].again)}
	add := func(given bool, flag string, value any) {
		if given {
			words = append(words, flag, quoted(fmt.Sprint(value)))
		}
	}
	add(f.contestant != "", "--contestant", f.contestant)
	add(len(f.folders) > 0, "--contestants", strings.Join(f.folders, ","))
	for _, c := range f.failIf {
		add(true, "--fail-if", c)
	}
	add(p.Primary != "cpu_per_request", "--primary", p.Primary)
	add(f.run.scenario != "", "--scenario", p.Scenario)
	add(f.connections != 125, "--connections", f.connections)
	add(f.records > 0, "--records", f.records)
	add(f.delay > 0, "--delay", f.delay)
	add(!slices.Equal(f.run.controls, []string{"ref"}), "--controls", strings.Join(f.run.controls, ","))
	add(p.Profile != "quick", "--profile", p.Profile)
	add(p.Alpha != 0.05, "--alpha", p.Alpha)
	add(p.Margin != 0.03, "--margin", p.Margin)
	if p.Forced != "" {
		words = append(words, "--force")
	}
	add(true, "--budget", f.run.budget)
	add(true, "--seed", p.Seed)
	return strings.Join(words, " ")
}

// duelAndJudge carries the plan out, concludes as dyno run does, and answers what was asked.
func duelAndJudge(cmd *cobra.Command, f *compareFlags, pr *project, p *result.Plan, sc *scenario.Scenario, store *result.Store, conditions []condition) error {
	stderr := cmd.ErrOrStderr()
	host, err := bench.NewLocal(bench.LocalOptions{
		Root: pr.root, FS: pr.fsys, Manifests: pr.manifests, Scenario: p.Scenario, Companion: p.Companion, Folder: f.run.out, Offline: f.run.offline,
	})
	if err != nil {
		return err
	}
	defer host.Close()
	last, err := calibrated(cmd, p)
	if err != nil {
		return err
	}
	view := terminal.New(stderr, isTerminal(stderr), os.Getenv("NO_COLOR") != "", func() int { return width(stderr) })
	done, err := (&bench.Bench{
		Host: host, Driver: host.Driver(), Scenario: sc, Last: last, Append: store.Append, Sync: store.Sync, Event: view.Event,
		Decided:  func(r *result.Run) bool { return answered(study.Analyse(r), conditions) },
		Standing: standing, Note: func(r *result.Run) string { return strings.TrimSuffix(note(r)+"; "+identical(r), "; ") },
	}).Run(cmd.Context(), *p)
	view.Close()
	if err != nil {
		return err
	}
	concluded := conclude(cmd, done, f.run.out)
	var silent exit
	if concluded != nil && !errors.As(concluded, &silent) {
		return concluded
	}
	if failed := answer(cmd.OutOrStdout(), done, study.Judge(done), conditions); failed {
		return exit(exitFailed)
	}
	return concluded
}

// answered reports whether the run may end: the pair is decided, and every condition that can be.
func answered(a *analysis.Analysis, conditions []condition) bool {
	if !study.AllDecided(a) {
		return false
	}
	return !slices.ContainsFunc(conditions, func(c condition) bool {
		j := c.judge(a)
		return j.state == undecided && j.open
	})
}
