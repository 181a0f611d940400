package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// defaultStudy is the study of dyno run without arguments, and fewBudget its budget where toolchains are missing: with
// the builds of a first run it takes at most five minutes on two CPUs.
const (
	defaultStudy = "iris-vs-netcore-mvc"
	fewBudget    = "2m30s"
)

// runFlags are the flags of dyno run: the request, the chosen part of the study, and the output.
type runFlags struct {
	request plan.Request
	choice  study.Choice
	place   place
	Resume  string
	missing string // contestants that dyno run without arguments leaves out, and why
}

// fleetName is the flag for the file that names several machines.
const fleetName = "fleet"

// place holds the flags that all commands with runs share: where the run is recorded, and whether
// it waits for another run.
type place struct {
	Out           string
	Fleet         string // file that names several machines
	Runs          int
	Offline, Wait bool
	output
	dated string // the run folder that is named after the time, if no other is given
}

// world returns what a plan needs to know. Other machines' CPUs are not known yet: before anything
// is measured, the server machine is asked whether it has enough.
func (p *place) world(pr *project) plan.World {
	w := pr.world()
	if p.Fleet != "" {
		w.Room = nil
	}
	return w
}

// folder returns the run folder.
func (p *place) folder(pr *project) string {
	if p.Out == "" {
		p.dated = filepath.Join(pr.found.Runs(), folderName())
		p.Out = p.dated
	}
	return p.Out
}

// begin makes the run folder if it is named after the time; if another run began in the same second, with a number at
// the end of the name.
func (p *place) begin(dir string) (string, error) {
	if dir != p.dated {
		return dir, nil
	}
	err := os.MkdirAll(filepath.Dir(dir), 0o755)
	for n := 1; err == nil; n++ {
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", p.dated, n)
		}
		if err = os.Mkdir(dir, 0o755); err == nil {
			return dir, nil
		} else if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return "", fmt.Errorf("create run folder: %w; pass --run-folder", err)
}

// folderName names a run folder after the present time.
func folderName() string { return time.Now().UTC().Format("20060102T150405Z") }

func runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := command("run", func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && args[0] == articlesWord {
			return articles(cmd, f, args[1:])
		}
		with := []string{"resume", "offline", "contestants", "wait", "format", "output", fleetName}
		if f.Resume != "" && setBeside(cmd, with) != "" {
			return usagef("--resume continues with the run's own plan; it can be combined only with " +
				"--offline, --wait, --fleet, --format, --output, and --contestants with folders")
		}
		return f.place.repeat(cmd, &f.request, func() error { return run(cmd, f, args) })
	}, f, &f.request, &f.choice, &f.place)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 && args[0] != articlesWord {
			return usagef("dyno run takes one study; to name contestants, use --contestants %s",
				strings.Join(args, ","))
		}
		return nil
	}
	return cmd
}

// run carries out dyno run, from its arguments to the verdicts.
func run(cmd *cobra.Command, f *runFlags, args []string) error {
	prepare := f.experiment
	if f.Resume != "" {
		prepare = f.resumed
	}
	x, err := prepare(cmd, args)
	if err == nil {
		err = onFleet(cmd, &f.place, x)
	}
	if err == nil {
		err = f.place.open(runForms())
	}
	if err != nil {
		return err
	}
	defer f.place.close()
	data, err := carryOut(cmd, x, &f.place)
	if err != nil {
		return err
	}
	if f.missing != "" {
		data.Added.Closing = append(data.Added.Closing, document.Item{Label: "Missing", Text: document.Plain(f.missing)})
	}
	return conclude(cmd, data, x.Folder, &f.place.output)
}

