package refserver

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Added is the time that a Reference spends on its added cost, sampled for one request in 64 by two
// clock readings and including their time. For a plain ref it is only the time of the readings.
//
// OwnNS is the total cost of a request by the process's CPU clock and request count, from the
// 1,024th request on; 0 if unknown. The added cost raises it by more than its own time:
// the system and the runtime do some work per unit of time and not per request (doc/method.md).
type Added struct {
	Sampled int     `json:"sampled"`
	P50NS   int64   `json:"p50_ns"` // 0 if nothing was sampled
	OwnNS   float64 `json:"own_ns,omitempty"`
}

// sampleEvery keeps the clock readings below 1/100 of 1 % of a request.
const sampleEvery = 64

// ownEvery keeps the CPU clock readings, 1 µs each, below 1/100 of 1 % of a request. It is a multiple of
// sampleEvery.
const ownEvery = 1024

// mostSampled limits the memory in a long-running server to 512 kB.
const mostSampled = 1 << 16

// added spends a known cost, and times it for one request in sampleEvery.
type added struct {
	requests    atomic.Uint64
	mu          sync.Mutex
	ns          []int64
	first, last reading
}

// reading is the process's CPU time after a number of requests.
type reading struct {
	requests uint64
	cpu      time.Duration
}

// spin spends the given number of turns, and records the time for one request in sampleEvery.
func (a *added) spin(turns int) {
	n := a.requests.Add(1)
	if n%sampleEvery != 0 {
		_ = Spin(turns)
		return
	}
	start := time.Now()
	_ = Spin(turns)
	ns := int64(time.Since(start))
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ns) < mostSampled {
		a.ns = append(a.ns, ns)
	}
	if n%ownEvery == 0 && n > a.last.requests {
		a.last = reading{n, cpuTime()}
		if a.first.requests == 0 {
			a.first = a.last
		}
	}
}

// Added returns the samples so far. It uses the median, because samples during which the thread lost its CPU
// do not reflect the cost.
func (r *Reference) Added() Added {
	r.added.mu.Lock()
	defer r.added.mu.Unlock()
	s := slices.Sorted(slices.Values(r.added.ns))
	if len(s) == 0 {
		return Added{}
	}
	sampled := Added{Sampled: len(s), P50NS: s[len(s)/2]}
	if first, last := r.added.first, r.added.last; last.requests > first.requests {
		sampled.OwnNS = float64(last.cpu-first.cpu) / float64(last.requests-first.requests)
	}
	return sampled
}
