package loader

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/conf"
	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// served starts a server that responds with "value", or with the request's body.
func served(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("X-Method", "post")
		}
		w.Write([]byte("value"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

func text(s string) *string { return &s }

func objectives(text string) []judge.Objective {
	all, err := judge.ParseObjectives(text)
	if err != nil {
		panic(err)
	}
	return all
}

// carryOut plans and runs a request.
func carryOut(t *testing.T, r Request) (*Plan, string) {
	t.Helper()
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	seconds := 0
	s, err := p.Run(t.Context(), func(record.Interval) { seconds++ })
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case p.Failed(s):
		return p, "failed"
	case s.Load.Succeeded == 0 || seconds == 0:
		t.Errorf("%d requests, %d seconds", s.Load.Succeeded, seconds)
	}
	return p, "done"
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	body := filepath.Join(dir, "body")
	contract := filepath.Join(dir, "mine.toml")
	for name, content := range map[string]string{body: "value", contract: `name = "mine"
[[request]]
method = "GET"
path = "/{int:1..9}"
headers = { "A" = "own" }
[request.expect]
status = 200
body = "value"
`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		r          Request
		want, does string
	}{
		"requests": {Request{Requests: 20}, "done", "20 requests over 20 connections, closed loop, "},
		"open": {Request{Requests: 5, Rate: 1000, Connections: 2}, "done",
			"5 requests at 1000/s over 2 connections, open loop, constant arrivals"},
		"ramp-up": {Request{Requests: 2000, Connections: 2, RampUp: time.Millisecond}, "done", "added over 1ms"},
		"pipeline": {Request{Requests: 40, Connections: 2, Pipeline: 4}, "done",
			"4 in the pipeline of each"},
		"post": {Request{Requests: 4, AdHoc: scenario.AdHoc{Body: text("{seq}"), Template: true}}, "done", ""},
		"file": {Request{Requests: 4, AdHoc: scenario.AdHoc{Body: text("@" + body)}}, "done", ""},
		"expect": {Request{Requests: 4, AdHoc: scenario.AdHoc{ExpectBody: text("@" + body)}},
			"done", ""},
		"close": {Request{Requests: 4, AdHoc: scenario.AdHoc{Headers: []string{"Connection: close", "Host: a"}}},
			"done",
			"1 request per connection"},
		"other":         {Request{Requests: 4, AdHoc: scenario.AdHoc{ExpectBody: text("other")}}, "failed", ""},
		"no keep-alive": {Request{Requests: 4, NoKeepalive: true}, "done", "1 request per connection"},
		"scenario": {Request{Requests: 20, AdHoc: scenario.AdHoc{Scenario: contract,
			Headers: []string{"a: given"}}}, "done", ""},
		"warm-up":                 {Request{Requests: 5, Warmup: 5 * time.Millisecond}, "done", ""},
		"warm-up of an open loop": {Request{Requests: 5, Rate: 1000, Warmup: 5 * time.Millisecond}, "done", ""},
		"slo kept":                {Request{Requests: 100, SLO: objectives("p50<1m,errors<1%")}, "done", ""},
		"slo missed":              {Request{Requests: 100, SLO: objectives("p50<1ns")}, "failed", ""},
		"slo untold":              {Request{Requests: 10, SLO: objectives("p99<1m")}, "failed", ""},
		"slo of errors": {Request{Requests: 4, AdHoc: scenario.AdHoc{ExpectBody: text("other")},
			SLO: objectives("errors<50%")}, "failed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.r.URL = served(t)
			p, got := carryOut(t, c.r)
			if got != c.want || !strings.Contains(p.Did, c.does) {
				t.Errorf("%s; %s; want %q", got, p.Did, c.does)
			}
		})
	}
}

// TestStages: the planned requests are those due in the stages, even if a busy machine sends and answers only
// some before the end. In one of a few loads some must be answered; a machine may stand still for a whole
// load.
func TestStages(t *testing.T) {
	stages := []load.Stage{{For: 200 * time.Millisecond, From: 100, To: 500}}
	arrivals, planned := (&load.Schedule{Stages: stages, Poisson: true, Seed: 7}).Arrivals(0, 1, 0), int64(0)
	for _, ok := arrivals.Next(); ok; _, ok = arrivals.Next() {
		planned++
	}
	r := Request{Stages: stages, Arrivals: "poisson", Seed: 7, Connections: 1, SLO: objectives("errors<100%")}
	r.URL = served(t)
	for range 20 {
		p, err := New(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		const does = "200ms in 1 stage over 1 connection, open loop, poisson arrivals"
		answered := s.Load.Succeeded > 0
		if !strings.Contains(p.Did, does) || s.Load.Planned != planned || answered && p.Failed(s) {
			t.Fatalf("%s: %d planned, failed: %t; want %s: %d", p.Did, s.Load.Planned, p.Failed(s), does, planned)
		}
		if answered {
			return
		}
	}
	t.Error("no request was answered in 20 loads")
}

// TestServerOfHTTP2: if a server answers HTTP/1.1 with its first HTTP/2 frame, both engines say which
// protocol it speaks.
func TestServerOfHTTP2(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.Read(make([]byte, 1<<10))
				c.Write(wire.AppendSettings(nil))
				io.Copy(io.Discard, c)
			}()
		}
	}()
	r := Request{Requests: 4, Connections: 2}
	r.URL = l.Addr().String()
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := judge.TextOf(s.Findings(), judge.Errors); !strings.HasSuffix(got, "The server speaks HTTP/2: "+
		"pass --http h2c") {
		t.Error(got)
	}
}

