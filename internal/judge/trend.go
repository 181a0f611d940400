package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Trend describes how a cell changes over an epoch's valid rounds, under one metric. It is relative
// to the controls in the same rounds and level or, without controls, to the median of the others;
// with two others, to both. An epoch's value is the Theil–Sen slope over its rounds × (last round −
// first round). For a stationary cell the values are symmetric about 0, because its rounds could as
// well be in reverse order.
type Trend struct {
	record.Cell
	Metric string
	Change Estimate // from an epoch's first counted round to its last: 1.06 is a rise by 6 %; interval at 96 %
	P      float64  // p-value by stats.Joint over all trends in the run; 1 below stats.Least epochs
	Moving bool     // significant, and at least half the margin: the median over the rounds describes a transient
}

// Words describes a moving contestant's change: "still rising 6 % (3–10) over the epoch".
func (x Trend) Words() string {
	rise, lo, hi, verb := x.Change.Value, x.Change.Lo, x.Change.Hi, "rising"
	if rise < 1 {
		verb, rise, lo, hi = "falling", 2-rise, 2-hi, 2-lo
	}
	return fmt.Sprintf("still %s %.0f %% (%.0f–%.0f) over the epoch", verb, 100*(rise-1), 100*(lo-1), 100*(hi-1))
}

// trendAlpha is the probability that a run reports any stationary contestant as moving: the limit
// of 5 %, minus the scatter in a count of runs.
const trendAlpha = 0.04

// TrendRounds is the smallest number of counted rounds for a trend in an epoch.
const TrendRounds = 4

// trends returns the trends for all compared cells, by speed metrics.
func (t *Table) trends(standing []string, family []record.Comparison, in Input) []Trend {
	var cells []record.Cell
	if in.Family == nil {
		for _, name := range standing {
			cells = append(cells, at(name))
		}
	}
	for _, c := range family {
		for _, x := range []record.Cell{c.A, c.B} {
			if !slices.Contains(cells, x) {
				cells = append(cells, x)
			}
		}
	}
	var out []Trend
	var changes [][]float64
	for _, m := range t.metrics(in.Fresh) {
		if !m.Settles {
			continue
		}
		for _, c := range cells {
			d := t.changes(m, c, cells, in.Controls)
			if e := RatioOf(present(d, all), 1-trendAlpha); e.N > 0 {
				out, changes = append(out, Trend{Cell: c, Metric: m.Name, Change: e}), append(changes, d)
			}
		}
	}
	for i, j := range jointly(changes, trendAlpha) {
		out[i].P = j.P
		out[i].Moving = j.Different && math.Abs(math.Log(out[i].Change.Value)) >= math.Log1p(in.Margin)/2
	}
	return out
}

// changes returns a cell's change in each epoch of the table; NaN for an epoch with too few rounds.
func (t *Table) changes(m Metric, c record.Cell, cells []record.Cell, controls []string) []float64 {
	var riders []record.Cell
	for _, name := range controls {
		riders = append(riders, record.Cell{Contestant: name, Level: c.Level})
	}
	out := make([]float64, len(t.epochs))
	for i, e := range t.epochs {
		own := t.logs(m, c, e)
		if others := t.others(m, own, e, riders, c); len(others) > 0 {
			out[i] = t.change(e, own, others, stats.Mean)
		} else {
			out[i] = t.against(e, own, t.others(m, own, e, cells, c))
		}
	}
	return out
}

// logs returns the logs of a cell's values in an epoch, by round.
func (t *Table) logs(m Metric, c record.Cell, epoch int) map[int]float64 {
	out := map[int]float64{}
	for _, tr := range t.trials[place{c, epoch}] {
		if tr != nil {
			if v, ok := t.value(m, tr, c); ok && v > 0 && v < math.Inf(1) {
				out[tr.Round] = math.Log(v)
			}
		}
	}
	return out
}

// others returns logs for the cells, except c, that have a value in each of own's rounds. A cell
// without a value in some rounds would cause a step there.
func (t *Table) others(m Metric, own map[int]float64, epoch int, cells []record.Cell,
	c record.Cell) (out []map[int]float64) {
	for _, o := range cells {
		if o == c {
			continue
		}
		logs, whole := t.logs(m, o, epoch), true
		for r := range own {
			_, has := logs[r]
			whole = whole && has
		}
		if whole {
			out = append(out, logs)
		}
	}
	return out
}

