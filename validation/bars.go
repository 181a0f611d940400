package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/checks"
)

// Bar is one limit that the figures must meet.
type Bar struct {
	Target, Limit string
	Worst         string // the worst figure, and where
	Met           bool
	Open          bool // not tried yet
}

// worst holds the worst of many rates.
type worst struct {
	rate  Rate
	where string
	low   bool // the lowest is the worst
}

// see adds a rate; where says what it describes.
func (w *worst) see(r Rate, where string, args ...any) {
	x, y := r.Share(), w.rate.Share()
	if r.Of > 0 && (w.rate.Of == 0 || w.low && x < y || !w.low && x > y) {
		w.rate, w.where = r, fmt.Sprintf(where, args...)
	}
}

func (w *worst) String() string { return w.rate.String() + ": " + w.where }

// bar returns the bar that the worst rate meets if met holds for it.
func (w *worst) bar(target, limit string, met func(Rate) bool) Bar {
	return Bar{Target: target, Limit: limit, Worst: w.String(), Met: met(w.rate)}
}

// errorLimit is the limit for the rate of false differences, as text. errorHolds tests it, with the
// one-sided 95 % upper bound.
const errorLimit = "≤ 5 %, upper bound ≤ 6 %"

func errorHolds(r Rate) bool { return r.Share() <= Alpha && r.Upper() <= .06 }

func atLeast95(r Rate) bool { return r.Share() >= .95 }
func atMost5(r Rate) bool   { return r.Share() <= .05 }

