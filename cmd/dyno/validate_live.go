package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/experiment"
	"dyno/internal/host"
	"dyno/internal/plan"
	"dyno/internal/proc"
	"dyno/internal/refserver"
	"dyno/internal/result"
	"dyno/internal/stats"
	"dyno/internal/study"
	"dyno/internal/validate"
)

// The budget of a live run and its interim analyses. More analyses would divide alpha further, and
// a run of 100 s has at most 16 epochs.
const liveBudget = 100 * time.Second

var liveAnalyses = []int{12, 16}

// The same of a run of four servers, whose epochs take twice as long: there is one analysis.
const costsBudget = 150 * time.Second

var costsAnalyses = []int{12}

// validateLive makes live runs and appends their results to file.
func validateLive(cmd *cobra.Command, file string, more int, wait bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	release, err := measuring(cmd, wait, "")
	if err != nil {
		return err
	}
	defer release()
	done, err := readLines(file, validate.ReadLive)
	if err != nil {
		return err
	}
	commit := commitOf(cmd.Context(), pr.root, file)
	err = validate.RunLive(cmd.Context(), &validate.LiveOptions{
		Done: done, More: more,
		Play: func(ctx context.Context, t validate.LiveTask) (*result.Run, []validate.Cost, error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "live run %d of %d\n", t.Number+1, validate.LiveAll)
			return playLive(cmd, pr, t)
		},
		Keep: func(l validate.Live) error {
			l.Commit = commit
			done = append(done, l)
			fmt.Fprintf(cmd.OutOrStdout(), "%d %v\n", l.Number, &l)
			return keepLine(file, l)
		},
	})
	for _, b := range (&validate.Results{Live: done}).LiveBars() {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s (bar: %s)\n", b.Target, b.Worst, b.Limit)
	}
	return err
}

