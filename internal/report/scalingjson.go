package report

import (
	"dyno/internal/analysis"
	"dyno/internal/result"
)

// scalingJSON is how a contestant scales with its CPUs under a load.
type scalingJSON struct {
	Contestant string             `json:"contestant"`
	Load       result.Level       `json:"load"`
	Points     []scalingPointJSON `json:"points"`
}

type scalingPointJSON struct {
	CPUs       int            `json:"cpus"`
	Threads    bool           `json:"threads"`
	LowerBound bool           `json:"lower_bound"`
	Rate       map[string]any `json:"throughput"`
	CPU        map[string]any `json:"cpu_per_request"`
	Times      ratioJSON      `json:"of_the_first"` // turn by turn
}

// scalingsJSON returns the scalings for programs.
func scalingsJSON(all []Scaling) (out []scalingJSON) {
	measured := func(unit string, e analysis.Estimate) map[string]any {
		return inUnit(unit, estimateNumbers(e, e.N == 0), map[string]any{"epochs": e.N})
	}
	for i := range all {
		s := &all[i]
		one := scalingJSON{Contestant: s.Contestant, Load: s.Load}
		for k := range s.Points {
			p := &s.Points[k]
			one.Points = append(one.Points, scalingPointJSON{p.CPUs, p.Threads, p.Bound, measured("1/s", p.Rate),
				measured("ns", p.CPU),
				ratioJSON{number(p.Times.Value), number(p.Times.Lo), number(p.Times.Hi), p.Times.N}})
		}
		out = append(out, one)
	}
	return out
}
