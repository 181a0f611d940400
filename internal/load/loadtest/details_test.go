package loadtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// details are about what an observed window tells.
var details = map[string]func(*testing.T, load.Engine){
	"detail": detail, "detail: timeouts": detailTimeouts, "detail: cancel": detailCancel,
	"detail: unobserved after": unobservedAfter,
	"detail: dials":            detailDials, "detail: broken": detailBroken, "detail: wrong": detailWrong,
	"intervals": intervals, "detail: texts": texts, "detail: tick alone": tickAlone,
}

func detail(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			time.Sleep(2 * time.Millisecond)
			switch {
			case p.n%5 == 0:
				p.say("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")
			default:
				p.say(value[:20])
				time.Sleep(5 * time.Millisecond)
				p.say(value[20:])
			}
		}
	})
	j := job(s)
	j.Connections, j.Workers = 1, 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 20}, 0)
	if o.Succeeded != 16 || o.Failed != 4 || o.Detail.Status[200] != 16 || o.Detail.Status[503] != 4 ||
		len(o.Detail.Status) != 2 {
		t.Fatalf("%+v, %v", o.Load, o.Detail.Status)
	}
	if o.Detail.Response != nil || o.Detail.Lag != nil {
		t.Error("a closed loop without pauses keeps a response time apart from its service time")
	}
	if o.Detail.Service.Count() != 16 || o.Detail.Wrong.Count() != 4 ||
		o.Detail.Service.Quantile(0.5) < int64(7*time.Millisecond) ||
		o.Detail.FirstByte.Quantile(0.01) < int64(2*time.Millisecond) {
		t.Errorf("services of %d, first bytes from %d ns", o.Detail.Service.Quantile(0.5),
			o.Detail.FirstByte.Quantile(0.01))
	}
	for _, part := range []string{"GET /api/values/", "503", "busy"} {
		if !strings.Contains(o.Detail.First, part) {
			t.Errorf("the first failure, without %q: %s", part, o.Detail.First)
		}
	}
}

// detailTimeouts: what timed out is censored at what it had waited, together with what was behind
// it on its connection.
func detailTimeouts(t *testing.T, e load.Engine) {
	const patience = 300 * time.Millisecond
	for _, schedule := range []*load.Schedule{nil, constant(20)} {
		s := serve(t, "tcp", linger)
		j := job(s)
		j.Connections, j.Pipeline, j.Timeout = 1, 4, patience
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 4, Schedule: schedule}, 0)
		if o.Errors["timeout"] != 4 || o.Detail.Unanswered != 4 || schedule != nil && o.Detail.Censored != 4 ||
			o.Detail.Service.Count() != 4 || o.Detail.Service.Max() < int64(patience) {
			t.Errorf("%d unanswered, %d services up to %d: %+v", o.Detail.Unanswered, o.Detail.Service.Count(),
				o.Detail.Service.Max(), o.Load)
		}
		if schedule == nil && o.Detail.UnansweredFromNS < int64(patience) {
			t.Errorf("one was given up after %d ns", o.Detail.UnansweredFromNS)
		}
	}
}

// detailBroken: a server that breaks what it was asked is not faster than one that lets it time
// out. What had no answer stands in the latencies with what it had waited, in an open loop since it
// was due, whether it was sent, found no connection or was never started.
func detailBroken(t *testing.T, e load.Engine) {
	const patience = 20 * time.Millisecond
	for name, end := range map[string]func(*peer){"reset": (*peer).reset, "closed": hangUp,
		"parse": func(p *peer) { p.say("220 mail.example ESMTP\r\n"); linger(p) }} {
		for _, schedule := range []*load.Schedule{nil, constant(100)} {
			s := serve(t, "tcp", func(p *peer) {
				if !p.next() {
					return
				}
				if p.dropped.Add(1)%2 == 0 {
					if p.say(value); !p.next() {
						return
					}
				}
				time.Sleep(patience)
				end(p)
			})
			o := observe(t, t.Context(), open(t, e, job(s)), load.Window{Requests: 24, Schedule: schedule}, 0)
			d := &o.Detail
			if o.Errors[name] == 0 || d.Unanswered < o.Errors[name] || d.UnansweredFromNS < int64(patience) ||
				d.Service.Count() != o.Succeeded+d.Unanswered {
				t.Errorf("%s: %d unanswered from %d ns on: %+v", name, d.Unanswered, d.UnansweredFromNS, o.Load)
			}
			if schedule != nil && (d.Response.Count() != o.Planned || d.Censored != o.Planned-o.Succeeded) {
				t.Errorf("%s: %d censored, %d responses: %+v", name, d.Censored, d.Response.Count(), o.Load)
			}
		}
	}
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	s.stop()
	o := observe(t, t.Context(), session, load.Window{For: 100 * time.Millisecond, Schedule: constant(400)}, 0)
	if d := &o.Detail; o.Succeeded > 0 || o.Planned == 0 || d.Response.Count() != o.Planned || d.Censored != o.Planned {
		t.Errorf("without a server: %d censored, %d responses: %+v", d.Censored, d.Response.Count(), o.Load)
	}
}

