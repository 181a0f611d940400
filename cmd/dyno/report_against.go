package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/study"
)

// reportAgainst prints how run has changed since the run stored at path.
func reportAgainst(cmd *cobra.Command, run *record.Run, path string, force bool, format string) error {
	other, err := openRun(path)
	if err != nil {
		return err
	}
	if err := judge.Assert(other); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := study.Compare(run, other, force)
	var machine *study.OtherMachine
	switch {
	case errors.As(err, &machine):
		return fmt.Errorf("%w; pass --force to compare them anyway", err)
	case err != nil:
		return err
	case format == "json":
		return document.JSON(cmd.OutOrStdout(), a.Data(run, other))
	}
	o := document.Options{}
	if out := cmd.OutOrStdout(); isTerminal(out) { // a pipe gets whole lines
		o.Width = width(out)
	}
	return document.Text(cmd.OutOrStdout(), a.Document(run, other), o)
}
