package loadtest

import (
	"context"
	"testing"
	"time"

	"dyno/internal/load"
)

// pauses are about think times.
var pauses = map[string]func(*testing.T, load.Engine){
	"think": think, "think: random": thinkRandom, "think: after a loss": thinkAfterLoss,
	"think: the deadline ends it":     thinkEnds,
	"think: the last request ends it": thinkCut, "think: one per connection": thinkPerConnection,
	"think: idle connections end": thinkIdle, "think: a server that speaks first": thinkGreeted,
}

func think(t *testing.T, e load.Engine) {
	const pause = 20 * time.Millisecond
	for _, depth := range []int{1, 3} {
		s := serve(t, "tcp", each(value))
		j := job(s)
		j.Connections, j.Pipeline = 2, depth
		o := observe(t, t.Context(), open(t, e, j),
			load.Window{Requests: int64(12 * depth), Think: load.Pause{Mean: pause}}, 0)
		if o.Succeeded != int64(12*depth) || o.Detail.Response == nil || o.Detail.Lag.Count() != o.Started {
			t.Fatalf("%+v", o.Load)
		}
		s.mu.Lock()
		long := 0
		for _, g := range s.silences {
			if g >= pause {
				long++
			}
		}
		if long < 10 || depth == 1 && long != len(s.silences) {
			t.Errorf("depth %d: silences of %v; want pauses of %v", depth, s.silences, pause)
		}
		if o.Detail.Response.Quantile(0.5) > o.Detail.Lag.Max()+o.Detail.Service.Max() {
			t.Errorf("the pause counts as response: %d, lag up to %d", o.Detail.Response.Quantile(0.5),
				o.Detail.Lag.Max())
		}
		s.mu.Unlock()
	}
}

// thinkRandom: the pauses of a mean are now shorter, now longer.
func thinkRandom(t *testing.T, e load.Engine) {
	const mean = 8 * time.Millisecond
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Connections = 4
	l := run(t, open(t, e, j), load.Window{Requests: 120, Think: load.Pause{Mean: mean, Random: true}})
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum, longest time.Duration
	for _, g := range s.silences {
		sum += g
		longest = max(longest, g)
	}
	// Of 116 draws the mean is above 0.6 times the true one, and the longest above twice it, but
	// for 1 seed in 100,000.
	if n := time.Duration(len(s.silences)); l.Succeeded != 120 || sum/n < mean*6/10 || longest < 2*mean {
		t.Errorf("%d silences of %v on average, up to %v: %+v", n, sum/n, longest, l)
	}
}

// thinkAfterLoss: a request without an answer is followed by a pause as well.
func thinkAfterLoss(t *testing.T, e load.Engine) {
	const pause = 20 * time.Millisecond
	s := serve(t, "tcp", func(p *peer) { p.next() })
	j := job(s)
	j.Connections = 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 6, Think: load.Pause{Mean: pause}}, 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Errors["closed"] != 6 || len(s.begun) != 6 {
		t.Fatalf("%+v", o.Load)
	}
	if d := s.begun[5].Sub(s.begun[0]); d < 5*pause {
		t.Errorf("5 pauses within %v", d)
	}
}

// thinkEnds checks that a window does not wait for a pause beyond the deadline.
func thinkEnds(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	o := observe(t, t.Context(), open(t, e, job(s)),
		load.Window{For: 50 * time.Millisecond, Think: load.Pause{Mean: 24 * time.Hour}}, 0)
	if o.Planned != o.Started || o.Succeeded != o.Started || o.Started > 4 {
		t.Errorf("%+v", o.Load)
	}
}

// thinkCut: nor is he when the last request has been sent.
func thinkCut(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	l, err := open(t, e, job(s)).Run(ctx, load.Window{Requests: 4, Think: load.Pause{Mean: 24 * time.Hour}})
	if l.Succeeded != 4 || l.Planned != 4 || err != nil {
		t.Errorf("%+v, %v", l, err)
	}
}

func thinkPerConnection(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Connections, j.PerConnection = 2, 2
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 20,
		Think: load.Pause{Mean: 5 * time.Millisecond}}, 10*time.Millisecond)
	if o.Succeeded != 20 || s.accepted.Load() < 10 || o.WindowNS < int64(9*5*time.Millisecond) {
		t.Errorf("%+v over %d connections", o.Load, s.accepted.Load())
	}
}

// thinkIdle checks that a pause does not start again when its connection ends during it.
func thinkIdle(t *testing.T, e load.Engine) {
	const pause = 400 * time.Millisecond
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			p.say(value)
			p.SetReadDeadline(time.Now().Add(pause * 3 / 4))
		}
	})
	j := job(s)
	j.Connections, j.Workers = 1, 1
	l := run(t, open(t, e, j), load.Window{Requests: 3, Think: load.Pause{Mean: pause}})
	if l.GapNS > int64(pause/8) {
		t.Skipf("the engine itself was stopped for %v", time.Duration(l.GapNS))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Succeeded != 3 || len(s.begun) != 3 || s.begun[2].Sub(s.begun[0]) > 3*pause {
		t.Errorf("requests came at %v, with pauses of %v: %+v", s.begun, pause, l)
	}
}

// thinkGreeted: a server that speaks before it is asked is not dialled all the time.
func thinkGreeted(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		p.say("220 ready\r\n")
		linger(p)
	})
	j := job(s)
	j.Connections, j.Workers = 1, 1
	l := run(t, open(t, e, j), load.Window{Requests: 4, Think: load.Pause{Mean: 50 * time.Millisecond}})
	most := 4 + 2*4 + l.WallNS/int64(load.Backoff(1))
	if n := s.accepted.Load(); l.Succeeded > 0 || l.Started != 4 || n > most {
		t.Errorf("%d connections, want at most %d: %+v", n, most, l)
	}
}
