package main

import (
	"cmp"
	"errors"
	"fmt"
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
	connections int
	rate        float64
	asks        scenario.AdHoc
	differ      []string
	of          string
	names       []string
	failIf      []string
	strict      bool
	folders     []string
	secure      wire.TLS
	place       place
	resume      string
}

// defaultCondition is the --fail-if for comparisons whose sides dyno builds.
const defaultCondition = "cpu_per_request>3%"

// metricsText names the metrics that a condition may use.
func metricsText() string {
	closed, open := conditionMetrics(false), conditionMetrics(true)
	open = slices.DeleteFunc(open, func(name string) bool { return slices.Contains(closed, name) })
	return strings.Join(closed, ", ") + ", and with --rate " + strings.Join(open, ", ")
}

func compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [A B …]",
		Short: "Compare servers side by side, and say which is faster",
		Long: "compare starts two to twenty servers, loads them in turn, and says which is faster, by how\n" +
			"much, and how sure that is. Each side is\n\n" +
			"  a URL         of a server that runs already: http://localhost:3000/users/{int:1..100}, or\n" +
			"                https://…. It is loaded, and never frozen, pinned or stopped\n" +
			"  a command     in quotes: 'node a.js', 'uvicorn app:app --port {port}'. It learns its port\n" +
			"                from PORT, DYNO_ADDR or {port}; where it listens elsewhere, dyno finds out\n" +
			"  an image      image:NAME:TAG, which podman or docker runs\n" +
			"  a program     an executable file; with --of it stands in for what that builds\n" +
			"  a folder      that holds a contestant.toml\n" +
			"  a name        of a contestant\n" +
			"  a revision    of the git repository that holds the folder of --of: main, HEAD~1\n" +
			"  .             the folder of --of as it is now\n\n" +
			"Without sides, the file dyno.toml here says what is compared; dyno init writes one.\n" +
			"Each --fail-if METRIC>N% or METRIC<-N% is judged for each side against the first. Its outcome\n" +
			"is printed with the change and its interval:\n\n" +
			"  failed        the whole interval lies beyond the limit\n" +
			"  passed        the whole interval lies on this side of it\n" +
			"  not shown     to keep the limit: inconclusive, the estimate lies beyond it, and the 80 %\n" +
			"                interval excludes no change\n" +
			"  inconclusive  the limit lies within the interval, or the run has no say. A longer --budget\n" +
			"                narrows it; dyno doctor says how small a difference this machine can show\n" +
			"  not measured  a side has no figure of this metric\n\n" +
			"Exit codes: 0; 1 when a condition failed, was not shown or not measured, or with --strict was inconclusive,\n" +
			"when a side failed, when the run was interrupted, or when the machine was so noisy that nothing was\n" +
			"measured; 2 usage.\n" +
			"dyno help terms explains the words.",
		Example: "  dyno compare 'node a.js' 'python3 b.py'\n" +
			"  dyno compare http://localhost:3000/users/{int:1..100} http://localhost:4000/users/{int:1..100}\n" +
			"  dyno compare main . --of net-http\n" +
			"  dyno compare v1.2 HEAD --of contestants/go/iris --fail-if 'memory>10%'",
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			sides, file, err := compareSides(cmd, args)
			if err != nil {
				return err
			}
			return file.place(f.place.repeat(cmd, &f.request, func() error { return compare(cmd, &f, sides) }))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	asking := askingFlags(fl, &f.asks)
	fl.StringArrayVar(&f.differ, "differ", nil,
		"what the answers of the sides may differ in: status, type, body, "+
			"header:NAME or json:PATH; may be repeated")
	fl.StringArrayVar(&f.names, "name", nil, "name of a side in the output, in the order of the sides; may be repeated")
	fl.StringVar(&f.of, "of", "",
		"contestant that revisions and programs are of: its name in this project, or its folder")
	secure := tlsFlags(fl, &f.secure)
	folderFlag(cmd, &f.folders, knowFolders)
	fl.StringArrayVar(&f.failIf, "fail-if", nil,
		"exit with 1 when the data show this change of a side against the first: METRIC>N% or METRIC<-N% with one of "+
			metricsText()+"; may be repeated (default where dyno builds all sides: "+defaultCondition+")")
	fl.BoolVar(&f.strict, "strict", false, "exit with 1, too, when a --fail-if is inconclusive")
	r := &f.request
	fl.StringVar(&r.Primary, "primary", "",
		"metric that decides: one of the same (default throughput; where dyno builds all sides, and with --rate, "+
			"cpu_per_request)")
	fl.IntVarP(&f.connections, "connections", "c", 125, "connections kept in use")
	fl.VarP(flagOf(&f.rate, "", "rate", parseRate), "rate", "r",
		"open loop: requests per second, however long responses take: 1000, 1k, 50/s, 600/m")
	fl.Var(flagOf(&r.Budget, "5m", "time", parseSpan), "budget", "time for measuring, after the builds")
	r.Margin, r.Budget = 0.03, 5*time.Minute
	requestFlags(fl, r)
	serversFlag(fl, r)
	httpFlag(fl, r)
	fl.Lookup("http").Usage = "how the generator talks to all sides: " + wire.ProtocolNames() + "; h2 is HTTP/2 over TLS, h2c " +
		"HTTP/2 in the clear. Not for URLs, which say it themselves. A command or an image speaks it at its one port, over " +
		"TLS with the certificate of DYNO_TLS_CERT and DYNO_TLS_KEY (default http)"
	fl.Lookup("streams").Usage = "HTTP/2: requests in flight on each connection (default 1)"
	fl.Lookup("controls").Usage += " (default ref where all sides serve a scenario of the project, else none)"
	f.place.define(cmd)
	fl.StringVar(&f.resume, "resume", "", "")
	fl.MarkHidden("resume") // exists only to be refused in words
	heading(fl, "What is compared", "name", "of", "folder", "server-cpus")
	heading(fl, "What is asked", slices.Concat(asking, []string{"scenario", "rate", "connections", "http", "streams",
		"differ"})...)
	heading(fl, "TLS (https:// URLs)", secure...)
	heading(fl, "What decides", "fail-if", "strict", "primary", "margin")
	heading(fl, "How it is measured", "budget", "profile", "controls", "seed", "runs")
	heading(fl, "The run and its output")
	return cmd
}

