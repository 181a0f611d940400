package load

import (
	"fmt"
	"time"

	"dyno/internal/bounds"
	"dyno/internal/hist"
	"dyno/internal/result"
)

// shrunk is the share of the bytes at verification below which an answer is not the same: a missing
// header is 10 %.
const shrunk = 0.9

// Impossible returns an error if arithmetic forbids what l reports, for handlers that wait for
// delay. It applies to dyno's own loads the rules by which dyno audits published figures
// (doc/audit.md). A server that breaks one answers without doing the work. shown is how many bytes
// an answer had when it was verified; 0 if they vary.
func (j *Job) Impossible(l *result.Load, delay time.Duration, shown int) error {
	seconds := float64(l.WindowNS) / 1e9
	if l.Succeeded == 0 || seconds <= 0 {
		return nil
	}
	connections, depth := float64(j.Connections), float64(max(j.Pipeline, 1))
	rate, least := float64(l.Succeeded)/seconds, bounds.Soonest(delay)
	if middle := time.Duration(l.ServiceP50NS); least > 0 && middle < least {
		return fmt.Errorf("impossible (R3): half of its answers came within %v, "+
			"though each handler waits DYNO_DELAY, %v: it does not wait under load",
			middle.Round(time.Microsecond), delay)
	}
	if least > 0 {
		if most := bounds.Capacity(connections, depth, least.Seconds()); rate > most*(1+bounds.Slack) {
			return fmt.Errorf("impossible (R3): %.0f answers/s, but %.0f requests in flight ÷ %v (DYNO_DELAY) "+
				"allow %.0f/s: it does not wait under load",
				rate, connections*depth, delay, most)
		}
	}
	if l.Service != "" {
		h, err := hist.Decode(l.Service)
		if err != nil {
			return fmt.Errorf("read the histogram of a load: %w", err)
		}
		if n := rate * h.Mean() / 1e9; n > bounds.InFlight(connections, depth) {
			return fmt.Errorf("impossible (R2): %.0f answers/s × %v on average = %.0f requests in flight, "+
				"but the connections hold %.0f",
				rate, time.Duration(h.Mean()).Round(time.Microsecond), n, connections*depth)
		}
	}
	size := float64(l.BytesRead) / float64(l.Succeeded)
	switch {
	case l.BytesRead == 0: // it was not counted
	case size < bounds.LeastAnswer:
		return fmt.Errorf("impossible (R4): %.0f bytes per answer, but HTTP/1.1 takes at least %d",
			size, bounds.LeastAnswer)
	case j.PerConnection == 0 && size < shrunk*float64(shown):
		return fmt.Errorf("it answers otherwise under load (R4): %.0f bytes per answer, but %d when it was verified",
			size, shown)
	}
	return nil
}
