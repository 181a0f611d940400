package refserver

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Added is the time that a Reference spent, in the midst of its work, on its added cost: of one
// request in 64, by two readings of the clock, which are in it. What a plain ref tells of itself is
// what the readings take.
type Added struct {
	Sampled int   `json:"sampled"`
	P50NS   int64 `json:"p50_ns"` // 0 if nothing was sampled
}

// sampleEvery keeps the readings of the clock below 1/100 of 1 % of a request.
const sampleEvery = 64

// mostSampled bounds the memory of a server that nobody stops: 512 kB.
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

// Added tells what was sampled so far. It is the median: a sample in which the thread lost its CPU
// says nothing of the cost.
func (r *Reference) Added() Added {
	r.added.mu.Lock()
	defer r.added.mu.Unlock()
	s := slices.Sorted(slices.Values(r.added.ns))
	if len(s) == 0 {
		return Added{}
	}
	return Added{Sampled: len(s), P50NS: s[len(s)/2]}
}