// playLive carries out one run, in a temporary folder.
func playLive(cmd *cobra.Command, pr *project, t validate.LiveTask) (run *result.Run, costs []validate.Cost,
	err error) {
	dir, err := proc.MkdirTemp("", "dyno-live-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, proc.RemoveTemp(dir)) }()
	r := plan.Request{
		Contestants: t.Contestants, Controls: []string{"none"}, Primary: "cpu_per_request", Alpha: validate.Alpha,
		Margin: validate.Margin, Budget: liveBudget, Analyses: liveAnalyses, Seed: t.Seed,
	}
	switch t.Kind {
	case validate.LiveFull:
		r.Profile, r.Budget, r.Analyses = "full", 0, nil
	case validate.LiveCosts:
		r.Budget, r.Analyses = costsBudget, costsAnalyses
	case validate.LiveRelinked:
		if pr, err = pr.relinked(t); err != nil {
			return nil, nil, err
		}
		defer func() {
			for _, name := range t.Contestants { // which no other run starts
				err = errors.Join(err, contestant.Forget(name))
			}
		}()
	}
	x, err := pr.validation(cmd, r, dir)
	if err != nil {
		return nil, nil, err
	}
	if t.Hog {
		stop, err := startHog(dir, t.Seed)
		if err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	data, err := measure(cmd, x)
	if err := errors.Join(err, cmd.Context().Err()); err != nil {
		return nil, nil, err
	}
	if t.Kind != validate.LiveRelinked {
		costs, err = costsIn(x.Folder, t.Contestants)
	}
	return data.Run, costs, err
}

// relinked returns a project in which the contestants of t are built of one source, each with layouts
// of its own.
func (p *project) relinked(t validate.LiveTask) (*project, error) {
	of := p.manifest(validate.LiveSource)
	if of == nil {
		return nil, fmt.Errorf("no contestant %q in this project", validate.LiveSource)
	}
	with := *p
	with.manifests = slices.Clone(p.manifests)
	for i, name := range t.Contestants {
		m := *of
		m.Name, m.Title, m.Relink = name, name, t.Relinks[i]
		with.manifests = append(with.manifests, &m)
	}
	return &with, nil
}

// validation plans a run of the default study's level and scenario, recorded in a folder below dir.
func (p *project) validation(cmd *cobra.Command, r plan.Request, dir string) (*experiment.Experiment, error) {
	if _, err := p.ask(&r, defaultStudy, study.Choice{}); err != nil {
		return nil, err
	}
	return experiment.New(cmd.Context(), r, p.world(), p.setup(cmd, &place{out: filepath.Join(dir, "run"), offline: true}))
}

// costsIn returns what the servers say in their logs of their costs, against the first: the median
// over epochs of each process's median, which includes the time to read the clock; and the median over
// epochs of how much more a request cost in all.
func costsIn(dir string, contestants []string) ([]validate.Cost, error) {
	told := make([]validate.Cost, len(contestants))
	first := map[string]float64{} // by epoch, what a request cost the first in all
	for i, name := range contestants {
		logs, err := filepath.Glob(filepath.Join(dir, "logs", bench.LogName(name, "epoch*")))
		if err != nil {
			return nil, err
		}
		var added, own []float64
		for _, log := range logs {
			var a refserver.Added
			last := proc.Tail(log, 1)
			if len(last) == 0 || json.Unmarshal([]byte(last[0]), &a) != nil {
				return nil, fmt.Errorf("the log of %s does not end with its added cost: %q in %s", name, last, log)
			}
			if a.Sampled > 0 {
				added = append(added, float64(a.P50NS))
			}
			_, epoch, _ := strings.Cut(filepath.Base(log), "-epoch")
			switch base := first[epoch]; {
			case i == 0:
				first[epoch] = a.OwnNS
			case base > 0 && a.OwnNS > 0:
				own = append(own, a.OwnNS/base-1)
			}
		}
		if len(added) == 0 {
			return nil, fmt.Errorf("%s: no sample of the added cost in %d epochs", name, len(logs))
		}
		told[i].AddedNS = stats.Median(added) - told[0].AddedNS
		if len(own) > 0 {
			told[i].Own = stats.Median(own)
		}
	}
	told[0] = validate.Cost{}
	return told, nil
}

// startHog starts background load on the CPUs that the bench will use. It runs as a program of its
// own, so that the bench counts it as background CPU.
func startHog(dir string, seed uint64) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	h := host.Describe()
	argv := []string{self, "hog", "--seed", fmt.Sprint(seed)}
	for _, cpu := range append(h.ServerCPUs, h.GeneratorCPUs...) {
		argv = append(argv, fmt.Sprint(cpu))
	}
	p, err := proc.Start(proc.Command{Argv: argv, Dir: dir, Env: proc.Environment(dir, dir, 0, nil), Log: filepath.Join(dir, "hog.log")})
	if err != nil {
		return nil, fmt.Errorf("start the background load: %w", err)
	}
	return func() error {
		select {
		case <-p.Done():
			return errors.Join(fmt.Errorf(
				"the background load ended early: %v: %s", p.Err(), strings.Join(p.LogTail(5), "; ")), p.Stop(0))
		default:
			return p.Stop(time.Second)
		}
	}, nil
}

// commitOf returns the commit of this program, with a mark if it was built from modified sources;
// "" if unknown. go run does not record the commit: then it is that of the checkout, ignoring
// changes of file, to which results are appended.
func commitOf(ctx context.Context, root, file string) string {
	commit, changed := "", false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
	}
	if commit == "" {
		out, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "HEAD").Output()
		if err != nil {
			return ""
		}
		commit = strings.TrimSpace(string(out))
		// No other file than that is left out, so its path need not be one of the checkout.
		out, err = exec.CommandContext(ctx, "git", "-C", root, "status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude,glob)**/"+filepath.Base(file)).Output()
		changed = err != nil || len(out) > 0
	}
	commit = commit[:min(12, len(commit))]
	if changed {
		commit += "+"
	}
	return commit
}
