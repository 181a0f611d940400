package plan

import (
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// SLO is a search's objective: a share Quantile of all requests must be answered within the
// response time.
type SLO struct {
	Quantile   float64
	LimitNS    int64
	ErrorShare float64 // share of requests that may fail
}

// The rounds in a search (doc/load.md): a closed loop that estimates a contestant's capacity;
// probes by bisection; longer probes around the result; two long ones slightly below the rate
// found; a recheck; and finally three long ones slightly below the rate found by then, which
// must pass.
//
// If the first long probes stay below half the limit, something other than the server may have
// caused the misses before them, such as a burst in another program. Then the recheck searches
// upward, and those misses no longer count. Otherwise it probes around the rate once more.
const (
	bisections   = 12
	arounds      = 8
	earlies      = 2
	rechecks     = 6
	LongProbes   = 3
	recheckFrom  = 1 + bisections + arounds + earlies
	SearchRounds = recheckFrom + rechecks + LongProbes

	firstProbe   = 2 * time.Second
	aroundProbe  = 5 * time.Second
	confirmProbe = 10 * time.Second
	confirmAt    = 0.95

	// LastRound follows three times three long probes at lower rates, made if those at confirmAt miss.
	LastRound = SearchRounds + 3*LongProbes

	// SearchTime is the total length of all probes in a search, if none lasts longer for a low
	// rate.
	SearchTime = firstProbe*(1+bisections) + aroundProbe*(arounds+rechecks) + confirmProbe*(earlies+LongProbes)
)

// shifts are the probes' rates around a result, relative to it.
var shifts = [...]float64{-.12, .12, -.06, .06, -.03, .03, -.09, .09}

// Seen is a probe with an open loop that counts.
type Seen struct {
	stats.Probe
	Round   int
	Latency int64 // the percentile, in ns; 0: not known
	// Limited says that it was missed while the generator was at its limit: it shows nothing about the
	// server, but that a higher rate cannot be tried.
	Limited bool
}

// Miss is the reason why a load did not keep an objective; "" means that it did. TooFew means that
// this is not known.
type Miss string

// Reasons why a load may miss its objective.
const (
	Lacking   Miss = "fewer connections"           // fewer were open than the load asked for
	Errors    Miss = "errors"                      // more requests failed than the objective allows
	Unsent    Miss = "not all sent"                // too many due requests were not sent in time
	Growing   Miss = "growing backlog"             // a longer load would break any limit
	TooFew    Miss = "too few requests"            // the quantile cannot be known
	Unbounded Miss = "latency without upper bound" // too many requests had no right response
	Slow      Miss = "latency"
)

// Response is what a load shows about the percentile in an objective.
type Response struct {
	NS    int64 // upper bound of the percentile; 0: none is known
	Least int64 // lower bound of the percentile: unanswered requests count with the time that they had waited
	// Fast is the number of requests that had a right response within the limit; 0: none, or not
	// recorded.
	Fast int64
}

// Missed returns why a load missed the objective. If there are too few requests to know the
// percentile, the counts decide if they can: a lower bound beyond the limit is a miss, and so
// few slow requests that a server at the limit would have them in at most one load in twenty are
// no miss.
func Missed(slo *SLO, l *record.Load, r Response) Miss {
	allowed := slo.ErrorShare * float64(l.Planned)
	few := !judge.Bears(l.Planned, slo.Quantile)
	switch {
	case l.Established < l.Connections:
		return Lacking
	case float64(l.Started-l.Succeeded) > allowed:
		return Errors
	case float64(l.Started) < judge.SentFrom*float64(l.Planned) || float64(l.Planned-l.Succeeded) > allowed:
		return Unsent
	case judge.Grows(l):
		return Growing
	case few && l.Planned > 0 && r.Least >= slo.LimitNS:
		return Slow
	case few && r.Fast > 0 &&
		stats.BinomialAtMost(l.Planned-r.Fast, l.Planned, 1-slo.Quantile) <= 0.05:
		return ""
	case few:
		return TooFew
	case r.NS <= 0:
		return Unbounded
	case r.NS >= slo.LimitNS:
		return Slow
	}
	return ""
}

// MostLimited is the largest number of probes in a row that may be missed with the generator at its
// limit. The last shows that it cannot send more; the others are repeated.
const MostLimited = 3

// Closed is a search's closed loop, which determines the probes' rates and lengths.
type Closed struct {
	PerSec  float64
	Service time.Duration // root mean square of the service times
}

// ClosedOf returns the capacity and service time that a closed loop showed; zero without a right
// response.
func ClosedOf(l *record.Load) (c Closed) {
	c.PerSec, _ = l.PerSec()
	c.Service = time.Duration(math.Hypot(float64(l.ServiceMeanNS), float64(l.ServiceSDNS)))
	return c
}

// Bounds returns the rates, per second, between which a search probes. The lower one is high enough
// for the longest probe to show the quantile. Where it is not below the higher, there is nothing to
// search: the closed loop had no right response, or too few for that.
func Bounds(slo *SLO, closed Closed) (low, high float64) {
	return max(0.05*closed.PerSec, expects(slo)/longestProbe.Seconds()), 1.2 * closed.PerSec
}

// Probe returns the rate, per second, and the length for the probe in this round; the first, a
// closed loop, has rate 0. closed is that closed loop, seen are the probes since that count.
// Probes are scale times as long as usual. ok is false if there is nothing to search.
func Probe(slo *SLO, round int, closed Closed, seen []Seen, scale float64) (rate float64,
	length time.Duration, ok bool) {
	least := aroundProbe
	low, high := Bounds(slo, closed)
	switch first := rounds(seen, 1, 1+bisections); {
	case round == 0:
		least = firstProbe
	case low >= high:
		return 0, 0, false
	case round <= bisections:
		least = firstProbe
		rate = stats.Bisect(low, high, first)
	case round <= bisections+arounds:
		rate = stats.Bisect(low, high, first) * (1 + shifts[round-1-bisections])
	case round >= recheckFrom && !Confirms(round) && upward(slo, seen):
		found, _, _ := stats.Capacity(rounds(seen, 1, recheckFrom))
		rate = stats.Bisect(confirmAt*found, max(high, 2*found), rounds(seen, recheckFrom, recheckFrom+rechecks))
	case round >= recheckFrom && !Confirms(round):
		rate, _, _ = Highest(slo, seen)
		rate *= 1 + shifts[(round-recheckFrom+2)%len(shifts)]
	default:
		least = confirmProbe
		rate, _, _ = Highest(slo, seen)
		rate *= confirmAt - 0.1*float64(max(round-recheckFrom-rechecks, 0)/LongProbes)
	}
	least = time.Duration(float64(least) * scale)
	return rate, probeAt(slo, rate, closed, least), round == 0 || rate > 0
}

// rounds returns the probes in the rounds from first until before last.
func rounds(seen []Seen, first, last int) (probes []stats.Probe) {
	for _, s := range seen {
		if s.Round >= first && s.Round < last {
			probes = append(probes, s.Probe)
		}
	}
	return probes
}

// upward reports whether the recheck searches upward.
func upward(slo *SLO, seen []Seen) bool {
	return easy(slo, seen, recheckFrom-earlies, recheckFrom)
}

// easy reports whether the long probes in the rounds from first until before last stayed below
// half the limit.
func easy(slo *SLO, seen []Seen, first, last int) bool {
	n := 0
	for _, s := range seen {
		if s.Round >= first && s.Round < last && !s.Limited {
			if n++; !s.Pass || 2*s.Latency >= slo.LimitNS {
				return false
			}
		}
	}
	return n > 0
}

// Highest returns the rate at which half the probes keep the objective, with its interval; hi is
// +Inf if no probe shows an upper bound, or the last long probes stayed below half the limit and
// no probe that can be trusted missed above them.
func Highest(slo *SLO, seen []Seen) (rate, lo, hi float64) {
	again, looked := upward(slo, seen), len(rounds(seen, recheckFrom, recheckFrom+rechecks)) > 0
	var probes []stats.Probe
	for _, s := range seen {
		if !s.Limited && !Confirms(s.Round) && (s.Pass || s.Round >= recheckFrom || !again || !looked) {
			probes = append(probes, s.Probe)
		}
	}
	rate, lo, hi = stats.Capacity(probes)
	if again && !looked || easy(slo, seen, recheckFrom+rechecks, SearchRounds) && (!again || hi > unsure*lo) {
		hi = math.Inf(1)
	}
	return rate, lo, hi
}

// unsure is the ratio of an interval's upper end to its lower end that steady servers do not reach.
const unsure = 1.2

// Again returns the probes with which a whole search goes on, from the recheck: upward from its
// last long probes, if these show that it has no upper bound although probes missed.
func Again(slo *SLO, seen []Seen) (again []Seen, round int, ok bool) {
	_, _, hi := Highest(slo, seen)
	if !math.IsInf(hi, 1) || !easy(slo, seen, recheckFrom+rechecks, SearchRounds) ||
		!slices.ContainsFunc(seen, func(s Seen) bool { return !s.Pass && !s.Limited }) {
		return nil, 0, false
	}
	for _, s := range seen {
		if Confirms(s.Round) {
			s.Round = recheckFrom - earlies
		} else {
			s.Round = min(s.Round, recheckFrom-earlies-1)
		}
		again = append(again, s)
	}
	return again, recheckFrom, true
}

// Lower returns the first round at or after this one whose probe confirms at a rate of its own.
func Lower(round int) int { return round + (LastRound-round)%LongProbes }

// Confirms reports whether the probe in this round only confirms the result.
func Confirms(round int) bool { return round >= recheckFrom+rechecks }

// longestProbe is the upper limit for probeAt at a low rate or with a slow server.
const longestProbe = time.Minute

// expects returns the number of requests that a probe should expect, to report its quantile: 1.5
// times the necessary number, because a Poisson window may hold fewer than expected.
func expects(slo *SLO) float64 {
	return 1.5 * float64(judge.Beyond(slo.Quantile)) / (1 - slo.Quantile)
}

// probeAt returns a probe's length: enough to report its quantile at a low rate, and to see
// whether a slow server's backlog grows. At p99 or beyond, hardly a response may take longer
// than the limit, however slow the closed loop was.
func probeAt(slo *SLO, rate float64, closed Closed, least time.Duration) time.Duration {
	service := closed.Service
	if slo.Quantile > 0.99-1e-9 {
		service = min(service, time.Duration(slo.LimitNS))
	}
	length := judge.ServiceTimes * service
	if rate > 0 {
		length = max(length, time.Duration(expects(slo)/rate*1e9))
	}
	return max(least, min(longestProbe, length))
}
