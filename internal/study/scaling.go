package study

import (
	"maps"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// scalings returns how each contestant and the reference scale with their CPUs, for each load that the
// run made on several numbers of them in a closed loop; nil if there is none.
//
// A fit is of whole turns: one valid epoch on each number. It leaves out numbers at which the load
// generator may have been the limit, which would look like contention, and those of which some are
// threads of one core, which are no further CPUs in the sense of the law.
func scalings(run *result.Run, levels []report.Level) (all []report.Scaling) {
	p := &run.Plan
	points := p.Points()
	var loads []result.Level
	for _, l := range points {
		if at := l; at.CPUs > 0 && !at.Open() {
			if at.CPUs = 0; !slices.Contains(loads, at) {
				loads = append(loads, at)
			}
		}
	}
	for _, load := range loads {
		var on []int // levels, in order of their CPUs
		for i, l := range points {
			if l.CPUs > 0 && without(l) == load {
				on = append(on, i)
			}
		}
		slices.SortFunc(on, func(a, b int) int { return points[a].CPUs - points[b].CPUs })
		if len(on) < 2 {
			continue
		}
		names := slices.Clone(p.Contestants)
		if len(p.Controls) > 0 {
			names = append(names, p.Controls[0])
		}
		for _, name := range names {
			if s, ok := scaling(run, levels, name, on); ok {
				s.Load = load
				all = append(all, s)
			}
		}
	}
	return all
}

// without returns a level as on any number of CPUs.
func without(l result.Level) result.Level {
	l.CPUs = 0
	return l
}

// scaling returns that of a contestant at levels that differ in their CPUs; ok is false if it has
// figures at fewer than two.
func scaling(run *result.Run, levels []report.Level, name string, on []int) (s report.Scaling, ok bool) {
	rate, _ := analysis.MetricNamed("throughput")
	cpu, _ := analysis.MetricNamed("cpu_per_request")
	s.Contestant = name
	var n []float64
	var turns, every []map[int]float64 // of each level that is fitted, and of each: the rate, by turn
	for _, i := range on {
		l := &levels[i]
		at := report.ScalingPoint{CPUs: l.At.CPUs, Threads: threads(run, name, l.At.CPUs),
			Bound: l.Analysis.Shares[name] > analysis.CeilingLimit}
		if c := l.Analysis.Cell(name, rate.Name); c != nil && run.FailureOf(name) == nil {
			at.Rate = c.Level
		}
		if at.Rate.N == 0 {
			continue
		}
		at.RateLeast, at.RateMost = analysis.EpochRange(l.Trials, name, rate)
		if c := l.Analysis.Cell(name, cpu.Name); c != nil && c.Absent == "" {
			at.CPU = c.Level
			at.CPULeast, at.CPUMost = analysis.EpochRange(l.Trials, name, cpu)
		}
		every = append(every, byTurn(run, l.Trials, name, rate))
		at.Times = multiple(every[len(every)-1], every[0])
		s.Points = append(s.Points, at)
		if !at.Bound && !at.Threads {
			n, turns = append(n, float64(at.CPUs)), append(turns, every[len(every)-1])
		}
	}
	if len(s.Points) < 2 {
		return s, false
	}
	s.Fitted = len(n)
	s.Turns, s.Fit = fitTurns(n, turns, run.Plan.Seed)
	return s, true
}

// multiple returns the median over turns of a rate as a multiple of another in the same turn, with its
// interval of 95 %.
func multiple(of, first map[int]float64) analysis.Estimate {
	var x []float64
	for _, turn := range slices.Sorted(maps.Keys(of)) {
		if base := first[turn]; base > 0 {
			x = append(x, of[turn]/base)
		}
	}
	if len(x) == 0 {
		return analysis.Estimate{}
	}
	e := analysis.Estimate{Value: stats.Median(x), Lo: 0, Hi: math.Inf(1), N: len(x)}
	if lo, hi, ok := stats.MedianCI(x, 0.95); ok {
		e.Lo, e.Hi = lo, hi
	}
	return e
}

// fitTurns fits the law to the rates of the turns that have one on each number.
func fitTurns(n []float64, turns []map[int]float64, seed uint64) (count int, fit stats.ScalingFit) {
	var epochs [][]float64
	if len(turns) > 0 {
		var common []int
		for turn := range turns[0] {
			if !slices.ContainsFunc(turns, func(of map[int]float64) bool { _, ok := of[turn]; return !ok }) {
				common = append(common, turn)
			}
		}
		slices.Sort(common)
		for _, turn := range common {
			var x []float64
			for _, of := range turns {
				x = append(x, of[turn])
			}
			epochs = append(epochs, x)
		}
	}
	if len(epochs) == 0 {
		none := stats.Scaling{Lambda: math.NaN(), Sigma: math.NaN(), Kappa: math.NaN()}
		return 0, stats.ScalingFit{Scaling: none}
	}
	return len(epochs), stats.FitScalingEpochs(n, epochs, 0.95, seed)
}

// byTurn returns the mean of a contestant's trials in each turn.
func byTurn(run *result.Run, trials []*result.Trial, name string, m analysis.Metric) map[int]float64 {
	sum, count := map[int]float64{}, map[int]float64{}
	for i := range trials {
		if t := trials[i]; t.Contestant == name {
			if v, ok := m.Of(t); ok {
				turn := plan.Turn(&run.Plan, t.Epoch)
				sum[turn], count[turn] = sum[turn]+v, count[turn]+1
			}
		}
	}
	for turn := range sum {
		sum[turn] /= count[turn]
	}
	return sum
}

// threads reports whether some of so many CPUs of a contestant were threads of one core.
func threads(run *result.Run, name string, cpus int) bool {
	return slices.ContainsFunc(run.Launches, func(l result.Launch) bool {
		return l.Contestant == name && l.Processors != nil && len(l.Processors.CPUs) == cpus && l.Processors.Threads
	})
}
