package fleet

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"dyno/internal/host"
)

// Filling asks an agent to send messages to the controller for that long.
type Filling struct {
	ForNS int64 `json:"for_ns"`
}

// Filled says how many bytes an agent sent.
type Filled struct {
	Bytes int64 `json:"bytes"`
}

const (
	longestFilling = 2 * time.Second
	mostFilling    = 1 << 30 // bytes
	chunk          = 128 << 10
)

// bulk fills the link. It ends by itself.
func (s *session) bulk(f *Filling) (Filled, error) {
	if f.ForNS < 0 || f.ForNS > int64(longestFilling) {
		return Filled{}, unfit{fmt.Errorf("a filling of %v: want %v at most", time.Duration(f.ForNS), longestFilling)}
	}
	data, sent := make([]byte, chunk), int64(0)
	for end := time.Now().Add(time.Duration(f.ForNS)); time.Now().Before(end) && sent < mostFilling; sent += chunk {
		if err := s.link.fill(data); err != nil {
			return Filled{}, err
		}
	}
	return Filled{sent}, s.link.flush(patience)
}

// Bandwidth returns the bytes per second that come from an agent over the encrypted connection, which
// is no more than the link carries.
func (h *Hub) Bandwidth(ctx context.Context, agent string, length time.Duration) (perSec float64, err error) {
	var first, last, total atomic.Int64
	stop, err := h.wire.fillings(agent, func(bytes int) {
		now := h.now()
		if first.CompareAndSwap(0, now) {
			return // it only starts the clock
		}
		last.Store(now)
		total.Add(int64(bytes))
	})
	if err != nil {
		return 0, err
	}
	defer stop()
	filled, err := ask[Filled](ctx, h, agent, bulk, Filling{int64(length)}, length+patience)
	if err != nil {
		return 0, err
	}
	for end := time.Now().Add(patience); total.Load() < filled.Bytes-chunk; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return 0, fmt.Errorf("%s: of %d bytes that it sent only %d came", agent, filled.Bytes, total.Load())
		}
	}
	return float64(total.Load()) / (float64(max(last.Load()-first.Load(), 1)) / 1e9), nil
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
