package load

import (
	"math"
	"time"
)

// Backoff returns the time to wait before dialling again after a number of consecutive failures: 10
// ms, doubled each time, at most 0.5 s.
func Backoff(fails int) time.Duration {
	return min(10*time.Millisecond<<min(max(fails-1, 0), 6), 500*time.Millisecond)
}

// Dials paces the dials before a window to the server's rate of accepting connections. A kernel with
// a full accept queue drops connection requests, and TCP repeats them only after 1 s (RFC 6298, 2.1):
// a dial that takes longer than Patience is given up and repeated. All times are ns on a session's
// clock.
type Dials struct {
	Repeated       int64
	quickest, last int64 // successful dials; 0: none
}

// Came records a dial that took this long and succeeded at now.
func (d *Dials) Came(took, now int64) {
	if d.last = now; d.quickest == 0 || took < d.quickest {
		d.quickest = max(took, 1)
	}
}

// Patience returns how long a dial under way at now may take: several times as long as the quickest,
// and longer while none succeeds.
func (d *Dials) Patience(now int64) int64 {
	if d.quickest == 0 {
		return math.MaxInt64
	}
	return max(int64(10*time.Millisecond), 4*d.quickest, (now-d.last)/2)
}

// DialLost is the time after which an unfinished dial at the end of a window counts as failed. By
// then at least its first packet was lost, which TCP repeats after 1 s (RFC 6298, 2.1).
const DialLost = time.Second

// Patience returns how long a window that ends by a number of requests continues without a
// connection: one request's timeout, at least 1 s.
func Patience(timeout time.Duration) time.Duration { return max(timeout, time.Second) }
