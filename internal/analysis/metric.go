package analysis

import (
	"strings"

	"dyno/internal/result"
)

// Metric is a measured property of a contestant, in base units. Its entry in the table defines
// everything about it: how it is computed from a trial, how it is judged and how it is shown. A new
// metric is an entry with its function in metrics.go, a value in metrics_test.go, and a line in
// doc/format.md.
type Metric struct {
	Name string // key in flags, CSV and JSON
	Unit string // of the value: the name of a Unit
	More bool   // larger is better
	Kind Kind   // its kind, which determines the checks that concern it

	Of   func(*result.Trial) (float64, bool) // false: the trial has no such value
	Idle func(*result.Usage) (float64, bool) // the same of a process before its first load; nil: it has none

	Rare      bool // shown only in runs that have it
	Fresh     bool // only in runs with fresh processes; in others it would include all earlier loads
	Unranked  bool // a property of the machine, which is shown but not compared
	Settles   bool // constant from round to round after the warm-up; a contestant that still changes is not compared
	PerCPU    bool // of a server that uses all CPU that it can have: compared per CPU time that it had
	AtCeiling bool // bounded by the load generator's ceiling

	Title  string // heading of a section, and of the metric's explanation
	Head   string // short heading of a column in text and Markdown; %s is the scale
	Column string // heading of a column of the page, above its scale; the title if empty
	About  string // the explanation on the page
	Phrases
}

// Phrases are the words for how contestants compare under a metric. Empty ones are derived from the
// metric's title.
type Phrases struct {
	Factor string // of one against another: "serves %s the requests of"; %s is the ratio
	Best   string // of the first of all: "is fastest", "uses the least CPU per request"
	Rise   string // of one against another: "serves %s more requests than"; %s is the share
	Fall   string // its opposite
}

// Kind is a kind of metric. Each kind is one bit, so that a Kind can also be a set of kinds.
type Kind uint8

// Kinds of metrics. Others are counts, to which only those checks apply that concern all figures.
const (
	Rate         Kind = 1 << iota // right answers by time
	ServiceTime                   // from sending a request to its answer
	ResponseTime                  // from the moment a request was due to its answer
	TailTime                      // the same for the slowest
	CPUTime
	Memory
	Count
	Arrivals // of an open loop: what it asks of the server

	OpenLoop  = ResponseTime | TailTime
	Latency   = ServiceTime | OpenLoop
	WallClock = Rate | Latency
)

// Wall reports whether the wall clock measures m, so that other programs on the machine affect it.
func (m Metric) Wall() bool { return m.Kind&WallClock != 0 }

// Open reports whether only open loops have m.
func (m Metric) Open() bool { return m.Kind&(OpenLoop|Arrivals) != 0 }

// HeadIn returns the short heading of a column of m in a scale.
func (m Metric) HeadIn(scale string) string {
	head := m.Head
	if head == "" {
		head = m.Title + " %s"
	}
	return strings.Replace(head, "%s", scale, 1)
}

// Says returns the phrases of m. None of them is empty.
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
		{&p.Rise, "has %s more " + inForm(title) + " than"}, {&p.Fall, "has %s less " + inForm(title) + " than"},
	} {
		if *phrase.of == "" {
			*phrase.of = phrase.absent
		}
	}
	return p
}

// inForm escapes a text for use in a format of fmt.Sprintf.
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

// named is MetricNamed for a name that the table has.
func named(name string) Metric {
	m, ok := MetricNamed(name)
	if !ok {
		panic("no metric " + name)
	}
	return m
}

// ClassicNamed returns the metric of that name among those of classic runs.
func ClassicNamed(name string) Metric {
	for _, m := range LoadMetrics {
		if m.Name == name {
			return m
		}
	}
	panic("no metric " + name + " of a classic run")
}
