package main

import (
	"compress/gzip"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/result"
)

func trimCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trim RUN >studies/STUDY/trials.jsonl.gz",
		Short: "Write a compressed copy of a run, small enough to commit",
		Long: `trim writes a compressed copy of all records of a stored run, without data that no verdict uses: the
windows of warm-ups, and the trials' histograms, whose quantiles are recorded as well; the few of a
classic run stay. Reports and verdicts of the copy are the same. It has at most a quarter of the size.`,
		Example: "  dyno trim runs/20260904T120000Z >trials.jsonl.gz\n" +
			"  dyno trim runs/20260904T120000Z >studies/iris-vs-netcore-mvc/trials.jsonl.gz\n" +
			"  dyno trim trials.jsonl >trials.jsonl.gz",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isTerminal(cmd.OutOrStdout()) {
				return usagef("trim writes compressed data, not for a terminal; redirect it: dyno trim %s "+
					">trials.jsonl.gz", args[0])
			}
			run, err := openRun(args[0])
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
	few := plan.Of(&run.Plan).Traits().Alone // its reports show more percentiles than a trial has
	for i := range run.Trials {
		if l := &run.Trials[i].Load; !few && l.Service != "" && checks.HoldsAll(l) {
			l.Service = ""
		}
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(result.Write(z, run), z.Close())
}
