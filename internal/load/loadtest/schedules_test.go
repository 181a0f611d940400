package loadtest

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
)

// schedules are about the open loop. A slow machine makes requests late, and so the times longer
// that are tested for being long enough.
var schedules = map[string]func(*testing.T, load.Engine){
	"open: planned": planned, "open: the backlog is served": backlogServed,
	"open: the deadline cuts the backlog":             backlogCut,
	"open: what a stall kept at the deadline is sent": backlogSent,
	"open: cancel": openCancel, "open: cancelled number": openCancelNumber,
	"open: pipelining": openPipelining, "open: a stall is not omitted": stall,
	"open: idle connections break": idleBreak,
	"open: loops enough":           loopsEnough, "open: one loop starves": oneLoopStarves,
	"open: hangs up at once": noDialsInACircle, "open: a quarter unanswered": quarterOfDuration,
}

// planned: what is due in the window is planned, neither more nor less, however it is bounded.
func planned(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	ramp := &load.Schedule{Stages: []load.Stage{{For: 40 * time.Millisecond, From: 0, To: 1000},
		{For: 30 * time.Millisecond, From: 1000, To: 1000}}}
	for _, c := range []struct {
		name   string
		window load.Window
		want   int64
	}{
		{"for", load.Window{Schedule: constant(1000), For: 50 * time.Millisecond}, 50},
		{"length", load.Window{Schedule: ramp}, 50},
		{"length before for", load.Window{Schedule: ramp, For: never}, 50},
		{"for before length", load.Window{Schedule: ramp, For: 40 * time.Millisecond}, 20},
		{"requests", load.Window{Schedule: constant(1000), Requests: 30}, 30},
		{"requests before for", load.Window{Schedule: constant(1000), Requests: 30, For: never}, 30},
		{"for before requests", load.Window{Schedule: constant(1000), Requests: 300, For: 50 * time.Millisecond}, 50},
		{"fewer than workers", load.Window{Schedule: constant(1000), Requests: 1}, 1},
		{"nothing", load.Window{Schedule: constant(0), For: 10 * time.Millisecond}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, began := s.requests.Load(), time.Now()
			o := observe(t, t.Context(), open(t, e, job(s)), c.window, 10*time.Millisecond)
			if o.Planned != c.want || o.Succeeded != o.Started || o.Started != s.requests.Load()-before {
				t.Errorf("want %d: %+v", c.want, o.Load)
			}
			if c.window.For == 0 && c.window.Requests > 0 && o.NeverStarted > 0 {
				t.Errorf("%d were never started", o.NeverStarted)
			}
			// None of these schedules has more than one a millisecond.
			s.mu.Lock()
			defer s.mu.Unlock()
			if last := len(s.begun) - 1; o.Started == c.want && c.want > 0 &&
				s.begun[last].Sub(began) < time.Duration(c.want-1)*time.Millisecond {
				t.Errorf("all were sent within %v", s.begun[last].Sub(began))
			}
		})
	}
}

// backlogServed: requests that find no free connection wait, stay due when they were, and all go
// out where their number bounds the window.
func backlogServed(t *testing.T, e load.Engine) {
	const hold = 5 * time.Millisecond
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			time.Sleep(hold)
			p.say(value)
		}
	})
	j := job(s)
	j.Connections = 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: constant(1000), Requests: 50}, 0)
	if o.Started != 50 || o.NeverStarted != 0 || o.Succeeded != 50 {
		t.Errorf("%+v", o.Load)
	}
	// The k-th is due after k ms and sent after k holds at the earliest: the last one waited for 49
	// * (5 - 1) ms.
	if late := int64(49 * (hold - time.Millisecond)); o.Detail.Lag.Max() < late ||
		o.Detail.Response.Max() < late+int64(hold) {
		t.Errorf("lag up to %d, response up to %d; want %d", o.Detail.Lag.Max(), o.Detail.Response.Max(), late)
	}
	if half := int64(24 * (hold - time.Millisecond)); o.Detail.Response.Quantile(0.5) < half {
		t.Errorf("half of the responses within %d; want at least %d", o.Detail.Response.Quantile(0.5), half)
	}
	if o.StarvedNS <= 0 || o.BacklogPeak <= 0 {
		t.Errorf("starved for %d ns, backlog %d", o.StarvedNS, o.BacklogPeak)
	}
}

