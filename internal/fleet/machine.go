package fleet

import (
	"time"

	"dyno/internal/machine"
)

// Condition describes a machine's suitability as load generator.
type Condition struct {
	CPUs      int   `json:"cpus"` // usable by the agent
	FileLimit int64 `json:"file_limit"`
	// BackgroundShare is the share of all CPU time that other programs used, StealShare the share that the
	// hypervisor gave to other machines; below 0: unknown on this system.
	BackgroundShare float64 `json:"background_share"`
	StealShare      float64 `json:"steal_share"`
	// PauseNS is the longest excess of a 1 ms sleep.
	PauseNS int64 `json:"pause_ns"`
}

// examine observes the machine for a second.
func (s *session) examine(*Done) (c Condition, err error) {
	cpus, quota := machine.Limits()
	if c.CPUs = len(cpus); quota > 0 {
		c.CPUs = min(c.CPUs, max(int(quota), 1))
	}
	if c.FileLimit, err = machine.RaiseFileLimit(); err != nil {
		return c, err
	}
	meter, err := machine.NewMeter()
	if err != nil {
		return c, err
	}
	defer meter.Close()
	var before, after machine.Snapshot
	meter.Snapshot(&before)
	for end := time.Now().Add(time.Second); time.Now().Before(end) && s.ctx.Err() == nil; {
		slept := time.Now()
		time.Sleep(time.Millisecond)
		c.PauseNS = max(c.PauseNS, int64(time.Since(slept)-time.Millisecond))
	}
	meter.Snapshot(&after)
	causes := machine.Causes(&before, &after, machine.Account{CPUs: cpus}, machine.Account{})
	all := float64(causes.WallNS) * float64(len(cpus))
	c.BackgroundShare, c.StealShare = -1, -1
	if len(after.CPUs) > 0 && all > 0 {
		c.BackgroundShare = float64(causes.BackgroundServerNS) / all
		c.StealShare = float64(causes.StealNS) / (float64(causes.WallNS) * float64(len(after.CPUs)))
	}
	return c, nil
}
