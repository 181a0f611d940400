package foreign

import "time"

// Slack is the tolerance for a load's beginning and end and for means over samples: a closed loop
// keeps 97 to 103 % of its connections busy.
const Slack = 0.03

// The smallest HTTP/1.1 request and response, in bytes: "GET / HTTP/1.1" and an empty "Host:",
// "HTTP/1.1 200 OK" and no header (RFC 9112).
const (
	LeastRequest = 25
	LeastAnswer  = 19
)

// LeastStream is the smallest HTTP/2 response, in bytes: a HEADERS frame with a :status from the
// static table (RFC 9113, section 4.1; RFC 7541, section 6.1).
const LeastStream = 10

// LeastRecord is the least that a TLS record adds to its content, in bytes: the head and an
// authentication tag (RFC 7905; TLS 1.3 adds one more for the type).
const LeastRecord = 21

// Dropped is a time that a dial to a near server exceeds only if its first packet was dropped, as where the
// server's listen queue is full: TCP repeats the packet after 1 s (RFC 6298, 2.1).
const Dropped = 900 * time.Millisecond

// tick is the time by which a timer with millisecond resolution may fire early.
const tick = time.Millisecond

// InFlight returns the maximum number of requests in flight over connections with a pipeline depth.
// rate × mean latency cannot exceed it (Little 1961).
func InFlight(connections, depth float64) float64 { return connections * depth * (1 + Slack) }

// Capacity returns the maximum rate of responses per second over connections with up to depth
// requests in flight on each, if each response takes delay seconds.
func Capacity(connections, depth, delay float64) float64 { return connections * depth / delay }

// Soonest returns the shortest possible response time for a handler that waits delay; 0 if there is
// no limit.
func Soonest(delay time.Duration) time.Duration {
	return max(0, delay-time.Duration(Slack*float64(delay))-tick)
}
