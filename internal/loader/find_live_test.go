package loader

import (
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"dyno/internal/judge"
)

// queue is a server that handles requests one after another, each for some time; sleeps may be inexact,
// because errors do not add up.
type queue struct {
	mu    sync.Mutex
	takes time.Duration
	free  time.Time
	slow  bool // a burst halves the rate
}

func (q *queue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	q.free = time.Now().Add(max(0, time.Until(q.free)) + q.takes)
	if q.slow {
		q.free = q.free.Add(q.takes)
	}
	until := q.free
	q.mu.Unlock()
	time.Sleep(time.Until(until))
}

// keeps returns the rate, per second, at which half of the 2 s loads have a p99 below the limit: by
// simulation, with Poisson arrivals.
func (q *queue) keeps(limit time.Duration) float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	takes := q.takes.Seconds()
	pass := func(rate float64) bool {
		kept := 0
		for range 41 {
			var waits []float64
			for at, free := 0., 0.; at < 2; at += rng.ExpFloat64() / rate {
				free = max(free, at) + takes
				waits = append(waits, free-at)
			}
			slices.Sort(waits)
			if waits[len(waits)*99/100] < limit.Seconds() {
				kept++
			}
		}
		return kept > 20
	}
	lo, hi := 0.2/takes, 1.2/takes
	for range 10 {
		if mid := (lo + hi) / 2; pass(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// TestFindLive makes 20 one-minute searches on a server with known capacity, if DYNO_LIVE_FIND is quiet or
// bursts: 20 to 40 minutes.
//
//	DYNO_LIVE_FIND=quiet go test -run TestFindLive -timeout 1h -v ./internal/loader
func TestFindLive(t *testing.T) {
	kind := os.Getenv("DYNO_LIVE_FIND")
	if kind == "" {
		t.Skip("DYNO_LIVE_FIND is not set")
	}
	const limit, searches = 20 * time.Millisecond, 20
	q := &queue{takes: 500 * time.Microsecond}
	server := httptest.NewServer(q)
	defer server.Close()
	if kind == "bursts" {
		go func() {
			for t.Context().Err() == nil {
				time.Sleep(time.Duration(40 * rand.ExpFloat64() * float64(time.Second)))
				for _, slow := range []bool{true, false} {
					q.mu.Lock()
					q.slow = slow
					q.mu.Unlock()
					if slow {
						time.Sleep(5*time.Second + rand.N(10*time.Second))
					}
				}
			}
		}()
	}
	truth, wrong, sure := q.keeps(limit-time.Millisecond), 0, 0 // sleeps are about this late
	for i := range searches {
		p, err := New(t.Context(), Request{URL: server.URL, Connections: 64, Duration: time.Minute, Seed: uint64(i) + 1,
			Find: []judge.Objective{objectives("p99<20ms")[0]}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Search(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("search %d: %.0f (%.0f–%.0f), ok %v, truth %.0f", i, f.Rate, f.Lo, f.Hi, f.OK(), truth)
		if f.OK() && !math.IsInf(f.Hi, 1) {
			sure++
		}
		if f.OK() && (f.Lo > 1.03*truth || f.Hi < 0.97*truth) {
			wrong++
		}
	}
	t.Logf("%s: of %d searches %d gave an interval, %d are wrong", kind, searches, sure, wrong)
	if 20*wrong > searches {
		t.Errorf("%d of %d are wrong", wrong, searches)
	}
}
