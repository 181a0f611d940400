package fleet

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// counting returns a server that counts its requests.
func counting(t *testing.T) (url string, n *atomic.Int64) {
	n = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.Write([]byte("value"))
	}))
	t.Cleanup(s.Close)
	return s.URL, n
}

func gathered(t *testing.T, names ...string) *rig {
	t.Helper()
	b := newBench(t, names...)
	if err := b.Gather(t.Context(), b.All()); err != nil {
		t.Fatal(err)
	}
	return b
}

// taken begins a run on all generators, and returns it with a job for a server that answers with body.
func (b *rig) taken(t *testing.T, url, body string) (*Host, load.Job) {
	t.Helper()
	addr := strings.TrimPrefix(url, "http://")
	h := &Host{hub: b.Hub, server: "srv1", machines: b.Names(), generators: b.Names(), work: context.Background(),
		place: map[string]Place{where(wire.TCP(addr)): {Addr: addr}}, described: map[string]record.Host{}}
	if err := h.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h, load.Job{Endpoint: wire.TCP(addr), Connections: 5, Timeout: 5 * time.Second,
		Scenario: &scenario.Scenario{Name: "hello", Requests: []scenario.Request{{Name: "get", Method: "GET", Path: "/",
			Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body}}}}}
}

// TestRefusedWindows: a window for a load that is not open, or in the far future, is refused. One in the past begins
// at once, and says when.
func TestRefusedWindows(t *testing.T) {
	b := gathered(t, "gen1")
	url, n := counting(t)
	_, job := b.taken(t, url, "value")
	window := func(w LoadWindow) (r LoadedWindow, a Answer) {
		w.Window.Requests = 10
		if a = b.send(t, "gen1", b.order("gen1", string(toLoad), w)); a.Fault == nil {
			if err := strict(a.Body, &r); err != nil {
				t.Fatal(err)
			}
		}
		return r, a
	}
	if _, a := window(LoadWindow{Number: 1}); !a.refused("not there") {
		t.Errorf("nothing is open: %+v", a)
	}
	var number int
	a := b.send(t, "gen1", b.order("gen1", string(toOpen), Loading{To: Place{Addr: job.Addr}, Job: job}))
	if err := strict(a.Body, &number); err != nil {
		t.Fatalf("%v, %+v", err, a)
	}
	if _, a := window(LoadWindow{Number: number, AtNS: b.agents["gen1"].now() + 2*time.Minute.Nanoseconds()}); !a.refused(
		"want a minute at most") {
		t.Errorf("%+v", a)
	}
	if n.Load() != 0 {
		t.Errorf("%d requests were sent", n.Load())
	}
	now := b.agents["gen1"].now()
	if r, a := window(LoadWindow{Number: number, AtNS: 1}); r.Part == nil || r.BeganNS < now || n.Load() != 10 {
		t.Errorf("%+v, %+v: %d requests were sent; want 10", r, a, n.Load())
	}
}

// loading makes an endless load from all generators, and returns when it is running; ended gets its error.
func (b *rig) loading(t *testing.T, url string, n *atomic.Int64) (ended chan error) {
	t.Helper()
	h, job := b.taken(t, url, "value")
	endless := load.Window{For: time.Hour, Schedule: &load.Schedule{Stages: []load.Stage{{From: 200, To: 200}}}}
	session, err := h.Generator().Open(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() {
		_, err := session.Run(t.Context(), endless)
		ended <- err
	}()
	for n.Load() < 20 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return ended
}

// silent waits, for at most a minute, until a server gets no more requests.
func silent(t *testing.T, n *atomic.Int64) {
	t.Helper()
	for range 120 {
		before := n.Load()
		time.Sleep(500 * time.Millisecond)
		if n.Load() == before {
			return
		}
	}
	t.Error("the load goes on after a minute")
}

// TestLostController: agents without their controller stop sending.
func TestLostController(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	url, n := counting(t)
	ended := b.loading(t, url, n)
	b.Close()
	silent(t, n)
	if err := <-ended; err == nil {
		t.Error("a load without its controller has a result")
	}
}
