package report

import (
	"fmt"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// extraMetrics returns the metrics for an additional level. In an open loop all contestants have
// the same throughput, and response times distinguish them.
func (v *View) extraMetrics(i int) (list []judge.Metric) {
	if v.single {
		return nil
	}
	names := []string{"throughput", "cpu_per_request", "p50"}
	if v.levels[i].At.Open() {
		names = []string{"due_rate", "response_p50", "response_p99", "cpu_per_request", "due_requests"}
	}
	for _, n := range names {
		if m, ok := judge.MetricNamed(n); ok {
			list = append(list, m)
		}
	}
	return list
}

// extraText explains a level beside a ranking, and its figures.
func (v *View) extraText(i int) (title, note string) {
	title = "At another level: "
	note = "In addition to the comparison, without verdicts. Medians of " +
		document.Count(v.levels[i].Analysis.Epochs, "epoch") + ", one trial each. " + strings.Join(v.legend(), " ")
	l := v.levels[i].At
	if l.Open() {
		title = "At a common rate: "
		note += " Requests arrive at random, and their time counts from when they were due."
	}
	switch {
	case l.OwnRate:
		title = "At a rate of its own: "
		note += fmt.Sprintf(" The rate of each is %s of its own capacity in the pilots.", PerCent(l.RateShare))
	case l.RateShare > 0:
		note += fmt.Sprintf(" The rate is %s of the slowest contestant's capacity in the pilots.", PerCent(l.RateShare))
	}
	return title + v.names[i], note
}
