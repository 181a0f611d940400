package judge

import (
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Table indexes trials by cell (contestant and level), epoch and round.
type Table struct {
	epochs []int                     // epochs in order of appearance
	rounds map[int][]int             // rounds by epoch
	loaded map[[2]int]bool           // an epoch has trials at a level
	trials map[place][]*record.Trial // trials by index in rounds; nil where the cell has none
	busy   map[[2]int]bool           // rounds, by epoch and round, with too much background load for latencies
	noise  noise
}

type place struct {
	record.Cell
	epoch int
}

// Tabulate makes a Table from trials. at returns the index of a trial's level (record.Plan.At); it
// is nil if all trials are at one level.
func Tabulate(trials []*record.Trial, at func(*record.Trial) int) *Table {
	t := &Table{rounds: map[int][]int{}, loaded: map[[2]int]bool{}, trials: map[place][]*record.Trial{}}
	for i := range trials {
		tr, level := trials[i], 0
		if at != nil {
			level = at(tr)
		}
		rounds := t.rounds[tr.Epoch]
		if len(rounds) == 0 {
			t.epochs = append(t.epochs, tr.Epoch)
		}
		at := slices.Index(rounds, tr.Round)
		if at < 0 {
			at = len(rounds)
			t.rounds[tr.Epoch] = append(rounds, tr.Round)
		}
		t.loaded[[2]int{tr.Epoch, level}] = true
		p := place{record.Cell{Contestant: tr.Contestant, Level: level}, tr.Epoch}
		own := t.trials[p]
		for len(own) <= at {
			own = append(own, nil)
		}
		own[at], t.trials[p] = tr, own
	}
	t.busy, t.noise = busyRounds(trials), t.noiseOf()
	return t
}

// Level returns a cell's value in the metric's unit: the median over epochs of the epoch medians,
// with its 95 % interval between epochs. N is 0 if no trial in the cell has the metric.
func (t *Table) Level(m Metric, c record.Cell) Estimate { return level(t.medians(m, c)) }

// Range returns a cell's smallest and largest epoch median, and the number of epochs.
func (t *Table) Range(m Metric, c record.Cell) (least, most float64, epochs int) {
	return extremes(t.medians(m, c))
}

// medians returns a cell's median in each epoch that has one.
func (t *Table) medians(m Metric, c record.Cell) (values []float64) {
	for _, e := range t.epochs {
		if v := t.values(m, c, e); len(v) > 0 {
			values = append(values, stats.Median(v))
		}
	}
	return values
}

// RatioRange is Range for the ratio a over b. An epoch's value is the median over the rounds that
// have both.
func (t *Table) RatioRange(m Metric, a, b record.Cell) (least, most float64, epochs int) {
	least, most, epochs = extremes(t.Logs(m, a, b))
	return math.Exp(least), math.Exp(most), epochs
}

func extremes(values []float64) (least, most float64, n int) {
	if len(values) == 0 {
		return 0, 0, 0
	}
	return slices.Min(values), slices.Max(values), len(values)
}

// Compare returns the ratio a over b with its interval at confidence conf, without a verdict. N is
// 0 if the two were never loaded in the same round.
func (t *Table) Compare(m Metric, a, b record.Cell, conf float64) Estimate {
	return RatioOf(t.Logs(m, a, b), conf)
}

// roundsOf returns the mean number of rounds per epoch, rounded down.
func (t *Table) roundsOf() int {
	all := 0
	for _, rounds := range t.rounds {
		all += len(rounds)
	}
	return all / max(1, len(t.rounds))
}

// Logs returns the log ratios a over b, in order, for each epoch that has one.
func (t *Table) Logs(m Metric, a, b record.Cell) []float64 {
	return present(t.differences(m, a, b), all)
}

// Difference returns the mean over epochs of a minus b, in the metric's unit, with Student's
// interval at confidence conf. An epoch's value is the median over its rounds. N is 0 if the two
// were never loaded in the same round.
func (t *Table) Difference(m Metric, a, b record.Cell, conf float64) Estimate {
	var d []float64
	for _, e := range t.epochsOf(a, b) {
		if v := t.inRound(m, a, b, e, func(x, y float64) float64 { return x - y }); len(v) > 0 {
			d = append(d, stats.Median(v))
		}
	}
	if len(d) == 0 {
		return Estimate{}
	}
	mean, lo, hi := stats.MeanCI(d, conf)
	return Estimate{Value: mean, Lo: lo, Hi: hi, N: len(d)}
}

// values returns a cell's metric in one epoch, one value per round, as measured.
func (t *Table) values(m Metric, c record.Cell, epoch int) []float64 {
	var out []float64
	for _, tr := range t.trials[place{c, epoch}] {
		if tr != nil {
			if v, ok := t.counts(m, tr); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// logRatios returns the log ratios a over b within one epoch's rounds. A round with a value of 0
// has none.
func (t *Table) logRatios(m Metric, a, b record.Cell, epoch int) []float64 {
	all := t.inRound(m, a, b, epoch, func(x, y float64) float64 { return math.Log(x / y) })
	return slices.DeleteFunc(all, func(d float64) bool { return math.IsNaN(d) || math.IsInf(d, 0) })
}

// inRound returns f(a's value, b's value) for each round in an epoch that has both. Mixed cells have
// none.
func (t *Table) inRound(m Metric, a, b record.Cell, epoch int, f func(x, y float64) float64) []float64 {
	var out []float64
	if t.Mixed(m, a, b) != "" {
		return nil
	}
	xs, ys := t.trials[place{a, epoch}], t.trials[place{b, epoch}]
	for r := range min(len(xs), len(ys)) {
		x, y := xs[r], ys[r]
		if x == nil || y == nil {
			continue
		}
		v, ok := t.value(m, x, a)
		w, ok2 := t.value(m, y, b)
		if ok && ok2 {
			out = append(out, f(v, w))
		}
	}
	return out
}

// epochsOf returns the epochs that loaded a's level or b's.
func (t *Table) epochsOf(a, b record.Cell) []int {
	var out []int
	for _, e := range t.epochs {
		if t.loaded[[2]int{e, a.Level}] || t.loaded[[2]int{e, b.Level}] {
			out = append(out, e)
		}
	}
	return out
}

// least returns the smallest number of epochs for any comparison, or the number of all epochs if
// there is no comparison.
func (t *Table) least(family []record.Comparison) int {
	n := len(t.epochs)
	for _, c := range family {
		n = min(n, len(t.epochsOf(c.A, c.B)))
	}
	return n
}

// differences returns, for each epoch, the median log ratio a over b over its rounds; NaN for an
// epoch without rounds that have both.
func (t *Table) differences(m Metric, a, b record.Cell) []float64 {
	epochs := t.epochsOf(a, b)
	out := make([]float64, len(epochs))
	for i, e := range epochs {
		out[i] = stats.Median(t.logRatios(m, a, b, e))
	}
	return out
}

// has reports whether any trial has the metric.
func (t *Table) has(m Metric) bool {
	for _, own := range t.trials {
		for _, tr := range own {
			if tr == nil {
				continue
			}
			if _, ok := m.Of(tr); ok {
				return true
			}
		}
	}
	return false
}

// metrics returns a run's metrics. It leaves out open-loop and rare metrics that no trial has, and
// fresh-process metrics if fresh is false.
func (t *Table) metrics(fresh bool) []Metric {
	return slices.DeleteFunc(slices.Clone(Metrics), func(m Metric) bool {
		return (m.Open() || m.Rare) && !t.has(m) || m.Fresh && !fresh
	})
}

// at returns a contestant's cell at the first level, in most runs the only one.
func at(contestant string) record.Cell { return record.Cell{Contestant: contestant} }

// cells returns the level and the ratio to the reference for every contestant and control.
func cells(t *Table, in Input, alpha float64) []Cell {
	var out []Cell
	metrics := t.metrics(in.Fresh)
	for _, name := range append(slices.Clone(in.Contestants), in.Controls...) {
		for _, m := range metrics {
			values := t.medians(m, at(name))
			c := Cell{Contestant: name, Metric: m.Name, Absent: in.Failed[name], Level: level(values)}
			c.Least, c.Most, _ = extremes(values)
			if c.Level.N == 0 && c.Absent == "" {
				c.Absent = "it has no valid trials"
				if m.Kind&Latency != 0 && t.busyShare() == 1 {
					c.Absent = "not measured: other programs ran beside each of its loads"
				}
			}
			if len(in.Controls) > 0 && name != in.Controls[0] && !m.Unranked {
				c.Ratio = t.Compare(m, at(name), at(in.Controls[0]), 1-alpha)
			}
			out = append(out, c)
		}
	}
	return out
}

// likely estimates a ratio by the mean log ratio, with Student's interval.
func likely(d []float64, conf float64) Estimate {
	if len(d) == 0 {
		return Estimate{}
	}
	mean, lo, hi := stats.MeanCI(d, conf)
	return Estimate{Value: math.Exp(mean), Lo: math.Exp(lo), Hi: math.Exp(hi), N: len(d)}
}

// all is a number of epochs that includes every epoch.
const all = math.MaxInt
