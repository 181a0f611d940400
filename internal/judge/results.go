package judge

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Counted says which trials of a run count, and what its plan makes of them (plan.Count).
type Counted struct {
	Epochs         []int           // valid ones after the pilots
	Valid, Pilot   []*record.Trial // trials that count
	Discarded, All int             // trials after the pilots
	Analyses       []stats.Interim
	Long           []*record.Trial // long loads, B A A B; nil: none
	Beside         []*record.Trial // valid trials of the long loads' epoch, also if the run ended within it
	NoLong         string          // why there are none; "": none were planned
	Rated          []*record.Trial // open loops at one rate, after the epochs
	NoRated        string          // why there are none; "": none were planned
	Levels         []PlannedLevel  // the plan's, in its order
}

// PlannedLevel is one level of a plan, with the contestants and controls that are loaded there.
type PlannedLevel struct {
	Loaded   []string
	Compared bool // a comparison has a cell there
}

// Results are what a run's trials show: the results, and how far they can be trusted.
type Results struct {
	Run       *record.Run
	Parts     []Part          // if several machines measured the run; else nil
	Analysis  *Analysis       // analysis of the run's comparisons, if it has any
	Levels    []Level         // all levels if pairs are compared at several, else the levels beside the first
	Loads     []*record.Trial // a classic run's loads that are shown
	Alone     []Alone         // a run's service, for each kind of request to it
	Findings  []Finding       // whole run first, then by contestant
	Trials    []*record.Trial // valid ones
	Valid     int             // number of valid trials or, outside rounds, of the loads shown
	Discarded int             // number of discarded trials
	Rated     *Level          // open loops at one rate, after the epochs; nil: none
	NoRated   string          // why there are none; "": none were planned
	// why no long loads check the verdicts; "" if they do, or if the record is older than long
	// loads
	NoLong string
}

// Level holds the results at one level in a run at several.
type Level struct {
	Name     string // name in the study; "": none
	At       record.Level
	Loaded   []string // contestants and controls that the plan loads here; nil: all
	Compared bool     // a comparison in the plan names it
	// Analysis covers the trials at this level alone, without interim analyses: cells, ratios and
	// shares of the ceiling.
	Analysis *Analysis
	Trials   []*record.Trial   // valid trials at this level
	Absent   map[string]string // reasons why contestants have no valid trial here, by contestant
}

// Judge returns the results of a run. One analysis decides the pairs. Each level also has its own
// analysis, without verdicts.
func Judge(run *record.Run, c *Counted) *Results {
	p := &run.Plan
	if p.Processes == record.PerLoad {
		return loadsOf(run, c)
	}
	levels, first := ByLevel(run, c.Valid), 0
	d := &Results{Run: run, Parts: parts(run, c.Epochs), Alone: alone(run, c.Pilot),
		Trials: c.Valid, Valid: len(c.Valid), Discarded: c.Discarded}
	e := &Evidence{Run: run, Kind: kindOf(p), Valid: c.Valid, Discarded: c.Discarded, All: c.All,
		Analysis: AnalyseRun(run, c)}
	d.Analysis, d.NoLong = e.Analysis, cmp.Or(c.NoLong, e.Analysis.NoLong)
	if p.Ranks() {
		first, e.Valid = 1, levels[0]
	}
	d.Levels = levelsFrom(run, first, c, levels, d.Alone)
	beside := d.Levels
	if d.Rated, d.NoRated = ratedLevel(run, c); d.Rated != nil {
		beside = append(slices.Clip(beside), *d.Rated)
	}
	for _, l := range d.Levels {
		if l.Compared {
			e.Levels = append(e.Levels, l.Trials)
		}
	}
	d.Findings = byContestant(run, Make(e), worst(run, d.Levels, Levels), worst(run, beside, Beside))
	return d
}

// AnalyseRun analyses the valid trials of a run that decides pairs: at all levels, or at the first
// level if all pairs are decided there.
func AnalyseRun(run *record.Run, c *Counted) *Analysis {
	p := &run.Plan
	in := Input{
		Long: c.Long, Beside: c.Beside, Trials: c.Valid, Pilot: c.Pilot, Contestants: p.Contestants,
		Controls: p.Controls, Ceiling: p.Ceiling, Failed: failed(run), Analyses: c.Analyses, Primary: p.Primary,
		Alpha: p.Alpha, Margin: p.Margin, Fresh: p.Fresh(), Family: p.Family, At: p.At,
	}
	in.OwnBias, _ = KnownSessions().Bias(RelationOf(p))
	in.AnyBias, _ = KnownSessions().Bias(Programs)
	if p.Ranks() {
		in.Family, in.At, in.Trials, in.Pilot = nil, nil, ByLevel(run, c.Valid)[0], ByLevel(run, c.Pilot)[0]
		in.Beside = ByLevel(run, c.Beside)[0]
	}
	in.Deferring = deferring(run, in.Trials)
	a := Analyse(in)
	a.judgeElsewhere(run, c.Valid, KnownSessions())
	return a
}

// Decided reports whether every pair of contestants is decided on the primary metric. A
// withdrawn verdict counts as decided, because more epochs would not change it; a pair without a
// ratio does not.
func (a *Analysis) Decided() bool {
	return !slices.ContainsFunc(a.Pairs, func(p Pair) bool {
		return p.Metric == a.Primary && p.Verdict == Inconclusive && (p.Note == "" || p.Ratio.N == 0)
	})
}

