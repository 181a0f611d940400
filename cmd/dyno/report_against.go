package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/study"
)

// reportAgainst writes how run has changed since the run stored at path.
func reportAgainst(cmd *cobra.Command, run *record.Run, path string, out *output) error {
	path, err := findRun(cmd, path)
	if err != nil {
		return err
	}
	other, err := openRun(path)
	if err != nil {
		return err
	}
	if err := judge.Assert(other); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := study.Compare(run, other)
	if err != nil {
		return err
	}
	return out.document(cmd.OutOrStdout(), a.Document(run, other), a.Data(run, other))
}
