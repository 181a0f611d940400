package loadtest

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// dials are about how connections come and go.
var dials = map[string]func(*testing.T, load.Engine){
	"per connection": perConnection, "closing requests": closingRequests, "lazy": lazy,
	"lazy: nobody there":    lazyNobody,
	"pipeline after a dial": pipelineAfterADial, "cookies": cookies,
}

// pipelineAfterADial: a connection that replaces another has its pipeline filled, too, before the
// first answer. The server answers the first request of the second connection once it has the
// second.
func pipelineAfterADial(t *testing.T, e load.Engine) {
	var behind atomic.Bool
	s := serve(t, "tcp", func(p *peer) {
		switch p.index {
		case 0:
			p.next()
			return
		case 1:
			p.next()
			p.SetReadDeadline(time.Now().Add(never / 12))
			behind.Store(p.next())
			p.SetReadDeadline(time.Time{})
			p.say(value + value)
		}
		each(value)(p)
	})
	j := job(s)
	j.Connections, j.Workers, j.Pipeline = 1, 1, 4
	if l := run(t, open(t, e, j), load.Window{Requests: 40}); !behind.Load() || l.Succeeded != 36 || l.Errored() != 4 {
		t.Errorf("a second request came: %v: %+v", behind.Load(), l)
	}
}

// closingRequests: requests that say so themselves have a connection each, though the server closes
// without a word.
func closingRequests(t *testing.T, e load.Engine) {
	for _, schedule := range []*load.Schedule{nil, constant(2000)} {
		s := serve(t, "tcp", func(p *peer) {
			if p.next() {
				p.say(value)
			}
		})
		j := job(s)
		j.Scenario.Requests[0].Headers = []scenario.HeaderLine{{Name: "A", Value: "1"},
			{Name: "connection", Value: "x, Close"}}
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 60, Schedule: schedule}, 0)
		if o.Succeeded != 60 || o.Detail.Response == nil {
			t.Errorf("schedule %v: %+v", schedule, o.Load)
		}
		if n := s.accepted.Load(); n < 60 {
			t.Errorf("schedule %v: %d connections", schedule, n)
		}
	}
	s := serve(t, "tcp", each(value))
	j := job(s)
	other := j.Scenario.Requests[0]
	other.Headers = []scenario.HeaderLine{{Name: "Connection", Value: "close"}}
	j.Scenario.Requests = append(j.Scenario.Requests, other)
	if _, err := e.Open(t.Context(), j); err == nil || !strings.Contains(err.Error(), "use it in all requests or "+
		"in none") {
		t.Errorf("one request of two closes: %v", err)
	}
}

// perConnection: the client closes after so many answers, and says so where it is one.
func perConnection(t *testing.T, e load.Engine) {
	for _, c := range []struct {
		per, depth int
		schedule   *load.Schedule
	}{{1, 1, nil}, {1, 4, nil}, {3, 1, nil}, {3, 2, nil}, {4, 2, constant(2000)}, {1, 1, constant(2000)}} {
		ends := make(chan int, 1000) // requests that each connection carried
		said := make(chan bool, 1000)
		s := serve(t, "tcp", func(p *peer) {
			for p.next() {
				said <- strings.EqualFold(p.field("Connection"), "close")
				p.say(value)
			}
			ends <- p.n
		})
		j := job(s)
		j.PerConnection, j.Pipeline = c.per, c.depth
		session := open(t, e, j)
		o := observe(t, t.Context(), session, load.Window{Requests: 60, Schedule: c.schedule}, 10*time.Millisecond)
		session.Close()
		if o.Succeeded != 60 || o.Detail.Response == nil {
			t.Fatalf("%+v: %+v", c, o.Load)
		}
		for range s.accepted.Load() {
			if n := <-ends; n > c.per {
				t.Errorf("%+v: a connection carried %d requests", c, n)
			}
		}
		for range 60 {
			if closes := <-said; closes != (c.per == 1) {
				t.Errorf("%+v: Connection: close %v", c, closes)
				break
			}
		}
		// Open dialled 4 before the window.
		if n := s.accepted.Load(); n < 60/int64(c.per) || o.Detail.Connect.Count() < n-4 {
			t.Errorf("%+v: %d connections, %d times to connect", c, n, o.Detail.Connect.Count())
		}
		s.eventually(t, "connections were accepted",
			func() bool { return o.Detail.Connect.Count() <= s.accepted.Load() })
	}
}

