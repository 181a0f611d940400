package main

import (
	"fmt"
	"math"

	"dyno/internal/stats"
)

// liveSeconds limits the time to the verdict on a 5 % difference between two servers with profile full, s.
const liveSeconds = 300

// mostRelinked is the largest acceptable number of differences among relinkedRuns.
const mostRelinked = 4

// biasLimit limits the mean relative error of many ratios.
const biasLimit = .002

// oddRuns returns how many of n runs may be wrong if each is wrong with probability 5 %: the
// smallest number that is exceeded with probability below 2 %. For 20 runs it is 3.
func oddRuns(n int) int {
	for k := range n {
		if lo, _ := stats.ClopperPearson(k+1, n, .96); lo > Alpha {
			return k
		}
	}
	return n
}

// LiveBars returns the bars for the live runs. Bars stay open until all runs have been made.
func (p *Results) LiveBars() []Bar {
	made := func(kind string, cost float64, f func(*Couple) bool) Rate {
		all := p.liveCouples(kind, cost, false)
		return count(all, func(c liveCouple) bool { return f(&c.Couple) })
	}
	most := func(target string, r Rate, runs, most int) Bar {
		b := liveBar(target, r, runs)
		b.Limit, b.Met = fmt.Sprintf("≤ %d of %d", most, max(r.Of, runs)), r.Hits <= most
		return b
	}
	least := func(target string, r Rate, runs int) Bar {
		b, all := liveBar(target, r, runs), max(r.Of, runs)
		b.Limit, b.Met = fmt.Sprintf("≥ %d of %d", all-oddRuns(all), all), r.Hits >= all-oddRuns(all)
		return b
	}
	found := func(c *Couple) bool { return c.Found }
	factor := p.factor()
	holds := func(c *Couple) bool { return c.holds(factor) }
	same := made(LiveSame, 0, (*Couple).different)
	return append([]Bar{
		most("live A/A, half of the runs with a CPU hog: runs with a difference", same, liveRuns,
			oddRuns(max(same.Of, liveRuns))),
		most("live A/A of programs linked anew of one source: runs with a difference",
			made(LiveRelinked, 0, (*Couple).different), relinkedRuns, mostRelinked),
		least("live +5 % cost: found", made(LiveCost, liveCost, found), liveRuns),
		least("the same: the interval holds the cost that was added", made(LiveCost, liveCost, holds), liveRuns),
		p.fullBar(),
		least("live +5 % cost of four servers: found", made(LiveCosts, .05, found), costsRuns),
		least("live +10 % cost of four servers: found", made(LiveCosts, .10, found), costsRuns),
		least("live +2, +5, +10 % of four servers: the interval holds the cost", made(LiveCosts, 0, holds),
			costsRuns*len(liveCosts)),
	}, p.biasBar("CPU/request", false), p.biasBar("requests/s", true), p.pairsBar())
}

// liveBar returns the bar for a rate that needs this many runs.
func liveBar(target string, r Rate, runs int) Bar {
	b := Bar{Target: target, Worst: "no live run yet", Open: r.Of < runs}
	if r.Of > 0 {
		b.Worst = fmt.Sprintf("%d of %d", r.Hits, r.Of)
	}
	return b
}

// fullBar returns the bar for the run with profile full.
func (p *Results) fullBar() Bar {
	b := Bar{Target: "live +5 % cost, profile full: time to the verdict", Limit: "≤ 5 min", Worst: "no live run yet",
		Met: true, Open: true}
	longest, missed := 0., ""
	for _, c := range p.liveCouples(LiveFull, liveCost, false) {
		longest, b.Open = max(longest, c.run.Seconds), false
		if !c.Found {
			missed = ", and not found"
		}
		b.Met, b.Worst = longest <= liveSeconds && missed == "", fmt.Sprintf("%.0f s", longest)+missed
	}
	return b
}

// biasBar returns the bar for the bias in runs with added costs. A run counts with the mean over the run's
// three pairs.
func (p *Results) biasBar(metric string, rates bool) Bar {
	b := Bar{Target: "live +2, +5, +10 % of four servers: bias of " + metric, Limit: "< 0.2 %", Worst: "no live run yet",
		Open: true}
	errs := p.liveErrors(LiveCosts, 0, rates, false)
	if len(errs) == 0 {
		return b
	}
	j := stats.Joint([][]float64{errs}, .05, 1)[0]
	b.Open, b.Met = len(errs) < costsRuns, math.Abs(j.Log) < biasLimit
	b.Worst = fmt.Sprintf("%s (%s to %s), p = %.2g", signedShare(j.Log), signedShare(j.Log-j.Crit*j.SE),
		signedShare(j.Log+j.Crit*j.SE), j.P)
	return b
}

