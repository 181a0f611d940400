package load

import (
	"encoding/json"
	"math"
	"time"

	"dyno/internal/record"
)

const (
	paceBin  = int64(time.Millisecond)
	paceGaps = 64 // parts of 0 to 1
)

// Pace records how evenly an open loop's requests went out on one event loop, and how long they
// waited: see record.Pace. It serves one window. Recording does not allocate. All times are ns on
// the session's clock.
type Pace struct {
	schedule *Schedule
	part     float64 // share of all arrivals that this event loop sends
	start    int64
	middle   int64 // 0: a number of requests bounds the window
	deadline int64

	early, late   int64
	bin, inBin    int64
	sent, squares int64
	last          int64   // time of the last send
	expected      float64 // arrivals until last, by the schedule
	gaps          [paceGaps]int64

	sum record.Pace // over closed bins and merged Paces
}

// NewPace returns the Pace for one event loop of several, in a window from start to deadline;
// math.MaxInt64 means no deadline.
func NewPace(s *Schedule, workers int, start, deadline int64) *Pace {
	p := &Pace{schedule: s, part: 1 / float64(workers*s.share.of()), start: start, deadline: deadline, last: start}
	if deadline < math.MaxInt64 {
		p.middle = start + (deadline-start)/2
	}
	return p
}

// send counts n requests that go out at now.
func (p *Pace) send(n, now int64) {
	now = max(now, p.last) // connections that share a Pace may be out of order
	if bin := (now - p.start) / paceBin; bin > p.bin {
		p.turn()
		p.bin = bin
	}
	p.inBin += n
	if p.schedule.Poisson {
		if now > p.last {
			x := p.schedule.Expected(time.Duration(now - p.start))
			u := -math.Expm1((p.expected - x) * p.part)
			p.gaps[min(int(u*paceGaps), paceGaps-1)]++
			p.expected = x
			n--
		}
		p.gaps[0] += n // sent together with another
	}
	p.last = now
}

// turn closes a bin. Requests sent after the deadline, or in a last bin that the deadline cuts
// short, do not count.
func (p *Pace) turn() {
	if p.bin < (p.deadline-p.start)/paceBin {
		p.sent += p.inBin
		p.squares += p.inBin * p.inBin
	}
	p.inBin = 0
}

// waited adds the time in which a request was due and unanswered, split at the window's middle. By
// Little's law this gives the mean number of requests in the system in either half.
func (p *Pace) waited(due, until int64) {
	if p.middle == 0 {
		return
	}
	until = min(until, p.deadline)
	p.early += max(min(until, p.middle)-due, 0)
	p.late += max(until-max(due, p.middle), 0)
}

// close ends the Pace. A window that was cut short, or that a number of requests bounds, has bins
// until its last send, and no halves.
func (p *Pace) close(cut bool) {
	whole, end := !cut && p.middle > 0, p.last
	if whole {
		end = p.deadline
	}
	bins := (end - p.start) / paceBin
	if p.bin < bins {
		p.turn()
	}
	p.sum = record.Pace{Bins: bins, Sent: p.sent, Squares: p.squares}
	if whole {
		p.sum.HalfNS, p.sum.EarlyNS, p.sum.LateNS = p.middle-p.start, p.early, p.late
	}
	if p.schedule.Poisson {
		p.sum.Gaps = p.gaps[:]
	}
}

// merge adds o, which is closed. p may be nil.
func (p *Pace) merge(o *Pace) *Pace {
	if p == nil {
		p = &Pace{}
	}
	if p.sum.Gaps == nil && o.sum.Gaps != nil {
		p.sum.Gaps = make([]int64, paceGaps)
	}
	p.sum.HalfNS = max(p.sum.HalfNS, o.sum.HalfNS)
	p.sum.EarlyNS += o.sum.EarlyNS
	p.sum.LateNS += o.sum.LateNS
	p.sum.Bins += o.sum.Bins
	p.sum.Sent += o.sum.Sent
	p.sum.Squares += o.sum.Squares
	for i, n := range o.sum.Gaps {
		p.sum.Gaps[i] += n
	}
	return p
}

// MarshalJSON and UnmarshalJSON carry the closed bins and merged Paces.
func (p *Pace) MarshalJSON() ([]byte, error)    { return json.Marshal(p.sum) }
func (p *Pace) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.sum) }
