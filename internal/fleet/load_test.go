package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/conf"
	"dyno/internal/loader"
	"dyno/internal/report"
	"dyno/internal/scenario"
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

// load packs a load and makes it.
func (b *rig) load(ctx context.Context, r loader.Request) (*report.Summary, error) {
	p, err := Pack(ctx, r)
	if err != nil {
		return nil, err
	}
	return b.Load(ctx, p, func(string) {})
}

// packed returns a load as sent to generators.
func packed(t *testing.T, r loader.Request) loader.Request {
	t.Helper()
	p, err := Pack(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gathered(t *testing.T, names ...string) *rig {
	t.Helper()
	b := newBench(t, names...)
	if err := b.Gather(t.Context(), b.All()); err != nil {
		t.Fatal(err)
	}
	return b
}

// punctual makes a load, again if a generator began late: this machine may be busy with other tests.
func (b *rig) punctual(t *testing.T, r loader.Request, before func()) *report.Summary {
	t.Helper()
	return b.punctualPlan(t, packed(t, r), before)
}

func (b *rig) punctualPlan(t *testing.T, p loader.Request, before func()) *report.Summary {
	t.Helper()
	for range 20 {
		before()
		s, err := b.Load(t.Context(), p, func(string) {})
		if err == nil {
			return s
		}
		if !strings.Contains(err.Error(), "did not start on time") {
			t.Fatal(err)
		}
	}
	t.Skip("this machine is too busy to begin a load on time")
	return nil
}

// TestLoadBySeveral: generators together send the requested load, on time, and without messages meanwhile.
func TestLoadBySeveral(t *testing.T) {
	b := newBench(t, "gen1", "gen2", "gen3")
	b.agents["gen2"].skew = 7e9
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	url, n := counting(t)
	for name, r := range map[string]loader.Request{
		"number": {Requests: 1000, Connections: 7},
		"rate":   {Rate: 2500, Requests: 500, Connections: 7, Timeout: 30 * time.Second},
		"warm":   {Requests: 300, Connections: 3, Warmup: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r.URL, r.Seed = url, 1
			s := b.punctual(t, r, func() { n.Store(0) })
			want := r.Requests
			if s.Load.Succeeded != want || s.Detail.Service.Count() != want || n.Load() < want ||
				r.Warmup == 0 && n.Load() != want || s.Load.Connections != int(r.Connections) {
				t.Errorf("%d succeeded, %d in the histogram, the server saw %d, %d connections; want %d on %d",
					s.Load.Succeeded, s.Detail.Service.Count(), n.Load(), s.Load.Connections, want, r.Connections)
			}
			sum := int64(0)
			for i, g := range s.Generators {
				sum += g.Succeeded
				if g.Name != b.Names()[i] || g.Succeeded == 0 || g.BoundNS <= 0 || max(g.BeganNS, -g.BeganNS) > int64(Skew) {
					t.Errorf("%+v", g)
				}
			}
			if sum != want || len(s.Generators) != 3 || !strings.Contains(s.Did, "3 generators") {
				t.Errorf("%d requests of %d generators: %s", sum, len(s.Generators), s.Did)
			}
		})
	}
}

// TestFilesBySecond: CSV has the counts of all generators for each second.
func TestFilesBySecond(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	url, _ := counting(t)
	for name, r := range map[string]loader.Request{
		"closed": {Requests: 600, Connections: 4},
		"open":   {Rate: 300, Duration: 2100 * time.Millisecond, Connections: 4},
	} {
		r.URL, r.Seed = url, 1
		plan := packed(t, r)
		var s *report.Summary
		for try := 0; s == nil; try++ {
			var err error
			if s, err = b.Load(t.Context(), plan, func(string) {}); err != nil &&
				(try == 20 || !strings.Contains(err.Error(), "on time")) {
				t.Fatal(err)
			}
		}
		var rows strings.Builder
		if err := report.SummaryCSV(&rows, s); err != nil || strings.Count(rows.String(), "\n") != len(s.Seconds)+1 ||
			s.Seconds[0].P50NS != 0 || !strings.Contains(rows.String(), fmt.Sprintf(",%d,", s.Seconds[0].Started)) {
			t.Errorf("%s: %v\n%s\n%+v", name, err, &rows, s.Seconds)
		}
	}
}

// TestMistakes: errors in a load are reported as on one machine, wherever they are found, and leave the
// agents ready for the next load.
func TestMistakes(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	url, n := counting(t)
	body := "@no/such/file"
	ask := scenario.AdHoc{Scenario: "x.toml"}
	for want, r := range map[string]loader.Request{
		"--scenario x.toml: no such file": {URL: url, AdHoc: ask},
		"-b: open no/such/file":           {URL: url, AdHoc: scenario.AdHoc{Body: &body}},
		"each needs a request":            {URL: url, Connections: 2, Requests: 1},
		"each needs a connection":         {URL: url, Connections: 1},
		"no URL":                          {},
	} {
		_, err := b.load(t.Context(), r)
		if _, usage := errors.AsType[*conf.UsageError](err); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want a usage error with %q", err, want)
		}
	}
	if _, err := b.load(t.Context(), loader.Request{URL: "http://127.0.0.1:1/", Connections: 2}); err == nil ||
		!strings.Contains(err.Error(), "is a server listening at 127.0.0.1:1?") {
		t.Errorf("a server that is not there: %v", err)
	}
	if n.Load() != 0 {
		t.Errorf("%d requests were sent", n.Load())
	}
	b.punctual(t, loader.Request{URL: url, Requests: 10, Connections: 2}, func() {})
}

