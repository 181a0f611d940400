package study

import (
	"cmp"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// evaluateSweep evaluates a sweep. It analyses each level alone, without interim analyses or
// verdicts.
func evaluateSweep(run *result.Run) *report.Data {
	valid := plan.Valid(run)
	discarded, all := plan.Discarded(run)
	levels := byLevel(run, valid)
	d := &report.Data{Run: run, Levels: levelsFrom(run, 0, levels), Alone: alone(run), Valid: len(valid),
		Discarded: discarded, Reached: analysis.Reached(levels)}
	e := &checks.Evidence{Run: run, Valid: valid, Discarded: discarded, All: all, Analysis: &analysis.Analysis{Primary: run.Plan.Primary, Margin: run.Plan.Margin}}
	d.Findings = byContestant(run, checks.Make(e, checks.Sweep, checks.Once), worst(run, checks.Sweep, d.Levels, discarded, all))
	return d
}

// byContestant sorts findings: first those on the whole run, then those on each contestant, by the
// checks' ids.
func byContestant(run *result.Run, lists ...[]checks.Finding) []checks.Finding {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b checks.Finding) int {
		return cmp.Or(slices.Index(run.Plan.Contestants, a.Contestant)-slices.Index(run.Plan.Contestants, b.Contestant), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// worst makes the checks of each level. Of the findings of one check on one contestant it keeps the
// worst, with the level in its text.
func worst(run *result.Run, kind checks.RunKind, levels []report.Level, discarded, all int) []checks.Finding {
	var out []checks.Finding
	for _, l := range levels {
		here := *run
		here.Plan.Level = l.At
		e := &checks.Evidence{Run: &here, Valid: l.Trials, Discarded: discarded, All: all, Analysis: l.Analysis}
		for _, f := range checks.Make(e, kind, checks.EachLevel) {
			if f.Contestant != "" && !slices.ContainsFunc(l.Trials, func(t *result.Trial) bool { return t.Contestant == f.Contestant }) {
				continue // a contestant that failed is checked all the same
			}
			f.Text = "at " + l.Title() + " " + f.Text
			i := slices.IndexFunc(out, func(o checks.Finding) bool { return o.ID == f.ID && o.Contestant == f.Contestant })
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

// levelsOf returns the levels of a run in order of the plan, with the results of each.
func levelsOf(run *result.Run) []report.Level {
	return levelsFrom(run, 0, byLevel(run, plan.Valid(run)))
}

// levelsFrom returns the levels of a run from one on, with the results of its valid trials by level.
func levelsFrom(run *result.Run, first int, valid map[int][]*result.Trial) []report.Level {
	p := &run.Plan
	pilot := byLevel(run, plan.Pilot(run))
	taken := map[result.Cell]bool{}
	for i := range run.Trials {
		if t := run.Trials[i]; t.Epoch >= p.Pilots {
			taken[result.Cell{Contestant: t.Contestant, Level: p.At(t)}] = true
		}
	}
	var out []report.Level
	backend := alone(run)
	for i, at := range p.Points() {
		if i < first {
			continue
		}
		l := report.Level{Name: p.LevelName(i), At: at, Trials: valid[i], Absent: map[string]string{},
			Kept: map[string]checks.Kept{}}
		l.Loaded, l.Compared = plan.Loaded(p, i)
		if rate, ok := plan.Rate(run, i); ok {
			l.At.RatePerSec = rate
		}
		contestants := slices.DeleteFunc(slices.Clone(p.Contestants), func(n string) bool { return !slices.Contains(l.Loaded, n) })
		controls := slices.DeleteFunc(slices.Clone(p.Controls), func(n string) bool { return !slices.Contains(l.Loaded, n) })
		l.Analysis = analysis.Analyse(analysis.Input{
			Trials: valid[i], Pilot: pilot[i], Contestants: contestants, Controls: controls, Ceiling: p.Ceiling, Failed: failed(run),
			Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin, Fresh: p.Fresh,
		})
		if p.Ceiling == p.Backend {
			sharesOfBackend(&l, contestants, backend)
		}
		for _, name := range l.Loaded {
			switch {
			case slices.ContainsFunc(valid[i], func(t *result.Trial) bool { return t.Contestant == name }):
			case taken[result.Cell{Contestant: name, Level: i}]:
				l.Absent[name] = "all its trials are in discarded or incomplete rounds or epochs"
			default:
				l.Absent[name] = "the run ended before its first trial"
			}
			if at.Open() {
				l.Kept[name] = checks.KeptRate(slices.DeleteFunc(slices.Clone(valid[i]), func(t *result.Trial) bool {
					return t.Contestant != name
				}))
			}
		}
		out = append(out, l)
	}
	return out
}

// byLevel groups trials by the index of their level.
func byLevel(run *result.Run, trials []*result.Trial) map[int][]*result.Trial {
	n, out := map[int]int{}, map[int][]*result.Trial{}
	for i := range trials {
		n[run.Plan.At(trials[i])]++
	}
	for at, size := range n {
		if size == len(trials) {
			return map[int][]*result.Trial{at: trials}
		}
		out[at] = make([]*result.Trial, 0, size)
	}
	for i := range trials {
		at := run.Plan.At(trials[i])
		out[at] = append(out[at], trials[i])
	}
	return out
}

// evaluateClassic evaluates a classic run. It shows every load; of repeated loads, the latest.
//
// Note: a paired comparison discards disturbed trials. A classic run cannot, because people who
// publish such figures do not know about the disturbance, and a busy machine would leave no load at
// all. Beside each figure the report says whether a paired comparison would have counted it.
func evaluateClassic(run *result.Run) *report.Data {
	all := latest(run.Trials)
	loads := ownLoads(run, all)
	own := *run
	own.Trials = ownLoads(run, run.Trials)
	e := &checks.Evidence{Run: &own, Valid: loads, All: len(run.Trials), Analysis: &analysis.Analysis{}}
	d := &report.Data{Run: run, Loads: loads, Valid: len(loads), Discarded: len(run.Trials) - len(all), Findings: checks.Make(e, checks.Classic, checks.Once)}
	if len(run.Plan.External) > 0 {
		d.AllLoads = all
	}
	return d
}

// ownLoads returns the loads of contestants by dyno's own engine. It leaves out loads by an
// external tool, and loads of the ceiling's server.
func ownLoads(run *result.Run, trials []*result.Trial) (out []*result.Trial) {
	for _, t := range trials {
		if t.External == "" && t.Contestant != run.Plan.Ceiling {
			out = append(out, t)
		}
	}
	return out
}

// latest returns the trials of the last attempt at each position of each round.
func latest(trials []*result.Trial) []*result.Trial {
	at := map[result.Key]int{}
	var out []*result.Trial
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
func failed(run *result.Run) map[string]string {
	out := map[string]string{}
	for _, f := range run.Failures {
		if out[f.Contestant] == "" {
			out[f.Contestant] = f.Stage + ": " + f.Reason
		}
	}
	return out
}

// Standing returns the interim table of a run: of a named family level by level; of a sweep at the
// level last measured that has figures; of a classic run the rates of the latest loads.
func Standing(run *result.Run) []result.Standing {
	switch {
	case isA(run, checks.Classic):
		return classicStanding(run)
	case len(run.Plan.Family) > 0:
		return familyStanding(run)
	case isA(run, checks.Paired):
		return pairsStanding(run)
	}
	valid := plan.Valid(run)
	if len(valid) == 0 {
		return nil
	}
	if at := run.Plan.At(valid[len(valid)-1]); at >= 0 {
		return standingAt(run, levelsOf(run)[at])
	}
	return nil
}

// standingAt returns the interim values of the contestants and controls at one level.
func standingAt(run *result.Run, l report.Level) (out []result.Standing) {
	for _, name := range l.Loaded {
		rate := l.Analysis.Cell(name, "throughput")
		if rate == nil || rate.Level.N == 0 || rate.Absent != "" {
			continue
		}
		s := result.Standing{Name: name + " at " + l.Title(), PerSec: rate.Level.Value}
		if c := l.Analysis.Cell(name, run.Plan.Primary); c != nil && c.Ratio.N > 0 {
			s.Ratio, s.Lo, s.Hi, s.Of = c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi, "vs reference"
		}
		out = append(out, s)
	}
	return out
}

// pairsStanding returns the contestants, the best first, each with its ratio to the best; none if
// each is behind another. It uses the valid epochs, or the pilots if there is none yet.
func pairsStanding(run *result.Run) (out []result.Standing) {
	m, ok := analysis.MetricNamed(run.Plan.Primary)
	if !ok {
		return nil
	}
	trials := plan.Valid(run)
	of, which := report.ToBest, ""
	if len(trials) == 0 {
		trials = plan.Pilot(run)
	}
	if len(trials) == 0 { // all are discarded: better a rough figure than none
		trials, which = run.Trials, ", in discarded trials"
	}
	rate, _ := analysis.MetricNamed("throughput")
	if m.Name != rate.Name {
		of += " by " + m.Title
	}
	of += which
	t := analysis.Tabulate(byLevel(run, trials)[0], nil)
	for _, name := range run.Plan.Contestants {
		if t.Level(m, result.Cell{Contestant: name}).N == 0 || run.FailureOf(name) != nil {
			continue
		}
		out = append(out, result.Standing{Name: name, PerSec: t.Level(rate, result.Cell{Contestant: name}).Value, Of: of})
	}
	better := func(x, y result.Standing) int {
		if m.More {
			x, y = y, x
		}
		return cmp.Compare(x.Ratio, y.Ratio)
	}
	for range out { // against anybody, then against who is best of these, until nobody is better
		for i := range out {
			first, own := result.Cell{Contestant: out[0].Name}, result.Cell{Contestant: out[i].Name}
			out[i].Ratio, out[i].Lo, out[i].Hi = 1, 0, 0
			if i > 0 {
				out[i].Ratio = t.Compare(m, own, first, 0.95).Value
				out[i].Lo, out[i].Hi, _ = t.RatioRange(m, own, first)
			}
		}
		first := out[0].Name
		slices.SortStableFunc(out, better)
		if out[0].Name == first {
			return out
		}
	}
	return nil // each is behind another: nobody leads
}

func classicStanding(run *result.Run) (out []result.Standing) {
	m, _ := analysis.MetricNamed("throughput")
	loads := ownLoads(run, latest(run.Trials))
	for _, name := range run.Plan.Contestants {
		for i := len(loads) - 1; i >= 0; i-- {
			if v, ok := m.Of(loads[i]); ok && loads[i].Contestant == name && run.FailureOf(name) == nil {
				out = append(out, result.Standing{Name: name, PerSec: v})
				break
			}
		}
	}
	return out
}
