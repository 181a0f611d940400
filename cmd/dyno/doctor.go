package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/contestant"
	"dyno/internal/doctor"
	"dyno/internal/document"
	"dyno/internal/report"
)

func doctorCommand() *cobra.Command {
	var f struct {
		Quick, Wait, Cache, Prune bool
		Format                    string
	}
	return command("doctor", func(cmd *cobra.Command, _ []string) error {
		if f.Cache && !f.Prune {
			return showCache(cmd.OutOrStdout(), false)
		}
		machine, err := measuring(cmd, f.Wait)
		if err != nil {
			return err
		}
		defer machine.release()
		if f.Prune { // no run uses what it removes
			return showCache(cmd.OutOrStdout(), true)
		}
		c, err := calibrate(cmd.Context(), cmd.ErrOrStderr(), f.Quick)
		if c == nil {
			return err
		}
		stdout, d := cmd.OutOrStdout(), doctor.Diagnose(c)
		if f.Format == "json" {
			return cmp.Or(err, d.JSON(stdout))
		}
		color := isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
		return cmp.Or(err, d.Text(stdout, color, min(width(stdout), 140)))
	}, &f)
}

// recently is how long ago what doctor --prune leaves was used at most.
const recently = 24 * time.Hour

// showCache prints what is in dyno's cache, by kind, and removes what was not used recently if prune is set.
func showCache(w io.Writer, prune bool) error {
	root, all, err := contestant.Cached()
	if err != nil {
		return err
	}
	t := document.Table{Title: root, Columns: []document.Column{{Head: "folder", Lead: true},
		{Head: "entries", Number: true}, {Head: "size", Number: true},
		{Head: "last used"}}}
	kind := func(e *contestant.CacheEntry) string { name, _, _ := strings.Cut(e.Path, "/"); return name }
	for len(all) > 0 {
		other := func(e contestant.CacheEntry) bool { return kind(&e) != kind(&all[0]) }
		same := slices.DeleteFunc(slices.Clone(all), other)
		var size int64
		var used time.Time
		for i := range same {
			e := &same[i]
			if size += e.Bytes; e.Used.After(used) {
				used = e.Used
			}
			if prune && !e.Used.IsZero() && time.Since(e.Used) > recently {
				err = errors.Join(err, os.RemoveAll(filepath.Join(root, e.Path)))
			}
		}
		last := "not known"
		if !used.IsZero() {
			last = used.Format("2 Jan 15:04")
		}
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{{Value: kind(&same[0])}, {Value: fmt.Sprint(len(same))},
			{Value: report.Bytes(float64(size))}, {Value: last}}})
		all = all[len(same):]
	}
	t.After = "dyno doctor --prune removes what was not used for a day; dyno makes it again when a run needs it."
	if prune {
		t.After = "Removed: what was not used for a day."
	}
	d := &document.Document{Sections: []document.Section{{Blocks: []document.Block{t}}}}
	return errors.Join(err, document.Text(w, d, document.Options{}))
}
