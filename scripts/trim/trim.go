package main

import (
	"compress/gzip"
	"errors"
	"io"

	"dyno/internal/record"
)

// trim writes a compressed copy of run, small enough to commit: without warm-up windows, and
// without the histograms of trials, whose recorded quantiles are all that reports show. The copy
// gives the same reports and verdicts. A classic run keeps its few histograms. trim keeps a
// histogram that lacks some of its trial's requests, because it shows a defect.
//
// Note: merging an epoch's trials instead would lose information. A pair's value in an epoch is the
// median over its rounds' ratios, which two medians do not give.
func trim(w io.Writer, run *record.Run) error {
	for i := range run.Launches {
		run.Launches[i].Windows = nil
	}
	few := run.Plan.Processes == record.PerLoad // its reports show more percentiles than a trial records
	h := record.NewCoarseHistogram()
	for i := range run.Trials {
		if l := &run.Trials[i].Load; !few && l.Service != "" && holdsAll(h, l) {
			l.Service = ""
		}
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(record.Write(z, run), z.Close())
}

// holdsAll reports whether a load's histogram has as many latencies as there were right responses.
// In older records it also includes wrong responses. The histogram is read into h.
func holdsAll(h *record.Histogram, l *record.Load) bool {
	h.Reset()
	_, err := h.Add(l.Service)
	return err == nil && h.Over() == 0 && (h.Count() == l.Succeeded || h.Count() == l.Succeeded+l.Failed)
}