// TestWarmupIsLeftOut: warm-up requests reach the server, but are not in any figure.
func TestWarmupIsLeftOut(t *testing.T) {
	var served atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	defer s.Close()
	r := Request{Requests: 7, Connections: 1, Warmup: 5 * time.Millisecond}
	r.URL = s.URL
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := p.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Load.Succeeded != 7 || served.Load() <= 7 {
		t.Errorf("%d requests in the figures, %d at the server", sum.Load.Succeeded, served.Load())
	}
}

// TestNewRefuses: invalid options are usage errors.
func TestNewRefuses(t *testing.T) {
	url := served(t)
	for want, r := range map[string]Request{
		"want \"Name: value\"":          {AdHoc: scenario.AdHoc{Headers: []string{"A"}}},
		"want a method":                 {AdHoc: scenario.AdHoc{Method: "10"}},
		"no such file":                  {AdHoc: scenario.AdHoc{Body: text("@/nowhere/b")}},
		"omit it or --method":           {AdHoc: scenario.AdHoc{Scenario: "s.toml", Method: "GET"}},
		"/nowhere/s.toml: no such file": {AdHoc: scenario.AdHoc{Scenario: "/nowhere/s.toml"}},
		"Connection: close allows one": {AdHoc: scenario.AdHoc{Headers: []string{"Connection: close"}},
			Pipeline: 2},
		"omit it or -H Connection": {AdHoc: scenario.AdHoc{Headers: []string{"Connection: keep-alive"}},
			NoKeepalive: true},
	} {
		r.URL = url
		_, err := New(t.Context(), r)
		if _, usage := errors.AsType[*conf.UsageError](err); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, bad := range []string{"", "https://a/", "ftp://a/", "http://", "http://u:p@127.0.0.1/",
		"http://127.0.0.1/a b"} {
		if _, err := New(t.Context(), Request{URL: bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	for _, bad := range []string{"http://127.0.0.1:99999/", "127.0.0.1:0"} {
		_, err := New(t.Context(), Request{URL: bad})
		_, usage := errors.AsType[*conf.UsageError](err)
		if !usage || !strings.Contains(err.Error(), "want 1 to 65535") {
			t.Errorf("%q: %v; want an error of usage", bad, err)
		}
	}
}

// TestSearchKeepsItsProbes: an interrupted search returns the results of its probes.
func TestSearchKeepsItsProbes(t *testing.T) {
	r := Request{Find: objectives("p50<1m,errors<100%"), Duration: 30 * time.Second, Connections: 2}
	r.URL = served(t)
	p, err := New(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	n := 0
	f, err := p.Search(ctx, func(probe report.Probe) {
		if n++; probe.Kind == report.Searching && !probe.Paused {
			interrupt()
		}
	})
	if f != nil && strings.Contains(f.Why, "stood still") {
		t.Skip(f.Why) // this machine is too busy
	}
	if err != nil || f == nil || f.Ended != report.Interrupted || n < 2 || len(f.Probes) != n || f.Top <= 0 ||
		f.Rate <= 0 || f.OK() {
		t.Errorf("%v, %d probes told, %+v", err, n, f)
	}
}

// TestLongBodies: both engines send a large file unchanged.
func TestLongBodies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "body")
	var content []byte
	for i := range 5 << 20 {
		content = binary.BigEndian.AppendUint32(content, uint32(i))
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		if _, err := io.Copy(sum, r.Body); err != nil {
			w.WriteHeader(400)
		}
		fmt.Fprintf(w, "%d %x", r.ContentLength, sum.Sum(nil))
	}))
	defer s.Close()
	sum := sha256.Sum256(content)
	p, err := New(t.Context(), Request{URL: s.URL, Requests: 3, Connections: 2, Timeout: time.Minute,
		AdHoc: scenario.AdHoc{Body: text("@" + name), ExpectBody: text(fmt.Sprintf("20971520 %x", sum))}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Run(t.Context(), nil)
	if err != nil || got.Load.Succeeded != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFrameHasWhatMakesARateSteady: a closed loop's summary knows when its rate may be steady.
func TestFrameHasWhatMakesARateSteady(t *testing.T) {
	for name, c := range map[string]struct {
		r     Request
		ramp  time.Duration
		depth int
	}{
		"closed":   {Request{Requests: 4, RampUp: time.Second}, time.Second, 1},
		"pipeline": {Request{Requests: 4, Pipeline: 4}, 0, 4},
		"open":     {Request{Requests: 4, Rate: 1000}, 0, 0},
	} {
		c.r.URL = served(t)
		p, err := New(t.Context(), c.r)
		if err != nil {
			t.Fatal(err)
		}
		if s := p.frame(); s.Ramp != c.ramp || s.Depth != c.depth {
			t.Errorf("%s: %v, %d", name, s.Ramp, s.Depth)
		}
	}
}
