package bench

import "time"

// reading is the difference between two clock readings, if both succeeded.
type reading struct {
	d  time.Duration
	ok bool
}

func (r reading) ns() *int64 {
	if !r.ok {
		return nil
	}
	n := int64(r.d)
	return &n
}

func (r reading) or(d time.Duration) time.Duration {
	if r.ok {
		return r.d
	}
	return d
}

// cpuOf returns the CPU clock for a server's process tree; nil for nil.
func cpuOf(s Server) func() (time.Duration, error) {
	if s == nil {
		return nil
	}
	return func() (time.Duration, error) {
		r, err := s.Read(ReadCPU)
		return r.CPU, err
	}
}

// clocks reads CPU clocks; nil entries are left out. The returned function reads them again and
// returns the differences.
func clocks(of ...func() (time.Duration, error)) func() []reading {
	from := make([]reading, len(of))
	for i, c := range of {
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