// lazy: nothing is dialled before its turn.
func lazy(t *testing.T, e load.Engine) {
	const n, over = 8, 200 * time.Millisecond
	for _, schedule := range []*load.Schedule{nil, constant(100)} {
		s := serve(t, "tcp", each(value))
		j := job(s)
		j.Connections, j.Lazy = n, true
		session := open(t, e, j)
		time.Sleep(10 * time.Millisecond) // in which a dial would come through
		if s.accepted.Load() != 0 {
			t.Errorf("%d connections after Open", s.accepted.Load())
		}
		start := time.Now()
		o := observe(t, t.Context(), session, load.Window{For: 2 * over, Spread: over, Schedule: schedule},
			50*time.Millisecond)
		s.eventually(t, "connections were accepted",
			func() bool { return o.Detail.Connect.Count() == s.accepted.Load() })
		s.mu.Lock()
		slices.SortFunc(s.dialled, time.Time.Compare)
		for i, at := range s.dialled {
			if turn := over * time.Duration(i) / n; at.Sub(start) < turn {
				t.Errorf("connection %d came after %v, before its turn at %v", i, at.Sub(start), turn)
			}
		}
		s.mu.Unlock()
		if o.Established == 0 || o.Detail.Connect.Count() != int64(o.Established) || o.Succeeded != o.Started {
			t.Errorf("%d times to connect: %+v", o.Detail.Connect.Count(), o.Load)
		}
		if l := run(t, session, load.Window{Requests: 100}); l.Succeeded != 100 || s.accepted.Load() > n {
			t.Errorf("the next window, over %d connections: %+v", s.accepted.Load(), l)
		}
	}
}

func lazyNobody(t *testing.T, e load.Engine) {
	for _, network := range []string{"tcp", "unix"} {
		for _, schedule := range []*load.Schedule{nil, constant(1000)} {
			s := serve(t, network, each(value))
			j := job(s)
			j.Lazy = true
			s.stop()
			o := observe(t, t.Context(), open(t, e, j), load.Window{For: 300 * time.Millisecond, Schedule: schedule},
				20*time.Millisecond)
			if o.Established != 0 || o.Errors["dial"] == 0 || o.Errored() != o.Started || o.Detail.Texts["dial"] == "" {
				t.Errorf("%s: %+v, %v", network, o.Load, o.Detail.Texts)
			}
		}
	}
}

// cookies: each connection has a jar of its own, which outlives it.
func cookies(t *testing.T, e load.Engine) {
	for _, c := range []struct {
		jars bool
		per  int
	}{{false, 0}, {true, 0}, {true, 1}, {true, 4}} {
		var fresh, strange atomic.Int64 // requests without a cookie, or with another connection's
		s := serve(t, "tcp", func(p *peer) {
			own := ""
			for p.next() {
				cookie := p.field("Cookie")
				switch {
				case cookie == "":
					own = "id=" + strconv.FormatInt(fresh.Add(1), 10)
					p.say(strings.Replace(value, "\r\n", "\r\nSet-Cookie: "+own+"; Path=/\r\n", 1))
					continue
				case own == "":
					own = cookie
				case cookie != own:
					strange.Add(1)
				}
				p.say(value)
			}
		})
		j := job(s)
		j.Scenario.Cookies, j.PerConnection = c.jars, c.per
		l := run(t, open(t, e, j), load.Window{Requests: 80})
		want := int64(80)
		if c.jars {
			want = 4
		}
		if l.Succeeded != 80 || fresh.Load() > want || !c.jars && fresh.Load() != want || strange.Load() != 0 {
			t.Errorf("%+v: %d requests without a cookie, %d with a strange one: %+v", c, fresh.Load(), strange.Load(),
				l)
		}
	}
}
