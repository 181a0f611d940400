// Package bounds computes what arithmetic allows of a load, whoever measured it. What lies beyond
// is impossible: a published figure is wrong then, and a server that was seen to do it did not do
// the work.
package bounds

import "time"

// Slack is the share by which beginning and end of a load, and means of samples, may differ: a
// closed loop keeps 97 to 103 % of its connections busy.
const Slack = 0.03

// The fewest bytes that a request and an answer of HTTP/1.1 can have: "GET / HTTP/1.1" and an empty
// "Host:", "HTTP/1.1 200 OK" and no header (RFC 9112).
const (
	LeastRequest = 25
	LeastAnswer  = 19
)

// tick is by how much a timer that counts whole milliseconds may fire early.
const tick = time.Millisecond

// InFlight is the most requests that so many connections have in flight, each up to depth: what
// rate × mean latency cannot exceed (Little 1961).
func InFlight(connections, depth float64) float64 { return connections * depth * (1 + Slack) }

// Capacity is the most answers per second of so many connections, each with up to depth requests in
// flight, where each answer takes delay seconds.
func Capacity(connections, depth, delay float64) float64 { return connections * depth / delay }

// Soonest is the earliest answer of a handler that waits delay: 0 if any is possible.
func Soonest(delay time.Duration) time.Duration {
	return max(0, delay-time.Duration(Slack*float64(delay))-tick)
}
