package plan

import (
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// base is the closed loop that a level's share is taken of: the one that else is the same, or the
// first with the same launch part, scenario and records. −1 if there is none.
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

// isBase reports whether the share of some level is taken of this one.
func isBase(p *result.Plan, level int) bool {
	for i, l := range p.Points() {
		if l.RateShare > 0 && base(p, i) == level {
			return true
		}
	}
	return false
}

// resolve gives a level of a share its rate: that share of the least median throughput which a
// contestant showed at the closed loop in the pilots, a whole number. Those that failed under load
// in them do not count. Discarded rounds count only where there are no others. false: no contestant
// showed any.
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

// Rate is what a level's share came to, requests per second; false where the pilots have not shown
// it. A level without a share has its own.
func Rate(run *result.Run, level int) (perSec float64, ok bool) {
	l, ok := resolve(run, slot{Cell: result.Cell{Level: level}, level: run.Plan.Points()[level]})
	return l.RatePerSec, ok && (l.RateShare == 0 || lastEpoch(run) >= run.Plan.Pilots-1)
}

// ratesOf are the throughputs of a contestant at a level, in those of the trials that are of the
// pilots.
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
