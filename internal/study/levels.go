package study

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/stats"
)

// byContestant sorts findings: first those on the whole run, then by contestant, each by check id.
func byContestant(run *record.Run, lists ...[]judge.Finding) []judge.Finding {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b judge.Finding) int {
		return cmp.Or(slices.Index(run.Plan.Contestants, a.Contestant)-slices.Index(run.Plan.Contestants, b.Contestant), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// worst makes the per-level checks at the levels that at selects: those where pairs are compared,
// or those where nothing is. For each check and contestant it keeps the worst finding, with the
// level in its text.
func worst(run *record.Run, levels []report.Level, at judge.Spot) []judge.Finding {
	var out []judge.Finding
	for i := range levels {
		l := &levels[i]
		if l.Compared != (at == judge.OneOfMany) {
			continue
		}
		for _, f := range checksAt(run, l, at) {
			if f.Contestant != "" && !slices.ContainsFunc(l.Trials, func(t *record.Trial) bool { return t.Contestant == f.Contestant }) {
				continue // the checks include contestants that failed
			}
			f.Text = "at " + l.Title() + " " + f.Text
			i := slices.IndexFunc(out, func(o judge.Finding) bool { return o.ID == f.ID && o.Contestant == f.Contestant })
			switch {
			case i < 0:
				out = append(out, f)
			case f.State > out[i].State:
				out[i] = f
			}
		}
	}
	return out
}

// checksAt makes the per-level checks at one level.
func checksAt(run *record.Run, l *report.Level, at judge.Spot) []judge.Finding {
	e := &judge.Evidence{Run: run, At: &l.At, Place: at, Valid: l.Trials, Analysis: l.Analysis}
	return judge.Make(e, judge.EachLevel)
}

// levelsFrom returns a run's levels from the first-th on, with the results from its valid trials by
// level.
func levelsFrom(run *record.Run, first int, valid map[int][]*record.Trial) []report.Level {
	p := &run.Plan
	pilot := byLevel(run, plan.Pilot(run))
	taken := map[record.Cell]bool{}
	for i := range run.Trials {
		if t := run.Trials[i]; t.Epoch >= p.Pilots {
			taken[record.Cell{Contestant: t.Contestant, Level: p.At(t)}] = true
		}
	}
	var out []report.Level
	backend := alone(run)
	for i, at := range p.Levels {
		if i < first {
			continue
		}
		l := report.Level{Name: p.LevelName(i), At: at, Trials: valid[i], Absent: map[string]string{},
			Kept: map[string]judge.Kept{}}
		l.Loaded, l.Compared = plan.Loaded(p, i)
		if rate, ok := plan.Rate(run, i); ok {
			l.At.RatePerSec = rate
		}
		contestants := slices.DeleteFunc(slices.Clone(p.Contestants), func(n string) bool { return !slices.Contains(l.Loaded, n) })
		controls := slices.DeleteFunc(slices.Clone(p.Controls), func(n string) bool { return !slices.Contains(l.Loaded, n) })
		l.Analysis = judge.Analyse(judge.Input{
			Trials: valid[i], Pilot: pilot[i], Contestants: contestants, Controls: controls, Ceiling: p.Ceiling, Failed: failed(run),
			Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin, Fresh: p.Fresh(),
		})
		if p.Ceiling == p.Backend {
			sharesOfBackend(&l, contestants, backend)
		}
		for _, name := range l.Loaded {
			switch {
			case slices.ContainsFunc(valid[i], func(t *record.Trial) bool { return t.Contestant == name }):
			case taken[record.Cell{Contestant: name, Level: i}]:
				l.Absent[name] = "all its trials are in discarded or incomplete rounds or epochs"
			default:
				l.Absent[name] = "the run ended before its first trial"
			}
			if at.Open() {
				l.Kept[name] = judge.KeptRate(slices.DeleteFunc(slices.Clone(valid[i]), func(t *record.Trial) bool {
					return t.Contestant != name
				}))
			}
		}
		out = append(out, l)
	}
	return out
}

// byLevel groups trials by their level's index.
func byLevel(run *record.Run, trials []*record.Trial) map[int][]*record.Trial {
	n, out := map[int]int{}, map[int][]*record.Trial{}
	for i := range trials {
		n[run.Plan.At(trials[i])]++
	}
	for at, size := range n {
		if size == len(trials) {
			return map[int][]*record.Trial{at: trials}
		}
		out[at] = make([]*record.Trial, 0, size)
	}
	for i := range trials {
		at := run.Plan.At(trials[i])
		out[at] = append(out[at], trials[i])
	}
	return out
}

// loadsOf evaluates a run whose loads are not in rounds. It shows every load; if a load was
// repeated, the latest.
//
// Note: a comparison in rounds discards disturbed trials. This one cannot, because people who
// publish such figures do not know about the disturbance, and a busy machine would leave no load at
// all. Beside each figure the report says whether a comparison in rounds would have counted it.
func loadsOf(run *record.Run) *report.Data {
	all := latest(run.Trials)
	loads := ownLoads(run, all)
	own := *run
	own.Trials = ownLoads(run, run.Trials)
	e := &judge.Evidence{Run: &own, Valid: loads, All: len(run.Trials), Analysis: &judge.Analysis{}}
	d := &report.Data{Run: run, Parts: parts(run), Loads: loads, Valid: len(loads), Discarded: len(run.Trials) - len(all),
		Findings: judge.Make(e, judge.Once)}
	if len(run.Plan.External) > 0 {
		d.AllLoads = all
	}
	return d
}

// ownLoads returns the loads on contestants by dyno's own engine. It leaves out loads by an
// external tool, and loads on the ceiling's server.
func ownLoads(run *record.Run, trials []*record.Trial) (out []*record.Trial) {
	for _, t := range trials {
		if t.External == "" && t.Contestant != run.Plan.Ceiling {
			out = append(out, t)
		}
	}
	return out
}

// latest returns, for each position in each round, the trials from the last attempt.
func latest(trials []*record.Trial) []*record.Trial {
	at := map[record.Key]int{}
	var out []*record.Trial
	for _, t := range trials {
		k := t.Key
		k.Attempt = 0
		if i, again := at[k]; again {
			out[i] = t
			continue
		}
		at[k] = len(out)
		out = append(out, t)
	}
	return out
}

// failed returns why contestants have no figure, by name.
func failed(run *record.Run) map[string]string {
	out := map[string]string{}
	for _, f := range run.Failures {
		if out[f.Contestant] == "" {
			out[f.Contestant] = f.Stage + ": " + f.Reason
		}
	}
	return out
}

// Standing returns the contestants' current state at the level last measured, the best first: the
// rate, and the ratio to the best with its range over the epochs. It returns nil if each is behind
// another, or if one shares no round with the best. It uses the valid trials, the pilots if there
// are none, or else all trials; in a run that decides all pairs at one level, that level's trials.
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
	if len(trials) == 0 { // all are discarded: a rough figure is better than none
		trials = run.Trials
		of += ", in discarded trials"
	}
	trials = slices.DeleteFunc(slices.Clone(trials), func(t *record.Trial) bool { return t.External != "" })
	if len(trials) == 0 {
		return nil
	}
	level, at := 0, ""
	if !run.Plan.Ranks() {
		if level = run.Plan.At(trials[len(trials)-1]); level < 0 { // a search's probe
			return nil
		}
		at = " at " + (&report.Level{Name: run.Plan.LevelName(level), At: run.Plan.Levels[level]}).Title()
	}
	t := judge.Tabulate(byLevel(run, trials)[level], nil)
	cell := func(name string) record.Cell { return record.Cell{Contestant: name} }
	names := slices.DeleteFunc(slices.Clone(run.Plan.Contestants), func(name string) bool {
		return t.Level(m, cell(name)).N == 0 || run.FailureOf(name) != nil
	})
	judge.BestFirst(names, func(x, y string) float64 {
		if d := stats.Median(t.Logs(m, cell(x), cell(y))); m.More {
			return d
		} else {
			return -d
		}
	})
	for _, name := range names {
		s := record.Standing{Name: name + at, PerSec: t.Level(rate, cell(name)).Value, Of: of, Ratio: 1}
		if name != names[0] {
			logs := t.Logs(m, cell(name), cell(names[0]))
			if s.Ratio = math.Exp(stats.Median(logs)); m.More && !(s.Ratio <= 1) || !m.More && !(s.Ratio >= 1) {
				return nil
			}
			s.Lo, s.Hi, _ = t.RatioRange(m, cell(name), cell(names[0]))
		}
		out = append(out, s)
	}
	return out
}
