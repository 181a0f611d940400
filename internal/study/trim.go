package study

import (
	"compress/gzip"
	"errors"
	"io"

	"dyno/internal/checks"
	"dyno/internal/hist"
	"dyno/internal/result"
)

// Trim writes a compressed copy of run, small enough to commit: without the windows of warm-ups, and without
// the histograms of trials of which reports show no more than the recorded quantiles. Reports and verdicts of
// the copy are the same. A classic run keeps its few histograms. Trim keeps a histogram that lacks requests of its trial,
// because the checks need it.
//
// Note: the alternative, to merge the trials of an epoch, would lose information. The value of a
// pair in an epoch is the median of the ratios of its rounds, which two medians do not give.
func Trim(w io.Writer, run *result.Run) error {
	for i := range run.Launches {
		run.Launches[i].Windows = nil
	}
	few := run.Plan.Processes == result.PerLoad // its reports show more percentiles than a trial has
	shown := map[result.Key]bool{}
	for _, t := range tailTrials(run) {
		shown[t.Key] = true
	}
	h := hist.NewCoarse()
	for i := range run.Trials {
		if l := &run.Trials[i].Load; !few && !shown[run.Trials[i].Key] && l.Service != "" && checks.HoldsAll(h, l) {
			l.Service = ""
		}
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(result.Write(z, run), z.Close())
}
