package study

import (
	"fmt"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Chart declares charts on the study's page, one per metric: figures over levels, with a line for
// each contestant.
type Chart struct {
	Metrics     []string `toml:"metrics"`     // metrics of trials, or computed: latency_mean, drop
	Contestants []string `toml:"contestants"` // those with a line; if empty and there are too many, quick_contestants
	Plots       []Plot   `toml:"plot"`
}

// Plot declares a plot: levels from left to right.
type Plot struct {
	Title  string   `toml:"title"`
	Levels []string `toml:"levels"`
	Base   []string `toml:"base"` // for a drop: the level that each level drops from
}

// chartMetric returns the metric with that name in a chart.
func chartMetric(name string) (Metric, bool) {
	if m, ok := MetricNamed(name); ok && !m.Static && m.Part == "" {
		return m, true
	}
	return MetricNamed(name + ":")
}

// lines returns the contestants with a line.
func (s *Study) lines(c *Chart) []string {
	switch {
	case len(c.Contestants) > 0:
		return c.Contestants
	case len(s.Contestants) > report.MostBars && len(s.QuickContestants) > 0:
		return s.QuickContestants
	}
	return s.Contestants
}

// charts checks the charts.
func (r *reader) charts() {
	s := r.s
	for i := range s.Charts {
		c, at := &s.Charts[i], fmt.Sprintf("chart[%d]", i)
		if len(c.Metrics) == 0 || len(c.Plots) == 0 {
			r.errorf(at, `a chart needs "metrics" and a "plot"`)
		}
		for j, name := range c.Metrics {
			key := fmt.Sprintf("%s.metrics[%d]", at, j)
			switch m, ok := chartMetric(name); {
			case !ok || m.Computed != "" && name != Drop && name != "latency_mean":
				r.errorf(key, "no metric %q; want one of a run, latency_mean or drop", name)
			case name == Drop && !slices.ContainsFunc(c.Plots, func(p Plot) bool { return len(p.Base) > 0 }):
				r.errorf(key, `a drop needs a plot with "base", the levels that it is a drop from`)
			}
		}
		if n := len(s.lines(c)); n > report.MostBars {
			r.errorf(at, `%d contestants: at most %d lines can be told apart; name them in "contestants"`, n,
				report.MostBars)
		}
		for j, name := range c.Contestants {
			r.member(fmt.Sprintf("%s.contestants[%d]", at, j), name)
		}
		for j, p := range c.Plots {
			r.plot(fmt.Sprintf("%s.plot[%d]", at, j), p)
		}
	}
}

func (r *reader) plot(at string, p Plot) {
	if len(p.Levels) == 0 {
		r.errorf(at, `a plot needs "levels"`)
	}
	if len(p.Base) > 0 && len(p.Base) != len(p.Levels) {
		r.errorf(at+".base", "%d levels from %d; want equal numbers", len(p.Levels), len(p.Base))
	}
	for i, name := range slices.Concat(p.Levels, p.Base) {
		key := fmt.Sprintf("%s.levels[%d]", at, i)
		if i >= len(p.Levels) {
			key = fmt.Sprintf("%s.base[%d]", at, i-len(p.Levels))
		}
		r.level(key, name)
	}
}

// charts returns the charts on the study's page that the run has figures for.
func (e *evidence) charts() (out []chart) {
	if e.run.Plan.Processes == record.PerLoad {
		return nil
	}
	for i := range e.study.Charts {
		c := &e.study.Charts[i]
		for _, name := range c.Metrics {
			m, _ := chartMetric(name)
			one := chart{Metric: m, Lines: e.study.lines(c)}
			for _, p := range c.Plots {
				if name != Drop || len(p.Base) > 0 {
					one.Plots = append(one.Plots, e.plot(p, m))
				}
			}
			if slices.ContainsFunc(one.Plots, func(p plot) bool { return p.Any() }) {
				out = append(out, one)
			}
		}
	}
	return out
}

func (e *evidence) plot(p Plot, m Metric) plot {
	out := plot{Title: p.Title, Ours: map[string][]report.Figure{}}
	figure := func(contestant string, i int) Figure {
		f := Figure{Cell: Cell{Contestant: contestant, Level: p.Levels[i]}, Metric: m}
		if m.Name == Drop {
			f.To = Cell{Contestant: contestant, Level: p.Base[i]}
		}
		return f
	}
	for i, name := range p.Levels {
		out.Names, out.Levels = append(out.Names, name), append(out.Levels, e.study.level(name).At)
		for _, c := range e.study.Contestants {
			out.Ours[c] = append(out.Ours[c], e.plotted(figure(c, i)))
		}
		for _, x := range e.study.Figures {
			if f := figure(x.Contestant, i); x.Cell == f.Cell && x.Metric.Name == m.Name && x.To == f.To {
				out.Published = append(out.Published, plotPublished{Figure: x, Level: i})
			}
		}
	}
	return out
}

// plotted returns our figure for a cell.
func (e *evidence) plotted(f Figure) report.Figure {
	metric := f.Metric.Name
	if f.Metric.Computed != "" {
		metric = "throughput"
	}
	for _, c := range []Cell{f.Cell, f.To} {
		if v, why := e.lacks(c, metric); c.Contestant != "" && v != "" {
			return report.Figure{Absent: why}
		}
	}
	x := report.Figure{Estimate: e.figure(f)}
	if x.N == 0 {
		return report.Figure{Absent: "it could not be read"}
	}
	x.Least, x.Most = e.epochs(f)
	at, _ := e.cell(f.Cell)
	if a := e.analysisOf(at.Level); a != nil && metric == f.Metric.Name {
		m, _ := judge.MetricNamed(metric)
		x.Bound = m.AtCeiling && m.More && a.Shares[f.Contestant] > judge.CeilingLimit
	}
	return x
}
