package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno/internal/machine"
)

// Clock is an agent's clock when an order arrived and when the answer left, in ns since the agent began,
// monotonic.
type Clock struct {
	ArrivedNS int64 `json:"arrived_ns"`
	LeftNS    int64 `json:"left_ns"`
}

// trips is the number of round trips of which the shortest counts.
const trips = 40

func (s *session) clock(*Done) (Clock, error) { return Clock{s.arrived, s.agent.now()}, nil }

// errClock reports a clock that cannot be trusted.
var errClock = errors.New("its clock cannot be related to that of this machine")

// now returns the controller's clock: ns since the hub began, monotonic.
func (h *Hub) now() int64 { return int64(time.Since(h.began)) }

// pings adds n round trips to the estimate of an agent's clock. An errClock means that the clock cannot be
// trusted.
func (h *Hub) pings(ctx context.Context, agent string, c *machine.Other, n int) error {
	for range n {
		sent := h.now()
		at, err := ask(ctx, h, agent, clock, Done{}, patience)
		if err != nil {
			return err
		}
		if err := c.Add(machine.Ping{SentNS: sent, ArrivedNS: at.ArrivedNS, LeftNS: at.LeftNS,
			ReceivedNS: h.now()}); err != nil {
			return fmt.Errorf("%s: %w: %w", agent, errClock, err)
		}
	}
	return nil
}
