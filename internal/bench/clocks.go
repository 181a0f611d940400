package bench

import (
	"cmp"
	"slices"
	"time"
)

// reading is the difference between two clock readings, if both succeeded.
type reading struct {
	d  time.Duration
	ok bool
}

func (r reading) ns() *int64 {
	if !r.ok {
		return nil
	}
	return new(int64(r.d))
}

func (r reading) or(d time.Duration) time.Duration {
	if r.ok {
		return r.d
	}
	return d
}

// cpuOf returns a CPU clock for the servers' process trees; nil if there are none.
func cpuOf(all ...Server) func() (time.Duration, error) {
	if len(all) == 0 {
		return nil
	}
	return func() (sum time.Duration, err error) {
		for _, s := range all {
			r, unread := s.Read(ReadCPU)
			sum, err = sum+r.CPU, cmp.Or(err, unread)
		}
		return sum, err
	}
}

// clocks reads CPU clocks; nil entries are left out. The returned function reads them again and
// returns the differences. The time of the first is the shortest, and no other reading is in it: of
// a database with fifty processes, a reading takes milliseconds.
func clocks(of ...func() (time.Duration, error)) func() []reading {
	from := make([]reading, len(of))
	for i, c := range slices.Backward(of) {
		if c != nil {
			d, err := c()
			from[i] = reading{d, err == nil}
		}
	}
	return func() []reading {
		passed := make([]reading, len(of))
		for i, c := range of {
			if from[i].ok {
				d, err := c()
				passed[i] = reading{d - from[i].d, err == nil}
			}
		}
		return passed
	}
}
