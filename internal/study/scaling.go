package study

import (
	"maps"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// scalings returns how each contestant and the reference scale with their CPUs, for each load that the
// run made on several numbers of them in a closed loop; nil if there is none.
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
	var first map[int]float64 // the rate on the smallest number, by turn
	for _, i := range on {
		l := &levels[i]
		at := report.ScalingPoint{CPUs: l.At.CPUs, Threads: threads(run, name, l.At.CPUs),
			Bound: l.Analysis.Shares[name] > analysis.CeilingLimit}
		if c := l.Analysis.Cell(name, rate.Name); c != nil && run.FailureOf(name) == nil {
			at.Rate, at.RateLeast, at.RateMost = c.Level, c.Least, c.Most
		}
		if at.Rate.N == 0 {
			continue
		}
		if c := l.Analysis.Cell(name, cpu.Name); c != nil && c.Absent == "" {
			at.CPU, at.CPULeast, at.CPUMost = c.Level, c.Least, c.Most
		}
		rates := byTurn(run, l.Trials, name, rate)
		if first == nil {
			first = rates
		}
		at.Times = multiple(rates, first)
		s.Points = append(s.Points, at)
	}
	return s, len(s.Points) >= 2
}

// multiple estimates a rate as a multiple of another in the same turn, with an interval of 95 %.
func multiple(of, first map[int]float64) analysis.Estimate {
	var logs []float64
	for _, turn := range slices.Sorted(maps.Keys(of)) {
		if base := first[turn]; base > 0 && of[turn] > 0 {
			logs = append(logs, math.Log(of[turn]/base))
		}
	}
	return analysis.RatioOf(logs, 0.95)
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
