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
	"dyno/internal/report"
	"dyno/internal/study"
)

func reportCommand() *cobra.Command {
	var format, against string
	var force, salvage bool
	formats := slices.Sorted(maps.Keys(report.Formats))
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Regenerate the report of a stored run",
		Long: "report reads a run folder, a trials.jsonl or a trials.jsonl.gz and prints the result, with " +
			"--verbose\n" +
			"in full detail. For a run folder without --format it also rewrites report.html and run.json there.\n\n" +
			"With --against it shows how each contestant's ratio to the reference has changed since another\n" +
			"stored run. To compare two builds, use dyno compare: it measures both in one run, which is more\n" +
			"reliable.",
		Example: "  dyno report runs/20260904T120000Z\n" +
			"  dyno report --format markdown studies/iris-vs-netcore-mvc >page.md\n" +
			"  dyno report --against runs/before runs/after",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := report.Formats[format]
			if !ok {
				return usagef("--format %q%s", format, suggest(format, formats, "dyno report --help"))
			}
			switch {
			case force && against == "":
				return usagef("--force needs --against")
			case against != "" && format != "text" && format != "json":
				return usagef("--format %s: --against supports text and json only", format)
			}
			if len(runsIn(args[0])) > 1 && against == "" && format == "text" {
				return reportRuns(cmd, args[0])
			}
			run, err := openRun(args[0])
			var damaged *record.Damaged
			if salvage && errors.As(err, &damaged) {
				run, err = damaged.Run, nil
			}
			if err != nil {
				return err
			}
			if err := judge.Assert(run); err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if against != "" {
				return reportAgainst(cmd, run, against, force, format)
			}
			data := study.Evaluate(run)
			data.Verbose, _ = cmd.Flags().GetBool(verboseName)
			data.Folder = args[0]
			claims(cmd, data, args[0])
			_, absent := os.Stat(filepath.Join(args[0],
				record.TrialsFile)) // a compressed record is an archive: nothing is written beside it
			if absent == nil && run.Damage == nil && !cmd.Flags().Changed("format") {
				dir := filepath.Clean(args[0])
				data.Page = filepath.Join(dir, pageFile)
				defer func() { complain(cmd, writePages(data, dir)) }() // after the verdict
			}
			out := cmd.OutOrStdout()
			data.Color = isTerminal(out) && os.Getenv("NO_COLOR") == ""
			data.Width = width(out)
			return write(out, data)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", strings.Join(formats, ", "))
	cmd.Flags().StringVar(&against, "against", "", "compare with this other stored run")
	verboseFlag(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "with --against: compare even runs of different machines")
	cmd.Flags().BoolVar(&salvage, "salvage", false, "of a damaged record, show what precedes the damage; nothing "+
		"is written into the run folder")
	return cmd
}

const verboseName = "verbose"

// verboseFlag adds the flag that shows all findings.
func verboseFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(verboseName, false, "print all details: every pair and check, p-values")
}
