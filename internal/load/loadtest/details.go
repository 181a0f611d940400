package loadtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/result"
)

// details are about what an observed window tells.
var details = map[string]func(*testing.T, load.Engine){
	"detail": detail, "detail: timeouts": detailTimeouts, "detail: cancel": detailCancel, "detail: unobserved after": unobservedAfter,
	"detail: dials": detailDials,
	"intervals":     intervals, "detail: texts": texts, "detail: tick alone": tickAlone,
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
	if o.Succeeded != 16 || o.Failed != 4 || o.Detail.Status[200] != 16 || o.Detail.Status[503] != 4 || len(o.Detail.Status) != 2 {
		t.Fatalf("%+v, %v", o.Load, o.Detail.Status)
	}
	if o.Detail.Response != nil || o.Detail.Lag != nil {
		t.Error("a closed loop without pauses keeps a response time apart from its service time")
	}
	if o.Detail.Service.Count() != 20 || o.Detail.Service.Quantile(0.5) < int64(7*time.Millisecond) || o.Detail.FirstByte.Quantile(0.01) < int64(2*time.Millisecond) {
		t.Errorf("services of %d, first bytes from %d ns", o.Detail.Service.Quantile(0.5), o.Detail.FirstByte.Quantile(0.01))
	}
	for _, part := range []string{"GET /api/values/", "503", "busy"} {
		if !strings.Contains(o.Detail.First, part) {
			t.Errorf("the first failure, without %q: %s", part, o.Detail.First)
		}
	}
}

// detailTimeouts: what timed out is censored at what it had waited, together with what was behind it on its connection.
func detailTimeouts(t *testing.T, e load.Engine) {
	const patience = 300 * time.Millisecond
	for _, schedule := range []*load.Schedule{nil, constant(20)} {
		s := serve(t, "tcp", linger)
		j := job(s)
		j.Connections, j.Pipeline, j.Timeout = 1, 4, patience
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 4, Schedule: schedule}, 0)
		if o.Errors["timeout"] != 4 || o.Detail.Censored != 4 || o.Detail.Service.Count() != 4 || o.Detail.Service.Max() < int64(patience) {
			t.Errorf("%d censored, %d services up to %d: %+v", o.Detail.Censored, o.Detail.Service.Count(), o.Detail.Service.Max(), o.Load)
		}
		if schedule == nil && o.Detail.CensoredFromNS < int64(patience) {
			t.Errorf("one was given up after %d ns", o.Detail.CensoredFromNS)
		}
	}
}

func detailCancel(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", holding(10, func(int64) {}))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o := observe(t, ctx, open(t, e, job(s)), load.Window{Requests: 1000}, 10*time.Millisecond)
	if o.err == nil || o.Planned != 1000 || o.Started > 14 || o.InFlight > 4 || o.Detail.Censored != o.InFlight {
		t.Errorf("%v, %d censored: %+v", o.err, o.Detail.Censored, o.Load)
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
		if o := observe(t, t.Context(), session, load.Window{Requests: 30, Schedule: constant(2000)}, 5*time.Millisecond); o.Started != 30 || o.Detail.Response.Count() != 30 {
			t.Errorf("observed: %+v", o.Load)
		}
		if o := observe(t, t.Context(), session, load.Window{Requests: 50}, 0); o.Started != 50 || o.Detail.Response != nil {
			t.Errorf("observed, closed: %+v", o.Load)
		}
	}
}

// detailDials: every connection that was made is counted, those among them that the server's closing made necessary.
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
		if accepted := s.accepted.Load(); n < 20 || n < accepted-int64(j.Connections) { // of some at the end nobody knew
			t.Errorf("%d dials counted of %d: %+v", n, accepted, o.Load)
		}
	}
}

// intervals: each tells what fell into it. The server is silent for a while, and so is at least one interval.
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
		// At least 100 ms lie between two answers, so that the intervals from the second to the fourth within them hold none.
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
		Tick:  func(i result.Interval) { sum += i.Load.Succeeded },
	}})
	if sum != l.Succeeded || sum == 0 || err != nil {
		t.Errorf("%d in the intervals of %+v, %v", sum, l, err)
	}
}
