package fleet

import (
	"context"
	"time"
)

// Clock is an agent's clock when an order arrived and when its answer left, in ns since the agent
// began.
type Clock struct {
	ArrivedNS int64 `json:"arrived_ns"`
	LeftNS    int64 `json:"left_ns"`
}

// Offset says how an agent's clock relates to the controller's: an agent's time is the controller's
// plus NS, give or take BoundNS. Both are monotonic.
type Offset struct {
	NS      int64 `json:"offset_ns"`
	BoundNS int64 `json:"bound_ns"`
	RTTNS   int64 `json:"rtt_ns"` // least round trip, without the agent's own time
	AtNS    int64 `json:"at_ns"`  // controller's clock at that round trip
}

// better returns the offset that a round trip gives, if its bound is narrower than that of o, else o.
// The message there took between nothing and the whole round trip, so the middle is off by half of it
// at most (Cristian, Probabilistic clock synchronization, 1989).
func (o Offset) better(sent, received int64, at Clock) Offset {
	rtt := max(received-sent-(at.LeftNS-at.ArrivedNS), 0)
	if o.AtNS != 0 && rtt >= o.RTTNS {
		return o
	}
	return Offset{NS: at.ArrivedNS - sent - rtt/2, BoundNS: (rtt + 1) / 2, RTTNS: rtt, AtNS: max(sent, 1)}
}

// trips is the number of round trips of which the shortest counts.
const trips = 40

// now returns the controller's clock: ns since the hub began, monotonic.
func (h *Hub) now() int64 { return int64(time.Since(h.began)) }

// Clock compares an agent's clock with the controller's.
func (h *Hub) Clock(ctx context.Context, agent string) (o Offset, err error) {
	for range trips {
		sent := h.now()
		at, err := ask[Greeting, Clock](ctx, h, agent, clock, Greeting{})
		if err != nil {
			return o, err
		}
		o = o.better(sent, h.now(), *at)
	}
	return o, nil
}

// clock answers nothing but whether it may: receive has read the clock.
func (s *session) clock(*Greeting) (Clock, error) { return Clock{}, nil }
