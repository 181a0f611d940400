package plan

import (
	"cmp"
	"fmt"
	"math"
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
	p.Rounds, p.Ceiling, p.CeilingScenarios, p.CeilingProtocols = SearchRounds, "", nil, nil
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

// Miss is why a load did not keep an objective; "" means that it did. Of TooFew requests neither is
// known.
type Miss string

// Why a load may miss its objective.
const (
	Lacking   Miss = "fewer connections"           // than asked
	Errors    Miss = "errors"                      // to more of the requests sent than the objective allows
	Unsent    Miss = "not all sent"                // too many of the requests that were due were not sent in time
	Growing   Miss = "growing backlog"             // which would break any limit in a longer load
	TooFew    Miss = "too few requests"            // to know the quantile
	Unbounded Miss = "latency without upper bound" // because of requests without a right response
	Slow      Miss = "latency"
)

// Missed returns why a load missed the objective, by its response time in ns; 0 means that no upper
// bound of it is known.
func Missed(slo *result.SLO, l *result.Load, response int64) Miss {
	allowed := slo.ErrorShare * float64(l.Planned)
	switch {
	case l.Established < l.Connections:
		return Lacking
	case float64(l.Started-l.Succeeded) > allowed:
		return Errors
	case float64(l.Started) < achieved*float64(l.Planned) || float64(l.Planned-l.Succeeded) > allowed:
		return Unsent
	case checks.Grows(l):
		return Growing
	case !analysis.Bears(l.Planned, slo.Quantile):
		return TooFew
	case response <= 0:
		return Unbounded
	case response >= slo.LimitNS:
		return Slow
	}
	return ""
}

// missed returns why a trial missed the objective.
func missed(slo *result.SLO, l *result.Load) Miss {
	_, response := l.Response(slo.Quantile > 0.5)
	return Missed(slo, l, response)
}

// Closed is what the closed loop of a search showed: what the rates and lengths of its probes follow
// from.
type Closed struct {
	PerSec  float64
	Service time.Duration // root mean square of the service times
}

// ClosedOf returns what a closed loop showed; without a right response all of it is 0.
func ClosedOf(l *result.Load) (c Closed) {
	c.PerSec, _ = l.PerSec()
	c.Service = time.Duration(math.Hypot(float64(l.ServiceMeanNS), float64(l.ServiceSDNS)))
	return c
}

// Probes returns the open-loop probes of a contestant in an epoch that count for its capacity, the
// results of the confirming ones, and the closed loop. What was not known of a probe does not count.
func Probes(run *result.Run, epoch int, contestant string) (probes []stats.Probe, confirmed []bool, closed Closed) {
	for round := range SearchRounds {
		k, ok := lastAttempt(run, epoch, round)
		if !ok {
			break
		}
		if discarded(run, k) {
			continue
		}
		for _, t := range trials(run, k) {
			if t.Contestant != contestant {
				continue
			}
			if round == 0 {
				closed = ClosedOf(&t.Load)
				continue
			}
			switch why := missed(run.Plan.SLO, &t.Load); {
			case why == TooFew:
			case !Confirms(round) && t.Level != nil:
				probes = append(probes, stats.Probe{Rate: t.Level.RatePerSec, Pass: why == ""})
			default:
				confirmed = append(confirmed, why == "")
			}
		}
	}
	return probes, confirmed, closed
}

// probe returns the level and the length of a contestant's next probe. ok is false if the closed
// loop gave no rate to search around.
func probe(run *result.Run, k result.Key, contestant string) (level result.Level, ns int64, ok bool) {
	level = run.Plan.Level
	probes, _, closed := Probes(run, k.Epoch, contestant)
	rate, length, ok := Probe(run.Plan.SLO, k.Round, closed, probes, 1)
	if k.Round > 0 {
		level.RatePerSec = rate
	}
	return level, int64(length), ok
}

// Bounds returns the rates, per second, between which a search probes. The lower one is high enough
// for the longest probe to show the quantile. Where it is not below the higher, there is nothing to
// search: the closed loop had no right response, or too few for that.
func Bounds(slo *result.SLO, closed Closed) (low, high float64) {
	return max(0.05*closed.PerSec, expects(slo)/longestProbe.Seconds()), 1.2 * closed.PerSec
}

// Probe returns the rate, per second, and the length of the probe of this round of a search; the
// first, a closed loop, has rate 0. Closed is what that showed, probes are those since that count.
// Probes are scale times as long as usual. ok is false where there is nothing to search.
func Probe(slo *result.SLO, round int, closed Closed, probes []stats.Probe, scale float64) (rate float64,
	length time.Duration, ok bool) {
	least := firstProbe
	low, high := Bounds(slo, closed)
	switch {
	case round == 0:
	case low >= high:
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
	return rate, probeAt(slo, rate, closed, least), round == 0 || rate > 0
}

// Confirms reports whether the probe of this round only confirms what the others found.
func Confirms(round int) bool { return round > bisections+arounds }

// longestProbe is the upper limit of what probeAt returns for a low rate or a slow server.
const longestProbe = time.Minute

// expects returns how many requests a probe should expect, to report its quantile: 1.5 times those
// that this takes, because a Poisson window may hold fewer than expected.
func expects(slo *result.SLO) float64 {
	return 1.5 * float64(analysis.Beyond(slo.Quantile)) / (1 - slo.Quantile)
}

// probeAt returns the length of a probe: enough to report its quantile at a low rate, and to see
// whether the backlog of a slow server grows. Of a p99 or beyond hardly a response may take longer
// than the limit, however slow those of the closed loop were.
func probeAt(slo *result.SLO, rate float64, closed Closed, least time.Duration) time.Duration {
	service := closed.Service
	if slo.Quantile > 0.99-1e-9 {
		service = min(service, time.Duration(slo.LimitNS))
	}
	length := checks.ServiceTimes * service
	if rate > 0 {
		length = max(length, time.Duration(expects(slo)/rate*1e9))
	}
	return max(least, min(longestProbe, length))
}
