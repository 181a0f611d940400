package result

// Edge says whether a rate includes the edges of its window, in which connections are still
// starting, or getting their last responses.
type Edge uint8

// The edges. Estimated and Low are of recordings that lack Load.RateNS, where handlers wait.
const (
	Inside    Edge = iota // the rate is of the time in which requests were sent
	Unsteady              // it is too short for a rate, or a connection was not answered, or late
	Estimated             // both edges, together as long as a service time, were taken off the window
	Low                   // they are in the window: the rate is too low, by about a service time's share of the window
)

func (e Edge) String() string {
	return [...]string{"inside", "not steady", "estimated", "low at the window's edge"}[e]
}

// FewestTimes is how many median service times a load must last, from when its last connection was to begin, for
// its rate to be steady.
const FewestTimes = 6

// steadyTimes is how many median service times the span of the rate must last, where it begins once each
// connection was answered. Newer recordings have none that is shorter: see load.Edge.
const steadyTimes = 5

// The median service time, over the handler's delay, between which the edges of a window are known:
// below, a server does not keep the delay, above it is busy with more.
const (
	leastWaited = 0.99
	mostWaited  = 1.1
)

// PerSec returns the rate of right answers; false if there is none. No other code computes this
// rate.
func (l *Load) PerSec() (float64, bool) {
	answers, ns := l.RateAnswers, l.RateNS
	switch {
	case ns > 0:
	case l.AtEdge == Estimated:
		answers, ns = float64(l.Succeeded), l.WindowNS-l.ServiceP50NS
	default:
		return l.WholePerSec()
	}
	return perSec(answers, ns)
}

// WholePerSec returns the rate from first send to last answer, edges and all: of recordings that
// were judged apart it is alike.
func (l *Load) WholePerSec() (float64, bool) { return perSec(float64(l.Succeeded), l.WindowNS) }

// Along returns the rate of n things that came with all answers of the load, such as their bytes: as large
// a part of them counts as of the right answers. No other code computes such a rate.
func (l *Load) Along(n int64) (float64, bool) {
	switch {
	case l.RateNS <= 0:
		return perSec(float64(n), l.WindowNS)
	case l.Succeeded > 0:
		return perSec(float64(n)*l.RateAnswers/float64(l.Succeeded), l.RateNS)
	}
	return perSec(float64(n), l.RateNS)
}

// Sending returns how long requests were sent, in ns from the window's start; of recordings without it,
// the window.
func (l *Load) Sending() int64 {
	if l.RateNS > 0 {
		return l.RateFromNS + l.RateNS
	}
	return l.WindowNS
}

func perSec(answers float64, ns int64) (float64, bool) {
	if answers <= 0 || ns <= 0 {
		return 0, false
	}
	rate := answers / float64(ns) * 1e9
	return rate, rate > 0 // not where a record has answers too few for a number
}

// Edge returns how far the edges of the window affect PerSec.
func (l *Load) Edge() Edge {
	if l.RateNS > 0 && (l.RateFromNS == 0 || l.RateNS < steadyTimes*l.ServiceP50NS) {
		return Unsteady
	}
	return l.AtEdge
}

// HandshakesPerSec returns the rate of TLS handshakes; false if there was none.
func (l *Load) HandshakesPerSec() (float64, bool) {
	return l.Along(l.Handshakes)
}

// Wall returns the time from the start of the window until it was drained. The times of the event
// loops cover this period. For recordings without it, Wall returns the window.
func (l *Load) Wall() int64 {
	if l.WallNS > 0 {
		return l.WallNS
	}
	return l.WindowNS
}

// ClocksWall returns ClocksNS or, for recordings without it, the window.
func (t *Trial) ClocksWall() int64 {
	if t.ClocksNS > 0 {
		return t.ClocksNS
	}
	return t.Load.WindowNS
}

// settle finds the edge of a load that was recorded before rates had their own fields. With a delay
// D the connections started within one D, and were drained in another: a window of T was recorded
// as T + D. A number of requests was started at once and has no such edges.
func (l *Load) settle(p *Plan, at Level) {
	if l.RateNS > 0 || at.DelayNS == 0 || p.Requests > 0 || l.Succeeded == 0 {
		return
	}
	l.AtEdge = Low
	over := float64(l.ServiceP50NS) / float64(at.DelayNS)
	if !at.Open() && at.Pipeline <= 1 && leastWaited <= over && over <= mostWaited && l.WindowNS > l.ServiceP50NS {
		l.AtEdge = Estimated
	}
}
