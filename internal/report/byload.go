package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

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

// openMetric returns the open-loop metric with that name.
func openMetric(name string) judge.Metric {
	m, _ := judge.MetricNamed(name)
	return m
}

// byLoad returns charts of the response time over the rates of open loops, if there are several,
// with a line for each contestant.
func (v *View) byLoad() document.Choice {
	choice := document.Choice{ID: "load", Title: "Response time by load"}
	here := v.showing(openMetric("response_p99"))
	if len(here.levels) < 2 || len(here.rows) > MostBars { // more lines could not be told apart
		return choice
	}
	for _, name := range []string{"response_p99", "response_p50"} {
		m := openMetric(name)
		c := here.lineChart(m)
		c.ID, c.Excluded = "load-"+name, nil
		c.Foot = m.Title + " by load, from when a request was due; no verdicts"
		choice.Options = append(choice.Options, document.Option{Name: m.Title, Block: c})
	}
	return choice
}

// byLoadShort returns the answer's table of 99th percentiles of the response time at each requested open loop, and
// the contestants that did not keep a rate.
func (v *View) byLoadShort() []document.Block {
	m := openMetric("response_p99")
	here := v.showing(m)
	if v.run.Plan.Load.OpenNS == 0 || len(here.levels) == 0 {
		return nil
	}
	scale := here.scale(m)
	t := document.Table{Columns: []document.Column{{Head: m.HeadIn(scale.Name), Lead: true}},
		After: "p99 of the response time from when requests were due, median over loads; %: share of each " +
			"contestant's own capacity"}
	for _, l := range here.levels {
		t.Columns = append(t.Columns, document.Column{Head: judge.RateName(l.At), Number: true})
	}
	for _, r := range here.rows {
		if r.Excluded != "" {
			continue
		}
		row := document.Row{Key: r.Key(), Cells: []document.Cell{{Value: r.Title}}}
		for i := range here.levels {
			cell := here.figure(r, m, i).Cell(scale)
			cell.Side = ""
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	var missed []string
	for _, r := range v.rows {
		var at []string
		for i := range v.levels {
			if k := v.levels[i].Kept[r.Name]; k.Missed > 0 && v.missing(r, i) == "" {
				at = append(at, fmt.Sprintf("%s (%d of %d)", judge.RateName(v.levels[i].At), k.Missed, k.Loads))
			}
		}
		if len(at) > 0 {
			missed = append(missed, r.Title+" at "+strings.Join(at, ", "))
		}
	}
	if len(missed) > 0 {
		t.After += "\nloads in which it did not keep the rate: " + strings.Join(missed, "; ")
	}
	return []document.Block{t}
}

// missed says at which open loops a row did not always keep the rate.
func (v *View) missed(r Row) []string {
	return v.grouped(r.Title, func(i int) string {
		if v.missing(r, i) != "" {
			return ""
		}
		return v.levels[i].Kept[r.Name].Text
	})
}
