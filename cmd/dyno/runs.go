package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// repeat calls run once, or as often as --runs says: each time with the next seed and further
// layouts, recorded in its own folder 1 to N below the command's. Then it prints the combined
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
	drawSeed(cmd)
	dir, seed := p.folder(pr), r.Seed
	p.dated = false
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
	if err := reportRuns(cmd, dir); err != nil {
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

// reportRuns prints the combined result of the runs below dir.
func reportRuns(cmd *cobra.Command, dir string) error {
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
	o := document.Options{}
	if out := cmd.OutOrStdout(); isTerminal(out) {
		o.Width = width(out)
	}
	fmt.Fprintln(cmd.OutOrStdout())
	return document.Text(cmd.OutOrStdout(), a.Document(runs[0]), o)
}
