package validate

import (
	"fmt"
	"slices"

	"dyno/internal/checks"
	"dyno/internal/stats"
)

// Bar is one thing that was to be shown.
type Bar struct {
	Target, Limit string
	Worst         string // the worst figure, and where
	Met           bool
	Open          bool // not tried yet
}

// worst keeps the worst of many rates.
type worst struct {
	rate  Rate
	where string
	low   bool // the lowest is the worst
	any   bool
}

func (w *worst) see(r Rate, where string, args ...any) {
	if r.Of == 0 {
		return
	}
	if !w.any || w.low && r.Share() < w.rate.Share() || !w.low && r.Share() > w.rate.Share() {
		w.rate, w.where, w.any = r, fmt.Sprintf(where, args...), true
	}
}

func (w *worst) String() string { return w.rate.String() + ": " + w.where }

// errorHolds is the bar of a false difference: at most 5 %, and the one-sided 95 % upper bound at most 6 %.
func errorHolds(r Rate) bool { return r.Share() <= Alpha && r.Upper() <= .06 }

// Bars are those of what was proved, and whether they are met.
func (p *Proof) Bars() []Bar {
	var bars []Bar
	if p.Cells != nil {
		bars = append(bars, p.simulationBars()...)
	}
	if p.Replays != nil {
		w := worst{}
		for _, c := range p.Replays {
			if c.Effect == 0 {
				w.see(c.False, "%s, %d servers", c.Metric, c.K)
			}
		}
		bars = append(bars, Bar{Target: "A/A on recorded epochs", Limit: "≤ 5 %, upper bound ≤ 6 %", Worst: w.String(), Met: errorHolds(w.rate)})
	}
	if p.Traps != nil {
		bars = append(bars, p.trapBar())
	}
	if p.Checked != nil {
		bars = append(bars, p.checkBars()...)
	}
	if p.Options.Only == "" {
		bars = append(bars, p.steadyBar())
		bars = append(bars, p.LiveBars()...)
	}
	return bars
}

// foundBy is after how many epochs 5 % must be found, by the number of servers.
var foundBy = map[int]int{2: 12, 4: 12, 10: 16}

func (p *Proof) simulationBars() []Bar {
	var wrongly, sign, tie, edge worst
	found, held, ranks, low := worst{low: true}, worst{low: true}, worst{low: true}, worst{low: true}
	var high worst
	for _, c := range p.Cells {
		where := fmt.Sprintf("%s, %d servers, %s", c.Noise, c.K, c.Profile)
		switch c.Truth {
		case "A/A":
			wrongly.see(c.False, "%s", where)
		case "5 %":
			sign.see(c.Wrong, "%s", where)
			for i, n := range c.Looks {
				if c.Noise == Noises[1].Name && c.Profile == Full.Name && n == foundBy[c.K] {
					found.see(c.Found[i], "%d servers by %d epochs", c.K, n)
				}
			}
		case "6 %":
			tie.see(c.Tie, "%s", where)
		case "3 %":
			edge.see(c.Tie, "%s", where)
		}
		if c.Truth == "A/A" || c.Truth == "5 %" {
			held.see(c.Held, "%s, %s", where, c.Truth)
			ranks.see(c.Ranks, "%s, %s", where, c.Truth)
		}
	}
	for _, noise := range Noises {
		for _, n := range fixedAt {
			r := p.covered(noise.Name, n)
			low.see(r, "%s, after %d epochs", noise.Name, n)
			high.see(r, "%s, after %d epochs", noise.Name, n)
		}
	}
	bar := func(target, limit string, w *worst, met bool) Bar {
		return Bar{Target: target, Limit: limit, Worst: w.String(), Met: met}
	}
	covers := bar("95 % intervals after a fixed number of epochs cover", "94–97 %", &low, low.rate.Share() >= .94 && high.rate.Share() <= .97)
	covers.Worst += "; " + high.String()
	return []Bar{
		bar("A/A: any false difference among all pairs, 6 noises × 2, 4, 10 servers × 2 profiles", "≤ 5 %, upper bound ≤ 6 %", &wrongly, errorHolds(wrongly.rate)),
		bar("5 % found, CPU/request, full, by 12 / 12 / 16 epochs for 2 / 4 / 10", "≥ 95 %", &found, found.rate.Share() >= .95),
		covers,
		bar("intervals as displayed at the end cover", "≥ 95 %", &held, held.rate.Share() >= .95),
		bar("5 % called different the wrong way round", "≤ 0.1 %", &sign, sign.rate.Share() <= .001),
		bar("a difference of 6 % called a tie", "≤ 5 %", &tie, tie.rate.Share() <= .05),
		bar("a difference of the margin, 3 %, called a tie", "≤ 5 %", &edge, edge.rate.Share() <= .05),
		bar("all rank intervals hold", "≥ 95 %", &ranks, ranks.rate.Share() >= .95),
	}
}

// covered is how often the 95 % interval after n epochs, looked at once, holds the truth: of all duels of two in a noise, alike or 5 % apart, short
// epochs or long. Whatever the noise, as long as it is symmetric, it should be what the discrete ranks allow next above 95 %: 96.1, 95.8, 95.6, 95.1
// and 95.1 % for 8, 12, 16, 24 and 48. Cells of a thousand duels scatter about that by 0.7 %, and the worst of a hundred of them by three times so much.
func (p *Proof) covered(noise string, n int) (r Rate) {
	for _, c := range p.Cells {
		if c.Noise == noise && c.K == 2 && (c.Truth == "A/A" || c.Truth == "5 %") {
			r.Hits += c.Fixed[n].Hits
			r.Of += c.Fixed[n].Of
		}
	}
	return r
}

