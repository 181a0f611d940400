package analysis

import (
	"math"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Starts is how a contestant starts and warms up, over the epochs that count. Estimates are medians over epochs in ns, with 95 % intervals between
// them; N is 0 where there is none.
type Starts struct {
	N       int            // starts
	Ready   Estimate       // start of the process to its first right answer
	Steady  Estimate       // warm-up time, of the starts that became steady; records of older versions have none
	Classes map[string]int // of the warm-ups, by result.Launch.Warmup
}

// StartsOf are the starts of a contestant after the pilots.
func StartsOf(run *result.Run, name string) Starts {
	s := Starts{Classes: map[string]int{}}
	var ready, steady []float64
	for i := range run.Launches {
		l := &run.Launches[i]
		if l.Contestant != name || l.Epoch < run.Plan.Pilots {
			continue
		}
		s.N++
		ready = append(ready, float64(l.ReadyNS))
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

// level is the median of one value per epoch, with its interval.
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
