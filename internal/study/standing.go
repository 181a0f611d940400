package study

import (
	"math"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/stats"
)

// Standing returns the contestants' current state at the level last measured, the best first: the
// best one's ratio to it with its range over the epochs, and the rate. The best one's rate is as
// measured, as in the answer, and so is one that has no ratio; the others' follow by the ratio. It
// returns nil if each is behind another, or if one shares no round with the best. It uses the valid
// trials, or the pilots if there are none; in a run that decides all pairs at one level, that level's
// trials.
func Standing(run *record.Run) (out []record.Standing) {
	rate, _ := judge.MetricNamed("throughput")
	m, ok := judge.MetricNamed(run.Plan.Primary)
	if !ok {
		m = rate
	}
	of := report.ToBest
	if m.Name != rate.Name {
		of += " by " + m.Title
	}
	trials := plan.Valid(run)
	if len(trials) == 0 {
		trials = plan.Pilot(run)
	}
	if len(trials) == 0 {
		return nil
	}
	level, at := 0, ""
	if !run.Plan.Ranks() {
		level = run.Plan.At(trials[len(trials)-1])
		at = " at " + (&judge.Level{Name: run.Plan.LevelName(level), At: run.Plan.Levels[level]}).Title()
	}
	t := judge.Tabulate(judge.ByLevel(run, trials)[level], nil)
	cell := func(name string) record.Cell { return record.Cell{Contestant: name} }
	names := slices.DeleteFunc(slices.Clone(run.Plan.Contestants), func(name string) bool {
		return t.Level(m, cell(name)).N == 0 || run.FailureOf(name) != nil
	})
	judge.BestFirst(names, func(x, y string) float64 {
		switch d := stats.Median(t.Logs(m, cell(x), cell(y))); {
		case math.IsNaN(d):
			return 0
		case m.More:
			return d
		default:
			return -d
		}
	})
	for _, name := range names {
		s := record.Standing{Name: name + at, PerSec: t.Level(rate, cell(name)).Value, Of: of, Ratio: 1}
		switch {
		case t.Mixed(m, cell(name), cell(names[0])) != "":
			s.Ratio = 0
		case name != names[0]:
			logs := t.Logs(m, cell(names[0]), cell(name))
			if s.Ratio = math.Exp(stats.Median(logs)); m.More && !(s.Ratio >= 1) || !m.More && !(s.Ratio <= 1) {
				return nil
			}
			s.Lo, s.Hi, _ = t.RatioRange(m, cell(names[0]), cell(name))
		}
		if faster := stats.Median(t.Logs(rate, cell(name), cell(names[0]))); !math.IsNaN(faster) {
			s.PerSec = t.Level(rate, cell(names[0])).Value * math.Exp(faster)
		}
		out = append(out, s)
	}
	return out
}
