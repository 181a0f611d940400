package main

import (
	"fmt"
	"strings"
)

// Bar is one limit that the figures must meet.
type Bar struct {
	Target, Limit string
	Worst         string // the worst figure, and where
	Met           bool
	Unsure        bool // the interval of the worst figure holds the limit
	Open          bool // not tried yet
}

// worst keeps the worst of many rates.
type worst struct {
	rate  Rate
	where string
	low   bool // the lowest rate is the worst
}

// see adds a rate; where describes it.
func (w *worst) see(r Rate, where string, args ...any) {
	x, y := r.Share(), w.rate.Share()
	if r.Of > 0 && (w.rate.Of == 0 || w.low && x < y || !w.low && x > y) {
		w.rate, w.where = r, fmt.Sprintf(where, args...)
	}
}

func (w *worst) String() string { return w.rate.String() + ": " + w.where }

// bar returns the bar for the worst rate: at most limit, or at least limit if w.low.
func (w *worst) bar(target string, limit float64) Bar {
	text := "≤ "
	if w.low {
		text = "≥ "
	}
	met, unsure := w.rate.keeps(limit, w.low)
	return Bar{Target: target, Limit: text + perCent(limit) + " %", Worst: w.String(), Met: met, Unsure: unsure}
}

// keeps reports whether a rate is within a limit: at least limit if least, else at most limit. unsure reports
// whether the rate's interval contains the limit; a missed limit is then uncertain.
func (r Rate) keeps(limit float64, least bool) (met, unsure bool) {
	lo, hi := r.Interval()
	return r.Share() == limit || least == (r.Share() > limit), lo <= limit && limit <= hi
}

// errorLimit limits the rate of false differences, holdsLimit the rate at which all intervals hold at once.
const (
	errorLimit = .055
	holdsLimit = .94
)

func atLeast95(r Rate) bool { return r.Share() >= .95 }

// Bars returns the bars for all sections that were computed.
func (p *Results) Bars() []Bar {
	var bars []Bar
	if p.Cases != nil {
		bars = append(bars, p.caseBars()...)
	}
	if p.Cells != nil {
		bars = append(bars, p.simulationBars()...)
	}
	if p.Replays != nil {
		w := worst{}
		for _, c := range p.Replays {
			if c.Effect == 0 {
				w.see(c.Error, "%s, %d servers", c.Metric, c.K)
			}
		}
		bars = append(bars, w.bar("equal servers on recorded epochs called different", errorLimit))
	}
	if p.Unshuffled != nil {
		w := worst{}
		for _, t := range p.Unshuffled {
			w.see(t.Error, "%s", t.Metric)
		}
		bars = append(bars, w.bar("the same, recorded pairs as they are", errorLimit))
	}
	if p.Traps != nil {
		bars = append(bars, p.trapBar())
	}
	if p.Checked != nil {
		bars = append(bars, p.checkBars()...)
	}
	if p.Options.Only == "" {
		bars = append(bars, p.LiveBars()...)
	}
	return bars
}

// caseLimits are the limits on cases. Each applies to the worst rate that counts.
var caseLimits = []struct {
	target string
	limit  float64
	least  bool
	rate   func(c *Case, at *CaseAt) (r Rate, counts bool)
}{
	{"equal pairs called different, starts normal", errorLimit, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Error, c.plain() }},
	{"the same, starts exponential, bimodal, t₃ or one server's 3 × as noisy", .065, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Error, c.Group == "starts" && !c.rare() }},
	{"the same, 8 % of the starts 15 % slower, of all or of one", .065, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Error, c.Group == "starts" && c.rare() }},
	{"all intervals hold at once, starts normal", holdsLimit, true,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Holds, c.plain() }},
	{"the same, starts exponential, bimodal, t₃ or 3 × as noisy", .935, true,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Holds, c.Group == "starts" && !c.rare() }},
	{"the same, 8 % of the starts 15 % slower", .935, true,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Holds, c.Group == "starts" && c.rare() }},
	{"equal pairs called different, ρ = 0.5, 8 servers, 10 epochs", .10, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Error, c.rho == .5 && c.K == 8 && at.N == 10 }},
	{"the same, 2 servers, 10 epochs", .20, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Error, c.rho == .5 && c.K == 2 && at.N == 10 }},
	{"the same by an early analysis, one server's starts bimodal or of SD 6 %", .01, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Early, c.odd() && !strings.HasSuffix(c.What, "10 %") }},
	{"the same, one of SD 10 %", .03, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.Early, c.odd() && strings.HasSuffix(c.What, "10 %") }},
	{"5 % of one of eight servers found in 10 epochs", .85, true,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return at.Found, c.What == "one +5 %" && c.K == 8 && at.N == 10
		}},
	{"2 × found by 3 epochs", .99, true,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.At3, strings.HasSuffix(c.What, "2 ×") && c.plain() }},
	{"20 % between two found by 5 epochs", .95, true,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.At5, c.What == "one +20 %" && c.K == 2 }},
	{"second verdict: equal pairs called different, τ known or estimated, ω drawn", .06, false,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return at.ErrorElsewhere, c.between != nil && !c.between.fixed && c.between.lognormal == 0
		}},
	{"the same, one server's bias fixed at 2 ω", .10, false,
		func(c *Case, at *CaseAt) (Rate, bool) { return at.ErrorElsewhere, c.between != nil && c.between.fixed }},
	{"second verdict: all intervals hold at once, τ or ω normal", .93, true,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return at.HoldsElsewhere, c.between != nil && !c.between.fixed && c.between.lognormal == 0
		}},
	{"the same, τ lognormal", .92, true,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return at.HoldsElsewhere, c.between != nil && c.between.lognormal > 0
		}},
	{"5 % between revisions: pairs found in both verdicts, of those found in the first", .97, true,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return Rate{at.FoundElsewhere.Hits, at.Found.Hits}, c.What == revisionsCase
		}},
	{"unequal servers called equivalent", .05, false,
		func(c *Case, at *CaseAt) (Rate, bool) {
			return at.Equivalent, c.Group == "unequal" || c.Group == "margin"
		}},
}

