package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/study"
)

// againstForms are the forms in which two runs are compared.
var againstForms = map[string]func(w io.Writer, a *study.Against, run, other *record.Run) error{
	"html": func(w io.Writer, a *study.Against, run, other *record.Run) error {
		return document.HTML(w, a.Document(run, other))
	},
	"json": func(w io.Writer, a *study.Against, run, other *record.Run) error {
		return document.JSON(w, a.Data(run, other))
	},
	"markdown": func(w io.Writer, a *study.Against, run, other *record.Run) error {
		return document.Markdown(w, a.Document(run, other), 3)
	},
	"text": func(w io.Writer, a *study.Against, run, other *record.Run) error {
		o := document.Options{}
		if isTerminal(w) { // a pipe gets whole lines
			o.Width = width(w)
		}
		return document.Text(w, a.Document(run, other), o)
	},
}

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
	return out.write(cmd.OutOrStdout(), func(w io.Writer,
		form string) error {
		return againstForms[form](w, a, run, other)
	})
}
