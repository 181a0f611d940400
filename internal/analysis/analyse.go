package analysis

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Input is what is analysed. Trials are the valid ones of the epochs that count, Pilot those of the pilots.
type Input struct {
	Trials      []result.Trial
	Pilot       []result.Trial
	Contestants []string
	Controls    []string          // the yardstick, its blinded copy, others
	Ceiling     string            // control of the pilots that shows the generator's ceiling
	Failed      map[string]string // contestants that have no figure, and why
	Looks       []stats.Look
	Primary     string
	Alpha       float64
	Margin      float64
	VoidShare   float64 // of the trials, that lie in void rounds
}

// CeilingLimit is the share of the generator's ceiling above which a result is only a lower bound (V02, method.md B).
const CeilingLimit = 0.8

// VoidLimit is the share of trials in void rounds above which nothing is ranked that the wall clock measures (V06, method.md B).
const VoidLimit = 0.5

// Analyse finds all that the trials say.
func Analyse(in Input) *Analysis {
	t := tabulate(in.Trials)
	a := &Analysis{Primary: in.Primary, Epochs: len(t.epochs), Margin: in.Margin, AlphaAt: in.Alpha, Shares: map[string]float64{},
		TooBusy: in.VoidShare > VoidLimit}
	for _, l := range in.Looks {
		a.AlphaAt = l.Alpha
		if l.N <= len(t.epochs) {
			a.Look++
		}
	}
	standing := slices.DeleteFunc(slices.Clone(in.Contestants), func(n string) bool { _, f := in.Failed[n]; return f })
	slices.Sort(standing)
	metrics := metricsOf(in.Trials, in.Primary)
	a.Cells = cells(t, in, metrics, a.AlphaAt)
	a.ceiling(t, in)
	for _, m := range metrics {
		ps := a.judge(t, m, couples(standing), in)
		if a.TooBusy && m.Wall {
			unrank(ps)
		}
		if m.Name == in.Primary {
			a.unrankAtCeiling(ps)
			a.place(standing, ps, m)
			a.MDE = mde(t, m, couples(standing), in)
		}
		a.Pairs = append(a.Pairs, ps...)
	}
	a.controls(t, in)
	a.strike(in)
	return a
}

func couples(names []string) [][2]string {
	var out [][2]string
	for i := range names {
		for _, b := range names[i+1:] {
			out = append(out, [2]string{names[i], b})
		}
	}
	return out
}

// judge compares the couples under m, as Decide does. Before the first look a pair shows what is known so far.
func (a *Analysis) judge(t *table, m Metric, couples [][2]string, in Input) []Pair {
	pairs := make([]Pair, len(couples))
	diffs := make([][]float64, len(couples))
	for i, c := range couples {
		diffs[i] = t.differences(m, c[0], c[1])
		pairs[i] = Pair{A: c[0], B: c[1], Metric: m.Name, Verdict: Undecided, P: 1, Adjusted: 1}
		pairs[i].Ratio = ratio(present(diffs[i], all), 1-a.AlphaAt)
	}
	for i, j := range Decide(diffs, len(t.epochs), in.Looks, in.Margin) {
		p := &pairs[i]
		p.P, p.Adjusted, p.Ratio, p.Verdict = j.P, j.Adjusted, j.Ratio, j.Verdict
		if j.Verdict == Different || j.Verdict == Negligible {
			p.Better = p.B
			if j.Up == m.More {
				p.Better = p.A
			}
		}
	}
	return pairs
}

// unrank takes all verdicts back: too few of the trials are fit to compare what the wall clock measured.
func unrank(pairs []Pair) {
	for i := range pairs {
		pairs[i].Verdict, pairs[i].Better = Undecided, ""
		pairs[i].Note = "more than half of the trials lie in void rounds: this machine is too busy to rank what the wall clock measures"
	}
}

// unrankAtCeiling takes back differences whose loser stands at the generator's ceiling: it might be faster than could be shown.
func (a *Analysis) unrankAtCeiling(pairs []Pair) {
	for i := range pairs {
		p := &pairs[i]
		if p.Verdict != Different && p.Verdict != Negligible {
			continue
		}
		loser := p.A
		if p.Better == p.A {
			loser = p.B
		}
		if a.Shares[loser] > CeilingLimit {
			p.Verdict, p.Better = Undecided, ""
			p.Note = loser + " stands at the generator's ceiling: it may be faster than this generator can show"
		}
	}
}

