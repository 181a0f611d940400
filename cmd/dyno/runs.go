package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// repeat calls run once, or as often as --runs says: each time with the next seed and further
// layouts, recorded in its own folder 1 to N below the command's. Then it writes the combined
// result.
func (p *place) repeat(cmd *cobra.Command, r *plan.Request, run func() error) error {
	switch {
	case p.Runs < 1:
		return usagef("--runs %d: want at least 1", p.Runs)
	case p.Runs == 1:
		return run()
	}
	pr, err := openProject()
	if err != nil {
		return err
	}
	out, stdout := p.output, cmd.OutOrStdout()
	if err := out.open(documentForms); err != nil {
		return err
	}
	defer out.close()
	drawSeed(cmd)
	dir, err := p.begin(p.folder(pr))
	if err != nil {
		return err
	}
	seed := r.Seed
	p.output = output{}
	cmd.SetOut(cmd.ErrOrStderr()) // each run is progress, the combined result is the output
	for i := range p.Runs {
		if err := foreign.Folders(dir, strconv.Itoa(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var failed error
	for i := range p.Runs {
		p.Out, r.Seed, r.Relink = filepath.Join(dir, strconv.Itoa(i+1)), seed+uint64(i), i*plan.MostLayouts
		fmt.Fprintf(cmd.ErrOrStderr(), "\nrun %d of %d: %s\n", i+1, p.Runs, p.Out)
		err := run()
		var silent exit
		if err != nil && !errors.As(err, &silent) || cmd.Context().Err() != nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	cmd.SetOut(stdout)
	if err := reportRuns(cmd, dir, &out); err != nil {
		return err
	}
	if failed != nil {
		return exit(exitFailed)
	}
	return nil
}

// runsIn returns the folders 1, 2, … below dir that hold one command's runs; none if dir is itself
// a run.
func runsIn(dir string) (folders []string) {
	for i := 1; ; i++ {
		folder := filepath.Join(dir, strconv.Itoa(i))
		if _, err := os.Stat(filepath.Join(folder, record.TrialsFile)); err != nil {
			return folders
		}
		folders = append(folders, folder)
	}
}

// storedRun is a run in the folder of runs.
type storedRun struct {
	name string // relative to that folder
	path string
	at   time.Time // when its record was last written
}

// recordIn returns the record in a folder; nil if there is none.
func recordIn(dir string) fs.FileInfo {
	for _, file := range []string{record.TrialsFile, record.TrialsFile + ".gz"} {
		if st, err := os.Lstat(filepath.Join(dir, file)); err == nil {
			return st
		}
	}
	return nil
}

// holdsRun reports whether a folder holds a run, or several in folders 1, 2, ….
func holdsRun(dir string) bool { return recordIn(dir) != nil || runsIn(dir) != nil }

// storedRuns returns the runs in a folder, the last first. The folder may hold anything.
func storedRuns(dir string) (all []storedRun) {
	entries, _ := os.ReadDir(dir) // those that can be read
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		folders := []string{path}
		below, _ := os.ReadDir(path) // of several runs, each has a folder there
		for _, b := range below {
			folders = append(folders, filepath.Join(path, b.Name()))
		}
		for _, folder := range folders {
			if st := recordIn(folder); st != nil {
				name, _ := filepath.Rel(dir, folder)
				all = append(all, storedRun{name, folder, st.ModTime()})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b storedRun) int {
		return cmp.Or(b.at.Compare(a.at),
			strings.Compare(b.name, a.name))
	})
	return all
}

// findRun returns where the run is that a user names: a path, or a name in the folder of runs. Without a name
// it is the last run there.
func findRun(cmd *cobra.Command, name string) (string, error) {
	p, err := contestant.FindProject()
	if err != nil {
		return name, nil // openRun reports it
	}
	if name != "" {
		named := filepath.Join(p.Runs(), name)
		if _, err := os.Stat(name); (err != nil || contestant.IsDir(name) && !holdsRun(name)) && filepath.IsLocal(name) &&
			holdsRun(named) {
			return named, nil
		}
		return name, nil
	}
	all := storedRuns(p.Runs())
	if len(all) == 0 {
		return "", usagef("no run is named, and %s", lastOf(p.Runs()))
	}
	path := all[0].path
	if parent := filepath.Dir(path); slices.Contains(runsIn(parent), path) { // of --runs, which are shown together
		path = parent
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "the last run:", document.Clean(path))
	return path, nil
}

// listRuns lists the runs that contain every word, the last first, with when and where they were measured, and
// their answers in a sentence.
func listRuns(w io.Writer, words listWords) error {
	p, err := contestant.FindProject()
	if err != nil {
		return err
	}
	all := storedRuns(p.Runs())
	var rows [][]string
	for _, r := range all {
		row := append([]string{document.Clean(r.name)}, r.summary()...)
		if words.holds(row...) {
			rows = append(rows, row)
		}
	}
	var b strings.Builder
	section(&b, listWidth(w), rows, "RUN", "BEGUN (UTC)", "ANSWER")
	switch {
	case len(all) == 0:
		fmt.Fprintf(&b, "no run is recorded in %s\n", p.Runs())
	case len(rows) == 0:
		return fmt.Errorf("list: no run in %s has %s; run dyno list runs to see all", p.Runs(), strings.Join(words, " "))
	}
	_, err = io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// summary returns when the run began, and its answer with where it was measured.
func (r storedRun) summary() []string {
	run, err := study.Open(r.path)
	if err == nil {
		err = judge.Assert(run)
	}
	if err != nil {
		return []string{"-", document.Clean("cannot be read: " + err.Error())}
	}
	text := strings.Join(report.Answer(study.Evaluate(run))[:1], "")
	if run.End == nil {
		text += " The record has no end: the run was killed, or is measuring still."
	}
	on := cmp.Or(run.Host.CPU, "an unknown CPU")
	if run.Plan.Title != "" {
		text += " " + run.Plan.Title + ","
	}
	return []string{time.Unix(0, run.Plan.Origin.StartedUnixNS).UTC().Format("2006-01-02 15:04:05"),
		document.Clean(fmt.Sprintf("%s on %s.", text, on))}
}

// reportRuns prints the combined result of the runs below dir.
func reportRuns(cmd *cobra.Command, dir string, out *output) error {
	var runs []*record.Run
	for _, folder := range runsIn(dir) {
		run, err := study.Open(folder)
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	if len(runs) < 2 {
		return fmt.Errorf("%s: %d runs; at least 2 are combined", dir, len(runs))
	}
	a, err := study.Combine(runs)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return out.document(cmd.OutOrStdout(), a.Document(runs[0]), a.Data())
}
