// Package bounds computes arithmetic limits of loads. Figures beyond them are impossible: either a
// published figure is wrong, or a server did not do the work.
package bounds

import "time"

// Slack is the tolerance for the beginning and end of a load and for means of samples: a closed
// loop keeps 97 to 103 % of its connections busy.
const Slack = 0.03

// The smallest numbers of bytes of a request and a response of HTTP/1.1: "GET / HTTP/1.1" and an
// empty "Host:", "HTTP/1.1 200 OK" and no header (RFC 9112).
const (
	LeastRequest = 25
	LeastAnswer  = 19
)

// LeastStream is the smallest number of bytes of a response of HTTP/2: a HEADERS frame with a :status
// of the static table (RFC 9113, section 4.1; RFC 7541, section 6.1).
const LeastStream = 10

// LeastRecord is the smallest number of bytes that a record of TLS adds to what it carries: its
// head and an authentication tag (RFC 7905; in TLS 1.3 the type is one more).
const LeastRecord = 21

// tick is the time by which a timer with a resolution of milliseconds may fire early.
const tick = time.Millisecond

// InFlight returns the maximum number of requests in flight over a number of connections with a
// pipeline depth. rate × mean latency cannot exceed it (Little 1961).
func InFlight(connections, depth float64) float64 { return connections * depth * (1 + Slack) }

// Capacity returns the maximum number of responses per second over a number of connections, each
// with up to depth requests in flight, if each response takes delay seconds.
func Capacity(connections, depth, delay float64) float64 { return connections * depth / delay }

// Soonest returns the shortest possible response time of a handler that waits delay; 0 if there is
// no limit.
func Soonest(delay time.Duration) time.Duration {
	return max(0, delay-time.Duration(Slack*float64(delay))-tick)
}
