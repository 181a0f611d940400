package plan

import (
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// base returns the index of the closed loop to which a level's share refers. It is the level that
// is otherwise the same, or the first with the same launch part, scenario and records; −1 if there
// is none.
func base(p *result.Plan, level int) int {
	points := p.Points()
	l := points[level]
	l.RateShare, l.RatePerSec = 0, 0
	if same := slices.Index(points, l); same >= 0 {
		return same
	}
	return slices.IndexFunc(points, func(o result.Level) bool {
		return !o.Open() && o.Launch() == l.Launch() && o.Scenario == l.Scenario && o.Records == l.Records
	})
}

// isBase reports whether the share of any level refers to this one.
func isBase(p *result.Plan, level int) bool {
	for i, l := range p.Points() {
		if l.RateShare > 0 && base(p, i) == level {
			return true
		}
	}
	return false
}

// resolve sets the rate of a level whose plan gives it as a share. The rate is that share of the
// slowest contestant's median throughput in the closed loop of the pilots, rounded to a whole
// number. Contestants that failed under load in the pilots are left out. Discarded rounds count
// only if a contestant has no others. ok is false if no contestant has a throughput.
func resolve(run *result.Run, e slot) (level result.Level, ok bool) {
	p := &run.Plan
	level = e.level
	if level.RateShare == 0 {
		return level, true
	}
	of := base(p, e.Level)
	least := math.Inf(1)
	pilot := Pilot(run)
	for _, name := range p.Contestants {
		if f := run.FailureOf(name); f != nil && f.Epoch < p.Pilots && f.Stage == "load" {
			continue
		}
		rates := ratesOf(p, pilot, name, of)
		if len(rates) == 0 {
			rates = ratesOf(p, run.Trials, name, of)
		}
		if len(rates) > 0 {
			least = min(least, stats.Median(rates))
		}
	}
	level.RatePerSec = math.Round(level.RateShare * least)
	return level, !math.IsInf(least, 1) && level.RatePerSec > 0
}

// Rate returns the rate of a level in requests per second. If the plan gives it as a share, ok is
// false until the pilots have shown the rate.
func Rate(run *result.Run, level int) (perSec float64, ok bool) {
	l, ok := resolve(run, slot{Cell: result.Cell{Level: level}, level: run.Plan.Points()[level]})
	return l.RatePerSec, ok && (l.RateShare == 0 || lastEpoch(run) >= run.Plan.Pilots-1)
}

// ratesOf returns the throughputs of a contestant at a level in the pilot trials among trials.
func ratesOf(p *result.Plan, trials []result.Trial, name string, level int) (rates []float64) {
	for i := range trials {
		t := &trials[i]
		if t.Epoch < p.Pilots && t.Contestant == name && p.At(t) == level {
			if perSec, ok := t.Load.PerSec(); ok {
				rates = append(rates, perSec)
			}
		}
	}
	return rates
}