// check rejects arguments that cannot be sides.
func (f *compareFlags) check(cmd *cobra.Command, args []string) error {
	if f.resume != "" {
		run, err := openRun(f.resume)
		if err != nil {
			return usage(err)
		}
		if !isComparison(run) {
			return usagef("resume %s: it was not made by dyno compare; use dyno run --resume", f.resume)
		}
		return notResumable(f.resume, run)
	}
	if len(args) == 0 { // compareSides reports errors
		return nil
	}
	if len(args) < contestant.FewestSides {
		return usagef("%s alone cannot be compared: pass %d sides or more; to load one server: dyno load URL", args[0],
			contestant.FewestSides)
	}
	return nil
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
	conditions, err := parseConditions(f.failIf, f.rate > 0)
	if err != nil {
		return err
	}
	if f.place.fleet != "" && f.secure.Any() {
		return usagef("--fleet: --ca, --insecure and the other TLS flags are of this machine's connections; generators " +
			"verify certificates by what their own systems trust; omit them")
	}
	pr, err := f.project()
	if err != nil {
		return err
	}
	sides, err := contestant.FindSides(cmd.Context(), texts, f.options(pr))
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
	x, err := f.experiment(cmd, pr, sides)
	if err != nil {
		return err
	}
	if len(f.failIf) == 0 && buildsOnly(sides) {
		conditions, _ = parseConditions([]string{defaultCondition}, f.rate > 0)
	}
	x.Settled = func(r *record.Run, a *judge.Analysis) bool { return answered(&r.Plan, a, sides, conditions) }
	x.Remark = func(r *record.Run) string { return identical(r, sides) }
	if err := onFleet(cmd, &f.place, x); err != nil {
		return err
	}
	data, err := carryOut(cmd, x, &f.place)
	if err != nil {
		return err
	}
	concluded := conclude(cmd, data, x.Folder)
	var silent exit
	if concluded != nil && !errors.As(concluded, &silent) {
		return concluded
	}
	if fails(answer(cmd.OutOrStdout(), data, sides, conditions), f.strict) {
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

// project returns the command's project, with the folders in --folder.
func (f *compareFlags) project() (*project, error) {
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	_, err = pr.knowOnly(f.folders)
	return pr, err
}

// options returns the options for interpreting the command's arguments.
func (f *compareFlags) options(pr *project) contestant.SideOptions {
	return contestant.SideOptions{
		Contestant: f.of, Names: f.names, TLS: f.secure,
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

// buildsOnly reports whether dyno builds all of sides.
func buildsOnly(sides []*contestant.Side) bool {
	for _, s := range sides {
		if !s.Built() {
			return false
		}
	}
	return true
}

// primary returns the metric that decides by default. In an open loop this is not throughput,
// because the request sets the rate.
func (f *compareFlags) primary(sides []*contestant.Side) string {
	if buildsOnly(sides) || f.rate > 0 {
		return "cpu_per_request"
	}
	return "throughput"
}

// experiment plans the comparison of sides. It uses the sides' manifests in place of pr's.
func (f *compareFlags) experiment(cmd *cobra.Command, pr *project, sides []*contestant.Side) (*bench.Experiment, error) {
	drawSeed(cmd)
	with := &project{found: pr.found, root: pr.root, fsys: pr.fsys}
	var err error
	if with.typed, err = f.typed(cmd, sides); err != nil {
		return nil, err
	}
	r := f.request
	var again []string
	for _, s := range sides {
		if r.HTTP != nil && s.Kind == contestant.URL {
			return nil, usagef("--http: the URL of %s says how it is spoken to; omit it, or pass the command that starts "+
				"the server", s.Name)
		}
		with.manifests = append(with.manifests, s.Manifest)
		r.Contestants = append(r.Contestants, s.Name)
		again = append(again, s.Again)
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
	r.Command, r.Title = repeated(cmd, again), against(sides)
	if with.typed != nil {
		r.Title = with.typed.Title + ": " + r.Title
	}
	r.Connections = []int{f.connections}
	if f.rate > 0 {
		r.Question.Levels = []record.Level{{Connections: f.connections, Pipeline: 1, RatePerSec: f.rate}}
	}
	setup := with.setup(cmd, &f.place)
	if with.typed != nil {
		allowed, err := alike.ParseAllowed(f.differ)
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
