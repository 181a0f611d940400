package plan

import (
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// base returns the index of the closed loop to which a level's share refers: the level that is
// otherwise the same; −1 if there is none.
func base(p *record.Plan, level int) int {
	points := p.Levels
	l := points[level]
	l.RateShare, l.OwnRate, l.RatePerSec = 0, false, 0
	return slices.Index(points, l)
}

// isBase reports whether any level's share refers to this one.
func isBase(p *record.Plan, level int) bool {
	for i, l := range p.Levels {
		if l.RateShare > 0 && base(p, i) == level {
			return true
		}
	}
	return false
}

// resolve sets the rate if the plan gives it as a share: of the contestant's own capacity, or
// the slowest contestant's, rounded to a whole number. ok is false if no contestant showed a
// capacity.
func resolve(run *record.Run, e slot) (level record.Level, ok bool) {
	level = e.level
	if level.RateShare == 0 {
		return level, true
	}
	of := []string{e.Contestant}
	if !level.OwnRate {
		of = run.Plan.Contestants
	}
	capacities := capacities(run, base(&run.Plan, e.Level), of)
	if len(capacities) == 0 {
		return level, false
	}
	level.RatePerSec = math.Round(level.RateShare * slices.Min(capacities))
	return level, level.RatePerSec > 0
}

// capacities returns the contestants' median throughputs in a closed loop in the pilots.
// Contestants that failed under load there are left out. Discarded rounds count only if a
// contestant has no others.
func capacities(run *record.Run, level int, names []string) (all []float64) {
	p := &run.Plan
	pilot := Pilot(run)
	for _, name := range names {
		if f := run.FailureOf(name); f != nil && f.Epoch < p.Pilots && f.Stage == "load" {
			continue
		}
		rates := ratesOf(p, pilot, name, level)
		if len(rates) == 0 {
			rates = ratesOf(p, run.Trials[:after(run, record.Key{Epoch: p.Pilots, Round: -1})], name, level)
		}
		if len(rates) > 0 {
			all = append(all, stats.Median(rates))
		}
	}
	return all
}

// Rate returns a level's rate in requests per second. If the plan gives it as a share, ok is
// false until the pilots have shown the rate; it is false if each contestant has its own.
func Rate(run *record.Run, level int) (perSec float64, ok bool) {
	l := run.Plan.Levels[level]
	if l.OwnRate {
		return 0, false
	}
	l, ok = resolve(run, slot{Cell: record.Cell{Level: level}, level: l})
	return l.RatePerSec, ok && (l.RateShare == 0 || lastEpoch(run) >= run.Plan.Pilots-1)
}

// ratesOf returns a contestant's throughputs at a level in some trials.
func ratesOf(p *record.Plan, trials []*record.Trial, name string, level int) (rates []float64) {
	for i := range trials {
		t := trials[i]
		if t.Contestant == name && p.At(t) == level {
			if perSec, ok := t.Load.PerSec(); ok {
				rates = append(rates, perSec)
			}
		}
	}
	return rates
}
