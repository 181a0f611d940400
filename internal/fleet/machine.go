package fleet

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/host"
)

// filling is an answer that only fills the link; it travels as it is.
type filling []byte

const mostFilling = mostBytes / 2

// fill answers with so many bytes.
func (s *session) fill(n *int) (filling, error) {
	if *n < 0 || *n > mostFilling {
		return nil, unfit{fmt.Errorf("a filling of %d bytes: want %d at most", *n, mostFilling)}
	}
	return make(filling, *n), nil
}

// Bandwidth returns the bytes per second that come from an agent over the encrypted connection, which
// is no more than the link carries: of the fastest answer, each of which is four times as large as the last.
func (h *Hub) Bandwidth(ctx context.Context, agent string) (perSec float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	took := time.Duration(0)
	for n := mostFilling >> 8; n <= mostFilling && took < 100*time.Millisecond; n *= 4 {
		sent := time.Now()
		data, err := h.wire.ask(ctx, agent, encoded(h.order(agent, string(bulk), encoded(n))))
		took = time.Since(sent)
		if err == nil && len(data) != n {
			err = fmt.Errorf("of %d bytes only %d came: %.200q", n, len(data), data)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: measure the bandwidth: %w", agent, err)
		}
		perSec = max(perSec, float64(n)/took.Seconds())
	}
	return perSec, nil
}

// Examining asks for a Condition, observed for that long.
type Examining struct {
	ForNS int64 `json:"for_ns"`
}

// Condition is what a machine offers a load generator.
type Condition struct {
	CPUs      int   `json:"cpus"` // that the agent may use
	FileLimit int64 `json:"file_limit"`
	// BackgroundShare is the share of all CPUs' time that other programs used, StealShare the one that
	// the hypervisor gave to other machines; below 0: not known on this system.
	BackgroundShare float64 `json:"background_share"`
	StealShare      float64 `json:"steal_share"`
	// PauseNS is the longest time that the agent was to sleep 1 ms and slept longer.
	PauseNS int64 `json:"pause_ns"`
}

const longestExamination = 3 * time.Second

// examine observes the machine.
func (s *session) examine(e *Examining) (c Condition, err error) {
	if e.ForNS <= 0 || e.ForNS > int64(longestExamination) {
		return c, unfit{fmt.Errorf("an examination of %v: want %v at most", time.Duration(e.ForNS), longestExamination)}
	}
	cpus, quota := host.Limits()
	if c.CPUs = len(cpus); quota > 0 {
		c.CPUs = min(c.CPUs, max(int(quota), 1))
	}
	if c.FileLimit, err = host.RaiseFileLimit(); err != nil {
		return c, err
	}
	meter, err := host.NewMeter()
	if err != nil {
		return c, err
	}
	defer meter.Close()
	var before, after host.Snapshot
	meter.Snapshot(&before)
	for end := time.Now().Add(time.Duration(e.ForNS)); time.Now().Before(end) && s.ctx.Err() == nil; {
		slept := time.Now()
		time.Sleep(time.Millisecond)
		c.PauseNS = max(c.PauseNS, int64(time.Since(slept)-time.Millisecond))
	}
	meter.Snapshot(&after)
	causes := host.Causes(&before, &after, host.Account{CPUs: cpus}, host.Account{})
	all := float64(causes.WallNS) * float64(len(cpus))
	c.BackgroundShare, c.StealShare = -1, -1
	if len(after.CPUs) > 0 && all > 0 {
		c.BackgroundShare = float64(causes.BackgroundServerNS) / all
		c.StealShare = float64(causes.StealNS) / (float64(causes.WallNS) * float64(len(after.CPUs)))
	}
	return c, nil
}