// place ranks the standing contestants by the verdicts on the primary metric (method.md §2.4, rank tiers).
func (a *Analysis) place(names []string, pairs []Pair, m Metric) {
	beats := func(x, y string) bool {
		return slices.ContainsFunc(pairs, func(p Pair) bool {
			return x != y && p.Verdict == Different && p.Better == x && (p.A == y || p.B == y)
		})
	}
	score := map[string]float64{}
	for _, n := range names {
		if c := a.Cell(n, m.Name); c != nil && c.Ratio.N > 0 {
			score[n] = c.Ratio.Value
		} else if c != nil {
			score[n] = c.Level.Value
		}
		if !m.More {
			score[n] = -score[n]
		}
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(x, y string) int { return cmp.Compare(score[y], score[x]) })
	clear := func(x, y string) bool {
		return slices.ContainsFunc(pairs, func(p Pair) bool {
			return (p.A == x && p.B == y || p.A == y && p.B == x) && math.Abs(math.Log(p.Ratio.Value)) > math.Log1p(a.Margin)
		})
	}
	lo, hi := Ranks(len(sorted), func(i, j int) bool { return beats(sorted[i], sorted[j]) })
	tier, leader := 0, ""
	for i, n := range sorted {
		if leader == "" || beats(leader, n) && clear(leader, n) {
			tier, leader = tier+1, n
		}
		a.Places = append(a.Places, Place{Contestant: n, Tier: tier, Lo: lo[i], Hi: hi[i], LowerBound: a.Shares[n] > CeilingLimit})
	}
	slices.SortStableFunc(a.Places, func(x, y Place) int {
		return cmp.Or(cmp.Compare(x.Tier, y.Tier), cmp.Compare(x.Contestant, y.Contestant))
	})
}

// strike puts the failed contestants last in the order, with the reason.
func (a *Analysis) strike(in Input) {
	failed := slices.DeleteFunc(slices.Clone(in.Contestants), func(n string) bool { _, f := in.Failed[n]; return !f })
	slices.Sort(failed)
	for _, n := range failed {
		a.Places = append(a.Places, Place{Contestant: n, Struck: in.Failed[n]})
	}
	for _, p := range a.Places {
		a.Order = append(a.Order, p.Contestant)
	}
}

// controls compares the controls among themselves, outside the contestants' family and at their own alpha.
func (a *Analysis) controls(t *table, in Input) {
	m, ok := MetricNamed(in.Primary)
	if !ok || len(in.Controls) < 2 {
		return
	}
	for i, c := range in.Controls[1:] {
		p := a.judge(t, m, [][2]string{{in.Controls[0], c}}, in)[0]
		if i == 0 {
			a.Canary = &p
		} else {
			a.Others = append(a.Others, p)
		}
	}
}

// ceiling finds which share of the generator's ceiling each contestant reaches: its ratio to the yardstick in the run times the yardstick's
// ratio to the ceiling's server in the pilots. Ratios of one round each, they do not drift with the machine.
func (a *Analysis) ceiling(t *table, in Input) {
	m, _ := MetricNamed("throughput")
	if in.Ceiling == "" || len(in.Controls) == 0 {
		return
	}
	scale := math.Exp(stats.Median(present(tabulate(in.Pilot).differences(m, in.Controls[0], in.Ceiling), all)))
	if math.IsNaN(scale) {
		return
	}
	for _, n := range in.Contestants {
		if r := ratio(present(t.differences(m, n, in.Controls[0]), all), 0.95); r.N > 0 {
			a.Shares[n] = r.Value * scale
		}
	}
	a.Shares[in.Controls[0]] = scale
}

// mde is the minimum detectable effect of a typical pair, as a share: by the pairs' own spread once there are epochs, before that by the
// pilots' rounds.
func mde(t *table, m Metric, couples [][2]string, in Input) float64 {
	if len(in.Looks) == 0 {
		return math.NaN()
	}
	last := in.Looks[len(in.Looks)-1]
	var sigmas []float64
	pilot := tabulate(in.Pilot)
	for _, c := range couples {
		if d := present(t.differences(m, c[0], c[1]), all); len(d) >= 4 {
			sigmas = append(sigmas, stats.MAD(d))
		} else if d, rounds := pilot.rounds(m, c[0], c[1]); len(d) >= 3 {
			// The epoch's value is a median of rounds, whose standard error is sqrt(pi/2) that of their mean.
			sigmas = append(sigmas, stats.MAD(d)*math.Sqrt(math.Pi/2/float64(rounds)))
		}
	}
	if len(sigmas) == 0 {
		return math.NaN()
	}
	return math.Expm1(stats.MDE(stats.Median(sigmas), last.N, max(1, len(couples)), last.Alpha))
}
