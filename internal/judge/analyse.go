package judge

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Input is the data to analyse. Trials are from valid epochs, Pilot from the pilots.
type Input struct {
	Trials      []*record.Trial
	Pilot       []*record.Trial
	Contestants []string
	Controls    []string          // the reference, and its copy for the A/A check
	Ceiling     string            // the control in the pilots that sets the generator's ceiling
	Failed      map[string]string // contestants without a figure, and the reason
	Deferring   map[string]string // contestants whose figures leave out work, and why
	Analyses    []stats.Interim
	Primary     string
	Alpha       float64
	Margin      float64
	Fresh       bool            // each level has its own processes
	Long        []*record.Trial // long loads, two on each contestant, one after the other; nil: none
	Beside      []*record.Trial // trials of the same processes, of one epoch

	// Standard deviations of the bias of short loads: of pairs like these, and of different programs.
	OwnBias, AnyBias float64

	// NoPairs leaves out pairs, places and controls, because the run decides them at all levels together.
	NoPairs bool

	// Family lists the comparisons that a run at several levels judges together; nil: all pairs at
	// the single level. At returns the index of a trial's level.
	Family []record.Comparison
	At     func(*record.Trial) int
}

// CeilingLimit is the share of the generator's ceiling above which a result is only a lower bound
// (V02).
const CeilingLimit = 0.8

// Analyse computes cells, comparisons, verdicts and ranks from the trials.
func Analyse(in Input) *Analysis {
	t, pilot := Tabulate(in.Trials, in.At), Tabulate(in.Pilot, in.At)
	standing := slices.DeleteFunc(slices.Clone(in.Contestants), func(n string) bool { _, f := in.Failed[n]; return f })
	slices.Sort(standing)
	family := in.standingFamily(standing)
	a := &Analysis{Primary: in.Primary, Epochs: t.least(family), Margin: in.Margin, AlphaAt: in.Alpha,
		Shares: map[string]float64{}}
	for i, l := range in.Analyses {
		if i == 0 {
			a.Needed = l.N
		}
		if i == 0 || l.N <= a.Epochs {
			a.AlphaAt = l.Alpha
		}
		if l.N <= a.Epochs {
			a.Interim++
		}
	}
	shares := map[record.Cell]float64{}
	for _, level := range levels(family) {
		addShares(shares, t, pilot, in, level)
	}
	if in.Family == nil {
		a.Cells = cells(t, in, a.AlphaAt)
		for c, x := range shares {
			a.Shares[c.Contestant] = x
		}
	} else {
		a.CellShares = shares
	}
	a.Taken, a.Busy = t.taken(), t.busyShare()
	a.Trends = t.trends(standing, family, in)
	if in.NoPairs {
		return a
	}
	a.Long = in.Long
	for _, m := range t.metrics(in.Fresh) {
		if m.Unranked {
			continue
		}
		ps := a.decidePairs(t, m, family, in)
		if a.Interim > 0 && in.Analyses[a.Interim-1].N < stats.Least {
			a.leaveMoving(ps)
		}
		a.judgeMoving(ps)
		a.judgeLong(t, ps, m, in)
		judgeDeferring(ps, m, in.Deferring)
		if m.Name == in.Primary {
			unrankAtCeiling(ps, shares)
			if in.Family == nil {
				a.place(standing, ps, m)
			}
		} else if m.Open() { // at a closed loop there is nothing to compare
			ps = slices.DeleteFunc(ps, func(p Pair) bool { return p.Ratio.N == 0 })
		}
		a.Pairs = append(a.Pairs, ps...)
	}
	a.checkAA(t, in, levels(family))
	a.exclude(in)
	a.derive(in)
	return a
}

// standingFamily returns the comparisons to judge: those without a failed contestant.
func (in *Input) standingFamily(standing []string) []record.Comparison {
	if in.Family == nil {
		return couples(standing)
	}
	return slices.DeleteFunc(slices.Clone(in.Family), func(c record.Comparison) bool {
		return !slices.Contains(standing, c.A.Contestant) || !slices.Contains(standing, c.B.Contestant)
	})
}

