package refserver

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Added is the time that a Reference spent on its added cost, sampled for one request in 64 by two
// clock readings, whose time it includes. For a plain ref it is only the time of the readings.
type Added struct {
	Sampled int   `json:"sampled"`
	P50NS   int64 `json:"p50_ns"` // 0 if nothing was sampled
}

// sampleEvery keeps the readings of the clock below 1/100 of 1 % of a request.
const sampleEvery = 64

// mostSampled limits the memory of a long-running server to 512 kB.
const mostSampled = 1 << 16

// added spends a known cost, and looks now and then what it is worth.
type added struct {
	requests atomic.Uint64
	mu       sync.Mutex
	ns       []int64
}

// spin spends the cost of turns. One request in sampleEvery takes the time of it.
func (a *added) spin(turns int) {
	if a.requests.Add(1)%sampleEvery != 0 {
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
}

// Added returns the samples so far. It uses the median, because samples during which the thread
// lost its CPU do not reflect the cost.
func (r *Reference) Added() Added {
	r.added.mu.Lock()
	defer r.added.mu.Unlock()
	s := slices.Sorted(slices.Values(r.added.ns))
	if len(s) == 0 {
		return Added{}
	}
	return Added{Sampled: len(s), P50NS: s[len(s)/2]}
}
