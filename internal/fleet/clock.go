package fleet

import (
	"context"
	"math"
	"time"
)

// Clock is an agent's clock when an order arrived and when the answer left, in ns since the agent began,
// monotonic.
type Clock struct {
	ArrivedNS int64 `json:"arrived_ns"`
	LeftNS    int64 `json:"left_ns"`
}

func (s *session) clock(*Done) (Clock, error) { return Clock{s.arrived, s.agent.now()}, nil }

// now returns the controller's clock: ns since the hub began, monotonic.
func (h *Hub) now() int64 { return int64(time.Since(h.began)) }

// offset relates an agent's clock to the controller's.
type offset struct {
	aheadNS int64 // of the agent's clock
	boundNS int64 // largest error of aheadNS
	sentNS  int64 // controller's clock
}

const (
	trips = 10 // round trips of which the shortest counts

	// drift is the largest relative difference between the rates of two clocks: 500 ppm, by which Linux lets NTP
	// change a clock's rate (MAXFREQ in include/linux/timex.h). Quartzes differ by less than 100 ppm.
	drift = 500e-6
)

// offset compares an agent's clock with the controller's. A message and its answer both take some time, so the offset
// lies between the values that either gives if its delay is taken as zero (Cristian, Probabilistic clock
// synchronization, Distributed Computing 3, 1989).
func (h *Hub) offset(ctx context.Context, agent string) (o offset, err error) {
	o.boundNS = math.MaxInt64
	for range trips {
		sent := h.now()
		at, err := ask(ctx, h, agent, clock, Done{}, patience)
		if err != nil {
			return o, err
		}
		most, least := at.ArrivedNS-sent, at.LeftNS-h.now()
		if bound := (most-least)/2 + 1; bound < o.boundNS {
			o = offset{least + (most-least)/2, bound, sent}
		}
	}
	return o, nil
}

// at returns the agent's clock when the controller's shows ns, and the largest error of that.
func (o offset) at(ns int64) (agent, bound int64) {
	return ns + o.aheadNS, o.boundNS + int64(math.Ceil(float64(ns-o.sentNS)*drift))
}