// backlogSent: the 97th request, due 40 ms before the deadline, is answered 10 ms after it, and those
// due meanwhile are sent then.
func backlogSent(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for n := 1; p.next(); n++ {
			if n == 97 {
				time.Sleep(50 * time.Millisecond)
			}
			p.say(value)
		}
	})
	j := job(s)
	j.Connections = 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: constant(100), For: time.Second}, 0)
	if o.GapNS == 0 && (o.Planned != 100 || o.Succeeded != 100 || o.NeverStarted != 0 || o.Detail.Censored != 0) {
		t.Errorf("%d censored: %+v", o.Detail.Censored, o.Load)
	}
}

// backlogCut: at the deadline what found no connection is never started, and is censored; what is
// in flight is awaited.
func backlogCut(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			time.Sleep(300 * time.Millisecond)
			p.say(value)
		}
	})
	j := job(s)
	j.Connections = 2
	for _, poisson := range []bool{false, true} {
		schedule := &load.Schedule{Stages: constant(1000).Stages, Poisson: poisson, Seed: 1}
		o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: schedule, For: 100 * time.Millisecond},
			10*time.Millisecond)
		if !poisson && o.Planned != 100 || o.Started > 10 || o.Succeeded != o.Started || o.NeverStarted < 10 {
			t.Errorf("%+v", o.Load)
		}
		if o.Detail.Censored != o.NeverStarted || o.Detail.Service.Count() != o.Started ||
			o.Detail.Response.Count() != o.Planned {
			t.Errorf("%d censored, %d services, %d responses: %+v", o.Detail.Censored, o.Detail.Service.Count(),
				o.Detail.Response.Count(), o.Load)
		}
		// Nothing is answered before the deadline, so that the k-th waits for 100 - k ms: 1 + ... +
		// 50 in the early half, that and 50 * 50 in the late.
		if p := o.Pace; !poisson && (p.HalfNS != 50e6 || p.EarlyNS != 1275e6 || p.LateNS != 3775e6) {
			t.Errorf("halves of %d ns with %d and %d", p.HalfNS, p.EarlyNS, p.LateNS)
		}
		if !poisson && o.Detail.Response.Quantile(0.5) < int64(48*time.Millisecond) {
			t.Errorf("half of the requests waited for no more than %d ns", o.Detail.Response.Quantile(0.5))
		}
	}
}

// holding responds to a number of requests, then to none; it calls full for each further request.
func holding(free int64, full func(held int64)) func(*peer) {
	return func(p *peer) {
		for p.next() {
			if n := p.dropped.Add(1); n > free {
				full(n - free)
				continue
			}
			p.say(value)
		}
	}
}

// loopsEnough: a quarter of the connections can be in use at once whichever loops the requests fall
// to, though 32 CPUs would make a loop for every two connections. No answer comes before all have
// fallen due.
func loopsEnough(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			time.Sleep(100 * time.Millisecond)
			p.say(value)
		}
	})
	j := job(s)
	j.Connections, j.Workers, j.CPUs = 64, 0, slices.Repeat(usableCPU(t), 32)
	session := open(t, e, j)
	for seed := range uint64(8) {
		schedule := &load.Schedule{Stages: []load.Stage{{For: 10 * time.Millisecond, From: 1600, To: 1600}},
			Poisson: true, Seed: seed}
		o := observe(t, t.Context(), session, load.Window{Schedule: schedule}, 0)
		// of an engine that has loops
		if o.Workers > 0 && (o.NeverStarted > 0 || o.Succeeded != o.Planned || o.StarvedNS > 0) {
			t.Errorf("seed %d: of %d requests over 64 connections %d were never started, starved for %d ns", seed,
				o.Planned, o.NeverStarted, o.StarvedNS)
		}
	}
}

