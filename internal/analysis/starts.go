package analysis

import (
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Starts describes the starts of a contestant's processes, over the valid epochs. Estimates are
// medians over epochs with 95 % intervals; N is 0 if there is no value. Times are in ns.
type Starts struct {
	N       int            // starts
	Ready   Estimate       // start of the process to its first right answer
	Steady  Estimate       // warm-up time, of the starts that became steady; records of older versions have none
	Classes map[string]int // of the warm-ups, by result.Launch.Warmup

	// PerConnection is the memory of an idle connection in bytes: for each epoch the slope of PSS
	// over connections.
	PerConnection Estimate
}

// StartsOf returns the Starts of a contestant after the pilots.
func StartsOf(run *result.Run, name string) Starts {
	s, c := Starts{Classes: map[string]int{}}, run.Contestant(name)
	var ready, steady []float64
	for i := range run.Launches {
		l := &run.Launches[i]
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
	s.Ready, s.Steady, s.PerConnection = level(ready), level(steady), level(perConnection(run, name))
	return s
}

// Unloaded returns a metric of a contestant that was started and not yet loaded, over all its
// starts, even if their loads failed: the median with its interval, the minimum and the maximum.
func Unloaded(run *result.Run, name string, m Metric) (e Estimate, least, most float64) {
	var values []float64
	for i := range run.Idle {
		r := &run.Idle[i]
		if r.Contestant != name || r.Connections > 0 || r.Epoch < run.Plan.Pilots || m.Idle == nil {
			continue
		}
		if v, ok := m.Idle(&r.Server); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Estimate{}, 0, 0
	}
	return level(values), slices.Min(values), slices.Max(values)
}

// perConnection returns the slope of each epoch that has one.
func perConnection(run *result.Run, name string) (slopes []float64) {
	x, y := map[int][]float64{}, map[int][]float64{}
	for _, r := range run.Idle {
		if r.Contestant == name && r.Connections > 0 && r.Server.PSSBytes != nil {
			x[r.Epoch], y[r.Epoch] = append(x[r.Epoch], float64(r.Connections)),
				append(y[r.Epoch], float64(*r.Server.PSSBytes))
		}
	}
	for e := range x {
		if v, ok := Slope(x[e], y[e]); ok {
			slopes = append(slopes, v)
		}
	}
	return slopes // in no order: a median has none
}

// level returns the median of one value per epoch, with its interval.
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