// against returns the change relative to the median over others. With two others the median would
// be their mean, which changes if either does. Then it returns the smaller change relative to each,
// or 0 if their directions disagree.
func (t *Table) against(epoch int, own map[int]float64, others []map[int]float64) float64 {
	switch len(others) {
	case 0:
		return math.NaN()
	case 2:
		x, y := t.change(epoch, own, others[:1], stats.Median), t.change(epoch, own, others[1:], stats.Median)
		if x*y < 0 {
			return 0
		}
		return math.Copysign(min(math.Abs(x), math.Abs(y)), x)
	}
	return t.change(epoch, own, others, stats.Median)
}

// change returns the slope relative to middle over the others, from the epoch's first valid round
// to its last; NaN if own has too few rounds.
func (t *Table) change(epoch int, own map[int]float64, others []map[int]float64,
	middle func([]float64) float64) float64 {
	var x, y []float64
	for _, r := range t.rounds[epoch] {
		if v, ok := own[r]; ok {
			var values []float64
			for _, o := range others {
				values = append(values, o[r])
			}
			x, y = append(x, float64(r)), append(y, v-middle(values))
		}
	}
	slope, ok := slopeOf(x, y)
	if !ok || len(x) < TrendRounds {
		return math.NaN()
	}
	return slope * float64(slices.Max(t.rounds[epoch])-slices.Min(t.rounds[epoch]))
}

// Moves returns a cell's trend if the cell is still changing under a metric, or nil.
func (a *Analysis) Moves(c record.Cell, metric string) *Trend {
	for i := range a.Trends {
		if x := &a.Trends[i]; x.Moving && x.Cell == c && x.Metric == metric {
			return x
		}
	}
	return nil
}

// movingFactor is the factor by which a difference must exceed the movement within an epoch for its
// direction to count, because a contestant may have moved, or may still move, by that much.
const movingFactor = 3

// leaveMoving leaves a pair open at an early analysis, which cannot detect movement, if the pair
// differs by no more than movingFactor times its apparent movement within an epoch.
func (a *Analysis) leaveMoving(pairs []Pair) {
	for i := range pairs {
		p, moved := &pairs[i], 0.
		for _, x := range a.Trends {
			if x.Metric == p.Metric && (x.Cell == p.CellA() || x.Cell == p.CellB()) {
				moved += movingFactor * math.Abs(math.Log(x.Change.Value))
			}
		}
		if math.Abs(math.Log(p.Ratio.Value)) <= moved {
			p.Verdict, p.Better, p.BetterAt = Inconclusive, "", 0
		}
	}
}

// judgeMoving withdraws verdicts on contestants that are still changing: their ratio would describe
// some seconds of a transient. Their intervals are widened by movingFactor times the movement at the far end of its
// interval. A difference stands if it still exceeds the margin: the direction is certain, the size is not.
func (a *Analysis) judgeMoving(pairs []Pair) {
	for i := range pairs {
		p := &pairs[i]
		var moved float64
		note := ""
		for _, c := range []record.Cell{p.CellA(), p.CellB()} {
			if x := a.Moves(c, p.Metric); x != nil {
				moved += movingFactor * max(math.Log(x.Change.Hi), -math.Log(x.Change.Lo))
				note = cmp.Or(note,
					fmt.Sprintf("%s is %s: its ratio depends on the time of measurement", c.Contestant, x.Words()))
			}
		}
		p.Ratio.Lo, p.Ratio.Hi = p.Ratio.Lo*math.Exp(-moved), p.Ratio.Hi*math.Exp(moved)
		stands := p.Verdict == Different && max(p.Ratio.Lo, 1/p.Ratio.Hi) > 1+a.Margin
		if note != "" && p.Verdict != Inconclusive && !stands {
			p.Verdict, p.Better, p.BetterAt, p.Note = Inconclusive, "", 0, note
		}
	}
}
