//go:build !gonet

package loop

import (
	"context"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// nullServer runs truth's null server in this process; it does not allocate per request either.
func nullServer(t testing.TB, s *scenario.Scenario) wire.Endpoint {
	t.Helper()
	null, _, err := refserver.NullOf(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	addr := filepath.Join(t.TempDir(), "s")
	done := make(chan error, 1)
	go func() {
		_, err := (&refserver.Null{Response: null.Response}).Serve(ctx, "unix", addr)
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return wire.Endpoint{Network: "unix", Addr: addr}
}

// connect opens a session once the server is up.
func connect(t testing.TB, j load.Job) *session {
	t.Helper()
	for range 1000 {
		if s, err := (Engine{}).Open(t.Context(), j); err == nil {
			t.Cleanup(func() { s.Close() })
			return s.(*session)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the null server does not come up")
	return nil
}

func twoRequests() *scenario.Scenario {
	body := "value"
	e := scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain"}}
	with := map[string]scenario.Input{"id": {Int: [2]int64{1, 1_000_000}}}
	return &scenario.Scenario{Name: "two", Requests: []scenario.Request{
		{Name: "a", Method: "GET", Path: "/api/values/{id}", Weight: 2, With: with, Expect: e},
		{Name: "b", Method: "POST", Path: "/{id}", Body: "twelve bytes", Weight: 1, With: with,
			Expect: scenario.Expect{Status: 200, Body: &body}},
	}}
}

// TestRequestsDoNotAllocate compares a worker's long window with a short one: beginning and ending
// a window does allocate.
func TestRequestsDoNotAllocate(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	due := &load.Schedule{Stages: []load.Stage{{From: 1e5, To: 1e5}}, Poisson: true, Seed: 1}
	for _, c := range []struct {
		depth    int
		schedule *load.Schedule
	}{{1, nil}, {4, nil}, {1, due}} {
		depth := c.depth
		s := twoRequests()
		to := nullServer(t, s)
		session := connect(t, load.Job{Endpoint: to, Scenario: s, Connections: 16, Pipeline: depth})
		w := session.workers[0]
		mallocs := func(requests int64) int64 {
			w.establish(t.Context())
			w.rec.Reset()
			win := &window{Window: load.Window{Requests: requests, Schedule: c.schedule}, paced: c.schedule != nil}
			win.left.Store(requests)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := w.now()
			win.open(start, &session.job)
			w.run(win, start)
			runtime.ReadMemStats(&after)
			if l, err := session.load(win); err != nil || l.Succeeded != requests {
				t.Fatalf("%+v, %v", l, err)
			}
			return int64(after.Mallocs - before.Mallocs)
		}
		mallocs(10_000)
		short, long := mallocs(10_000), mallocs(60_000)
		if n := long - short; n > 10 { // the runtime's own threads and timers may allocate a little meanwhile
			t.Errorf("depth %d, open loop %v: %d allocations in 50,000 more requests", depth, c.schedule != nil, n)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	s := twoRequests()
	to := nullServer(b, s)
	session := connect(b, load.Job{Endpoint: to, Scenario: s, Connections: 16})
	b.ReportAllocs()
	b.ResetTimer()
	if l, err := session.Run(b.Context(), load.Window{Requests: int64(b.N)}); err != nil || l.Succeeded != int64(b.N) {
		b.Fatalf("%+v, %v", l, err)
	}
}
