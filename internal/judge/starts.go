package judge

import (
	"maps"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Starts describes how a contestant's processes started, over the valid epochs. Estimates are
// medians over epochs with 95 % intervals; N is 0 if there is no value. Times are in ns.
type Starts struct {
	N       int            // number of starts
	Ready   Estimate       // time from process start to the first right answer
	Steady  Estimate       // warm-up time, for starts that became steady; older records have none
	Classes map[string]int // warm-ups by record.Launch.Warmup
}

// StartsOf returns a contestant's Starts after the pilots.
func StartsOf(run *record.Run, name string) Starts {
	s, c := Starts{Classes: map[string]int{}}, run.Contestant(name)
	var ready, steady []float64
	for _, l := range run.Launches {
		if l.Contestant != name || l.Epoch < run.Plan.Pilots {
			continue
		}
		s.N++
		if c == nil || c.URL == "" { // else it was not started
			ready = append(ready, float64(l.ReadyNS))
		}
		if l.SteadyNS != nil {
			steady = append(steady, float64(*l.SteadyNS))
		}
		if l.Warmup != "" {
			s.Classes[l.Warmup]++
		}
	}
	s.Ready, s.Steady = level(ready), level(steady)
	return s
}

// Unloaded returns a metric for a contestant that was started and not yet loaded, over all starts
// after the pilots, even if their loads failed: the median with its interval, the minimum and the
// maximum.
func Unloaded(run *record.Run, name string, m Metric) (e Estimate, least, most float64) {
	values := slices.Collect(maps.Values(unloaded(run, name, m)))
	if len(values) == 0 {
		return Estimate{}, 0, 0
	}
	return level(values), slices.Min(values), slices.Max(values)
}

// UnloadedRatio returns a metric's ratio, a over b, for two contestants that were started for the
// same epoch and not yet loaded, with its interval at confidence conf.
func UnloadedRatio(run *record.Run, a, b string, m Metric, conf float64) Estimate {
	x, y := unloaded(run, a, m), unloaded(run, b, m)
	var d []float64
	for _, epoch := range slices.Sorted(maps.Keys(x)) {
		if v, ok := y[epoch]; ok && x[epoch] > 0 && v > 0 {
			d = append(d, math.Log(x[epoch]/v))
		}
	}
	return RatioOf(d, conf)
}

// unloaded returns a metric by epoch for a contestant that was not yet loaded.
func unloaded(run *record.Run, name string, m Metric) map[int]float64 {
	values := map[int]float64{}
	for i := range run.Idle {
		r := &run.Idle[i]
		if r.Contestant != name || r.Epoch < run.Plan.Pilots || m.Idle == nil {
			continue
		}
		if v, ok := m.Idle(&r.Server); ok {
			values[r.Epoch] = v
		}
	}
	return values
}

// level returns the median over one value per epoch, with its interval.
func level(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	e := Estimate{Value: stats.Median(values), Lo: math.Inf(-1), Hi: math.Inf(1), N: len(values)}
	if lo, hi, ok := stats.MedianCI(values, 0.95); ok {
		e.Lo, e.Hi = lo, hi
	}
	return e
}