func couples(names []string) []record.Comparison {
	var out []record.Comparison
	for i := range names {
		for _, b := range names[i+1:] {
			out = append(out, record.Comparison{A: at(names[i]), B: at(b)})
		}
	}
	return out
}

// levels returns a family's levels in order, or the first level for an empty family.
func levels(family []record.Comparison) []int {
	var out []int
	for _, c := range family {
		out = append(out, c.A.Level, c.B.Level)
	}
	slices.Sort(out)
	if len(out) == 0 {
		return []int{0}
	}
	return slices.Compact(out)
}

// decidePairs compares a family's cells under m, as Decide does.
func (a *Analysis) decidePairs(t *Table, m Metric, family []record.Comparison, in Input) []Pair {
	pairs := make([]Pair, len(family))
	diffs := make([][]float64, len(family))
	for i, c := range family {
		diffs[i] = t.differences(m, c.A, c.B)
	}
	beside := t.beside(m, family, in)
	for i, j := range Decide(diffs, beside, t.least(family), in.Analyses, a.AlphaAt, in.Margin, t.roundsOf()) {
		c := family[i]
		j = t.allowing(j, m, c.A, c.B, in.Margin)
		if m.Name == in.Primary && a.Serial == nil {
			a.Serial = j.Serial
		}
		p := Pair{A: c.A.Contestant, B: c.B.Contestant, AtA: c.A.Level, AtB: c.B.Level, Metric: m.Name,
			Ratio: j.Ratio, SE: j.SE, DF: j.DF, P: j.P, Verdict: j.Verdict, Note: t.Mixed(m, c.A, c.B)}
		p.Likely = likely(present(diffs[i], all), 1-0.2*a.AlphaAt/cmp.Or(in.Alpha, 0.05))
		p.lead(m)
		pairs[i] = p
	}
	return pairs
}

// lead sets which of the two is better, by the verdict.
func (p *Pair) lead(m Metric) {
	switch p.Better, p.BetterAt = "", 0; {
	case p.Verdict != Different && p.Verdict != Negligible:
	case (p.Ratio.Value > 1) == m.More:
		p.Better, p.BetterAt = p.A, p.AtA
	default:
		p.Better, p.BetterAt = p.B, p.AtB
	}
}

// beside returns, for a run at one level, the differences between each contestant and the
// reference, and between the reference and its copy.
func (t *Table) beside(m Metric, family []record.Comparison, in Input) (diffs [][]float64) {
	if in.Family != nil || len(in.Controls) < 2 {
		return nil
	}
	names := []string{in.Controls[1]}
	for _, c := range family {
		names = append(names, c.A.Contestant, c.B.Contestant)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if name != in.Controls[0] {
			diffs = append(diffs, t.differences(m, at(name), at(in.Controls[0])))
		}
	}
	return diffs
}

// unrankAtCeiling withdraws a difference whose loser is at the generator's ceiling: the loser may
// be faster than the generator could show.
func unrankAtCeiling(pairs []Pair, shares map[record.Cell]float64) {
	for i := range pairs {
		p := &pairs[i]
		loser := p.CellA()
		switch p.Leads() {
		case 0:
			continue
		case 1:
			loser = p.CellB()
		}
		if shares[loser] > CeilingLimit {
			p.Verdict, p.Better, p.BetterAt = Inconclusive, "", 0
			p.Note = loser.Contestant + " is at the generator's ceiling: it may be faster than this generator can measure"
		}
	}
}

