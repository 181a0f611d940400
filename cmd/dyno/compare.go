package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"dyno/internal/alike"
	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// compareFlags are the flags of dyno compare: the request, the questions to the servers, and where
// the run is recorded.
type compareFlags struct {
	request     plan.Request
	Connections int
	Rate        float64
	asks        scenario.AdHoc
	Differ      []string
	Dir         string
	Build       string
	Start       string
	Names       []string
	FailIf      []string
	Strict      bool
	secure      wire.TLS
	services    []scenario.Service // of dyno.toml
	place       place
}

// defaultCondition is the --fail-if for comparisons whose sides dyno builds.
const defaultCondition = "cpu_per_request>3%"

func compareCommand() *cobra.Command {
	f := &compareFlags{}
	f.request.Margin, f.request.Budget = 0.03, 5*time.Minute
	cmd := command("compare", func(cmd *cobra.Command, args []string) error {
		sides, file, err := compareSides(cmd, args)
		if err != nil {
			return err
		}
		if file != nil {
			f.services = file.services
		}
		return file.place(f.place.repeat(cmd, &f.request, func() error { return compare(cmd, f, sides) }))
	}, f, &f.request, &f.asks, &f.secure, &f.place)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 0 && len(args) < contestant.FewestSides { // compareSides reports none
			return usagef("%s alone cannot be compared: pass %d sides or more; to load one server: dyno load URL", args[0],
				contestant.FewestSides)
		}
		return nil
	}
	return cmd
}

// isComparison reports whether a run was made by dyno compare.
func isComparison(run *record.Run) bool {
	return strings.HasPrefix(run.Plan.Origin.Command, "dyno compare ")
}

// notResumable says why an interrupted comparison cannot be resumed, with a remedy.
func notResumable(dir string, run *record.Run) error {
	return usagef("resume %s: its builds were temporary and have been removed; start the comparison again:\n"+
		"  %s", dir, run.Plan.Origin.Command)
}

// compare runs the whole comparison, from the arguments to the answer.
func compare(cmd *cobra.Command, f *compareFlags, texts []string) (err error) {
	conditions, err := parseConditions(f.FailIf, f.Rate > 0)
	if err != nil {
		return err
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	sides, err := contestant.FindSides(cmd.Context(), texts, f.options(pr))
	if err != nil {
		return err
	}
	composed, err := contestant.ComposeServices(sides)
	if err != nil {
		return err
	}
	end, err := supervised(cmd) // before the first folder that a killed dyno would leave
	if err != nil {
		return err
	}
	defer end()
	work, err := machine.MkdirTemp("", "dyno-compare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, machine.RemoveTemp(work)) }()
	if err := contestant.OpenSides(cmd.Context(), sides, work); err != nil {
		return err
	}
	guessed(cmd.ErrOrStderr(), sides)
	services, err := scenario.Join(f.services, composed)
	if err != nil {
		return err
	}
	x, err := f.experiment(cmd, pr, sides, services)
	if err != nil {
		return err
	}
	gate := len(conditions) > 0 // the answer is its state, not a verdict on each pair
	if gate {
		x.Ends = "each --fail-if"
	} else if buildsOnly(sides) {
		conditions, _ = parseConditions([]string{defaultCondition}, f.Rate > 0)
	}
	for _, c := range conditions {
		x.Plan.FailIf = append(x.Plan.FailIf, c.text)
	}
	x.Decided = func(r *record.Run, a *judge.Analysis) bool {
		js := judged(&r.Plan, a, conditions)
		if gate {
			return gateDecided(js)
		}
		return a.Decided() && answered(js)
	}
	x.Remark = func(r *record.Run) string { return identical(r, sides) }
	if err := onFleet(cmd, &f.place, x); err != nil {
		return err
	}
	if err := f.place.open(runForms()); err != nil {
		return err
	}
	defer f.place.close()
	data, err := carryOut(cmd, x, &f.place)
	if err != nil {
		return err
	}
	results, err := answer(data, identical(data.Run, sides))
	if err != nil {
		return err
	}
	concluded := conclude(cmd, data, x.Folder, &f.place.output)
	var silent exit
	if concluded != nil && !errors.As(concluded, &silent) {
		return concluded
	}
	if fails(results, f.Strict) {
		return exit(exitFailed)
	}
	return concluded
}

// complain reports an error that can no longer be returned.
func complain(cmd *cobra.Command, err error) {
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "dyno:", err)
	}
}

