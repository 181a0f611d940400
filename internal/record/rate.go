package record

// FewestTimes is the shortest load with a steady rate, in median service times, counted from when
// its last connection was due to begin.
const FewestTimes = 6

// steadyTimes is the shortest time span for a rate, in median service times, if the span begins
// once each connection was answered. Newer recordings have no shorter span: see load.Edge.
const steadyTimes = 5

// PerSec returns the rate of right answers; false if there is none. No other code computes this
// rate.
func (l *Load) PerSec() (float64, bool) {
	if l.RateNS > 0 {
		return PerSec(l.RateAnswers, l.RateNS)
	}
	return PerSec(float64(l.Succeeded), l.WindowNS)
}

// Along returns the rate of n things that came with all answers, such as bytes: it counts the same
// part of them as of the right answers. No other code computes such a rate.
func (l *Load) Along(n int64) (float64, bool) {
	switch {
	case l.RateNS <= 0:
		return PerSec(float64(n), l.WindowNS)
	case l.Succeeded > 0:
		return PerSec(float64(n)*l.RateAnswers/float64(l.Succeeded), l.RateNS)
	}
	return PerSec(float64(n), l.RateNS)
}

// Sending returns how long requests were sent, in ns from the window's start; for recordings
// without it, the window.
func (l *Load) Sending() int64 {
	if l.RateNS > 0 {
		return l.RateFromNS + l.RateNS
	}
	return l.WindowNS
}

// PerSec returns the rate of n things in a time; false if there is none.
func PerSec(n float64, ns int64) (float64, bool) {
	if n <= 0 || ns <= 0 {
		return 0, false
	}
	rate := n / float64(ns) * 1e9
	return rate, rate > 0 // false if they are too few for a positive number
}

// Steady reports whether PerSec's time span is long enough for a rate, and each connection was
// answered in time.
func (l *Load) Steady() bool {
	return l.RateNS <= 0 || l.RateFromNS > 0 && l.RateNS >= steadyTimes*l.ServiceP50NS
}

// HandshakesPerSec returns the rate of TLS handshakes; false if there was none.
func (l *Load) HandshakesPerSec() (float64, bool) {
	return l.Along(l.Handshakes)
}

// Wall returns the time from the window's start until all was drained, the period for the event
// loops' times. For recordings without it, Wall returns the window.
func (l *Load) Wall() int64 {
	if l.WallNS > 0 {
		return l.WallNS
	}
	return l.WindowNS
}