// TestRefusedWindows: a window for a load that is not open is refused, and one in the past or far future does
// not begin.
func TestRefusedWindows(t *testing.T) {
	b := gathered(t, "gen1")
	url, n := counting(t)
	load := func(w LoadWindow) (r LoadedWindow, a Answer) {
		if a = b.send(t, "gen1", b.order("gen1", string(toLoad), w)); a.Body != nil {
			if err := strict(a.Body, &r); err != nil {
				t.Fatal(err)
			}
		}
		return r, a
	}
	if _, a := load(LoadWindow{Number: 1}); !a.refused("not there") {
		t.Errorf("nothing is open: %+v", a)
	}
	var o Opened
	request := packed(t, loader.Request{URL: url, Requests: 10, Connections: 1})
	a := b.send(t, "gen1", b.order("gen1", string(toOpen), Loading{Request: &request}))
	if err := strict(a.Body, &o); err != nil {
		t.Fatalf("%v, %+v", err, a)
	}
	if _, a := load(LoadWindow{Number: o.Number, AtNS: 1}); a.Fault == nil || !a.Fault.Late ||
		!strings.Contains(a.Fault.Text, "late") {
		t.Errorf("%+v", a)
	}
	if _, a := load(LoadWindow{Number: o.Number, AtNS: b.agents["gen1"].now() + 2*time.Minute.Nanoseconds()}); !a.refused(
		"want a minute at most") {
		t.Errorf("%+v", a)
	}
	if n.Load() != 0 {
		t.Errorf("%d requests were sent", n.Load())
	}
	for lead := int64(2e8); ; lead *= 2 { // a slow machine needs more
		r, a := load(LoadWindow{Number: o.Number, AtNS: b.agents["gen1"].now() + lead})
		if r.Outcome != nil {
			break
		}
		if a.Fault == nil || !a.Fault.Late || lead > 1e11 {
			t.Fatalf("%+v, %+v", r, a)
		}
	}
	if n.Load() < 10 {
		t.Errorf("%d requests were sent; want 10", n.Load())
	}
}

// TestLostGenerator: an agent that ends during a load ends the load, without a result, and the others stop
// sending.
func TestLostGenerator(t *testing.T) {
	b := newBench(t, "gen1")
	b.fleet.Generators = append(b.fleet.Generators, Machine{Name: "gen2"})
	keys := b.keys
	b.Close()
	var err error
	if b.keys, _, err = b.fleet.Keys(); err != nil || string(keys.Seed) != string(b.keys.Seed) {
		t.Fatal(err)
	}
	b.open(t)
	bundle, err := ReadBundle(b.fleet.BundleFile("gen2"))
	if err != nil {
		t.Fatal(err)
	}
	kill := b.run(t, &Agent{Bundle: bundle, Version: b.version, Log: b.agentLog.add})
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	url, n := counting(t)
	ended := b.loading(t, t.Context(), url, n)
	kill()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "gen2 was lost") {
		t.Errorf("%v", err)
	}
	silent(t, n)
}

// loading makes an endless load, and returns when it is running; ended gets its error. It begins again if a
// generator began late: this machine may be busy with other tests.
func (b *rig) loading(t *testing.T, ctx context.Context, url string, n *atomic.Int64) (ended chan error) {
	t.Helper()
	for range 20 {
		n.Store(0)
		ended = make(chan error, 1)
		go func() {
			s, err := b.load(ctx, loader.Request{URL: url, Rate: 200, Duration: time.Hour, Connections: 2})
			if s != nil {
				err = errors.New("there is a summary")
			}
			ended <- err
		}()
		for n.Load() < 100 { // half a second, in which late agents report
			select {
			case err := <-ended:
				if !strings.Contains(err.Error(), "did not start on time") {
					t.Fatal(err)
				}
				n.Store(100)
				ended = nil
			case <-time.After(10 * time.Millisecond):
			}
		}
		if ended != nil {
			return ended
		}
	}
	t.Skip("this machine is too busy to begin a load on time")
	return nil
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
	ctx, cancel := context.WithCancel(t.Context())
	ended := b.loading(t, ctx, url, n)
	b.Close()
	silent(t, n)
	cancel()
	if err := <-ended; err == nil {
		t.Error("a load without its controller has a summary")
	}
}

// TestInterruptedFleet: an interrupted load has a summary of the time until then.
func TestInterruptedFleet(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	url, n := counting(t)
	var s *report.Summary
	for range 20 {
		n.Store(0)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for n.Load() < 20 {
				time.Sleep(10 * time.Millisecond)
			}
			cancel()
		}()
		var err error
		s, err = b.load(ctx, loader.Request{URL: url, Rate: 200, Duration: time.Hour, Connections: 2})
		if err != nil && !strings.Contains(err.Error(), "did not start on time") {
			t.Fatal(err)
		}
		if s != nil {
			break
		}
	}
	if s == nil {
		t.Skip("this machine is too busy to begin a load on time")
	}
	if l := s.Load; !s.Interrupted || l.Succeeded == 0 || l.Succeeded+l.InFlight < 20 || l.Started > n.Load() {
		t.Errorf("%+v; the server saw %d", s.Load, n.Load())
	}
	silent(t, n)
}

// TestLateGenerator: a window that begins too late is not a result, and this is known at once.
func TestLateGenerator(t *testing.T) {
	b := gathered(t, "gen1", "gen2")
	b.agents["gen2"].delay = 3 * Skew
	url, _ := counting(t)
	if _, err := b.load(t.Context(), loader.Request{URL: url, Rate: 100, Duration: time.Hour, Connections: 2}); err ==
		nil || !strings.Contains(err.Error(), "it did not start on time") {
		t.Errorf("%v", err)
	}
}
