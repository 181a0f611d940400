package judge

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/stats"
)

// Long is what long loads show of a pair and of its short loads.
type Long struct {
	Ratio    Estimate // first over second in long loads, with their own 95 % interval; N: loads per contestant
	Short    float64  // first over second in the trials of the same processes
	Measured float64  // bias of short loads: log of Ratio over Short
	SE       float64  // standard error of Measured
	Trials   float64  // standard error of Short, in logs
	Apart    float64  // half of what the pair's log ratios in the first and in the second loads differ by

	// Mean and SD are the bias and its standard deviation as the second verdict allows for them. They are 0 if the
	// long loads decided the pair, so that Pair.Ratio has no bias.
	Mean, SD float64
	Misleads bool
	Words    string // a sentence, if long loads decided the pair
}

// These are assumed, not measured (doc/method.md): the standard error of a pair's long loads is LongTimes that of the
// trials of an epoch and, independently, LongLeast. This is worth LongDF degrees of freedom.
const LongTimes, LongLeast, LongDF = 2, 0.03, 4.

// LongError returns the standard error of a pair's measured bias, and its upper estimate. Each half is half the
// difference of a contestant's two long loads, in logs; trials is the standard error of the pair's log ratio in the
// trials of one epoch.
func LongError(halves []float64, trials float64) (se, upper float64) {
	assumed := math.Hypot(LongTimes*trials, LongLeast)
	squares, df := LongDF*assumed*assumed, LongDF+max(0, float64(len(halves)-1))
	for _, h := range halves {
		squares += 2 * math.Pow(h-stats.Mean(halves), 2)
	}
	loads := stats.Between{SD: math.Sqrt(squares / df), DF: df}
	return math.Hypot(loads.SD, trials), math.Hypot(loads.Upper(), trials)
}

// Allow sets Mean, SD and Misleads, for one of k contestants' pairs. Biases are normal about 0, with
// standard deviation own; upper is the upper estimate of SE. Short loads mislead if Measured is larger than
// 95 % of the largest biases of k contestants are, with the standard deviation between different programs.
func (x *Long) Allow(own, programs, upper float64, k int) {
	x.Mean, x.SD = x.Measured, upper
	if x.Misleads = math.Abs(x.Measured) > reach(math.Hypot(programs, upper), k); !x.Misleads {
		w := own / math.Hypot(own, upper)
		x.Mean, x.SD = w*w*x.Mean, w*x.SD
	}
}

// reach returns how far the log ratios of k contestants may move, with a standard deviation.
func reach(sd float64, k int) float64 { return stats.Between{SD: sd}.Reach(k, sure) }

// judgeLong compares each pair's long loads with the trials of the same processes, in the epoch before these loads.
// If the short loads of a pair mislead, the long ones decide it. The processes are the same, so what differs from
// start to start cancels; what slows the machine down evenly cancels by the order of the loads.
func (a *Analysis) judgeLong(t *Table, pairs []Pair, m Metric, in Input) {
	if len(a.Long) == 0 || !m.Settles || !m.InSessions() {
		return
	}
	logs, of, halves := map[string]float64{}, map[string]float64{}, []float64(nil)
	for i := 1; i < len(in.Long); i += 2 {
		name := in.Long[i].Contestant
		first, ok := t.value(m, in.Long[i-1], at(name))
		second, ok2 := t.value(m, in.Long[i], at(name))
		if ok && ok2 && first > 0 && second > 0 {
			logs[name], of[name] = math.Log(first*second)/2, math.Log(second/first)/2
			halves = append(halves, of[name])
		}
	}
	beside := Tabulate(in.Beside, in.At)
	beside.noise = t.noise
	for i := range pairs {
		p := &pairs[i]
		x, okA := logs[p.A]
		y, okB := logs[p.B]
		own := beside.logRatios(m, p.CellA(), p.CellB(), in.Long[0].Epoch)
		short, trials := stats.Median(own), t.within(m, p)*math.Sqrt(math.Pi/2/float64(len(own)))
		if p.Ratio.N == 0 || p.AtA+p.AtB > 0 || !okA || !okB || !(trials > 0) || math.IsNaN(short) {
			continue
		}
		se, upper := LongError(halves, trials)
		equal := Estimate{Value: 1, Lo: 1, Hi: 1, N: 2}.Wider(reach(upper, len(halves)))
		p.Long = &Long{Ratio: equal.Moved(x - y), Short: math.Exp(short), Measured: x - y - short, SE: se,
			Trials: trials, Apart: of[p.A] - of[p.B]}
		if p.Long.Allow(in.OwnBias, in.AnyBias, upper, len(halves)); p.Long.Misleads && a.Interim > 0 && p.Note == "" {
			a.decideByLong(p, m)
		}
	}
	if m.Name == in.Primary && !slices.ContainsFunc(pairs, func(p Pair) bool { return p.Long != nil }) {
		a.Long, a.NoLong = nil, "they have no figure of "+m.Name+" beside trials that count on the same processes"
	}
}

// within returns the standard deviation of a pair's log ratios within an epoch; NaN if none has one.
func (t *Table) within(m Metric, p *Pair) float64 {
	var epochs [][]float64
	for _, e := range t.epochsOf(p.CellA(), p.CellB()) {
		epochs = append(epochs, t.logRatios(m, p.CellA(), p.CellB(), e))
	}
	within, _, _, _ := stats.Components(epochs)
	return within
}

// decideByLong gives a pair the ratio and the verdict that its long loads show: the trials' ratio less their bias. It
// has no p-value.
func (a *Analysis) decideByLong(p *Pair, m Metric) {
	x := p.Long
	wider := reach(x.SD, len(a.Long)/2)
	p.Ratio, p.Likely = p.Ratio.Moved(x.Mean).Wider(wider), p.Likely.Moved(x.Mean).Wider(wider)
	p.SE, p.P, p.Verdict = math.Hypot(p.SE, x.SD), math.NaN(), VerdictOf(p.Ratio, a.Margin)
	x.Mean, x.SD = 0, 0
	first, second, long, short := p.A, p.B, x.Ratio.Value, x.Short // the first does worse in long loads
	if (x.Measured > 0) == m.More {
		first, second, long, short = second, first, 1/long, 1/short
	}
	x.Words = fmt.Sprintf("short loads mislead here (in loads of %g s %s "+m.Says().Factor+" %s, in short ones %.3g ×)",
		math.Round(float64(a.Long[0].Load.WindowNS)/1e9), first, fmt.Sprintf("%.3g ×", long), second, short)
	if p.lead(m); p.Verdict == Inconclusive {
		p.Note = x.Words
	}
}
