package report

import (
	"fmt"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// extraMetrics returns the metrics of an additional level: in an open loop all have the same
// throughput, and response times distinguish them.
func (s *manyLevels) extraMetrics(i int) (list []judge.Metric) {
	names := []string{"throughput", "cpu_per_request", "p50"}
	if s.Levels[i].At.Open() {
		names = []string{"due_rate", "response_p50", "response_p99", "cpu_per_request", "due_requests"}
	}
	for _, n := range names {
		if m, ok := judge.MetricNamed(n); ok {
			list = append(list, m)
		}
	}
	return list
}

// extraTitle says what a level beside a comparison is there for.
func (s *manyLevels) extraTitle(i int) string {
	switch l := s.Levels[i].At; {
	case l.OwnRate:
		return "At a rate of its own: " + s.names[i]
	case l.Open():
		return "At a common rate: " + s.names[i]
	}
	return "At another level: " + s.names[i]
}

// levelScale returns the one that a metric of a level is printed with.
func (s *manyLevels) levelScale(m judge.Metric, i int) judge.Scale {
	return scaleFor(m, s.rows, func(r Row) *Figure { return s.figure(r, m, i) })
}

// extraNote says what the figures beside a comparison are.
func (s *manyLevels) extraNote(i int) string {
	text := "In addition to the comparison, without verdicts. Medians of " +
		document.Count(s.Levels[i].Analysis.Epochs,
			"epoch") + ", one trial each; ± is the interval of 95 %."
	const arrive = "requests arrive at random, and their time counts from when they were due."
	switch l := s.Levels[i].At; {
	case l.OwnRate:
		text += fmt.Sprintf(" The rate of each is %s of its own capacity in the pilots; ", PerCent(l.RateShare)) + arrive
	case l.RateShare > 0:
		text += fmt.Sprintf(" The rate is %s of the slowest contestant's capacity in the pilots; ",
			PerCent(l.RateShare)) + arrive
	case l.Open():
		text += " " + strings.ToUpper(arrive[:1]) + arrive[1:]
	}
	return text
}
