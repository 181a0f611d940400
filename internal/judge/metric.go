package judge

import (
	"cmp"
	"strings"

	"dyno/internal/record"
)

// Metric is a measured property of a contestant, in base units. The table's entry defines
// everything about it: how it is computed from a trial, judged and shown. A new metric is an entry
// with its function in metrics.go, a value in metrics_test.go, and a line in doc/format.md.
type Metric struct {
	Name string // key in flags, CSV and JSON
	Unit string // a Unit's name
	More bool   // larger is better
	Kind Kind   // determines which checks apply

	Of   func(*record.Trial) (float64, bool) // false: the trial has no such value
	Idle func(*record.Usage) (float64, bool) // the same figure for a process before its first load; nil: none

	Rare      bool // shown only if a trial has it
	Fresh     bool // only in runs with fresh processes; in others it would include all earlier loads
	Unranked  bool // a property of the machine: shown, not compared
	Settles   bool // constant from round to round after the warm-up; a contestant that still changes is not compared
	PerCPU    bool // compared per available CPU time if the server uses all of it
	AtCeiling bool // bounded by the load generator's ceiling

	Title string // heading for a section and for the explanation
	Head  string // short column heading in text and Markdown; %s is the scale
	About string // the explanation on the page
	Phrases
}

// Phrases say how contestants compare under a metric. Empty phrases are derived from the metric's
// title.
type Phrases struct {
	Factor string // one against another: "serves %s the requests of"; %s is the ratio
	Best   string // the first among all: "is fastest", "uses the least CPU per request"
}

// Kind is a metric's kind. Each kind is one bit, so that a Kind can also be a set.
type Kind uint8

// The kinds. A metric of another kind is a count, to which only the checks on all figures apply.
const (
	Rate         Kind = 1 << iota // right answers per time
	ServiceTime                   // time from sending a request to its answer
	ResponseTime                  // time from when a request was due to its answer
	TailTime                      // ResponseTime for the slowest requests
	CPUTime
	Memory
	Count

	OpenLoop  = ResponseTime | TailTime
	Latency   = ServiceTime | OpenLoop
	WallClock = Rate | Latency
)

// Wall reports whether the wall clock measures m, so that other programs on the machine affect it.
func (m Metric) Wall() bool { return m.Kind&WallClock != 0 }

// Open reports whether only open loops have m.
func (m Metric) Open() bool { return m.Kind&OpenLoop != 0 }

// HeadIn returns m's short column heading in a scale; "": without a unit.
func (m Metric) HeadIn(scale string) string {
	if scale != "" {
		scale = " " + scale
	}
	return strings.Replace(cmp.Or(m.Head, m.Title+" %s"), " %s", scale, 1)
}

// Says returns m's phrases. None is empty.
func (m Metric) Says() Phrases {
	p, title := m.Phrases, m.Title
	if title[1] >= 'a' { // no abbreviation
		title = strings.ToLower(title[:1]) + title[1:]
	}
	for _, phrase := range []struct {
		of     *string
		absent string
	}{
		{&p.Factor, "has %s the " + inForm(m.Title) + " of"}, {&p.Best, "is ahead on " + title},
	} {
		if *phrase.of == "" {
			*phrase.of = phrase.absent
		}
	}
	return p
}

// inForm escapes a text for use in a fmt.Sprintf format.
func inForm(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// MetricNamed returns the metric of that name.
func MetricNamed(name string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// named is MetricNamed for a name in the table.
func named(name string) Metric {
	m, ok := MetricNamed(name)
	if !ok {
		panic("no metric " + name)
	}
	return m
}

// ClassicNamed returns the metric of published benchmarks with that name.
func ClassicNamed(name string) Metric {
	for _, m := range append(LoadMetrics[:len(LoadMetrics):len(LoadMetrics)], closedTail) {
		if m.Name == name {
			return m
		}
	}
	panic("no metric " + name + " of a classic run")
}