// Outcome says how a trap ended: the bars are kept, or the check that must tell of it does, or neither.
func (t *Trap) Outcome() (text string, met bool) {
	told := t.Warned[t.Catch]
	switch {
	case t.Busy:
		return "not ranked: " + t.Catch + " fails in " + t.Failed[t.Catch].String(), t.Unranked.Share() >= .95 && t.Failed[t.Catch].Share() >= .95
	case errorHolds(t.False) && t.Held.Share() >= .95:
		return "keeps the bars", true
	case t.Catch == "":
		return "does not keep the bars", false
	case told.Share() >= .95:
		return "told by " + t.Catch + " in " + told.String(), true
	}
	return "told by " + t.Catch + " in " + told.String() + " only", false
}

func (p *Proof) trapBar() Bar {
	b := Bar{Target: "traps: the bars are kept, or the check named tells of it in 95 % of the runs", Limit: "all", Met: true}
	n := 0
	for i := range p.Traps {
		if text, met := p.Traps[i].Outcome(); !met {
			b.Met = false
			b.Worst += p.Traps[i].Name + " " + text + "; "
			n++
		}
	}
	b.Worst = fmt.Sprintf("%s%d of %d", b.Worst, len(p.Traps)-n, len(p.Traps))
	return b
}

// liveSeconds is how long the verdict on 5 % between two may take with profile full.
const liveSeconds = 300

// oddRuns is how many of n runs may go wrong where 5 % may: so many that more would be seen in less than 2 % of the cases. Of 20 it is 3.
func oddRuns(n int) int {
	for k := range n {
		if lo, _ := stats.ClopperPearson(k+1, n, .96); lo > Alpha {
			return k
		}
	}
	return n
}

// LiveBars are those of the live runs: the whole of what is to be shown, and what there is yet.
func (p *Proof) LiveBars() []Bar {
	var aa, ab, full, wrong, found, held int
	var longest float64
	undecided := false
	for i := range p.Live {
		l := &p.Live[i]
		if !l.looked() {
			continue
		}
		switch l.Kind {
		case LiveSame:
			aa++
			wrong += one(l.different())
		case LiveCost:
			ab++
			found += one(l.Found)
			held += one(l.holds())
		case LiveFull:
			full++
			longest, undecided = max(longest, l.Seconds), undecided || !l.Found
		}
	}
	same, cost := max(aa, liveRuns), max(ab, liveRuns)
	bars := []Bar{
		{Target: "live A/A, half of the runs with a CPU hog: runs with a difference", Limit: fmt.Sprintf("≤ %d of %d", oddRuns(same), same),
			Worst: fmt.Sprintf("%d of %d", wrong, aa), Met: wrong <= oddRuns(same), Open: aa < liveRuns},
		{Target: "live +5 % cost: found", Limit: fmt.Sprintf("≥ %d of %d", cost-oddRuns(cost), cost),
			Worst: fmt.Sprintf("%d of %d", found, ab), Met: found >= cost-oddRuns(cost), Open: ab < liveRuns},
		{Target: "the same: the interval holds the cost that was added", Limit: fmt.Sprintf("≥ %d of %d", cost-oddRuns(cost), cost),
			Worst: fmt.Sprintf("%d of %d", held, ab), Met: held >= cost-oddRuns(cost), Open: ab < liveRuns},
		{Target: "live +5 % cost, profile full: time to the verdict", Limit: "≤ 5 min",
			Worst: fmt.Sprintf("%.0f s", longest), Met: longest <= liveSeconds && !undecided, Open: full == 0},
	}
	if undecided {
		bars[3].Worst += ", and not found"
	}
	for i, n := range []int{aa, ab, ab, full} {
		if n == 0 {
			bars[i].Worst = "no live run yet"
		}
	}
	return bars
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checksShown are the columns of the table of traps.
var checksShown = slices.Concat([]string{checks.Discarded}, statistical)

// checkBars are those of carry-over between two, and of who is called moving for nothing.
func (p *Proof) checkBars() []Bar {
	var over, moving worst
	for _, c := range p.Carried {
		over.see(c.Chained, "carry-over of %g %%", 100*c.By)
	}
	for _, c := range p.Checked {
		if c.Check != "" {
			continue
		}
		for i, m := range c.Moving {
			moving.see(m, "%s", c.Setups[i])
		}
	}
	lo, _ := moving.rate.Interval()
	return []Bar{
		{Target: "two equal servers without controls, what follows one is 0 to 3 % slower: called different", Limit: "≤ 5 %, upper bound ≤ 6 %", Worst: over.String(), Met: errorHolds(over.rate)},
		{Target: "nobody moves: a contestant is called moving", Limit: "≤ 5 %, in its interval", Worst: moving.String(), Met: lo <= Alpha},
	}
}

// steadyBar is that of the experiment with long trials.
func (p *Proof) steadyBar() Bar {
	b := Bar{Target: "10 s, not frozen, against 0.1 s, frozen: interval of the ratio of ratios", Limit: "0.97–1.03", Worst: "no unit yet", Open: true, Met: true}
	for _, r := range SteadyRows(p.Steady) {
		if r.Arm != ServiceArm || r.Against.N == 0 {
			continue
		}
		if b.Open {
			b.Worst = ""
		} else {
			b.Worst += "; "
		}
		b.Open = false
		b.Worst += fmt.Sprintf("%s %.3f (%.3f–%.3f)", r.Contestant, r.Against.Value, r.Against.Lo, r.Against.Hi)
		b.Met = b.Met && r.Against.Lo >= 1-SteadyMargin && r.Against.Hi <= 1+SteadyMargin
	}
	return b
}
