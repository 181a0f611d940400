package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/analysis"
	"dyno/internal/experiment"
	"dyno/internal/plan"
	"dyno/internal/proc"
	"dyno/internal/result"
)

// The names of the two that are compared. They are equally long, so that neither's paths are.
const (
	baseName = "base"
	headName = "head"
)

// compareFlags are the flags of dyno compare: the request, what it is asked of, and where it goes.
type compareFlags struct {
	request     plan.Request
	connections int
	records     int
	delay       time.Duration
	contestant  string
	failIf      []string
	folders     []string
	place       place
	resume      string
}

func compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare BASE HEAD",
		Short: "Compare two builds of one contestant, and say whether the second is worse",
		Long: "compare builds two states of one contestant side by side and compares them in one run. BASE and HEAD are each\n\n" +
			"  a folder      that holds a contestant.toml\n" +
			"  a revision    of the git repository that holds the folder of --contestant: main, HEAD~1, v1.2\n" +
			"  .             the folder of --contestant as it is now\n" +
			"  a program     that is built already; what it needs stands in the manifest of --contestant\n\n" +
			"Exit code 1 if the data show that a --fail-if is true of HEAD against BASE.",
		Example: "  dyno compare main . --contestant net-http\n" +
			"  dyno compare v1.2 HEAD --contestant contestants/go/iris --fail-if 'memory>10%'\n" +
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
	fl.StringVar(&f.contestant, "contestant", "",
		"contestant that revisions and programs are of: its name in this project, or its folder")
	contestantsFlag(cmd, &f.folders, knowFolders)
	fl.StringArrayVar(&f.failIf, "fail-if", []string{"cpu_per_request>3%"},
		"fail when the data show this change: METRIC<-N% or METRIC>N%; may be repeated")
	r := &f.request
	fl.StringVar(&r.Primary, "primary", "cpu_per_request",
		"metric that decides: throughput, cpu_per_request, p50 or memory")
	fl.IntVar(&f.connections, "connections", 125, "connections kept in use")
	fl.IntVar(&f.records, "records", 0, "records that the companion of the scenario answers with (default 10)")
	fl.DurationVar(&f.delay, "delay", 0, "time that each handler waits before it answers")
	fl.DurationVar(&r.Budget, "budget", 5*time.Minute, "time for measuring, after the builds")
	r.Controls, r.Margin = []string{"ref"}, 0.03
	requestFlags(fl, r)
	f.place.define(cmd)
	fl.StringVar(&f.resume, "resume", "", "")
	fl.MarkHidden("resume") // it is there to be refused in words
	heading(fl, "What is compared", "contestant", "contestants", "scenario", "connections", "records", "delay")
	heading(fl, "What decides", "fail-if", "primary", "alpha", "margin")
	heading(fl, "How it is measured", "budget", "profile", "controls", "seed", "force")
	heading(fl, "The run and its output")
	return cmd
}

// isComparison reports whether a run was made by dyno compare.
func isComparison(run *result.Run) bool { return strings.HasPrefix(run.Plan.Command, "dyno compare ") }

// notResumable is why a comparison that was interrupted cannot go on, and what to do.
func notResumable(dir string, run *result.Run) error {
	return usagef("resume %s: it is a comparison, whose two builds were made in a folder of their own and are gone; "+
		"start it anew:\n  %s", dir, run.Plan.Command)
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
	work, err := proc.MkdirTemp("", "dyno-compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, proc.RemoveTemp(work)) }()
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
	x, err := f.experiment(cmd, both, sides)
	if err != nil {
		return err
	}
	x.Settled = func(_ *result.Run, a *analysis.Analysis) bool { return answered(a, conditions) }
	x.Remark = identical
	data, err := carryOut(cmd, x, f.place.wait)
	if err != nil {
		return err
	}
	concluded := conclude(cmd, data, x.Folder)
	var silent exit
	if concluded != nil && !errors.As(concluded, &silent) {
		return concluded
	}
	if failed := answer(cmd.OutOrStdout(), data.Run, data, conditions); failed {
		return exit(exitFailed)
	}
	return concluded
}

// complain says what went wrong where no error can be returned any more.
func complain(cmd *cobra.Command, err error) {
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "dyno:", err)
	}
}

// experiment plans the comparison. pr holds the manifests of the two and no others.
func (f *compareFlags) experiment(cmd *cobra.Command, pr *project, sides [2]*side) (*experiment.Experiment, error) {
	drawSeed(cmd)
	r := f.request
	if r.Budget <= 0 {
		return nil, usagef("--budget %v: want more than 0", r.Budget)
	}
	r.Command = repeated(cmd, []string{sides[0].again, sides[1].again})
	r.Title = sides[1].manifest.Title + " against " + sides[0].manifest.Title
	r.Contestants, r.Scenario = []string{baseName, headName}, cmp.Or(r.Scenario, commonScenario(sides))
	r.Connections, r.Records, r.Delays = []int{f.connections}, []int{f.records}, []time.Duration{f.delay}
	return experiment.New(cmd.Context(), r, pr.world(), pr.setup(cmd, &f.place))
}

// commonScenario is the first of the base's scenarios that the head serves too, or the base's
// first.
func commonScenario(sides [2]*side) string {
	for _, s := range sides[0].manifest.Scenarios {
		if slices.Contains(sides[1].manifest.Scenarios, s) {
			return s
		}
	}
	return sides[0].manifest.Scenarios[0]
}

// answered reports whether every condition is decided that can be.
func answered(a *analysis.Analysis, conditions []condition) bool {
	return !slices.ContainsFunc(conditions, func(c condition) bool {
		j := c.judge(a)
		return j.state == undecided && j.open
	})
}
