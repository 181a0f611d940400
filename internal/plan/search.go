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
	p.Rounds, p.Ceiling, p.CeilingScenarios = SearchRounds, "", nil
	p.Epochs = cmp.Or(p.Epochs, 1)
	p.BudgetNS = int64(cmp.Or(r.Budget, wholeBudget))
	p.SLO = cmp.Or(r.SLO, &result.SLO{Quantile: 0.99, LimitNS: int64(10 * time.Millisecond), ErrorShare: 0.001})
	pr.times(p, firstProbe)
}

func (search) trial(run *result.Run, k result.Key, e slot) (result.Level, int64, bool) {
	return probe(run, k, e.Contestant)
}

func (search) loads(p *result.Plan, _ int, _ []slot) time.Duration {
	each := SearchTime + SearchRounds*(trialOverhead+time.Duration(p.RewarmNS))
	return time.Duration(len(participants(p, false))) * each
}

// The rounds of a search (doc/plans.md): a closed loop that estimates a contestant's capacity;
// probes by bisection; longer probes around the result; and finally three long ones slightly below
// the rate found, which must pass.
const (
	bisections   = 12
	arounds      = 12
	confirms     = 3
	SearchRounds = 1 + bisections + arounds + confirms

	firstProbe   = 2 * time.Second
	aroundProbe  = 5 * time.Second
	confirmProbe = 10 * time.Second
	confirmAt    = 0.95

	// SearchTime is how long all probes of a search take, where none lasts longer for a low rate.
	SearchTime = firstProbe*(1+bisections) + aroundProbe*arounds + confirmProbe*confirms
)

// shifts are the rates of the probes around the result of the bisection, relative to it.
var shifts = [arounds]float64{-.12, .12, -.06, .06, -.03, .03, -.12, .12, -.06, .06, -.03, .03}

// achieved is the share of an open loop's requests that must have been sent for a probe to pass.
const achieved = 0.99

// passed reports whether a trial met the objective.
func passed(slo *result.SLO, l *result.Load) bool {
	_, response := l.Response(slo.Quantile > 0.5)
	return Kept(slo, l, response)
}

// Kept reports whether a load met the objective: few enough errors, the rate, no growing backlog,
// and the response time, in ns. One that is only a lower bound is 0, and does not pass, nor does a
// quantile of too few requests. A growing backlog would break any limit in a longer probe.
func Kept(slo *result.SLO, l *result.Load, response int64) bool {
	if l.Planned == 0 {
		return false
	}
	bad := l.Planned - l.Succeeded
	growth, _ := checks.Growth(l)
	return analysis.Bears(l.Planned, slo.Quantile) &&
		float64(bad) <= slo.ErrorShare*float64(l.Planned) && float64(l.Started) >= achieved*float64(l.Planned) &&
		growth <= checks.GrowthLimit && 0 < response && response < slo.LimitNS
}

// Probes returns the open-loop probes of a contestant in an epoch that count for its capacity, and
// the results of the confirming ones. Top is its throughput in the closed loop, per second.
func Probes(run *result.Run, epoch int, contestant string) (probes []stats.Probe, confirmed []bool, top float64) {
	for round := range SearchRounds {
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
	level = run.Plan.Level
	probes, _, top := Probes(run, k.Epoch, contestant)
	rate, length, ok := Probe(run.Plan.SLO, k.Round, top, probes, 1)
	if k.Round > 0 && top > 0 {
		level.RatePerSec = rate
	}
	return level, int64(length), ok
}

// Probe returns the rate, per second, and the length of the probe of this round of a search; the
// first, a closed loop, has rate 0. Top is the rate which that gave, probes are those since that
// count. Probes are scale times as long as usual. ok is false where there is nothing to search
// around.
func Probe(slo *result.SLO, round int, top float64, probes []stats.Probe, scale float64) (rate float64,
	length time.Duration, ok bool) {
	least := firstProbe
	low, high := 0.05*top, 1.2*top
	switch {
	case round == 0:
	case top <= 0:
		return 0, 0, false
	case round <= bisections:
		rate = stats.Bisect(low, high, probes)
	case round <= bisections+arounds:
		least = aroundProbe
		rate = stats.Bisect(low, high, probes[:min(bisections, len(probes))]) * (1 + shifts[round-1-bisections])
	default:
		least = confirmProbe
		rate, _, _ = stats.Capacity(probes)
		rate *= confirmAt
	}
	least = time.Duration(float64(least) * scale)
	return rate, probeAt(slo, rate, least), round == 0 || rate > 0
}

// Confirms reports whether the probe of this round only confirms what the others found.
func Confirms(round int) bool { return round > bisections+arounds }

// longestProbe is the upper limit of what probeAt returns for a low rate.
const longestProbe = time.Minute

// probeAt returns the length of a probe. At a low rate the probe is long enough to report its
// quantile. It expects 1.5 times the requests that this takes, because a Poisson window may hold
// fewer than expected.
func probeAt(slo *result.SLO, rate float64, least time.Duration) time.Duration {
	if !(rate > 0) {
		return least
	}
	requests := 1.5 * float64(analysis.Beyond(slo.Quantile)) / (1 - slo.Quantile)
	return max(least, min(longestProbe, time.Duration(requests/rate*1e9)))
}
