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
	Fit        *fitJSON           `json:"fit"` // null: there is none
	Unfitted   orNull             `json:"unfitted"`
}

type scalingPointJSON struct {
	CPUs       int            `json:"cpus"`
	Threads    bool           `json:"threads"`
	LowerBound bool           `json:"lower_bound"`
	Rate       map[string]any `json:"throughput"`
	CPU        map[string]any `json:"cpu_per_request"`
	Times      ratioJSON      `json:"of_the_first"` // turn by turn
}

// fitJSON has the parameters of the universal scalability law, each with its interval.
type fitJSON struct {
	Turns      int       `json:"turns"`
	OneCPU     [3]number `json:"one_cpu_per_sec"` // value, lo, hi
	Contention [3]number `json:"contention_ratio"`
	Coherency  [3]number `json:"coherency_ratio"`
	Peak       [3]number `json:"fastest_on_cpus"`
}

// scalingsJSON returns the scalings for programs.
func scalingsJSON(all []Scaling) (out []scalingJSON) {
	three := func(value, lo, hi float64) [3]number { return [3]number{number(value), number(lo), number(hi)} }
	measured := func(unit string, e analysis.Estimate) map[string]any {
		return inUnit(unit, estimateNumbers(e, e.N == 0), map[string]any{"epochs": e.N})
	}
	for i := range all {
		s := &all[i]
		one := scalingJSON{Contestant: s.Contestant, Load: s.Load, Unfitted: orNull(s.unfitted())}
		for k := range s.Points {
			p := &s.Points[k]
			one.Points = append(one.Points, scalingPointJSON{p.CPUs, p.Threads, p.Bound, measured("1/s", p.Rate),
				measured("ns", p.CPU),
				ratioJSON{number(p.Times.Value), number(p.Times.Lo), number(p.Times.Hi), p.Times.N}})
		}
		if f := &s.Fit; s.unfitted() == "" {
			one.Fit = &fitJSON{s.Turns, three(f.Lambda, f.Low.Lambda, f.High.Lambda),
				three(f.Sigma, f.Low.Sigma, f.High.Sigma), three(f.Kappa, f.Low.Kappa, f.High.Kappa),
				three(f.Peak(), f.PeakLow, f.PeakHigh)}
		}
		out = append(out, one)
	}
	return out
}