// options returns the options for interpreting the command's arguments.
func (f *compareFlags) options(pr *project) contestant.SideOptions {
	return contestant.SideOptions{
		Dir: f.Dir, Build: f.Build, Start: f.Start, Names: f.Names, TLS: f.secure,
		Taken: func(name string) bool {
			_, ok, _ := refserver.ParseControl(name)
			return ok
		},
		Folder: func(name string) (dir, suggestion string, ok bool) {
			if m := pr.manifest(name); m != nil {
				return m.Dir(pr.root), "", true
			}
			return "", suggest(name, pr.names(), "dyno list"), false
		},
	}
}

// guessed says which flags dyno guessed, once for the sides that share them.
func guessed(w io.Writer, sides []*contestant.Side) {
	names := map[string][]string{}
	for _, s := range sides {
		build, start, file := s.Guessed()
		text := "guessed from " + file + ":"
		if build != "" {
			text += " --build " + quoted(build)
		}
		if start != "" {
			text += " --start " + quoted(start)
		}
		if file != "" {
			names[text] = append(names[text], s.Name)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "%s: %s\n", strings.Join(names[text], ", "), text)
	}
}

// buildsOnly reports whether dyno builds all of sides.
func buildsOnly(sides []*contestant.Side) bool {
	return !slices.ContainsFunc(sides, func(s *contestant.Side) bool { return !s.Built() })
}

// primary returns the metric that decides by default. In an open loop this is not throughput,
// because the request sets the rate.
func (f *compareFlags) primary(sides []*contestant.Side) string {
	if buildsOnly(sides) || f.Rate > 0 {
		return "cpu_per_request"
	}
	return "throughput"
}

// experiment plans the comparison of sides. It uses the sides' manifests in place of pr's.
func (f *compareFlags) experiment(cmd *cobra.Command, pr *project, sides []*contestant.Side,
	services []scenario.Service) (*bench.Experiment, error) {
	drawSeed(cmd)
	with := &project{found: pr.found, root: pr.root, fsys: pr.fsys, services: services}
	var err error
	if with.typed, err = f.typed(cmd, sides); err != nil {
		return nil, err
	}
	r := f.request
	var texts []string
	for _, s := range sides {
		if r.HTTP != nil && s.Kind == contestant.URL {
			return nil, usagef("--http: the URL of %s says how it is spoken to; omit it, or pass the command that starts "+
				"the server", s.Name)
		}
		with.manifests = append(with.manifests, s.Manifest)
		if with.services, err = scenario.Join(with.services, s.Manifest.Called()); err != nil {
			return nil, err
		}
		r.Contestants, texts = append(r.Contestants, s.Name), append(texts, s.Text)
	}
	if with.typed != nil {
		r.Scenario = with.typed.Name
		if len(r.Controls) > 0 && r.Controls[0] != "none" {
			return nil, usagef(
				"--controls: reference servers can serve only a --scenario of the project; omit --controls")
		}
		r.Controls = []string{"none"}
	} else if r.Controls == nil {
		r.Controls = []string{"ref"}
	}
	r.Primary = cmp.Or(r.Primary, f.primary(sides))
	r.SameProgram = r.SameProgram || contestant.OneProgram(sides)
	if f.services != nil { // dyno.toml has them, and the sides
		texts = nil
	}
	r.Command, r.Title = repeated(cmd, texts), against(sides)
	if with.typed != nil {
		r.Title = with.typed.Title + ": " + r.Title
	}
	r.Connections = []int{f.Connections}
	if f.Rate < 0 || len(f.FailIf) > 0 { // a gate ends as soon as its state is decided
		r.NoRated = true
	}
	if f.Rate > 0 {
		r.Question.Levels = []record.Level{{Connections: f.Connections, Pipeline: 1, RatePerSec: f.Rate}}
	}
	setup := with.setup(cmd, &f.place)
	if with.typed != nil {
		allowed, err := alike.ParseAllowed(f.Differ)
		if err != nil {
			return nil, usage(err)
		}
		setup.Alike = &alike.Sides{Allowed: allowed, Apart: alike.Second}
	}
	return bench.New(cmd.Context(), r, f.place.world(with), setup)
}

// against returns a comparison's title: each side's name and description or, for many sides or long
// commands, the names alone. The line "Again" prints everything in full.
func against(sides []*contestant.Side) string {
	const room = 60 // characters, so that the title fits a line with the text after it
	var labels, names []string
	for _, s := range sides {
		labels, names = append(labels, foreign.Mask(s.Label())), append(names, s.Name)
	}
	all := strings.Join(labels, " against ")
	switch {
	case len(sides) > 3:
		return fmt.Sprintf("%s and %d others", labels[0], len(sides)-1)
	case utf8.RuneCountInString(all) > room:
		return strings.Join(names, " against ")
	}
	return all
}
