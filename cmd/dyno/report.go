package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/study"
)

func reportCommand() *cobra.Command {
	var f struct {
		output
		Salvage, Verbose bool
	}
	return command("report", func(cmd *cobra.Command, args []string) error {
		path, err := findRun(cmd, strings.Join(args, ""))
		if err != nil {
			return err
		}
		forms, several := runForms(), len(runsIn(path)) > 1
		if several {
			forms = documentForms
		}
		if err := f.open(forms); err != nil {
			return err
		}
		defer f.close()
		if several {
			return reportRuns(cmd, path, &f.output)
		}
		run, err := openRun(path)
		if damaged, ok := errors.AsType[*record.Damaged](err); f.Salvage && ok {
			run, err = damaged.Run, nil
		}
		if err != nil {
			return err
		}
		if err := judge.Assert(run); err != nil {
			return fmt.Errorf("%s: %w", path, err)
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
		if isComparison(run) {
			if _, err := answer(data, ""); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return f.report(cmd.OutOrStdout(), data)
	}, &f)
}
