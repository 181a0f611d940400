package audit

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/importer"
)

// Missing lists unpublished values that would be needed to check figures.
type Missing struct {
	File    string
	What    string // kind: rate, mean latency, percentile
	Figures int
	Lacks   []lack
}

// lack lists the columns that a rule lacks to check a figure.
type lack struct {
	rule    string
	columns []string
}

// checkable are the kinds of figures that single-row rules check, and the columns that each rule
// needs.
var checkable = []struct {
	what  string
	is    func(*importer.Figure) bool
	needs []lack
}{
	{"rate", func(f *importer.Figure) bool {
		return f.Unit == importer.PerSec && (f.Metric == "rps" || f.Metric == "rps_mean")
	}, []lack{{"R2", []string{"connections", "mean latency"}}, {"R1", []string{"requests", "time"}}}},
	{"mean latency", func(f *importer.Figure) bool { return f.Unit == importer.Seconds && f.Metric == "latency_mean" },
		[]lack{{"R2", []string{"connections", "rate"}}, {"R9", []string{"percentile"}}}},
	{"percentile", func(f *importer.Figure) bool {
		_, ok := quantileOf(f.Metric)
		return ok && f.Unit == importer.Seconds
	}, []lack{{"R9", []string{"another percentile or the mean latency"}}}},
}

// has reports whether a row has a column, by its name in checkable.
func has(r *importer.Row, column string) bool {
	switch column {
	case "connections":
		return r.Connections > 0
	case "mean latency":
		return r.One(importer.Seconds, "latency_mean") != nil
	case "rate":
		return r.One(importer.PerSec, "rps", "rps_mean") != nil
	case "requests":
		return r.One(importer.None, "requests") != nil
	case "time":
		return r.One(importer.Seconds, "time") != nil || r.Planned > 0
	case "percentile":
		return slices.ContainsFunc(r.Figures, checkable[2].is)
	}
	return false
}

// Missing lists, by file, the values that are missing to check the figures without a check.
func (j *Report) Missing() (list []*Missing) {
	for _, d := range j.Documents {
		for _, r := range d.Rows {
			for _, f := range r.Figures {
				if f.Judged > 0 || f.Missing || f.Many > 0 || f.Prose || f.Derived {
					continue
				}
				if m := missing(d.Name, f); m != nil {
					list = added(list, m)
				}
			}
		}
	}
	return list
}

// missing returns the values that are missing to check a figure; nil if no single-row rule covers
// its kind, or if nothing is missing.
func missing(file string, f *importer.Figure) *Missing {
	for _, c := range checkable {
		if !c.is(f) {
			continue
		}
		m := &Missing{File: file, What: c.what, Figures: 1}
		for _, need := range c.needs {
			lacks := slices.DeleteFunc(slices.Clone(need.columns),
				func(column string) bool { return has(f.Row, column) })
			if len(lacks) > 0 {
				m.Lacks = append(m.Lacks, lack{need.rule, lacks})
			}
		}
		if len(m.Lacks) > 0 {
			return m
		}
	}
	return nil
}

// added counts m together with those that lack the same values.
func added(list []*Missing, m *Missing) []*Missing {
	for _, other := range list {
		if other.String() == m.String() && other.File == m.File && other.What == m.What {
			other.Figures++
			return list
		}
	}
	return append(list, m)
}

// String says what to publish: "connections and mean latency (R2), or requests and time (R1)".
func (m *Missing) String() string {
	var ways []string
	for _, l := range m.Lacks {
		ways = append(ways, fmt.Sprintf("%s (%s)", strings.Join(l.columns, " and "), l.rule))
	}
	return strings.Join(ways, ", or ")
}