// oneLoopStarves: two loops with a connection each, of which the server holds one back. What waits
// for that one starves while the other loop has a free one.
func oneLoopStarves(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.index == 0 {
				time.Sleep(50 * time.Millisecond)
			}
			p.say(value)
		}
	})
	j := job(s)
	j.Connections, j.Workers = 2, 2
	l := run(t, open(t, e, j), load.Window{Schedule: constant(100), Requests: 20})
	if l.Succeeded != 20 || l.UnevenNS > l.StarvedNS || l.Workers > 1 && l.UnevenNS == 0 {
		t.Errorf("starved for %d ns, %d of them beside a free connection: %+v", l.StarvedNS, l.UnevenNS, l)
	}
}

// usableCPU returns a CPU that this process may use; none where the system does not say.
func usableCPU(t *testing.T) []int {
	status, _ := os.ReadFile("/proc/self/status")
	_, list, ok := strings.Cut(string(status), "Cpus_allowed_list:")
	if !ok {
		return nil
	}
	list = strings.TrimSpace(list)
	cpu, err := strconv.Atoi(list[:strings.IndexFunc(list, func(r rune) bool { return r < '0' || r > '9' })])
	if err != nil {
		t.Fatal(err)
	}
	return []int{cpu}
}

// openCancel: a window that is cut off plans what was due by then.
func openCancel(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, "tcp", holding(20, func(held int64) {
		if held == 4 {
			cancel()
		}
	}))
	o := observe(t, ctx, open(t, e, job(s)), load.Window{Schedule: constant(1000), For: never}, 5*time.Millisecond)
	if o.err != context.Canceled || o.Succeeded != 20 || o.InFlight != 4 || o.Planned < 24 || o.Errored() != 0 {
		t.Errorf("%+v, %v", o.Load, o.err)
	}
	if o.Detail.Censored != o.InFlight+o.NeverStarted {
		t.Errorf("%d censored of %d in flight and %d never started", o.Detail.Censored, o.InFlight, o.NeverStarted)
	}
}

// openCancelNumber: of a number of requests, those that were not due yet are never started, but not
// censored: they waited for nothing.
func openCancelNumber(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, "tcp", holding(20, func(held int64) {
		if held == 4 {
			cancel()
		}
	}))
	o := observe(t, ctx, open(t, e, job(s)), load.Window{Schedule: constant(1000), Requests: 1_000_000},
		5*time.Millisecond)
	if o.err != context.Canceled || o.Succeeded != 20 || o.InFlight != 4 || o.Planned != 1_000_000 || o.Errored() != 0 {
		t.Errorf("%+v, %v", o.Load, o.err)
	}
	if o.Detail.Censored < o.InFlight || o.Detail.Censored >= 1_000_000-20 {
		t.Errorf("%d censored: %+v", o.Detail.Censored, o.Load)
	}
}

// openPipelining: a connection that awaits an answer takes the next request if it has room. The
// server answers by fours.
func openPipelining(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.n%4 == 0 {
				p.say(value + value + value + value)
			}
		}
	})
	j := job(s)
	j.Connections, j.Pipeline = 1, 4
	o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: constant(1000), Requests: 40}, 0)
	if o.Succeeded != 40 || s.accepted.Load() != 1 {
		t.Errorf("%+v over %d connections", o.Load, s.accepted.Load())
	}
}