// detailWrong: answers that break their contract stand apart, and in an open loop are censored like
// all that is not right. Here they take longer.
func detailWrong(t *testing.T, e load.Engine) {
	const late = 20 * time.Millisecond
	for _, schedule := range []*load.Schedule{nil, constant(100)} {
		s := serve(t, "tcp", func(p *peer) {
			for p.next() {
				if p.n%2 == 0 {
					time.Sleep(late)
					p.say("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
				} else {
					p.say(value)
				}
			}
		})
		j := job(s)
		j.Connections = 1
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 20, Schedule: schedule}, 0)
		d := &o.Detail
		if o.Failed != 10 || d.Wrong.Count() != 10 || d.Wrong.Quantile(.01) < int64(late) || d.Service.Count() != 10 {
			t.Errorf("%d wrong, %d right: %+v", d.Wrong.Count(), d.Service.Count(), o.Load)
		}
		if schedule != nil && (d.Censored != 10 || d.CensoredFromNS < int64(late) || d.Response.Count() != 20) {
			t.Errorf("%d censored from %d ns on, %d responses: %+v", d.Censored, d.CensoredFromNS, d.Response.Count(),
				o.Load)
		}
	}
}

func detailCancel(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", holding(10, func(int64) {}))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o := observe(t, ctx, open(t, e, job(s)), load.Window{Requests: 1000}, 10*time.Millisecond)
	if o.err == nil || o.Planned != 1000 || o.Started > 14 || o.InFlight > 4 || o.Detail.Unanswered != o.InFlight {
		t.Errorf("%v, %d unanswered: %+v", o.err, o.Detail.Unanswered, o.Load)
	}
}

// unobservedAfter: the windows of one session may be observed or not, in any order.
func unobservedAfter(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	for range 2 {
		if l := run(t, session, load.Window{Requests: 40}); l.Started != 40 {
			t.Errorf("unobserved: %+v", l)
		}
		if o := observe(t, t.Context(), session, load.Window{Requests: 30, Schedule: constant(2000)},
			5*time.Millisecond); o.Started != 30 || o.Detail.Response.Count() != 30 {
			t.Errorf("observed: %+v", o.Load)
		}
		if o := observe(t, t.Context(), session, load.Window{Requests: 50}, 0); o.Started != 50 ||
			o.Detail.Response != nil {
			t.Errorf("observed, closed: %+v", o.Load)
		}
	}
}

// detailDials: every connection is counted that was made, also those that replace connections
// that the server closed.
func detailDials(t *testing.T, e load.Engine) {
	for _, answer := range []string{value, strings.Replace(value, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)} {
		s := serve(t, "tcp", func(p *peer) {
			if p.next() {
				p.say(answer) // and close, said or not
			}
		})
		j := job(s)
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 40}, 0)
		n := o.Detail.Connect.Count()
		s.eventually(t, "connections", func() bool { return s.accepted.Load() >= n })
		// of some at the end nobody knew
		if accepted := s.accepted.Load(); n < 20 || n < accepted-int64(j.Connections) {
			t.Errorf("%d dials counted of %d: %+v", n, accepted, o.Load)
		}
	}
}

// intervals: each tells what fell into it. The server is silent for a while, and so is at least one
// interval.
func intervals(t *testing.T, e load.Engine) {
	const every, silent = 20 * time.Millisecond, 100 * time.Millisecond
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.n == 5 {
				time.Sleep(silent)
			}
			p.say(value)
		}
	})
	j := job(s)
	j.Connections = 1
	for _, schedule := range []*load.Schedule{nil, constant(1000)} {
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 10, Schedule: schedule}, every)
		quiet := 0
		for _, n := range o.counts {
			if n["succeeded"] == 0 {
				quiet++
			}
		}
		// At least 100 ms lie between two answers, so that the intervals from the second to the
		// fourth within them hold none.
		if o.Succeeded != 10 || len(o.counts) < 5 || quiet < 3 {
			t.Errorf("%d of %d intervals are quiet: %+v", quiet, len(o.counts), o.Load)
		}
	}
}

// texts: the last word of the system on each kind of error.
func texts(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", once("", (*peer).reset))
	o := observe(t, t.Context(), open(t, e, job(s)), load.Window{Requests: 8}, 0)
	if o.Errors["reset"] != 8 || !strings.Contains(o.Detail.Texts["reset"], "reset by peer") {
		t.Errorf("%v, %v", o.Errors, o.Detail.Texts)
	}
	s = serve(t, "tcp", once("220 mail.example ESMTP\r\n", linger))
	o = observe(t, t.Context(), open(t, e, job(s)), load.Window{Requests: 8}, 0)
	if o.Errors["parse"] != 8 || !strings.Contains(o.Detail.Texts["parse"], "status line") {
		t.Errorf("%v, %v", o.Errors, o.Detail.Texts)
	}
}

// tickAlone: who wants the intervals need not want the whole.
func tickAlone(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	var sum int64
	l, err := open(t, e, job(s)).Run(t.Context(), load.Window{For: 50 * time.Millisecond, Observe: &load.Observe{
		Every: 10 * time.Millisecond,
		Tick:  func(i record.Interval) { sum += i.Load.Succeeded },
	}})
	if sum != l.Succeeded || sum == 0 || err != nil {
		t.Errorf("%d in the intervals of %+v, %v", sum, l, err)
	}
}
