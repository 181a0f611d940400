package machine

import (
	"fmt"
	"math"
)

// Whatever the delays of messages in either direction, the true offset between two clocks lies within the bound, as
// long as both run without steps and their rates differ by at most Drift. All times are ns on a monotonic clock.

// Drift is the largest relative difference between the two clocks' rates: 500 ppm, by which Linux lets NTP
// change a clock's rate (MAXFREQ in include/linux/timex.h). Quartzes differ by less than 100 ppm. Two
// machines that NTP adjusts in opposite directions may differ by more while this lasts: two pings then
// contradict each other, if they are far enough apart to show it.
const Drift = 500e-6

// Ping is a message to another machine and its answer: the times of sending and receiving on our clock, and
// the times of arrival and answer on the other clock.
type Ping struct {
	SentNS, ArrivedNS, LeftNS, ReceivedNS int64
}

// Other estimates another clock from pings. The zero value knows nothing.
//
// Both a message and its answer take some time, so the offset lies between the values that either gives if
// its delay is taken as zero: half of the round trip around the middle (Cristian, Probabilistic clock
// synchronization, Distributed Computing 3, 1989). Between pings the interval widens by Drift; a ping narrows
// it to the intersection (Marzullo and Owicki, Maintaining the time in a distributed system, PODC 1983). The
// shortest round trips therefore decide.
type Other struct {
	known  bool
	at     int64   // time of the bounds, our clock
	lo, hi float64 // least and greatest offset
}

// Add adds a ping. Pings must be added in the order in which they were received. Add returns an error, and
// leaves o unchanged, if the ping is impossible or contradicts earlier ones: a clock was stepped, or its rate
// changed by more than Drift.
func (o *Other) Add(p Ping) error {
	trip, there := p.ReceivedNS-p.SentNS, p.LeftNS-p.ArrivedNS
	switch slack := widened(trip); {
	case trip < 0 || there < 0:
		return fmt.Errorf("a clock ran backwards: a round trip of %d ns, %d ns of them there", trip, there)
	case float64(there) > float64(trip)+slack:
		return fmt.Errorf("the other machine held a message for %d ns of a round trip of %d ns", there, trip)
	case o.known && p.ReceivedNS < o.at:
		return fmt.Errorf("a ping that was received %d ns before the last", o.at-p.ReceivedNS)
	}
	// The bounds apply when the message arrived and when the answer left, both at most a round trip before
	// the time to which they are assigned.
	hi := float64(p.ArrivedNS-p.SentNS) + widened(trip)
	lo := float64(p.LeftNS-p.ReceivedNS) - widened(trip)
	if o.known {
		more := widened(p.ReceivedNS - o.at)
		if lo > o.hi+more || hi < o.lo-more {
			return fmt.Errorf("a clock was stepped, or runs by more than %g ppm faster or slower: the offset was "+
				"%.0f to %.0f ns, and is %.0f to %.0f", Drift*1e6, o.lo-more, o.hi+more, lo, hi)
		}
		lo, hi = max(lo, o.lo-more), min(hi, o.hi+more)
	}
	*o = Other{true, p.ReceivedNS, lo, hi}
	return nil
}

// widened returns the largest distance that two clocks can drift apart in ns of our time, rounded up to the
// ns that clocks show.
func widened(ns int64) float64 { return math.Ceil(float64(max(ns, -ns))*Drift) + 1 }

// At returns how far the other clock is ahead when our clock shows at, and the largest error of that. Without a ping
// bound is math.MaxInt64.
func (o *Other) At(at int64) (ahead, bound int64) {
	if !o.known {
		return 0, math.MaxInt64
	}
	more := 0.
	if at != o.at {
		more = widened(at - o.at)
	}
	middle := math.Round((o.lo + o.hi) / 2)
	return int64(middle), int64(math.Ceil(max(o.hi-middle, middle-o.lo) + more))
}