// stall tests for coordinated omission: the server stops once for 200 ms. 500 requests per second
// fall due all the while, so that those of its first half wait for 100 ms or more, some 50. A
// closed loop on one connection meets the stall with one request.
func stall(t *testing.T, e load.Engine) {
	const requests, of = 300, 200 * time.Millisecond
	for _, c := range []struct {
		name        string
		connections int
		schedule    *load.Schedule
		long        int64 // so many responses took at least 100 ms
	}{
		{"closed", 1, nil, 1},
		{"open", 128, constant(500), 45},
		{"open, one connection", 1, constant(500), 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			var held atomic.Int64
			var until atomic.Pointer[time.Time]
			s := serve(t, "tcp", func(p *peer) {
				for p.next() {
					if p.dropped.Add(1) == 50 {
						end := time.Now().Add(of)
						until.Store(&end)
					}
					if end := until.Load(); end != nil {
						if left := time.Until(*end); left > 0 {
							held.Add(1)
							time.Sleep(left)
						}
					}
					p.say(value)
				}
			})
			j := job(s)
			j.Connections = c.connections
			o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: c.schedule, Requests: requests}, 0)
			if o.Succeeded != requests {
				t.Fatalf("%+v", o.Load)
			}
			if c.connections == 1 && held.Load() != 1 {
				t.Errorf("the stall held %d requests on one connection", held.Load())
			}
			response := o.Detail.Response
			if c.schedule == nil {
				response = o.Detail.Service
			}
			if at := response.Quantile(1 - (float64(c.long)-0.5)/requests); at < int64(of/2) {
				t.Errorf("%d of %d responses took %d ns or more; want %v", c.long, requests, at, of/2)
			}
			if o.Detail.Service.Max() < int64(of) {
				t.Errorf("no service took longer than %d ns", o.Detail.Service.Max())
			}
		})
	}
}

// idleBreak checks that a connection which is closed while it is idle causes no error.
func idleBreak(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		if p.next() {
			p.say(value)
			time.Sleep(5 * time.Millisecond)
		}
	})
	j := job(s)
	j.Connections = 8
	// Each connection is closed 5 ms after an answer, and its turn comes again after 80. Who
	// notices only when he writes loses every second.
	o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: constant(100), Requests: 60}, 0)
	if o.Errored() > 20 || o.Errors["dial"] > 0 || s.requests.Load() > o.Started {
		t.Errorf("%+v", o.Load)
	}
}

// noDialsInACircle: a server that hangs up on each connection at once is not dialled over and over
// while nothing is due.
func noDialsInACircle(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", hangUp)
	j := job(s)
	j.Lazy = true // else a connection that is found closed at the start sits the window out
	o := observe(t, t.Context(), open(t, e, j), load.Window{Schedule: constant(50), Requests: 10}, 20*time.Millisecond)
	if o.Errored() != 10 || s.accepted.Load() > 200 {
		t.Errorf("%d connections: %+v", s.accepted.Load(), o.Load)
	}
}

// quarterOfDuration: of requests without an answer none is lost from the books, where time bounds
// the window.
func quarterOfDuration(t *testing.T, e load.Engine) {
	for _, w := range []load.Window{
		{For: 100 * time.Millisecond},
		{For: 100 * time.Millisecond, Schedule: constant(2000)},
		{For: 100 * time.Millisecond, Schedule: &load.Schedule{Stages: constant(2000).Stages, Poisson: true, Seed: 9}},
	} {
		for _, per := range []int{0, 1} {
			s := serve(t, "tcp", quarter)
			j := job(s)
			j.PerConnection = per
			o := observe(t, t.Context(), open(t, e, j), w, 10*time.Millisecond)
			if o.Errors["closed"] != s.dropped.Load() || o.Errored() != s.dropped.Load() || s.dropped.Load() == 0 ||
				s.requests.Load() != o.Started {
				t.Errorf("schedule %v, %d per connection: %d dropped of %d: %+v", w.Schedule, per, s.dropped.Load(),
					s.requests.Load(), o.Load)
			}
		}
	}
}
