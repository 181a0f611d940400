package loadtest

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// absences are about a server that goes away within a window.
var absences = map[string]func(*testing.T, load.Engine){
	"server restarts": restarts, "server gone": gone, "server gone, by number": goneByNumber,
	"server comes late": comesLate,
}

// loads are those that must outlast an absence.
var loads = []struct {
	name     string
	per      int
	schedule *load.Schedule
}{{"closed", 0, nil}, {"open", 0, constant(1000)}, {"closed, one per connection", 1,
	nil}, {"open, one per connection", 1, constant(1000)}}

// across runs a part of the test for each load over tcp and unix sockets, all concurrently, because
// they mostly wait.
func across(t *testing.T, part func(t *testing.T, network string, schedule *load.Schedule,
	set func(*server) load.Job)) {
	for m, network := range []string{"tcp", "unix"} {
		for i, l := range loads {
			if !tried(i, m) {
				continue
			}
			t.Run(network+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				part(t, network, l.schedule, func(s *server) load.Job {
					j := job(s)
					j.PerConnection = l.per
					return j
				})
			})
		}
	}
}

// leaves answers, and calls left with the 50th request.
func leaves(left func(*peer)) func(*peer) {
	return func(p *peer) {
		for p.next() {
			if p.dropped.Add(1) == 50 {
				left(p)
			}
			p.say(value)
		}
	}
}

// restarts: a server that comes back is loaded again by every connection, though many dials have
// failed. The test ends the window once it is.
func restarts(t *testing.T, e load.Engine) {
	across(t, func(t *testing.T, network string, schedule *load.Schedule, set func(*server) load.Job) {
		ctx, cancel := context.WithTimeout(t.Context(), never)
		defer cancel()
		back := make(chan *server, 1)
		s := serve(t, network, leaves(func(p *peer) {
			go func() {
				addr := p.Addr()
				p.stop()
				back <- comesBack(t, addr, 700*time.Millisecond, cancel)
			}()
		}))
		session := open(t, e, set(s))
		o := observe(t, ctx, session, load.Window{For: 2 * never, Schedule: schedule}, 100*time.Millisecond)
		second := <-back
		if second == nil {
			t.Skip("something else took the address meanwhile")
		}
		if o.err == nil || o.Errors["dial"] == 0 || o.Succeeded < 80 || o.Established != 4 || o.UnreachableNS != 0 ||
			second.requests.Load() < 50 {
			t.Errorf("%v, %d requests afterwards: %+v", o.err, second.requests.Load(), o.Load)
		}
	})
}

// comesBack serves after a while where another server has just left; its answers end by done. Without
// an address it calls done at once, and returns nil.
func comesBack(t *testing.T, addr net.Addr, after time.Duration, done func()) *server {
	time.Sleep(after)
	again := listenAgain(t, addr)
	if again == nil {
		done()
		return nil
	}
	return serveOn(t, again, leaves(func(*peer) { done() }))
}

// listenAgain listens where another listener has just closed; nil: it cannot.
func listenAgain(t *testing.T, addr net.Addr) net.Listener {
	for end := time.Now().Add(never / 4); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ln, err := net.Listen(addr.Network(), addr.String()); err == nil {
			return ln
		}
	}
	return nil
}

// gone: a window by time lasts as long as it was asked to, and tells since when nobody was there.
// On a busy machine the server may leave late: then a longer window is tried.
func gone(t *testing.T, e load.Engine) {
	across(t, func(t *testing.T, network string, schedule *load.Schedule, set func(*server) load.Job) {
		for length := time.Second; ; length *= 2 {
			left := make(chan time.Time, 1)
			session := open(t, e, set(serve(t, network, leaves(func(p *peer) {
				p.stop()
				left <- time.Now()
			}))))
			start := time.Now()
			o := observe(t, t.Context(), session, load.Window{For: length, Schedule: schedule}, 20*time.Millisecond)
			took := time.Since(start)
			if took < length {
				t.Errorf("over after %v of %v", took, length)
			}
			select {
			case at := <-left:
				if at.Sub(start) < length/4 {
					o.isGone(t, schedule != nil, took)
					return
				}
			default:
			}
			if session.Close(); length > never/4 {
				t.Skip("this machine is too busy")
			}
		}
	})
}

// isGone checks the window of a server that left in its first quarter.
func (o *seen) isGone(t *testing.T, open bool, took time.Duration) {
	said := o.Detail.Texts["dial"]
	if o.Succeeded < 40 || o.Errors["dial"] == 0 || !strings.Contains(said, "refused") &&
		!strings.Contains(said, "no such file") {
		t.Errorf("%+v, %v", o.Load, o.Detail.Texts)
	}
	if o.UnreachableNS <= 0 || o.UnreachableNS > int64(took) {
		t.Errorf("unreachable for %d of %v", o.UnreachableNS, took)
	}
	// at least those that were due before the last failed dial, not one a dial
	if n := o.Errors["dial"]; open && n < 100 {
		t.Errorf("%d requests found no connection: %+v", n, o.Load)
	}
}

// goneByNumber: a window that no time bounds ends, and what was not sent was never started.
func goneByNumber(t *testing.T, e load.Engine) {
	across(t, func(t *testing.T, network string, schedule *load.Schedule, set func(*server) load.Job) {
		j := set(serve(t, network, leaves((*peer).stop)))
		j.Timeout = time.Second
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 1_000_000, Schedule: schedule},
			20*time.Millisecond)
		early(t, o.Load, time.Second)
	})
}

func early(t *testing.T, l record.Load, patience time.Duration) {
	t.Helper()
	if l.Planned != 1_000_000 || l.NeverStarted == 0 || l.Errors["dial"] == 0 || l.UnreachableNS < int64(patience) {
		t.Errorf("%+v", l)
	}
}

// comesLate: connections that were not there when the window began are dialled within it.
func comesLate(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	addr := s.Addr()
	s.stop()
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	back := make(chan *server, 1)
	go func() { back <- comesBack(t, addr, 600*time.Millisecond, cancel) }()
	l, err := session.Run(ctx, load.Window{For: 2 * never})
	audit(t, l, nil)
	if <-back == nil {
		t.Skip("something else took the address meanwhile")
	}
	if err == nil || l.Succeeded < 40 || l.Errors["dial"] == 0 || l.Established == 0 {
		t.Errorf("%v: %+v", err, l)
	}
}
