package main

import (
	"compress/gzip"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"dyno/internal/checks"
	"dyno/internal/result"
)

func trimCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trim RUN >studies/STUDY/trials.jsonl.gz",
		Short: "Write a run without its histograms, compressed, to be committed",
		Long: `trim writes all records of a stored run, compressed, without what no verdict needs: the windows of
warm-ups, and histograms that hold all requests of a trial, because the record has their quantiles
too. Reports and verdicts of such a copy are the same. It is a quarter as large, or less.`,
		Example: "  dyno trim runs/20260904T120000Z >trials.jsonl.gz\n" +
			"  dyno trim runs/20260904T120000Z >studies/iris-vs-netcore-mvc/trials.jsonl.gz\n" +
			"  dyno trim trials.jsonl >trials.jsonl.gz",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isTerminal(cmd.OutOrStdout()) {
				return usagef("trim writes compressed trials: give it a file, dyno trim %s >trials.jsonl.gz", args[0])
			}
			run, err := result.Open(args[0])
			if err != nil {
				return usage(err)
			}
			return trim(cmd.OutOrStdout(), run)
		},
	}
}

// trim writes run in the form to commit. It keeps a histogram that lacks requests of its trial,
// because the checks need it.
//
// Note: the alternative, to merge the trials of an epoch, would lose information. The value of a
// pair in an epoch is the median of the ratios of its rounds, which two medians do not give.
func trim(w io.Writer, run *result.Run) error {
	for i := range run.Launches {
		run.Launches[i].Windows = nil
	}
	for i := range run.Trials {
		if l := &run.Trials[i].Load; l.Service != "" && checks.HoldsAll(l) {
			l.Service = ""
		}
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(result.Write(z, run), z.Close())
}
