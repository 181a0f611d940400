//go:build !linux

package machine

import (
	"runtime"
	"time"
)

// Meter reads only the time: dyno has no reader for this system's counters yet.
type Meter struct{}

// NewMeter never fails here.
func NewMeter() (*Meter, error) { return &Meter{}, nil }

// Close does nothing here.
func (m *Meter) Close() {}

// Snapshot sets only At; the causes between two snapshots are 0.
func (m *Meter) Snapshot(s *Snapshot) { *s = Snapshot{At: time.Now()} }

// Suspended returns 0, because it is unknown on this system.
func Suspended() time.Duration { return 0 }

// Usable returns the CPUs that this process may run on.
func Usable() []int {
	list := make([]int, runtime.NumCPU())
	for i := range list {
		list[i] = i
	}
	return list
}

func fileLimit() int64 { return 0 }

// RaiseFileLimit changes nothing here.
func RaiseFileLimit() (int64, error) { return 0, nil }
