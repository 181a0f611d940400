package load

import "time"

// Backoff is how long to wait before a connection is dialled again that could not be dialled so
// many times in a row: 10 ms, doubled each time, at most 0.5 s.
func Backoff(fails int) time.Duration {
	return min(10*time.Millisecond<<min(max(fails-1, 0), 6), 500*time.Millisecond)
}

// DialLost is for how long a dial must have been under way when a window's time is over to count as
// failed: it has lost its first packet at least, which TCP sends again after 1 s (RFC 6298, 2.1).
const DialLost = time.Second

// Patience is how long a window that ends with a number of requests goes on without a connection: a
// request's time-out, at least 1 s.
func Patience(timeout time.Duration) time.Duration { return max(timeout, time.Second) }
