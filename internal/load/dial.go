package load

import "time"

// Backoff returns how long to wait before dialling again after so many failures in a row: 10 ms,
// doubled each time, at most 0.5 s.
func Backoff(fails int) time.Duration {
	return min(10*time.Millisecond<<min(max(fails-1, 0), 6), 500*time.Millisecond)
}

// DialLost is how long a dial must have been under way at the end of a window to count as failed.
// By then at least its first packet is lost, which TCP repeats after 1 s (RFC 6298, 2.1).
const DialLost = time.Second

// Patience returns how long a window that a number of requests ends goes on without a connection:
// one request's timeout, at least 1 s.
func Patience(timeout time.Duration) time.Duration { return max(timeout, time.Second) }
