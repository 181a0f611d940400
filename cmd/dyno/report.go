package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/study"
)

func reportCommand() *cobra.Command {
	var f struct {
		output
		Against          string
		Salvage, Verbose bool
	}
	return command("report", func(cmd *cobra.Command, args []string) error {
		forms := runForms()
		if f.Against != "" {
			forms = slices.Sorted(maps.Keys(againstForms))
		}
		if err := f.open(forms); err != nil {
			return err
		}
		defer f.close()
		path, err := findRun(cmd, strings.Join(args, ""))
		if err != nil {
			return err
		}
		if len(runsIn(path)) > 1 && f.Against == "" && f.Format == "text" && f.Outputs == nil {
			return reportRuns(cmd, path)
		}
		run, err := openRun(path)
		var damaged *record.Damaged
		if f.Salvage && errors.As(err, &damaged) {
			run, err = damaged.Run, nil
		}
		if err != nil {
			return err
		}
		if err := judge.Assert(run); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if f.Against != "" {
			return reportAgainst(cmd, run, f.Against, &f.output)
		}
		data := study.Evaluate(run)
		data.Verbose, data.Folder = f.Verbose, path
		claims(cmd, data, path)
		_, absent := os.Stat(filepath.Join(path,
			record.TrialsFile)) // a compressed record is an archive: nothing is written beside it
		if absent == nil && run.Damage == nil && !cmd.Flags().Changed("format") {
			dir := filepath.Clean(path)
			data.Page = filepath.Join(dir, pageFile)
			defer func() { complain(cmd, writePages(data, dir)) }() // after the verdict
		}
		return f.report(cmd.OutOrStdout(), data, "")
	}, &f)
}
