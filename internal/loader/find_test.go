package loader

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
)

// server is a server with known capacity and its connections, without a network or a clock: an Engine and its
// Session.
type server struct {
	perSec float64       // capacity
	takes  time.Duration // response time without a queue
	waits  time.Duration // additional response time in an open loop
	queues time.Duration // additional response time in a closed loop with several connections
	spoil  func(s *server, l *record.Load, d *record.Detail)
	loads  int  // number of loads so far, including this one
	gone   bool // accepts no connection
	alone  bool // the last session has one connection
}

func (s *server) Open(_ context.Context, job load.Job) (load.Session, error) {
	s.alone = job.Connections == 1
	if s.gone {
		return nil, errors.New("connection refused")
	}
	return s, nil
}

func (s *server) Close() error { return nil }

// Run loads the server with evenly spaced requests. Beyond the capacity each waits longer than the one
// before.
func (s *server) Run(_ context.Context, w load.Window) (record.Load, error) {
	time.Sleep(w.For)
	s.loads++
	d, perSec, slope, takes := w.Observe.Into, s.perSec, 0.0, float64(s.takes)
	d.Service = record.NewHistogram()
	if w.Schedule != nil {
		perSec, takes = w.Schedule.Stages[0].From, takes+float64(s.waits)
		slope = max(perSec/s.perSec-1, 0)
		d.Response, d.Lag = record.NewHistogram(), record.NewHistogram()
	} else if !s.alone {
		takes += float64(s.queues)
	}
	n, window := int64(perSec*w.For.Seconds()), float64(w.For)
	var early, late float64
	for i := range n {
		due := (float64(i) + 0.5) / float64(n) * window
		took := takes + slope*due
		if d.Service.Record(int64(took)); d.Response != nil {
			d.Response.Record(int64(took))
		}
		until := min(due+took, window)
		early += max(min(until, window/2)-due, 0)
		late += max(until-max(due, window/2), 0)
	}
	l := record.Load{Planned: n, Started: n, Succeeded: n, Connections: 4, Established: 4, Workers: 1,
		WindowNS: int64(w.For), WallNS: int64(w.For), RateAnswers: float64(n), RateNS: int64(w.For),
		ServiceMeanNS: int64(d.Service.Mean()), ServiceSDNS: int64(d.Service.StdDev())}
	if w.Schedule != nil {
		l.Pace = &record.Pace{HalfNS: int64(w.For / 2), EarlyNS: int64(early), LateNS: int64(late)}
	}
	if s.spoil != nil {
		s.spoil(s, &l, d)
	}
	return l, nil
}

// pause makes the generator stand still for half of a load.
func pause(l *record.Load) { l.GapNS = l.WindowNS / 2 }

// atLimit makes a load that the generator sent late, because its event loop was always busy.
func atLimit(l *record.Load, d *record.Detail) {
	d.Response.Reset()
	d.Response.RecordN(30e6, l.Planned)
	d.Lag.RecordN(30e6, l.Planned)
	l.LoopCPUNS = l.WindowNS
}

// silence makes loads without a response, in which the generator stands still for a third of the time.
func silence(_ *server, l *record.Load, _ *record.Detail) {
	l.Errors, l.Succeeded, l.RateAnswers = map[string]int64{"timeout": l.Succeeded}, 0, 0
	l.GapNS = l.WindowNS / 3
}

// refuse makes a load whose server was gone for the second half.
func refuse(l *record.Load, d *record.Detail) {
	lost := l.Started / 2
	l.Succeeded -= lost
	l.Errors, l.UnreachableNS = map[string]int64{"dial": lost}, l.WindowNS/2
	d.Texts = map[string]string{"dial": "dial: connection refused"}
	pause(l) // idle time looks like a pause
}