// Smallest returns the size that the smallest difference on the primary metric has at least, in logs:
// the near end of its interval. It is 0 if there is none, or if a pair was found equal or nearly so.
func (a *Analysis) Smallest() float64 {
	least := math.Inf(1)
	for _, p := range a.Pairs {
		switch {
		case p.Metric != a.Primary:
		case p.Verdict == Different:
			least = min(least, max(0, math.Log(p.Ratio.Lo), -math.Log(p.Ratio.Hi)))
		case p.Verdict != Inconclusive:
			return 0
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// Settled reports whether the checks of a run at one level ask for no more epochs: whether none
// cannot tell for lack of epochs, there are leastEpochs, or the machine is too busy for a few more to
// help.
func (r *Results) Settled() bool {
	return !r.Run.Plan.Ranks() || r.Analysis.Epochs >= leastEpochs || Summary(r.Findings)[MachineQuiet].State >= Warn ||
		!slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Longer })
}

// byContestant sorts findings: first those on the whole run, then by contestant, each by check id.
func byContestant(run *record.Run, lists ...[]Finding) []Finding {
	all := slices.Concat(lists...)
	slices.SortStableFunc(all, func(a, b Finding) int {
		at := func(f Finding) int { return slices.Index(run.Plan.Contestants, f.Contestant) }
		return cmp.Or(at(a)-at(b), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// worst makes the per-level checks at the levels of one kind: those where pairs are compared,
// or those where nothing is. For each check and contestant it keeps the worst finding, with the
// level in its text.
func worst(run *record.Run, levels []Level, kind Kinds) []Finding {
	var out []Finding
	for i := range levels {
		l := &levels[i]
		if l.Compared != (kind == Levels) {
			continue
		}
		for _, f := range checksAt(run, l, kind) {
			own := func(t *record.Trial) bool { return t.Contestant == f.Contestant }
			if f.Contestant != "" && !slices.ContainsFunc(l.Trials, own) {
				continue // the checks include contestants that failed
			}
			f.Text = "at " + l.Title() + " " + f.Text
			i := slices.IndexFunc(out, func(o Finding) bool { return o.ID == f.ID && o.Contestant == f.Contestant })
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

// At returns the findings that concern the i-th of Levels: those on the whole run, and this level's
// own instead of the worst.
func (r *Results) At(i int) []Finding {
	found := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		c := ByID(f.ID)
		return c != nil && c.Each && c.In&(Levels|Beside) != 0
	})
	return append(found, checksAt(r.Run, &r.Levels[i], Levels)...)
}

// checksAt makes the per-level checks at one level.
func checksAt(run *record.Run, l *Level, kind Kinds) []Finding {
	e := &Evidence{Run: run, At: &l.At, Kind: kind, Valid: l.Trials, Analysis: l.Analysis}
	return Make(e)
}

// levelsFrom returns a run's levels from the first-th on, with the results from its valid trials by
// level.
func levelsFrom(run *record.Run, first int, c *Counted, valid map[int][]*record.Trial, service []Alone) []Level {
	p := &run.Plan
	pilot := ByLevel(run, c.Pilot)
	taken := map[record.Cell]bool{}
	for i := range run.Trials {
		if t := run.Trials[i]; t.Epoch >= p.Pilots {
			taken[record.Cell{Contestant: t.Contestant, Level: p.At(t)}] = true
		}
	}
	var out []Level
	for i := first; i < len(p.Levels); i++ {
		at := c.Levels[i]
		l := Level{Name: p.LevelName(i), At: p.Levels[i], Loaded: at.Loaded, Compared: at.Compared, Trials: valid[i],
			Absent: map[string]string{}}
		loaded := func(names []string) []string {
			return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(l.Loaded, n) })
		}
		contestants := loaded(p.Contestants)
		l.Analysis = Analyse(Input{
			Trials: valid[i], Pilot: pilot[i], Contestants: contestants, Controls: loaded(p.Controls), Ceiling: p.Ceiling,
			Failed:  failed(run),
			Primary: p.Primary, Alpha: p.Alpha, Margin: p.Margin, Fresh: p.Fresh(), NoPairs: true,
		})
		if p.Ceiling == p.Source() {
			sharesOfService(&l, contestants, service)
		}
		for _, name := range l.Loaded {
			switch {
			case slices.ContainsFunc(valid[i], func(t *record.Trial) bool { return t.Contestant == name }):
			case taken[record.Cell{Contestant: name, Level: i}]:
				l.Absent[name] = "all its trials are in discarded or incomplete rounds or epochs"
			default:
				l.Absent[name] = "the run ended before its first trial"
			}
		}
		out = append(out, l)
	}
	return out
}

// ByLevel groups trials by their level's index.
func ByLevel(run *record.Run, trials []*record.Trial) map[int][]*record.Trial {
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
func loadsOf(run *record.Run, c *Counted) *Results {
	all := latest(run.Trials)
	e := &Evidence{Run: run, Kind: Loads, Valid: all, All: len(run.Trials), Analysis: &Analysis{}}
	return &Results{Run: run, Parts: parts(run, c.Epochs), Trials: c.Valid, Loads: all, Valid: len(all),
		Discarded: len(run.Trials) - len(all), Findings: Make(e)}
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