// plain reports whether all starts are independent and, except in a few unequal cases, normal.
func (c *Case) plain() bool { return c.Group == "equal" || c.Group == "unequal" }

// rare reports whether a few starts are much slower than the rest.
func (c *Case) rare() bool { return strings.Contains(c.What, " rare") }

// odd reports whether the case tests early analyses with one server's starts drawn differently.
func (c *Case) odd() bool { return c.Group == "early" && strings.HasPrefix(c.What, "one") }

// caseBars returns the bars for the cases.
func (p *Results) caseBars() (bars []Bar) {
	for _, l := range caseLimits {
		w, left := worst{low: l.least}, 0
		for i := range p.Cases {
			c := &p.Cases[i]
			for j := range c.At {
				if r, counts := l.rate(c, &c.At[j]); counts {
					w.see(r, "%s, %d servers, %d epochs", c.What, c.K, c.At[j].N)
					left += int(when(c.At[j].Runs == 0, 1))
				}
			}
		}
		b := w.bar(l.target, l.limit)
		if left > 0 {
			b.Open, b.Worst = true, fmt.Sprintf("%s; not simulated yet: %d", b.Worst, left)
		}
		bars = append(bars, b)
	}
	return bars
}

// simulationBars returns the bars for the simulation, each with the worst applicable cell.
func (p *Results) simulationBars() []Bar {
	var wrongly, sign, tie worst
	held := worst{low: true}
	for _, c := range p.Cells {
		where := fmt.Sprintf("%s, %d servers, %s", c.Noise, c.K, c.Truth)
		wrongly.see(c.Error, "%s", where)
		sign.see(c.Wrong, "%s", where)
		tie.see(c.Equivalent, "%s", where)
		held.see(c.Holds, "%s", where)
	}
	return []Bar{
		wrongly.bar("planned runs in 6 noises: equal pairs called different", errorLimit),
		held.bar("all intervals hold at once at their end", holdsLimit),
		sign.bar("a difference the wrong way round", .001),
		tie.bar("a difference of the margin, 3 %, or more called equivalent", .05),
	}
}

// Outcome describes a trap's result and reports whether it is acceptable: the limits are met, an interval
// contains the limit, or the check that must detect the trap warns in 95 % of the runs.
func (t *Trap) Outcome() (text string, met bool) {
	detected := t.Warned[t.Catch]
	errs, unsure := t.False.keeps(errorLimit, false)
	holds, unsure2 := t.Covered.keeps(holdsLimit, true)
	holds = holds || t.Seen
	switch {
	case errs && holds:
		return "keeps the bars", true
	case (errs || unsure) && (holds || unsure2):
		return "cannot tell: the intervals of its figures hold a limit", true
	case t.Catch == "":
		return "does not keep the bars", false
	case atLeast95(detected):
		return "shown by " + t.Catch + " in " + detected.String(), true
	}
	return "shown by " + t.Catch + " in " + detected.String() + " only", false
}

// trapBar returns the bar for the traps: all outcomes must be acceptable.
func (p *Results) trapBar() Bar {
	b := Bar{
		Limit: "all", Met: true, Target: "traps: the bars are kept or no figure is beyond them for certain, or the check " +
			"named tells in 95 % of the runs",
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

// checksShown are the columns in the trap table.
var checksShown = statistical

// checkBars returns the bars for carry-over between two servers and for contestants falsely called moving.
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
			errorLimit),
		moving.bar("nobody moves: a contestant is called moving", .05),
	}
}
