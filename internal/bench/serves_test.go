package bench

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"dyno/internal/adhoc"
	"dyno/internal/alike"
	"dyno/internal/hist"
	"dyno/internal/result"
)

// If a server serves fewer connections than asked for, all servers are loaded over as many.
func TestFewerConnections(t *testing.T) {
	b, h, d, _ := set(t)
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, "hello\n") })
	h.handlers = map[string]func(int) http.Handler{"a": func(int) http.Handler { return hello },
		"b": func(int) http.Handler { return hello }}
	s, _, err := (&adhoc.Request{}).Make(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	s.Lenient, h.scenario, b.Scenario, b.Alike = true, s, s, &alike.Sides{}
	d.trouble = func(name string, l *result.Load) {
		if l.Connections > 2 && h.starts["b"] > 0 {
			l.Errors = map[string]int64{"timeout": int64(l.Connections - 2)}
		}
	}
	p := small("a", "b")
	p.Controls, p.Ceiling = nil, ""
	p.Levels = []result.Level{p.Level, {Connections: 4, Pipeline: 2}}
	run := &result.Run{}
	b.Append = func(rec result.Record) error { run.Add(rec); return nil }
	run.Add(result.Record{Plan: &p})
	b.run, b.servers, b.exact = &result.Run{Plan: p}, map[string]Server{}, newExact()
	if err := b.verifyAll(t.Context(), []result.Contestant{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	want := &result.Fewer{Asked: 4, Served: 2, Tried: 4, Why: "2 got no answer within 5s"}
	for _, r := range []*result.Run{b.run, run} {
		if got := r.Contestant("b").Fewer; !reflect.DeepEqual(got, want) || r.Contestant("a").Fewer != nil {
			t.Errorf("%+v; want %+v", got, want)
		}
		if p := &r.Plan; p.Connections() != 2 || p.Levels[1].Connections != 2 {
			t.Errorf("planned: %+v", p)
		}
	}
	if p.Levels[0].Connections != 4 {
		t.Error("the caller's plan changed")
	}
	b.run.Plan.Levels[1].Connections = 3
	if b.run.Plan.Connections() != 0 {
		t.Error("levels with unlike connections are one number")
	}
}

// A server that fails over one connection has failed.
func TestServesNone(t *testing.T) {
	b, h, d, _ := set(t)
	d.trouble = func(name string, l *result.Load) { l.Errors = map[string]int64{"reset": 1} }
	b.run, b.servers, b.exact = &result.Run{Plan: small("a")}, map[string]Server{}, newExact()
	server, err := h.Launch(t.Context(), "a", Launch{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	if fewer, err := b.serves(t.Context(), "a", server, b.run.Plan.Level); err == nil {
		t.Errorf("%+v", fewer)
	}
}

func TestServed(t *testing.T) {
	times := func(all ...time.Duration) *hist.Histogram {
		h := hist.New()
		for _, d := range all {
			h.Record(int64(d))
		}
		return h
	}
	const ms, s = time.Millisecond, time.Second
	quick := []time.Duration{ms, ms, ms, ms, ms, ms, ms, ms, ms, ms}
	for name, c := range map[string]struct {
		load result.Load
		seen result.Detail
		n    int
		why  string
	}{
		"all": {result.Load{Established: 20}, result.Detail{Service: times(quick...), Connect: times(quick...)}, 20, ""},
		"one after another, but slowly": {result.Load{Established: 20}, result.Detail{Service: times(s, 2*s, 3*s, 4*s)}, 20,
			""},
		"some starve": {result.Load{Established: 20}, result.Detail{Service: times(append(quick, 2*s, 3*s)...)}, 18,
			"2 waited for an answer for more than 1s, usual are 1ms"},
		"some starve, some for good": {result.Load{Established: 20, Errors: map[string]int64{"timeout": 2}},
			result.Detail{Service: times(append(quick, 2*s, 5*s, 5*s)...)}, 17,
			"1 waited for an answer for more than 1s, usual are 1ms"},
		"no answer": {result.Load{Established: 20, Errors: map[string]int64{"timeout": 19}},
			result.Detail{}, 1, "19 got no answer within 5s"},
		"not accepted":   {result.Load{Established: 7}, result.Detail{}, 7, "13 were not accepted within 5s"},
		"accepted late":  {result.Load{Established: 20}, result.Detail{Connect: times(ms, s, s)}, 10, "2 were accepted only after 900ms or more"},
		"closed at once": {result.Load{Established: 20, Started: 9, Errors: map[string]int64{"closed": 9}}, result.Detail{}, 10, "9 of 9 requests got no whole response: closed 9"},
		"none is one":    {result.Load{}, result.Detail{}, 1, "20 were not accepted within 5s"},
	} {
		c.load.Connections = 20
		if n, why := served(&c.load, &c.seen, 5*s); n != c.n || why != c.why {
			t.Errorf("%s: %d, %q; want %d, %q", name, n, why, c.n, c.why)
		}
	}
}
