package plan

import (
	"cmp"
	"fmt"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// search finds the highest rate at which each contestant meets an objective. It probes the
// contestants in turn, with open loops.
type search struct{ whole }

var searchTraits = Traits{
	Name: Search, Title: "search", Kind: checks.Search, Ratios: true, Flags: []string{"slo", "epochs"},
}

// Traits implements Protocol.
func (search) Traits() *Traits { return &searchTraits }

// Words implements Protocol.
func (search) Words(p *result.Plan, c *Cost) string {
	return fmt.Sprintf("about %d probes for the highest rate with p%g below %v, %v",
		c.Trials, 100*p.SLO.Quantile, time.Duration(p.SLO.LimitNS), c.Whole.Round(time.Second))
}

func (search) arrange(p *result.Plan, r *Request, _ *Question, pr *profile) {
	p.Rounds, p.Ceiling, p.CeilingScenarios = searchRounds, "", nil
	p.Epochs = cmp.Or(p.Epochs, 1)
	p.BudgetNS = int64(cmp.Or(r.Budget, wholeBudget))
	p.SLO = cmp.Or(r.SLO, &result.SLO{Quantile: 0.99, LimitNS: int64(10 * time.Millisecond), ErrorShare: 0.001})
	pr.times(p, firstProbe)
}

func (search) trial(run *result.Run, k result.Key, e slot) (result.Level, int64, bool) {
	return probe(run, k, e.Contestant)
}

func (search) loads(p *result.Plan, _ int, _ []slot) time.Duration {
	each := firstProbe*(1+bisections) + aroundProbe*arounds + confirmProbe*confirms
	each += searchRounds * (trialOverhead + time.Duration(p.RewarmNS))
	return time.Duration(len(participants(p, false))) * each
}

// The rounds of a search (doc/plans.md): a closed loop that estimates a contestant's capacity;
// probes by bisection; longer probes around the result; and finally three long ones slightly below
// the rate found, which must pass.
const (
	bisections   = 12
	arounds      = 12
	confirms     = 3
	searchRounds = 1 + bisections + arounds + confirms

	firstProbe   = 2 * time.Second
	aroundProbe  = 5 * time.Second
	confirmProbe = 10 * time.Second
	confirmAt    = 0.95
)

// shifts are the rates of the probes around the result of the bisection, relative to it.
var shifts = [arounds]float64{-.12, .12, -.06, .06, -.03, .03, -.12, .12, -.06, .06, -.03, .03}

// achieved is the share of an open loop's requests that must have been sent for a probe to pass.
const achieved = 0.99

// passed reports whether a load met the objective: few enough errors, the rate, no growing backlog,
// and the response time. A response time that is only a lower bound, or a quantile of too few
// requests, does not pass. A growing backlog would break any limit in a longer probe.
func passed(slo *result.SLO, l *result.Load) bool {
	if l.Planned == 0 {
		return false
	}
	bad := l.Planned - l.Succeeded
	_, response := l.Response(slo.Quantile > 0.5)
	growth, _ := checks.Growth(l)
	return analysis.Bears(l.Planned, slo.Quantile) &&
		float64(bad) <= slo.ErrorShare*float64(l.Planned) && float64(l.Started) >= achieved*float64(l.Planned) &&
		growth <= checks.GrowthLimit && 0 < response && response < slo.LimitNS
}

// Probes returns the open-loop probes of a contestant in an epoch that count for its capacity, and
// the results of the confirming ones. Top is its throughput in the closed loop, per second.
func Probes(run *result.Run, epoch int, contestant string) (probes []stats.Probe, confirmed []bool, top float64) {
	for round := range searchRounds {
		k, ok := lastAttempt(run, epoch, round)
		if !ok {
			break
		}
		if discarded(run, k) {
			continue
		}
		for _, t := range trials(run, k) {
			switch {
			case t.Contestant != contestant:
			case round == 0:
				if perSec, ok := t.Load.PerSec(); ok {
					top = perSec
				}
			case round <= bisections+arounds && t.Level != nil:
				probes = append(probes, stats.Probe{Rate: t.Level.RatePerSec, Pass: passed(run.Plan.SLO, &t.Load)})
			default:
				confirmed = append(confirmed, passed(run.Plan.SLO, &t.Load))
			}
		}
	}
	return probes, confirmed, top
}

// probe returns the level and the length of a contestant's next probe. ok is false if the closed
// loop gave no rate to search around.
func probe(run *result.Run, k result.Key, contestant string) (level result.Level, ns int64, ok bool) {
	p := &run.Plan
	level = p.Level
	if k.Round == 0 {
		return level, int64(firstProbe), true
	}
	probes, _, top := Probes(run, k.Epoch, contestant)
	if top <= 0 {
		return level, 0, false
	}
	low, high := 0.05*top, 1.2*top
	switch {
	case k.Round <= bisections:
		level.RatePerSec = stats.Bisect(low, high, probes)
		return level, probeAt(p.SLO, level.RatePerSec, firstProbe), true
	case k.Round <= bisections+arounds:
		first := probes[:min(bisections, len(probes))]
		level.RatePerSec = stats.Bisect(low, high, first) * (1 + shifts[k.Round-1-bisections])
		return level, probeAt(p.SLO, level.RatePerSec, aroundProbe), true
	}
	rate, _, _ := stats.Capacity(probes)
	level.RatePerSec = confirmAt * rate
	return level, probeAt(p.SLO, level.RatePerSec, confirmProbe), rate > 0
}

// longestProbe is the upper limit of what probeAt returns for a low rate.
const longestProbe = time.Minute

// probeAt returns the length of a probe in ns. At a low rate the probe is long enough to report its
// quantile. It expects 1.5 times the requests that this takes, because a Poisson window may hold
// fewer than expected.
func probeAt(slo *result.SLO, rate float64, least time.Duration) int64 {
	if rate <= 0 {
		return int64(least)
	}
	requests := 1.5 * float64(analysis.Beyond(slo.Quantile)) / (1 - slo.Quantile)
	return int64(max(least, min(longestProbe, time.Duration(requests/rate*1e9))))
}
