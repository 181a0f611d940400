package judge

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
)

// quantiles are the response times that are read from merged histograms, by metric.
var quantiles = map[string]float64{"response_p50": .5, "response_p99": .99, "response_p999": .999}

// ratedLevel returns the open loops at one rate as a level, or why there are none. A figure is of all
// loads together, without an interval: they are of one epoch. Least and Most are single loads.
func ratedLevel(run *record.Run, c *Counted) (l *Level, why string) {
	if len(c.Rated) == 0 {
		return nil, c.NoRated
	}
	l = &Level{At: run.Plan.LevelOf(c.Rated[0]), Loaded: run.Plan.Contestants, Analysis: &Analysis{Epochs: 1},
		Trials: c.Rated, Absent: map[string]string{}}
	for _, name := range l.Loaded {
		own := slices.DeleteFunc(slices.Clone(l.Trials), func(t *record.Trial) bool { return t.Contestant != name })
		if len(own) == 0 {
			l.Absent[name] = "none of its loads counts"
			continue
		}
		for _, m := range Metrics {
			if m.Open() || m.Name == "cpu_per_request" {
				l.Analysis.Cells = append(l.Analysis.Cells, ratedCell(name, m, own))
			}
		}
	}
	return l, ""
}

func ratedCell(name string, m Metric, own []*record.Trial) Cell {
	c, q := CellOf(name, m, own), quantiles[m.Name]
	if c.Level.N = min(1, c.Level.N); q == 0 {
		return c
	}
	all := responses(own)
	f := all.Quantile(q)
	switch c.Level.Value, c.Level.N = f.NS, 1; {
	case !f.Known:
		c.Absent = fmt.Sprintf("too few requests (%s of %s)", document.Whole(all.Count()),
			document.Whole(int64(math.Round(float64(Beyond(q))/(1-q)))))
	case f.AtLeast:
		c.Absent = fmt.Sprintf("at least %s: %s had no right answer", document.Duration(f.NS),
			document.Count(all.Censored, "request"))
	}
	c.Least, c.Most = f.NS, f.NS
	for i := range own {
		v, _ := responses(own[i : i+1]).at(q)
		c.Least, c.Most = min(c.Least, v), max(c.Most, v)
	}
	return c
}

// responses returns the response times of all requests that were due in loads with a histogram.
func responses(loads []*record.Trial) Latencies {
	l := Latencies{H: record.NewHistogram()}
	for _, t := range loads {
		if n, err := l.H.Add(t.Load.Responses); err != nil || n == 0 {
			continue
		}
		if from := t.Load.CensoredFromNS; from > 0 {
			if l.Censored += t.Load.Planned - t.Load.Succeeded; l.From == 0 || from < l.From {
				l.From = from
			}
		}
	}
	return l
}
