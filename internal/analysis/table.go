package analysis

import (
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// table finds the trials of a contestant by epoch and round.
type table struct {
	epochs  []int // in order
	byEpoch map[int][]int
	trials  map[place]*result.Trial
}

type place struct {
	contestant   string
	epoch, round int
}

func tabulate(trials []result.Trial) *table {
	t := &table{byEpoch: map[int][]int{}, trials: map[place]*result.Trial{}}
	for i := range trials {
		tr := &trials[i]
		if !slices.Contains(t.epochs, tr.Epoch) {
			t.epochs = append(t.epochs, tr.Epoch)
		}
		if !slices.Contains(t.byEpoch[tr.Epoch], tr.Round) {
			t.byEpoch[tr.Epoch] = append(t.byEpoch[tr.Epoch], tr.Round)
		}
		t.trials[place{tr.Contestant, tr.Epoch, tr.Round}] = tr
	}
	return t
}

// values are the metric's values of a contestant in one epoch, one a round.
func (t *table) values(m Metric, name string, epoch int) []float64 {
	var out []float64
	for _, r := range t.byEpoch[epoch] {
		if tr := t.trials[place{name, epoch, r}]; tr != nil {
			if v, ok := m.Of(tr); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// logRatios are the in-round log ratios of a over b in one epoch.
func (t *table) logRatios(m Metric, a, b string, epoch int) []float64 {
	var out []float64
	for _, r := range t.byEpoch[epoch] {
		x, y := t.trials[place{a, epoch, r}], t.trials[place{b, epoch, r}]
		if x == nil || y == nil {
			continue
		}
		v, ok := m.Of(x)
		w, ok2 := m.Of(y)
		if ok && ok2 {
			out = append(out, math.Log(v/w))
		}
	}
	return out
}

// differences are d_e of method.md §2.4: per epoch the median over its rounds of the log ratio of a over b; NaN in one that has none.
func (t *table) differences(m Metric, a, b string) []float64 {
	out := make([]float64, len(t.epochs))
	for i, e := range t.epochs {
		out[i] = stats.Median(t.logRatios(m, a, b, e))
	}
	return out
}

// rounds are the in-round log ratios of all epochs, and how many an epoch has.
func (t *table) rounds(m Metric, a, b string) (d []float64, perEpoch int) {
	for _, e := range t.epochs {
		d = append(d, t.logRatios(m, a, b, e)...)
	}
	return d, max(1, len(d)/max(1, len(t.epochs)))
}

// cells are the levels, and the ratios to the yardstick, of every contestant and control that has trials.
func cells(t *table, in Input, metrics []Metric, alpha float64) []Cell {
	var out []Cell
	for _, name := range append(slices.Clone(in.Contestants), in.Controls...) {
		for _, m := range metrics {
			c := Cell{Contestant: name, Metric: m.Name, Absent: in.Failed[name]}
			var values []float64
			for _, e := range t.epochs {
				if v := t.values(m, name, e); len(v) > 0 {
					values = append(values, stats.Median(v))
				}
			}
			if len(values) > 0 {
				c.Level = Estimate{Value: stats.Median(values), Lo: math.Inf(-1), Hi: math.Inf(1), N: len(values)}
				if lo, hi, ok := stats.MedianCI(values, 0.95); ok {
					c.Level.Lo, c.Level.Hi = lo, hi
				}
			} else if c.Absent == "" {
				c.Absent = "no trial of it stands"
			}
			if len(in.Controls) > 0 && name != in.Controls[0] {
				c.Ratio = ratio(present(t.differences(m, name, in.Controls[0]), all), 1-alpha)
			}
			out = append(out, c)
		}
	}
	return out
}

// ratio is the Hodges–Lehmann estimate of exp(d) with its interval.
func ratio(d []float64, conf float64) Estimate {
	if len(d) == 0 {
		return Estimate{}
	}
	hl, lo, hi := stats.HodgesLehmann(d, conf)
	return Estimate{Value: math.Exp(hl), Lo: math.Exp(lo), Hi: math.Exp(hi), N: len(d)}
}

// all is how many epochs are looked at where every one is.
const all = math.MaxInt