// place ranks the standing contestants by their verdicts on the primary metric (doc/method.md,
// Statistics). Contestants without a figure come last, without a rank.
func (a *Analysis) place(names []string, pairs []Pair, m Metric) {
	of := map[[2]string]*Pair{} // either way round
	for i := range pairs {
		p := &pairs[i]
		of[[2]string{p.A, p.B}], of[[2]string{p.B, p.A}] = p, p
	}
	beats := func(x, y string) bool {
		p := of[[2]string{x, y}]
		return p != nil && p.Verdict == Different && p.Better == x
	}
	measured := func(n string) bool { c := a.Cell(n, m.Name); return c != nil && c.Absent == "" }
	over := func(x, y string) float64 { // the log ratio, in favour of x if positive
		p := of[[2]string{x, y}]
		if p == nil || p.Ratio.N == 0 {
			return 0
		}
		if d := math.Log(p.Ratio.Value); (p.A == x) == m.More {
			return d
		}
		return -math.Log(p.Ratio.Value)
	}
	sorted := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !measured(n) })
	BestFirst(sorted, over)
	lo, hi := Ranks(len(sorted), func(i, j int) bool { return beats(sorted[i], sorted[j]) })
	for i, n := range sorted {
		a.Places = append(a.Places, Place{Contestant: n, Lo: lo[i], Hi: hi[i], LowerBound: a.Shares[n] > CeilingLimit})
	}
	for _, n := range names {
		if !measured(n) {
			a.Places = append(a.Places, Place{Contestant: n})
		}
	}
}

// exclude ranks the failed contestants last, with the reason.
func (a *Analysis) exclude(in Input) {
	failed := slices.DeleteFunc(slices.Clone(in.Contestants), func(n string) bool { _, f := in.Failed[n]; return !f })
	slices.Sort(failed)
	for _, n := range failed {
		a.Places = append(a.Places, Place{Contestant: n, Excluded: in.Failed[n]})
	}
	for _, p := range a.Places {
		a.Order = append(a.Order, p.Contestant)
	}
}

// checkAA compares the reference with its copy at the levels where they have trials, and keeps the level
// with the smallest p-value. The comparison does not belong to the family and has its own alpha.
func (a *Analysis) checkAA(t *Table, in Input, levels []int) {
	m, ok := MetricNamed(in.Primary)
	if !ok || len(in.Controls) < 2 {
		return
	}
	ride := slices.DeleteFunc(slices.Clone(levels), func(l int) bool {
		return t.Level(m, record.Cell{Contestant: in.Controls[0], Level: l}).N == 0
	})
	if len(ride) > 0 {
		levels = ride
	}
	var family []record.Comparison
	for _, l := range levels {
		family = append(family, record.Comparison{A: record.Cell{Contestant: in.Controls[0], Level: l},
			B: record.Cell{Contestant: in.Controls[1], Level: l}})
	}
	byP := func(p, q Pair) int { return cmp.Compare(p.P, q.P) }
	in.Family = family // alone: beside it would stand the same series
	a.AACheck = new(slices.MinFunc(a.decidePairs(t, m, family, in), byP))
}

// addShares computes how much of the generator's ceiling each contestant reaches at a level: the
// contestant's ratio to the reference in the run, times the reference's ratio to the ceiling server
// in the pilots. Both ratios compare loads within one round, so the machine's drift does not affect
// them.
func addShares(shares map[record.Cell]float64, t, pilot *Table, in Input, level int) {
	m := named("throughput")
	m.PerCPU = false // the ceiling limits the rates as measured
	if in.Ceiling == "" || len(in.Controls) == 0 {
		return
	}
	cell := func(name string) record.Cell { return record.Cell{Contestant: name, Level: level} }
	scale := pilot.Compare(m, cell(in.Controls[0]), cell(in.Ceiling), 0.95)
	if scale.N == 0 {
		return
	}
	for _, n := range in.Contestants {
		if r := t.Compare(m, cell(n), cell(in.Controls[0]), 0.95); r.N > 0 {
			shares[cell(n)] = r.Value * scale.Value
		}
	}
	shares[cell(in.Controls[0])] = scale.Value
}