// experiment plans the run that the flags request.
func (f *runFlags) experiment(cmd *cobra.Command, args []string) (*bench.Experiment, error) {
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	drawSeed(cmd)
	r, bare := f.request, len(args) == 0 && setBeside(cmd, append(articleFlags, "budget", "runs", "format", "output")) == ""
	if len(args) == 0 && len(r.Contestants) == 0 {
		args = []string{defaultStudy}
		if len(f.choice.Levels) == 0 {
			if err := cmd.Flags().Set("quick", "true"); err != nil { // as if given: the record says so
				return nil, err
			}
		}
	}
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
	f.choice.Apart = f.place.Fleet != ""
	st, err := pr.ask(&r, append(args, defaultStudy)[0], f.choice)
	if err != nil {
		return nil, err
	}
	if bare {
		f.missing = pr.leaveOut(cmd, &r.Question)
	}
	if f.missing != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "left out: "+f.missing)
		if r.Budget == 0 {
			cmd.Flags().Set("budget", fewBudget)
			r.Budget = f.request.Budget
		}
	}
	r.Command = repeated(cmd, args)
	called := r.Contestants
	if len(called) == 0 {
		called = r.Question.Contestants
	}
	if err := pr.call(r.Question.Study, called); err != nil {
		return nil, usage(err)
	}
	x, err := bench.New(cmd.Context(), r, f.place.world(pr), pr.setup(cmd, &f.place))
	if err == nil && x.Plan.Study.ClaimsHash != "" {
		x.Decided = st.Decided
	}
	return x, err
}

// setBeside returns a flag that is set and not one of those named; "" if there is none.
func setBeside(cmd *cobra.Command, names []string) (other string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			other = f.Name
		}
	})
	return other
}

// leaveOut removes contestants whose toolchain is not here, and says which and what to do.
func (p *project) leaveOut(cmd *cobra.Command, q *plan.Question) string {
	var names []string
	why := ""
	q.Contestants = slices.DeleteFunc(q.Contestants, func(name string) bool {
		_, err := contestant.Find(cmd.Context(), p.manifest(name), contestant.FindOptions{Look: true})
		if err != nil {
			names = append(names, name)
			why = strings.Replace(err.Error(), "dyno run downloads", "dyno run "+q.Study+" --quick downloads", 1)
		}
		return err != nil
	})
	return strings.TrimPrefix(strings.Join(names, ", ")+": "+why, ": ")
}

// resumed returns the experiment that continues an interrupted run.
func (f *runFlags) resumed(cmd *cobra.Command, _ []string) (*bench.Experiment, error) {
	var err error
	if f.Resume, err = findRun(cmd, f.Resume); err != nil {
		return nil, err
	}
	run, err := openRun(f.Resume)
	if err != nil {
		return nil, usage(err)
	}
	if isComparison(run) {
		return nil, notResumable(f.Resume, run)
	}
	if len(run.Host.Generators) > 0 && f.place.Fleet == "" {
		return nil, usagef("--resume %s: it was measured on several machines; pass --fleet FILE, too", f.Resume)
	}
	if !contestant.IsDir(f.Resume) {
		return nil, usagef("--resume %s: want a folder, in which the run goes on; put the file into one of its own, as "+
			"%s or %[2]s.gz", f.Resume, record.TrialsFile)
	}
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	if _, err := pr.know(f.request.Contestants); err != nil {
		return nil, err
	}
	if err := pr.call(run.Plan.Study.Slug, run.Plan.Contestants); err != nil {
		return nil, usage(err)
	}
	f.place.Out = f.Resume
	x, err := bench.Resume(cmd.Context(), run, pr.setup(cmd, &f.place))
	if err != nil {
		return nil, err
	}
	if st, err := pr.asked(&run.Plan); err == nil && run.Plan.Study.ClaimsHash != "" {
		x.Decided = st.Decided
	}
	for _, name := range run.Plan.Contestants {
		if _, err := pr.facts(name); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// runForms are the forms of a run.
func runForms() []string { return slices.Sorted(maps.Keys(report.Formats)) }

// conclude writes the verdicts, and the run folder's pages.
func conclude(cmd *cobra.Command, data *report.Data, dir string, o *output) error {
	data.Folder, data.Page = dir, filepath.Join(dir, pageFile)
	if err := o.report(cmd.OutOrStdout(), data); err != nil {
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

// report writes a run in the forms that the flags name.
func (o *output) report(stdout io.Writer, data *report.Data) error {
	return o.write(stdout, func(w io.Writer, form string) error {
		shown := *data
		if form == "text" && w == stdout {
			shown.Color, shown.Width = colored(w), width(w)
		}
		return report.Formats[form](w, &shown)
	})
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
	if _, err := plan.Resumable(r); err != nil || r.End == nil || isComparison(r) {
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