// TestSearch searches the rate of servers with known capacity.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name   string
		find   string
		length time.Duration
		server server
		rate   float64 // found and confirmed rate; 0: none
		ended  string
		why    string
		probes int // 0: a complete search
		check  func(f *report.Found) bool
	}{
		{name: "fast", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond}, rate: 5000,
			check: func(f *report.Found) bool {
				return misses(f, plan.Growing) > 0
			}},
		{name: "limited by its latency", find: "p50<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			waits: 10 * time.Millisecond}, probes: 29, check: func(f *report.Found) bool { // no probe confirms
			slow := misses(f, plan.Slow)
			return f.Rate > 0 && f.Lo == 0 && slow > 0 && slow+misses(f, plan.Growing) == 28
		}},
		{name: "unsteady at its highest rate", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: unsteady(4000)}, rate: 5000, probes: plan.SearchRounds + 1 + plan.LongProbes,
			check: func(f *report.Found) bool { // 85 % of the rate misses, 75 % is confirmed
				rate, kept, all := f.Confirmed()
				return kept == 3 && all == 3 && math.Abs(rate/f.Rate/.75-1) < 1e-6
			}},
		{name: "unsteady, and the generator stands still", find: "p99<10ms", server: server{perSec: 5000,
			takes: time.Millisecond, spoil: func(s *server, l *record.Load, d *record.Detail) {
				if unsteady(4000)(s, l, d); s.loads == plan.SearchRounds+1 {
					pause(l)
				}
			}}, rate: 5000, probes: plan.SearchRounds + 2 + plan.LongProbes},
		{name: "unsteady at all rates", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: unsteady(0)}, probes: plan.SearchRounds + 3, check: func(f *report.Found) bool { return f.Lo > 0 }},
		{name: "long probes with the generator at its limit", find: "p99<10ms", server: server{perSec: 5000,
			takes: time.Millisecond, spoil: func(s *server, l *record.Load, d *record.Detail) {
				if s.loads > plan.SearchRounds-plan.LongProbes && l.Planned > 4000*l.WindowNS/1e9 && s.loads%3 != 0 {
					atLimit(l, d)
				}
			}}, rate: 5000, probes: plan.SearchRounds + 2 + plan.LongProbes, check: func(f *report.Found) bool {
			rate, kept, all := f.Confirmed()
			return kept == 3 && all == 3 && math.Abs(rate/f.Rate/.75-1) < 1e-6
		}},
		{name: "pauses, and too little time", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, _ *record.Detail) {
				if s.loads%3 > 0 {
					pause(l)
				}
			}}, ended: report.OutOfTime, probes: 74,
			why: "the next one, of 5.00 s, would have ended later than 4m52s after the start; 50 of these had to be repeated"},
		{name: "slow", find: "p50<1s", length: 3 * time.Minute,
			server: server{perSec: 400, takes: 300 * time.Millisecond}, rate: 400},
		{name: "slower than the objective", find: "p50<1s", server: server{perSec: 100, takes: 2 * time.Second},
			probes: 1, check: func(f *report.Found) bool { return f.TooSlowNS > 0 }},
		{name: "slower than the objective with many connections alone", find: "p90<500ms", length: 3 * time.Minute,
			server: server{perSec: 400, takes: 50 * time.Millisecond, queues: 3 * time.Second}, rate: 400},
		{name: "a generator that pauses", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, _ *record.Detail) {
				if s.loads < 12 && s.loads%3 == 1 {
					pause(l)
				}
			}}, rate: 5000, probes: plan.SearchRounds + 4, check: repeats},
		{name: "a generator that stands still", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, _ *record.Detail) {
				if s.loads > 2 {
					pause(l)
				}
			}}, ended: report.Stopped, why: "stood still in 5 probes in a row", probes: 7, check: repeats},
		{name: "a silent server, a busy machine", find: "p99<10ms", server: server{perSec: 5000,
			takes: time.Millisecond, spoil: silence}, ended: report.Stopped, why: "stood still in 5 probes in a row", probes: 5},
		{name: "a server that dies", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, d *record.Detail) {
				if s.loads == 10 {
					s.gone = true
					refuse(l, d)
				}
			}}, ended: report.Stopped, why: "the server was gone. The next probe ended early: no", probes: 10,
			check: func(f *report.Found) bool { return f.Probes[9].Gone && !f.Probes[9].Paused && f.Rate > 0 }},
		{name: "a server that refuses what is too much", find: "p99<10ms", server: server{perSec: 5000,
			takes: time.Millisecond, spoil: func(s *server, l *record.Load, d *record.Detail) {
				if l.Pace != nil && l.ServiceSDNS > 0 {
					refuse(l, d)
				}
			}}, rate: 5000, check: func(f *report.Found) bool { return misses(f, plan.Errors) > 0 }},
		{name: "a percentile that is never known", find: "p99.9<2s", length: 5 * time.Second,
			server: server{perSec: 43, takes: 20 * time.Millisecond}, ended: report.Stopped,
			why: "p99.9 cannot be known below 2,500/s", probes: 1},
		{name: "too little time", find: "p99<1s", length: time.Second,
			server: server{perSec: 100, takes: 20 * time.Millisecond}, ended: report.OutOfTime, probes: 1,
			why: "the next one, of 32.1 s, would have ended later than 2s after the start; 0 of these had to be repeated. Make"},
		{name: "fewer connections", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(_ *server, l *record.Load, _ *record.Detail) { l.Established = 3 }}, ended: report.Stopped,
			why: "the closed loop had fewer connections: 3 of 4", probes: 1},
		{name: "wrong counts", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, _ *record.Detail) { l.Started += int64(s.loads / 3) }},
			ended: report.Stopped, why: "do not add up", probes: 3},
		{name: "no right response", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(_ *server, l *record.Load, d *record.Detail) {
				l.Failed, l.Succeeded, l.RateAnswers = l.Succeeded, 0, 0
				l.Failures, d.First = map[string]int64{"status": l.Failed}, "GET /: status 404"
			}}, probes: 1, check: func(f *report.Found) bool {
			return slices.Equal(f.Closed, []string{
				"in the closed loop: errors: 100 % of 10,000 requests: 10,000 wrong status",
				"the first wrong answer: GET /: status 404"})
		}},
		{name: "redirects", find: "p99<10ms", server: server{perSec: 5000, takes: time.Millisecond,
			spoil: func(s *server, l *record.Load, d *record.Detail) {
				if d.Status = map[int]int64{301: l.Succeeded}; s.loads == 1 {
					pause(l)
				}
			}}, rate: 5000, probes: plan.SearchRounds + 1, check: func(f *report.Found) bool {
			return len(f.Closed) == 1 && strings.HasPrefix(f.Closed[0], "in the closed loop: all 10,000 answers are redirects")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &Plan{Request: Request{Find: objectives(c.find), Duration: c.length}, engine: &c.server,
					job: load.Job{Workers: 1, Scenario: &scenario.Scenario{}}}
				n, began := 0, time.Now()
				f, err := p.Search(t.Context(), func(report.Probe) { n++ })
				if err != nil {
					t.Fatal(err)
				}
				if c.probes == 0 {
					c.probes = plan.SearchRounds
				}
				if took := time.Since(began); n != len(f.Probes) || n != c.probes || f.Ended != c.ended ||
					!strings.Contains(f.Why, c.why) || f.OK() != (c.rate > 0) || took > 2*p.searchTime() && n > 1 {
					t.Errorf("%d probes (%d ticks) in %v, ended %q: %q, ok %t; want %d, %q: %q", len(f.Probes), n, took,
						f.Ended, f.Why, f.OK(), c.probes, c.ended, c.why)
				}
				if c.rate > 0 && (math.Abs(f.Rate/c.rate-1) > 0.04 || f.Lo > 1.03*c.rate || f.Hi < c.rate) {
					t.Errorf("found %v (%v–%v), want %v", f.Rate, f.Lo, f.Hi, c.rate)
				}
				if c.check != nil && !c.check(f) {
					t.Errorf("%+v", f)
				}
			})
		})
	}
}

// unsteady makes the long probes of a search's end miss above a rate.
func unsteady(rate int64) func(*server, *record.Load, *record.Detail) {
	return func(s *server, l *record.Load, d *record.Detail) {
		if s.loads > plan.SearchRounds-plan.LongProbes && l.Planned > rate*l.WindowNS/1e9 {
			l.Succeeded -= l.Planned / 10
			l.Errors = map[string]int64{"timeout": l.Planned / 10}
		}
	}
}

// misses returns the number of probes that missed the objective for this reason.
func misses(f *report.Found, why plan.Miss) (n int) {
	for _, p := range f.Probes {
		if p.Why == string(why) {
			n++
		}
	}
	return n
}

// repeats reports whether each probe with a standstill was repeated.
func repeats(f *report.Found) bool {
	again := 0
	for i, p := range f.Probes[:len(f.Probes)-1] {
		if next := f.Probes[i+1]; p.Paused && (next.Kind != p.Kind || next.PerSec != p.PerSec) {
			return false
		} else if p.Paused {
			again++
		}
	}
	return again > 3
}