// Bars returns the limits of all sections that were made.
func (p *Results) Bars() []Bar {
	var bars []Bar
	if p.Cells != nil {
		bars = append(bars, p.simulationBars()...)
	}
	if p.Misled != nil {
		bars = append(bars, p.familyBars()...)
	}
	if p.Replays != nil {
		w := worst{}
		for _, c := range p.Replays {
			if c.Effect == 0 {
				w.see(c.False, "%s, %d servers", c.Metric, c.K)
			}
		}
		bars = append(bars, w.bar("A/A on recorded epochs", errorLimit, errorHolds))
	}
	if p.Transfers != nil {
		w := worst{}
		for _, t := range p.Transfers {
			w.see(t.Tested, "%s, set on the %s half", t.Metric, t.From)
		}
		bars = append(bars, w.bar("recorded pairs as they are, by a level set on the other half of the epochs",
			errorLimit, errorHolds))
	}
	if p.Broken != nil {
		bars = append(bars, p.brokenBar())
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

// foundAfter is the number of epochs after which a difference of 5 % between two servers must be
// found. With more servers it must be found at their only analysis.
const foundAfter = 12

// simulationBars returns the limits of the simulation, each with the worst of the cells to which it
// applies.
func (p *Results) simulationBars() []Bar {
	var wrongly, sign, tie, edge, high worst
	found, held, ranks, low := worst{low: true}, worst{low: true}, worst{low: true}, worst{low: true}
	for _, c := range p.Cells {
		where := fmt.Sprintf("%s, %d servers, %s", c.Noise, c.K, c.Profile)
		switch c.Truth {
		case "A/A":
			wrongly.see(c.False, "%s", where)
		case "5 %":
			sign.see(c.Wrong, "%s", where)
			for i, n := range c.Analyses {
				if c.Noise == Noises[1].Name && c.Profile == Full.Name && (n == foundAfter || c.K > 2) {
					found.see(c.Found[i], "%d servers by %d epochs", c.K, n)
				}
			}
		case "6 %":
			tie.see(c.Equivalent, "%s", where)
		case "3 %":
			edge.see(c.Equivalent, "%s", where)
		}
		if c.Truth == "A/A" || c.Truth == "5 %" {
			held.see(c.Covered, "%s, %s", where, c.Truth)
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
	covers := low.bar("95 % intervals after a fixed number of epochs cover", "94–97 %",
		func(r Rate) bool { return r.Share() >= .94 && high.rate.Share() <= .97 })
	covers.Worst += "; " + high.String()
	return []Bar{
		wrongly.bar("A/A: any false difference among all pairs, 6 noises × 2, 4, 10 servers × 2 profiles",
			errorLimit, errorHolds),
		found.bar("5 % found, CPU/request, full: by 12 epochs for 2, at the one analysis for 4 and 10", "≥ 95 %", atLeast95),
		covers,
		held.bar("intervals as displayed at the end cover", "≥ 95 %", atLeast95),
		sign.bar("5 % called different the wrong way round", "≤ 0.1 %", func(r Rate) bool { return r.Share() <= .001 }),
		tie.bar("a difference of 6 % called equivalent", "≤ 5 %", atMost5),
		edge.bar("a difference of the margin, 3 %, called equivalent", "≤ 5 %", atMost5),
		ranks.bar("all rank intervals hold", "≥ 95 %", atLeast95),
	}
}

// covered returns how often the 95 % interval after n epochs, in a single analysis, contains the
// true ratio: over all comparisons of two servers in a noise, equal or 5 % apart, with short or
// long epochs.
//
// For symmetric noise it should be the smallest coverage of at least 95 % that the discrete ranks
// allow: 96.1, 95.8, 95.6, 95.1 and 95.1 % for 8, 12, 16, 24 and 48 epochs. Cells of a thousand
// comparisons scatter around that by 0.7 %, and the worst of a hundred cells by three times as
// much.
func (p *Results) covered(noise string, n int) (r Rate) {
	for _, c := range p.Cells {
		if c.Noise == noise && c.K == 2 && (c.Truth == "A/A" || c.Truth == "5 %") {
			r.Hits += c.Fixed[n].Hits
			r.Of += c.Fixed[n].Of
		}
	}
	return r
}

// Outcome returns the outcome of a trap, and whether it is acceptable: the limits are met, or the
// check that must detect the trap warns.
func (t *Trap) Outcome() (text string, met bool) {
	detected, failed := t.Warned[t.Catch], t.Failed[t.Catch]
	switch {
	case t.Busy:
		return "not ranked: " + t.Catch + " fails in " + failed.String(), atLeast95(t.Unranked) && atLeast95(failed)
	case errorHolds(t.False) && atLeast95(t.Covered):
		return "keeps the bars", true
	case t.Catch == "":
		return "does not keep the bars", false
	case atLeast95(detected):
		return "shown by " + t.Catch + " in " + detected.String(), true
	}
	return "shown by " + t.Catch + " in " + detected.String() + " only", false
}

// familyBars returns the limits of rankings: errors of all pairs together, and what they save.
func (p *Results) familyBars() []Bar {
	var wrong, alike worst
	near, one, kept := worst{low: true}, worst{low: true}, worst{low: true}
	for _, m := range p.Misled {
		where := fmt.Sprintf("%s, %s, ranking %s", m.Noise, m.Truth, m.Ranking)
		wrong.see(m.Error, "%s", where)
		alike.see(m.Equivalent, "%s", where)
		near.see(m.Near, "%s", where)
		one.see(m.One, "%s", where)
	}
	all, takes, fits := Rate{}, 0, 0
	for _, s := range p.Saved {
		if s.Source != asRecorded {
			continue
		}
		kept.see(s.Kept, "%s, %s, %d servers, %d of %d epochs", titleOf(s.Metric), s.Source, s.K, s.Takes, s.Fits)
		all.Hits, all.Of = all.Hits+s.Kept.Hits, all.Of+s.Kept.Of
		takes, fits = takes+s.Takes, fits+s.Fits
	}
	part := perCent(float64(takes) / float64(fits))
	keeps := kept.bar("neighbours that all pairs decide in all epochs that fit: decided so in "+part+" % of these",
		"≥ 95 %", func(Rate) bool { return atLeast95(all) })
	keeps.Worst = all.String() + "; worst " + keeps.Worst
	return []Bar{
		wrong.bar("pairs in series by a ranking, right or wrong: any of them wrongly called different", errorLimit,
			errorHolds),
		alike.bar("the same: servers further apart than the margin called equivalent", "≤ 5 %", atMost5),
		near.bar("the same: the intervals of all neighbours hold", "≥ 95 %", atLeast95),
		one.bar("the same: the intervals of all against the first hold", "≥ 95 %", atLeast95),
		keeps,
	}
}

// trapBar returns the limit of the traps: all outcomes must be acceptable.
func (p *Results) trapBar() Bar {
	b := Bar{
		Target: "traps: the bars are kept, or the check named tells of it in 95 % of the runs", Limit: "all", Met: true,
	}
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

// brokenBar returns the limit of broken assumptions: all must end well.
func (p *Results) brokenBar() Bar {
	b := Bar{Met: true, Limit: "all",
		Target: "broken assumptions: the error is kept, or the check named warns in 95 % of the runs, or where they err"}
	good := 0
	for i := range p.Broken {
		x := &p.Broken[i]
		if text, met := x.Outcome(); met {
			good++
		} else {
			b.Met = false
			b.Worst += fmt.Sprintf("%s, %d servers, %s; ", x.Name, x.K, text)
		}
	}
	b.Worst = fmt.Sprintf("%s%d of %d", b.Worst, good, len(p.Broken))
	return b
}

// checksShown are the columns of the table of traps.
var checksShown = slices.Concat([]string{checks.Discarded}, statistical)

// checkBars returns the limits for carry-over between two servers, and for false reports of a
// moving contestant.
func (p *Results) checkBars() []Bar {
	var over, moving worst
	for _, c := range p.Carried {
		over.see(c.Chained, "%s", c.Fault)
	}
	for _, c := range p.Checked {
		if c.Check != "" {
			continue
		}
		for i, m := range c.Moving {
			moving.see(m, "%s", c.Setups[i])
		}
	}
	return []Bar{
		over.bar("two equal servers without controls, carry-over of 0 to 5 % or drift in step with the order: different",
			errorLimit, errorHolds),
		moving.bar("nobody moves: a contestant is called moving", "≤ 5 %, in its interval", func(r Rate) bool {
			lo, _ := r.Interval()
			return lo <= Alpha
		}),
	}
}

// steadyBar returns the limit of the experiment with long trials.
func (p *Results) steadyBar() Bar {
	var each []string
	met := true
	for _, r := range SteadyRows(p.Steady) {
		if x := r.Against; r.Arm == ServiceArm && x.N > 0 {
			each = append(each, r.Contestant+" "+ratio(x.Value, x.Lo, x.Hi))
			met = met && x.Lo >= 1-steadyMargin && x.Hi <= 1+steadyMargin
		}
	}
	return Bar{
		Target: "10 s, not frozen, against 0.1 s, frozen: interval of the ratio of ratios", Limit: "0.97–1.03",
		Worst: cmp.Or(strings.Join(each, "; "), "no unit yet"), Met: met, Open: each == nil,
	}
}
