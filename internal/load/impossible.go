package load

import (
	"fmt"
	"time"

	"dyno/internal/foreign"
	"dyno/internal/record"
)

// shrunk is the share of the size at verification below which a response counts as different: a
// missing header is 10 %.
const shrunk = 0.9

// Impossible returns an error if l's figures are arithmetically impossible for handlers that wait
// for delay. It applies the rules of dyno audit (doc/studies.md) to dyno's own loads. A server that
// violates them responds without doing the work. shown is a response's size during verification, in
// bytes; 0 if it varies. For HTTP/2 it is the body alone: header sections shrink while a connection
// lasts.
func (j *Job) Impossible(l *record.Load, delay time.Duration, shown int) error {
	seconds := float64(l.WindowNS) / 1e9
	if l.Succeeded == 0 || seconds <= 0 {
		return nil
	}
	connections, depth := float64(j.Connections), float64(max(j.Pipeline, 1))
	rate, least := float64(l.Succeeded)/seconds, foreign.Soonest(delay)
	if middle := time.Duration(l.ServiceP50NS); least > 0 && middle < least {
		return fmt.Errorf("impossible (R3): half of its responses came within %v, although each handler must wait "+
			"%v (DYNO_DELAY): it does not wait under load",
			middle.Round(time.Microsecond), delay)
	}
	if least > 0 {
		if most := foreign.Capacity(connections, depth, least.Seconds()); rate > most*(1+foreign.Slack) {
			return fmt.Errorf("impossible (R3): %.0f responses/s, but %.0f requests in flight ÷ %v (DYNO_DELAY) "+
				"allow %.0f/s: it does not wait under load",
				rate, connections*depth, delay, most)
		}
	}
	if l.Service != "" {
		h, err := record.Decode(l.Service)
		if err != nil {
			return fmt.Errorf("read the histogram of a load: %w", err)
		}
		if n := rate * h.Mean() / 1e9; n > foreign.InFlight(connections, depth) {
			return fmt.Errorf("impossible (R2): %.0f responses/s × %v on average = %.0f requests in flight, but "+
				"the connections can carry %.0f",
				rate, time.Duration(h.Mean()).Round(time.Microsecond), n, connections*depth)
		}
	}
	size, fewest, protocol := float64(l.BytesRead)/float64(l.Succeeded), foreign.LeastAnswer, "HTTP/1.1"
	if j.HTTP2 {
		fewest, protocol = foreign.LeastStream, "HTTP/2"
	}
	if j.TLS != nil { // each response, or all that is in flight, is at least one record
		size -= foreign.LeastRecord / depth
	}
	switch {
	case l.BytesRead == 0: // it was not counted
	case size < float64(fewest):
		return fmt.Errorf("impossible (R4): %.0f bytes per response, but %s needs at least %d", size, protocol, fewest)
	case j.PerConnection == 0 && size < shrunk*float64(shown):
		return fmt.Errorf(
			"it responds differently under load (R4): %.0f bytes per response, but %d during verification",
			size, shown)
	}
	return nil
}
