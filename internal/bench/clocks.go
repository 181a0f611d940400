package bench

import "time"

// reading is the difference of two readings of a clock, if both succeeded.
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

// clocks reads CPU clocks; nil entries are left out. The returned function reads them again and
// returns the differences.
func clocks(of ...interface{ CPU() (time.Duration, error) }) func() []reading {
	from := make([]reading, len(of))
	for i, c := range of {
		if c != nil {
			d, err := c.CPU()
			from[i] = reading{d, err == nil}
		}
	}
	return func() []reading {
		passed := make([]reading, len(of))
		for i, c := range of {
			if from[i].ok {
				d, err := c.CPU()
				passed[i] = reading{d - from[i].d, err == nil}
			}
		}
		return passed
	}
}
