package load

import (
	"math"

	"dyno/internal/record"
)

// Pace records how long an open loop's requests on one event loop waited, in either half of the time in
// which requests are due: see record.Pace. It serves one window. Recording does not allocate. All times
// are ns on the session's clock.
type Pace struct {
	middle   int64 // 0: a number of requests bounds the window
	deadline int64

	Sum record.Pace // this Pace and merged ones
}

// NewPace returns the Pace for one event loop in a window from start to deadline; math.MaxInt64 means
// no deadline.
func NewPace(start, deadline int64) *Pace {
	p := &Pace{deadline: deadline}
	if deadline < math.MaxInt64 {
		p.Sum.HalfNS = (deadline - start) / 2
		p.middle = start + p.Sum.HalfNS
	}
	return p
}

// waited adds the time in which a request was due and unanswered, split at the window's middle. By
// Little's law this gives the mean number of requests in the system in either half.
func (p *Pace) waited(due, until int64) {
	if p.middle == 0 {
		return
	}
	until = min(until, p.deadline)
	p.Sum.EarlyNS += max(min(until, p.middle)-due, 0)
	p.Sum.LateNS += max(until-max(due, p.middle), 0)
}

// merge adds o. p may be nil.
func (p *Pace) merge(o *Pace) *Pace {
	if p == nil {
		p = &Pace{}
	}
	p.Sum.HalfNS = max(p.Sum.HalfNS, o.Sum.HalfNS)
	p.Sum.EarlyNS += o.Sum.EarlyNS
	p.Sum.LateNS += o.Sum.LateNS
	return p
}
