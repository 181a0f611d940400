package judge

import (
	"fmt"
	"math"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// ShortLoads is the largest advantage that long loads were measured to give a managed runtime, as a
// share. Under long loads without pauses it may do better, relative to others, than under short
// ones with pauses. The value comes from validation/README.md, "Short trials against long ones".
const ShortLoads = 0.09

// LongLoads compares two contestants in long loads, in the order A B B A, by the primary metric.
type LongLoads struct {
	A, B        string
	Seconds     float64  // length of each load
	Ratio       Estimate // A over B, with a 95 % interval from epoch-to-epoch variation; N: loads per contestant
	Short       Estimate // A over B in the trials
	Contradicts bool     // the trials' ratio: no verdict on the pair holds
	Noisy       bool     // the interval includes 1 and the trials' ratio, and is too wide to contradict either
	Words       string   // a sentence about the contestant that does worse in long loads
}

// longLoads compares the long loads with the trials. A load's error is estimated from the
// contestant's variation from epoch to epoch, because the machine drifts as much in such a time. It
// is not estimated from a contestant's two loads, which differ if work piles up. The loads
// contradict the trials if their interval lies outside the trials' interval widened by ShortLoads,
// or on the other side of 1. longLoads returns nil and the reason if loads cannot be compared.
func (t *Table) longLoads(m Metric, loads []*record.Trial, conf float64) (_ *LongLoads, why string) {
	if len(loads) != 4 {
		return nil, ""
	}
	x := &LongLoads{A: loads[0].Contestant, B: loads[1].Contestant, Seconds: float64(loads[0].Load.WindowNS) / 1e9}
	x.Short = t.Compare(m, at(x.A), at(x.B), conf)
	if mixed := t.Mixed(m, at(x.A), at(x.B)); mixed != "" {
		return nil, mixed
	}
	if x.Short.N < 2 {
		return nil, fmt.Sprintf("the trials compare %s and %s in fewer than two epochs", x.A, x.B)
	}
	var log, squares float64
	for i := range loads {
		v, ok := m.Of(loads[i])
		if m.PerCPU {
			v *= t.noise.factor(loads[i], at(loads[i].Contestant))
		}
		if !ok || v <= 0 {
			return nil, fmt.Sprintf("the loads of %s have no figure of %s", loads[i].Contestant, m.Name)
		}
		sign := 1.
		if loads[i].Contestant == x.B {
			sign = -1
		}
		log += sign * math.Log(v) / 2
	}
	for _, name := range []string{x.A, x.B} {
		var logs []float64
		for _, v := range t.medians(m, at(name)) {
			logs = append(logs, math.Log(v))
		}
		_, lo, hi := stats.MeanCI(logs, 0.95)
		squares += (hi - lo) * (hi - lo) / 4 * float64(len(logs)) / 2 // for the mean over two loads
	}
	own := math.Sqrt(squares)
	x.Ratio = Estimate{Value: math.Exp(log), Lo: math.Exp(log - own), Hi: math.Exp(log + own), N: 2}
	reverses := x.Short.Lo > 1 && x.Ratio.Hi < 1 || x.Short.Hi < 1 && x.Ratio.Lo > 1
	x.Contradicts = reverses || x.Ratio.Hi < x.Short.Lo/(1+ShortLoads) || x.Ratio.Lo > x.Short.Hi*(1+ShortLoads)
	within := func(r float64) bool { return x.Ratio.Lo <= r && r <= x.Ratio.Hi }
	margin := math.Log(1 + ShortLoads)
	x.Noisy = !x.Contradicts && within(1) && within(x.Short.Value) &&
		own >= max(margin, math.Log(x.Short.Lo)-margin, -math.Log(x.Short.Hi)-margin)
	x.Words = x.words(m)
	return x, ""
}

// Contradict reports whether the long loads contradict the trials for a pair under a metric.
func (x *LongLoads) Contradict(a, b string, m Metric) bool {
	return x != nil && x.Contradicts && m.Kind&(WallClock|CPUTime) != 0 && (a == x.A && b == x.B || a == x.B && b == x.A)
}

// words returns x.Words.
func (x *LongLoads) words(m Metric) string {
	a, b, long, short := x.A, x.B, x.Ratio.Value, x.Short.Value
	if (long > short) == m.More {
		a, b, long, short = b, a, 1/long, 1/short
	}
	return fmt.Sprintf("in loads of %g s %s "+m.Says().Factor+" %s, in short ones %.3g ×: it may defer work "+
		"until it is idle",
		math.Round(x.Seconds), a, fmt.Sprintf("%.3g ×", long), b, short)
}

// unrankLong withdraws the verdict on the pair that long loads contradict.
func (a *Analysis) unrankLong(pairs []Pair, m Metric) {
	for i := range pairs {
		if p := &pairs[i]; a.Long.Contradict(p.A, p.B, m) {
			p.Verdict, p.Better, p.BetterAt, p.Note = Inconclusive, "", 0, a.Long.Words
		}
	}
}