// liveCouple is a pair together with the run.
type liveCouple struct {
	Couple
	run *Live
}

// liveCouples returns the pairs in analysed runs of a kind with this added cost; cost 0 selects any. old
// selects the runs that another statistic judged, instead of the current ones.
func (p *Results) liveCouples(kind string, cost float64, old bool) (all []liveCouple) {
	for i := range p.Live {
		l := &p.Live[i]
		if l.Kind != kind || !l.analysed() || l.old() != old {
			continue
		}
		for _, c := range l.couples() {
			if cost == 0 || c.Cost == cost {
				all = append(all, liveCouple{c, l})
			}
		}
	}
	return all
}

// factor returns the total CPU time in ns that one ns of added work costs, from the servers' own clocks and
// counts in all runs with four servers: the slope through the origin. It is 1 if unknown.
func (p *Results) factor() float64 {
	var both, squares float64
	for _, c := range append(p.liveCouples(LiveCosts, 0, false), p.liveCouples(LiveCosts, 0, true)...) {
		if c.Own != 0 {
			both, squares = both+c.Own*c.costs(), squares+c.costs()*c.costs()
		}
	}
	if squares == 0 {
		return 1
	}
	return both / squares
}

// liveErrors returns the log-ratio error of each analysed run of a kind: the mean over the pairs with this
// added cost (0: any), for requests/s if rates, else for CPU per request. Errors above 0 favour the first
// server.
func (p *Results) liveErrors(kind string, cost float64, rates, old bool) (errs []float64) {
	factor := p.factor()
	var run *Live
	n := 0.
	for _, c := range p.liveCouples(kind, cost, old) {
		off := math.Log(c.truth(factor) / c.Ratio)
		if rates {
			off = math.Log(c.Throughput.Ratio * c.truth(factor))
		}
		if c.run != run {
			run, n, errs = c.run, 0, append(errs, 0)
		}
		last := &errs[len(errs)-1]
		*last = (*last*n + off) / (n + 1)
		n++
	}
	return errs
}

// signedShare prints a small log ratio in per cent with a sign.
func signedShare(log float64) string { return fmt.Sprintf("%+.2f %%", 100*math.Expm1(log)) }

// liveTitles name the kinds of live runs in tables.
var liveTitles = map[string]string{LiveSame: "A/A", LiveCost: "A/B",
	LiveRelinked: "A/A, relinked", LiveCosts: "A/B of four"}

// LiveNow summarizes the live runs judged by the current statistic, by kind and cost; LiveOld the other runs.
// Both are nil without runs.
func (g page) LiveNow() table { return g.liveSummary(false) }
func (g page) LiveOld() table { return g.liveSummary(true) }

func (g page) liveSummary(old bool) table {
	factor := g.factor()
	t := table{words("runs|cost|number|called different|first called better|interval holds the truth|bias of " +
		"CPU/request|p|" +
		"bias of requests/s|p")}
	for _, row := range []struct {
		kind string
		cost float64
	}{{LiveSame, 0}, {LiveRelinked, 0}, {LiveCost, liveCost}, {LiveCosts, .02}, {LiveCosts, .05},
		{LiveCosts, .10}, {LiveCosts, 0}} {
		all := g.liveCouples(row.kind, row.cost, old)
		if len(all) == 0 {
			continue
		}
		cost, found := map[bool]string{true: "all"}[row.kind == LiveCosts], "–"
		if row.cost > 0 {
			cost = fmt.Sprintf("+%g %%", 100*row.cost)
		}
		if cost != "" {
			found = perOf(count(all, func(c liveCouple) bool { return c.Found }))
		}
		line := []string{liveTitles[row.kind], cost, fmt.Sprint(len(all)),
			perOf(count(all, func(c liveCouple) bool { return c.different() })), found,
			perOf(count(all, func(c liveCouple) bool { return c.holds(factor) }))}
		for _, rates := range []bool{false, true} {
			errs := g.liveErrors(row.kind, row.cost, rates, old)
			j := stats.Joint([][]float64{errs}, .05, 1)[0]
			text := signedShare(j.Log)
			if width := j.Crit * j.SE; !math.IsInf(width, 0) {
				text += fmt.Sprintf(" (%s to %s)", signedShare(j.Log-width), signedShare(j.Log+width))
			}
			line = append(line, text, fmt.Sprintf("%.2g", j.P))
		}
		t = append(t, line)
	}
	if len(t) == 1 {
		return nil
	}
	return t
}

// LiveFactor prints the total cost per unit of added cost; it is empty if unknown.
func (g page) LiveFactor() string {
	if f := g.factor(); f != 1 {
		return fmt.Sprintf("%.2f", f)
	}
	return ""
}

func perOf(r Rate) string { return fmt.Sprintf("%d of %d", r.Hits, r.Of) }
