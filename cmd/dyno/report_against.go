package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/study"
)

// againstForms are the forms in which two runs are compared, besides JSON.
var againstForms = map[string]func(io.Writer, *document.Document) error{
	"html": document.HTML, "markdown": func(w io.Writer, d *document.Document) error { return document.Markdown(w, d, 3) },
	"text": func(w io.Writer, d *document.Document) error {
		o := document.Options{}
		if isTerminal(w) { // a pipe gets whole lines
			o.Width = width(w)
		}
		return document.Text(w, d, o)
	},
}

// reportAgainst prints how run has changed since the run stored at path.
func reportAgainst(cmd *cobra.Command, run *record.Run, path, format string) error {
	write := againstForms[format]
	if write == nil && format != "json" {
		return usagef("--format %s: --against supports json and %s", format, report.And(slices.Sorted(maps.Keys(againstForms))))
	}
	other, err := openRun(path)
	if err != nil {
		return err
	}
	if err := judge.Assert(other); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := study.Compare(run, other)
	switch {
	case err != nil:
		return err
	case format == "json":
		return document.JSON(cmd.OutOrStdout(), a.Data(run, other))
	}
	return write(cmd.OutOrStdout(), a.Document(run, other))
}
