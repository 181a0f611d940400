package load

import "time"

// Backoff returns the time to wait before dialling again after a number of consecutive failures: 10
// ms, doubled each time, at most 0.5 s.
func Backoff(fails int) time.Duration {
	return min(10*time.Millisecond<<min(max(fails-1, 0), 6), 500*time.Millisecond)
}

// DialLost is the time after which a dial that is unfinished at the end of a window counts as
// failed. By then at least its first packet was lost, which TCP repeats after 1 s (RFC 6298, 2.1).
const DialLost = time.Second

// Patience returns how long a window that ends by a number of requests continues without a
// connection: one request's timeout, at least 1 s.
func Patience(timeout time.Duration) time.Duration { return max(timeout, time.Second) }
