package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// extraMetrics returns the metrics for an additional level. In the open loops after the epochs all
// contestants have the same throughput, and response times distinguish them.
func (v *View) extraMetrics(i int) (list []judge.Metric) {
	if v.single {
		return nil
	}
	names := []string{"throughput", "cpu_per_request", "p50"}
	if v.isRated(i) {
		names = []string{"response_p50", "response_p99", "response_p999", "cpu_per_request"}
	}
	for _, n := range names {
		if m, ok := judge.MetricNamed(n); ok && (!m.Rare || v.isRated(i)) {
			list = append(list, m)
		}
	}
	return list
}

// metricsAt returns the metrics shown at a level: the run's, and those that only such a level has.
func (v *View) metricsAt(i int) []judge.Metric {
	if v.isRated(i) {
		return v.extraMetrics(i)
	}
	all := slices.Clone(v.metrics)
	for _, m := range v.extraMetrics(i) {
		if !slices.ContainsFunc(all, func(o judge.Metric) bool { return o.Name == m.Name }) {
			all = append(all, m)
		}
	}
	return all
}

// isRated reports whether level i is that of the open loops after the epochs.
func (v *View) isRated(i int) bool { return v.Rated != nil && i == len(v.levels)-1 }

// ratedLoads says how many open loops after the epochs count, and how long they are.
func (v *View) ratedLoads() string {
	loads := v.Rated.Trials
	return document.Count(len(loads), "load") + " of " + document.Duration(float64(loads[0].Load.WindowNS))
}

// extraText explains a level beside a ranking, and its figures.
func (v *View) extraText(i int) (title, note string) {
	if v.isRated(i) {
		return "In an open loop: " + v.names[i], fmt.Sprintf("After the comparison, without verdicts: %s, with the last "+
			"epoch's processes. Requests arrive at random, and their time counts from when they were due. The rate is %s of "+
			"the slowest contestant's throughput in this run. Percentiles are of all loads together (merged histograms); "+
			"in brackets is the range of single loads, which is no interval: one start of each server.",
			v.ratedLoads(), document.Percent(v.Rated.At.RateShare))
	}
	title, note = "At another level: ", "In addition to the comparison, without verdicts. Medians of "+
		document.Count(v.levels[i].Analysis.Epochs, "epoch")+", one trial each. "+strings.Join(v.legend(), " ")
	return title + v.names[i], note
}
