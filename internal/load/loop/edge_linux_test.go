//go:build !gonet

package loop

import (
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// TestRateAgainstTheServersCount compares the rate of a load with what the server itself counted in
// the same time, at known delays and far below what the server can do. It takes 18 s:
//
//	DYNO_EDGE=1 go test ./internal/load/loop -run TestRateAgainstTheServersCount -v
func TestRateAgainstTheServersCount(t *testing.T) {
	if os.Getenv("DYNO_EDGE") == "" {
		t.Skip("an experiment: set DYNO_EDGE=1")
	}
	for _, delay := range []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond,
		500 * time.Millisecond} {
		var mu sync.Mutex
		var answered []time.Time
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(delay)
			io.WriteString(w, "value")
			mu.Lock()
			answered = append(answered, time.Now())
			mu.Unlock()
		})}
		go server.Serve(ln)
		s := twoRequests()
		s.Requests = s.Requests[:1]
		connections := int(2000 * delay / time.Second)
		session := connect(t, load.Job{Endpoint: wire.TCP(ln.Addr().String()), Scenario: s, Connections: connections})
		length := max(20*delay, 2*time.Second)
		start := time.Now()
		l, err := session.Run(t.Context(), load.Window{For: length, Spread: delay})
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
		server.Close()

		from, until, n := start.Add(time.Duration(l.RateFromNS)), start.Add(time.Duration(l.RateFromNS+l.RateNS)), 0
		for _, at := range answered {
			if at.After(from) && !at.After(until) {
				n++
			}
		}
		truly := float64(n) / until.Sub(from).Seconds()
		rate, _ := l.PerSec()
		whole := float64(l.Succeeded) / float64(l.WindowNS) * 1e9
		t.Logf("%v, %d connections, %v: the server %.1f/s; the rate %.1f/s (%+.2f %%); over first send to last "+
			"answer %.1f/s (%+.2f %%)",
			delay, connections, length, truly, rate, 100*(rate/truly-1), whole, 100*(whole/truly-1))
		if math.Abs(rate/truly-1) > 0.005 || !l.Steady() {
			t.Errorf("%v: %.1f/s of %.1f/s: %+v", delay, rate, truly, l)
		}
	}
}

// TestTailAgainstTheServersAccount compares p99 and p99.9 of an open loop, from two merged loads, with the
// account that the server keeps of its own times: most requests take 1 ms, some far longer. They may
// differ by 2 % or 100 µs; the median is shown. It takes a minute, on a quiet machine:
//
//	DYNO_EDGE=1 go test ./internal/load/loop -run TestTailAgainstTheServersAccount -v
func TestTailAgainstTheServersAccount(t *testing.T) {
	if os.Getenv("DYNO_EDGE") == "" {
		t.Skip("an experiment: set DYNO_EDGE=1")
	}
	const perSec, length = 5000, 12 * time.Second
	for name, draw := range map[string]func() time.Duration{
		"2 in 100 take 20 ms": func() time.Duration {
			return time.Millisecond + 19*time.Millisecond*time.Duration(rand.IntN(100)/98)
		},
		"exponential, 5 ms": func() time.Duration { return time.Duration(rand.ExpFloat64() * 5e6) },
		"a heavy tail":      func() time.Duration { return time.Duration(1e6 / math.Pow(1-rand.Float64(), 1/2.5)) },
	} {
		var mu sync.Mutex
		own, seen := record.NewHistogram(), record.NewHistogram()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			time.Sleep(draw())
			io.WriteString(w, "value")
			took := time.Since(began)
			mu.Lock()
			own.Record(int64(took))
			mu.Unlock()
		}))
		s := twoRequests()
		s.Requests = s.Requests[:1]
		for seed := range uint64(2) {
			session := connect(t, load.Job{Endpoint: wire.TCP(server.Listener.Addr().String()), Scenario: s, Connections: 250})
			var d record.Detail
			w := load.Window{For: length, Observe: &load.Observe{Into: &d}, Schedule: &load.Schedule{
				Stages: []load.Stage{{From: perSec, To: perSec}}, Poisson: true, Seed: seed}}
			if l, err := session.Run(t.Context(), w); err != nil || l.Succeeded < l.Planned {
				t.Fatalf("%+v, %v", l, err)
			}
			session.Close()
			text, err := d.Response.Encode(3)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := seen.Add(text); err != nil {
				t.Fatal(err)
			}
		}
		server.Close()
		for _, q := range []float64{.5, .99, .999} {
			truly, got := own.Quantile(q), seen.Quantile(q)
			off := got - truly
			t.Logf("%s, p%g: the server %d µs, dyno %d µs: %+d µs, %+.2f %%", name, 100*q, truly/1000, got/1000, off/1000,
				100*float64(off)/float64(truly))
			if q > .5 && math.Abs(float64(off)) > max(100e3, .02*float64(truly)) {
				t.Errorf("%s: p%g is off by %d µs", name, 100*q, off/1000)
			}
		}
	}
}

// TestRateOfSlowAnswers compares the rates of 20 loads with the account that the server keeps of the time
// in which it is sent requests, where a few answers are slow: from one connection in ten, to ten at once.
// It takes 3 minutes, on a quiet machine:
//
//	DYNO_EDGE=1 go test ./internal/load/loop -run TestRateOfSlowAnswers -v
func TestRateOfSlowAnswers(t *testing.T) {
	if os.Getenv("DYNO_EDGE") == "" {
		t.Skip("an experiment: set DYNO_EDGE=1")
	}
	const connections, length = 125, 6 * time.Second
	for _, open := range []bool{false, true} {
		for _, slow := range []float64{0.1, 0.5, 1.25, 3, 10} { // connections × their share
			late := 1500 * time.Millisecond
			if slow > 1.25 { // or each connection has too few turns for any rate
				late = 300 * time.Millisecond
			}
			every := int64(connections / slow)
			for range 2 {
				var received, answered atomic.Int64
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					n := received.Add(1)
					if time.Sleep(2 * time.Millisecond); n%every == 0 {
						time.Sleep(late)
					}
					io.WriteString(w, "value")
					answered.Add(1)
				}))
				s := twoRequests()
				s.Requests = s.Requests[:1]
				session := connect(t, load.Job{Endpoint: wire.TCP(server.Listener.Addr().String()), Scenario: s,
					Connections: connections})
				w := load.Window{For: length}
				if open {
					perSec := 0.6 * connections / (0.003 + late.Seconds()/float64(every))
					w.Schedule = &load.Schedule{Stages: []load.Stage{{For: length, From: perSec, To: perSec}}}
				}
				var inTime int64
				end := time.AfterFunc(length, func() { inTime = answered.Load() })
				l, err := session.Run(t.Context(), w)
				end.Stop()
				session.Close()
				server.Close()
				rate, _ := l.PerSec()
				byRequests := rate/(float64(received.Load())/length.Seconds()) - 1
				byAnswers := rate/(float64(inTime)/length.Seconds()) - 1
				t.Logf("open %v, %v slow of %d, %v each: %.1f/s, %+.2f %% of the server's requests, %+.2f %% of its answers",
					open, slow, connections, late, rate, 100*byRequests, 100*byAnswers)
				if err != nil || math.Abs(byRequests) > 0.01 || !open && math.Abs(byAnswers) > 0.01 {
					t.Errorf("%+v, %v", l, err)
				}
			}
		}
	}
}
