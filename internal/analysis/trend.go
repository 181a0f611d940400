package analysis

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Trend is how a cell changed over the counted rounds of an epoch, under one metric: against the controls of its rounds at its level, or, where none
// ride along, against the median of the others. Each epoch has one value, the Theil–Sen slope over its rounds times their number less one. Time
// may as well run backwards for one that stands still, so the values of an epoch are symmetric about 0.
type Trend struct {
	result.Cell
	Metric string
	Change Estimate // from an epoch's first counted round to its last: 1.06 for a rise of 6 %; interval at 96 %
	P      float64  // by stats.SignFlips over all trends of the run
	Moving bool     // it is not chance, and is half the margin at least: its median over the rounds is that of a transient
}

// Words says of a moving one what it does: "still rising 6 % (3–10) over the epoch".
func (x Trend) Words() string {
	rise, lo, hi, verb := x.Change.Value, x.Change.Lo, x.Change.Hi, "rising"
	if rise < 1 {
		verb, rise, lo, hi = "falling", 2-rise, 2-hi, 2-lo
	}
	return fmt.Sprintf("still %s %.0f %% (%.0f–%.0f) over the epoch", verb, 100*(rise-1), 100*(lo-1), 100*(hi-1))
}

// trendAlpha is the chance that any contestant of a run that stands still is called moving: the bar of 5 %, less what a count of runs scatters.
const trendAlpha = 0.04

// leastRounds are the fewest rounds of an epoch that have a slope.
const leastRounds = 4

// trends are those of all cells that are compared, by the metrics of speed.
func (t *Table) trends(standing []string, family []result.Comparison, in Input) []Trend {
	var cells []result.Cell
	if in.Family == nil {
		for _, name := range standing {
			cells = append(cells, at(name))
		}
	}
	for _, c := range family {
		for _, x := range []result.Cell{c.A, c.B} {
			if !slices.Contains(cells, x) {
				cells = append(cells, x)
			}
		}
	}
	var out []Trend
	var changes [][]float64
	for _, m := range t.metrics(in.Fresh) {
		if !m.Speed {
			continue
		}
		for _, c := range cells {
			d := t.changes(m, c, cells, in.Controls)
			if e := ratio(present(d, all), 1-trendAlpha); e.N > 0 {
				out, changes = append(out, Trend{Cell: c, Metric: m.Name, Change: e}), append(changes, d)
			}
		}
	}
	for i, p := range stats.SignFlips(changes, 1) {
		x := &out[i]
		x.P = p
		x.Moving = p <= trendAlpha && math.Abs(math.Log(x.Change.Value)) >= math.Log1p(in.Margin)/2
	}
	return out
}

// changes are those of a cell, by all epochs of the table; NaN where an epoch has too few rounds.
func (t *Table) changes(m Metric, c result.Cell, cells []result.Cell, controls []string) []float64 {
	out := make([]float64, len(t.epochs))
	for i, e := range t.epochs {
		var x, y []float64
		for _, r := range t.rounds[e] {
			if v, ok := t.beside(m, c, e, r, cells, controls); ok {
				x, y = append(x, float64(r)), append(y, v)
			}
		}
		out[i] = math.NaN()
		if slope, ok := Slope(x, y); ok && len(x) >= leastRounds {
			out[i] = slope * float64(len(t.rounds[e])-1)
		}
	}
	return out
}

// beside is the log of a cell's value in a round over that of the controls at its level, their mean, or else over the median of the other cells.
func (t *Table) beside(m Metric, c result.Cell, epoch, round int, cells []result.Cell, controls []string) (float64, bool) {
	log := func(c result.Cell) float64 {
		if tr := t.trials[place{c, epoch, round}]; tr != nil {
			if v, ok := m.Of(tr); ok && v > 0 {
				return math.Log(v)
			}
		}
		return math.NaN()
	}
	var riders, others []float64
	for _, name := range controls {
		if v := log(result.Cell{Contestant: name, Level: c.Level}); !math.IsNaN(v) {
			riders = append(riders, v)
		}
	}
	for _, o := range cells {
		if v := log(o); o != c && !math.IsNaN(v) {
			others = append(others, v)
		}
	}
	own := log(c)
	switch {
	case math.IsNaN(own):
	case len(riders) > 0:
		return own - mean(riders), true
	case len(others) > 0:
		return own - stats.Median(others), true
	}
	return 0, false
}

// Moves is the trend of a cell that moves under a metric, or nil.
func (a *Analysis) Moves(c result.Cell, metric string) *Trend {
	for i := range a.Trends {
		if x := &a.Trends[i]; x.Moving && x.Cell == c && x.Metric == metric {
			return x
		}
	}
	return nil
}

// unrankMoving takes back what is said of those that move: their ratio is that of some seconds of a transient.
func (a *Analysis) unrankMoving(pairs []Pair) {
	for i := range pairs {
		p := &pairs[i]
		for _, c := range []result.Cell{p.CellA(), p.CellB()} {
			x := a.Moves(c, p.Metric)
			if x == nil {
				continue
			}
			p.Moving = true
			if p.Verdict != Undecided {
				p.Verdict, p.Better, p.BetterAt = Undecided, "", 0
				p.Note = fmt.Sprintf("%s is %s: its ratio depends on when it is taken", c.Contestant, x.Words())
			}
		}
	}
}
