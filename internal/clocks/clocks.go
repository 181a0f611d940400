// Package clocks relates the clock of another machine to ours by messages between the two, and says how
// far that can be off.
//
// Invariant: whatever the delays of the messages there and back, however different, the true offset lies
// within the bound, as long as both clocks run on without steps and their rates differ by Drift at most.
// All times are ns on a monotonic clock.
package clocks

import (
	"fmt"
	"math"
)

// Drift is the largest difference of the other clock's rate from ours, in time of ours: 500 ppm, by which
// Linux lets NTP change the rate of a clock (MAXFREQ of include/linux/timex.h). Quartzes differ by less
// than 100 ppm. Two machines that are set in opposite directions at that moment may differ by more, for as
// long as it takes: two pings then contradict each other, if they are far enough apart to show it.
const Drift = 500e-6

// Ping is a message to another machine and its answer: when it was sent and the answer received, on our
// clock, and when it arrived and the answer left, on the other's.
type Ping struct {
	SentNS     int64 `json:"sent_ns"`
	ArrivedNS  int64 `json:"arrived_ns"`
	LeftNS     int64 `json:"left_ns"`
	ReceivedNS int64 `json:"received_ns"`
}

// Offset says how another clock relates to ours at a time: it shows ours plus NS, give or take BoundNS.
type Offset struct {
	NS      int64 `json:"offset_ns"`
	BoundNS int64 `json:"bound_ns"`
	AtNS    int64 `json:"at_ns"`  // our clock
	RTTNS   int64 `json:"rtt_ns"` // shortest round trip of all pings, without the other's own time
}

// Other is what pings say of another clock. The zero value knows nothing.
//
// A message took some time, and so did its answer, so the offset lies between what either says as if it
// had taken none: half of the round trip about their middle (Cristian, Probabilistic clock
// synchronization, Distributed Computing 3, 1989). Between pings the interval widens by Drift; a ping
// narrows it to what both allow (Marzullo and Owicki, Maintaining the time in a distributed system,
// PODC 1983). So the shortest round trips decide.
type Other struct {
	pings  int
	rtt    int64
	at     int64   // our clock, of the bounds
	lo, hi float64 // least and greatest offset
}

// Add takes in a ping. Pings are added in the order in which they were received. It returns an error, and
// leaves o as it was, if the ping cannot be, or if it contradicts those before: a clock was stepped, or
// its rate changed by more than Drift.
func (o *Other) Add(p Ping) error {
	trip, there := p.ReceivedNS-p.SentNS, p.LeftNS-p.ArrivedNS
	switch slack := widened(trip); {
	case trip < 0 || there < 0:
		return fmt.Errorf("a clock ran backwards: a round trip of %d ns, %d ns of them there", trip, there)
	case float64(there) > float64(trip)+slack:
		return fmt.Errorf("the other machine held a message for %d ns of a round trip of %d ns", there, trip)
	case o.pings > 0 && p.ReceivedNS < o.at:
		return fmt.Errorf("a ping that was received %d ns before the last", o.at-p.ReceivedNS)
	}
	// Of the moment at which the message arrived, and of that at which the answer left; both at most a
	// round trip before the time at which they are stated.
	hi := float64(p.ArrivedNS-p.SentNS) + widened(trip)
	lo := float64(p.LeftNS-p.ReceivedNS) - widened(trip)
	rtt := max(trip-there, 0)
	if o.pings > 0 {
		more := widened(p.ReceivedNS - o.at)
		if lo > o.hi+more || hi < o.lo-more {
			return fmt.Errorf("a clock was stepped, or runs by more than %g ppm faster or slower: the offset was "+
				"%.0f to %.0f ns, and is %.0f to %.0f", Drift*1e6, o.lo-more, o.hi+more, lo, hi)
		}
		lo, hi, rtt = max(lo, o.lo-more), min(hi, o.hi+more), min(rtt, o.rtt)
	}
	*o = Other{o.pings + 1, rtt, p.ReceivedNS, lo, hi}
	return nil
}

// widened returns by how much two clocks may come apart in some time of ours, rounded up to the ns that
// clocks show.
func widened(ns int64) float64 { return math.Ceil(float64(max(ns, -ns))*Drift) + 1 }

// Known reports whether there was a ping.
func (o *Other) Known() bool { return o.pings > 0 }

// At returns the offset when our clock shows at. Without a ping BoundNS is math.MaxInt64.
func (o *Other) At(at int64) Offset {
	if !o.Known() {
		return Offset{AtNS: at, BoundNS: math.MaxInt64}
	}
	more := 0.
	if at != o.at {
		more = widened(at - o.at)
	}
	middle := math.Round((o.lo + o.hi) / 2)
	return Offset{NS: int64(middle), BoundNS: int64(math.Ceil(max(o.hi-middle, middle-o.lo) + more)), AtNS: at, RTTNS: o.rtt}
}

// Start is a time at which something is to begin on another machine.
type Start struct {
	OursNS  int64 `json:"ours_ns"`  // on our clock
	TheirNS int64 `json:"their_ns"` // on the other's
	BoundNS int64 `json:"bound_ns"` // by which the two may differ
}

// Start returns the time at that our clock shows, as the other clock will show it.
func (o *Other) Start(at int64) Start {
	off := o.At(at)
	return Start{OursNS: at, TheirNS: at + off.NS, BoundNS: off.BoundNS}
}

// Off returns by how much at most a beginning differs from s, if the other clock showed began.
func (s Start) Off(began int64) int64 {
	late := max(began-s.TheirNS, s.TheirNS-began)
	if s.BoundNS > math.MaxInt64-late {
		return math.MaxInt64
	}
	return late + s.BoundNS
}

// Missed returns the error of a beginning that may differ from s by more than limit; nil if it does not.
func (s Start) Missed(began, limit int64) error {
	if off := s.Off(began); off > limit {
		return fmt.Errorf("it began %+d ns from its time, which is known to ± %d ns: up to %d ns off, where %d are "+
			"allowed", began-s.TheirNS, s.BoundNS, off, limit)
	}
	return nil
}
