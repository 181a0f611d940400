package loadtest

import (
	"context"
	"flag"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// TestMain lets many scripts run at a time, which mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		flag.Set(f.Name, strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	os.Exit(m.Run())
}

// TestEngineConforms runs the whole suite: first the cases that concern the whole process, then the
// other cases, and at last the scripts, which run concurrently, because they mostly wait.
func TestEngineConforms(t *testing.T) {
	var e load.Engine = loop.Engine{}
	beChild(t, e)
	one := func(cases map[string]func(*testing.T, load.Engine)) {
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			t.Run(name, func(t *testing.T) { cases[name](t, e) })
		}
	}
	one(bodies)
	one(limits)
	one(names)
	for _, cases := range []map[string]func(*testing.T, load.Engine){
		sessions, schedules, stops, dials, absences, silences, details, mixes, encrypted,
		streams, shares,
	} {
		one(cases)
	}
	for _, r := range refusals {
		t.Run("handshake: "+r.name, func(t *testing.T) {
			t.Parallel()
			r.run(t, e)
		})
	}
	for _, f := range faults {
		t.Run("tls: "+f.name, func(t *testing.T) {
			t.Parallel()
			for m := range modes {
				if testing.Short() && m > 0 {
					break
				}
				t.Run(modes[m].name, func(t *testing.T) {
					t.Parallel()
					f.run(t, e, m)
				})
			}
		})
	}
	for i, c := range slices.Concat(named(), conversations) {
		t.Run("http2: "+c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, e, i)
		})
	}
	for i, c := range scripts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, network := range []string{"tcp", "unix"} {
				for m := range modes {
					if network == "unix" && (c.tcpOnly || testing.Short() && m > 0) || !tried(i, m) {
						continue
					}
					t.Run(network+"/"+modes[m].name, func(t *testing.T) {
						t.Parallel()
						c.run(t, e, network, m)
					})
				}
			}
		})
	}
}

// tried reports whether script or load i is tried in way m. Short tests try every other pair: each way
// with half of the scripts.
func tried(i, m int) bool { return !testing.Short() || (i+m)%2 == 0 }

// orShort returns n, or less in a short test.
func orShort(n, less int64) int64 {
	if testing.Short() {
		return less
	}
	return n
}

// sessions are about windows that follow each other, and how they end.
var sessions = map[string]func(*testing.T, load.Engine){
	"same bytes": sameBytes, "cancel": cancel, "idle close": idleClose, "nobody there": nobodyThere,
	"duration": duration, "too late": tooLate, "spread": spread, "fewer connections": fewer,
	"cancelled before": cancelledBefore, "cut off": cutOff,
	"hung up before": hungUpBefore, "in flight": inFlight, "node answers before the body": nodeEarly,
	"cancel: endless answers": cancelStream, "late answers": lateAnswers, "rate": rate, "rate of a stall": rateOfAStall,
	"standstill": standstill,
}

const (
	value = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue"
	never = time.Minute // longer than any of these tests
)

// values returns the usual scenario: a drawn id, a constant answer.
func values() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "values", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/api/values/{id}", Weight: 1,
		With:   map[string]scenario.Input{"id": {Int: [2]int64{1, 1_000_000}}},
		Expect: scenario.Expect{Status: 200, Body: &body},
	}}}
}

func job(s *server) load.Job {
	return load.Job{
		Endpoint: wire.Endpoint{Network: s.Addr().Network(), Addr: s.Addr().String()}, Scenario: values(), Seed: 7,
		Connections: 4, Timeout: never, Workers: 2,
	}
}

func open(t *testing.T, e load.Engine, j load.Job) load.Session {
	t.Helper()
	s, err := e.Open(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// sameBytes checks that the sent bytes depend only on the job, and continue from one window to the
// next.
func sameBytes(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Connections, j.Workers, j.Pipeline = 1, 1, 3
	session := open(t, e, j)
	run(t, session, load.Window{Requests: 10})
	run(t, session, load.Window{Requests: 15})
	mix, err := j.Scenario.Compile(j.Authority(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := j.Source(mix, 0)
	var want []string
	for range 25 {
		var w scenario.Want
		line := src.Next(nil, &w)
		want = append(want, string(line[:slices.Index(line, '\r')]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.lines, want) {
		t.Errorf("sent %q\nwant %q", s.lines, want)
	}
}

// inFlight: a window may have fewer requests in flight than the session has room for. The server
// looks whether there is a second one before it answers.
func inFlight(t *testing.T, e load.Engine) {
	var behind atomic.Int64
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			p.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if _, err := p.r.Peek(1); err == nil {
				behind.Add(1)
			}
			p.SetReadDeadline(time.Time{})
			p.say(value)
		}
	})
	j := job(s)
	j.Connections, j.Pipeline = 2, 4
	session := open(t, e, j)
	for _, w := range []struct {
		inFlight int
		some     bool
	}{{1, false}, {0, true}, {1, false}, {9, true}} {
		behind.Store(0)
		if l := run(t, session, load.Window{Requests: 12, InFlight: w.inFlight}); l.Succeeded != 12 ||
			(behind.Load() > 0) != w.some {
			t.Errorf("in flight %d: %d answers, %d requests came behind another", w.inFlight, l.Succeeded,
				behind.Load())
		}
	}
}

// cancel checks that an interrupted window counts the requests in flight, and that the session
// remains usable.
func cancel(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if n := p.dropped.Add(1); n < 20 || p.index >= 4 {
				p.say(value)
			} else if n == 23 {
				cancel() // all four connections wait
			}
		}
	})
	session := open(t, e, job(s))
	l, err := session.Run(ctx, load.Window{For: never})
	audit(t, l, nil)
	if err != context.Canceled || l.InFlight != 4 || l.Succeeded != 19 {
		t.Errorf("in flight %d, succeeded %d, want 4 and 19: %v", l.InFlight, l.Succeeded, err)
	}
	l = run(t, session, load.Window{Requests: 8})
	if l.Succeeded != 8 || l.Established != 4 {
		t.Errorf("next window: %+v", l)
	}
}

// cancelStream: nor does a server that never stops to send keep a window from its end.
func cancelStream(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, "tcp", func(p *peer) {
		time.AfterFunc(100*time.Millisecond, cancel)
		stream(p)
	})
	l, err := open(t, e, job(s)).Run(ctx, load.Window{For: never})
	audit(t, l, nil)
	if err != context.Canceled || l.Succeeded > 0 || l.InFlight+l.Errored() == 0 {
		t.Errorf("%v: %+v", err, l)
	}
}

// lateAnswers: what comes a little after the time-out has timed out, whenever in the engine's turns
// that was. Connections start at 25 ms of 50 by turns, the time between two checks of the time-outs.
func lateAnswers(t *testing.T, e load.Engine) {
	const patience, late = time.Second, 25 * time.Millisecond
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			time.Sleep(patience + late)
			p.say(value)
		}
	})
	j := job(s)
	j.Connections, j.Timeout = 32, patience
	l := run(t, open(t, e, j), load.Window{For: 60 * time.Millisecond, Spread: 50 * time.Millisecond})
	if l.GapNS > int64(late/2) {
		t.Skipf("the engine itself was stopped for %v", time.Duration(l.GapNS))
	}
	if l.Errors["timeout"] != l.Started || l.Started == 0 {
		t.Errorf("%d of %d timed out: %+v", l.Errors["timeout"], l.Started, l)
	}
}

func cancelledBefore(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err := session.Run(ctx, load.Window{For: never})
	audit(t, l, nil)
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if _, err := e.Open(ctx, job(s)); err == nil {
		t.Error("opened under a dead context")
	}
}

// idleClose checks that a connection which the server has closed between windows is dialled again
// before the next one, without an error; on a busy machine a worker may learn of the end too late now and then.
func idleClose(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	run(t, session, load.Window{Requests: 40})
	clean := 0
	for range 20 {
		s.hangUp()
		time.Sleep(time.Millisecond) // else the window may begin before its connections' end has arrived
		l := run(t, session, load.Window{Requests: 40})
		if l.Succeeded+l.Errored() != 40 || l.Errored() > 4 || l.Established != 4 {
			t.Errorf("%+v", l)
		}
		if l.Errored() == 0 {
			clean++
		}
	}
	if clean < 10 {
		t.Errorf("%d of 20 windows without an error", clean)
	}
}

// hungUpBefore: a window ends where its connections are closed as soon as they are there, whether
// or not that shows before it begins.
func hungUpBefore(t *testing.T, e load.Engine) {
	for _, network := range []string{"tcp", "unix"} {
		for _, per := range []int{0, 1} {
			for _, schedule := range []*load.Schedule{nil, constant(2000)} {
				s := serve(t, network, hangUp)
				j := job(s)
				j.PerConnection = per
				ctx, cancel := context.WithTimeout(t.Context(), never)
				for range 10 {
					l, err := open(t, e, j).Run(ctx, load.Window{Requests: 20, Schedule: schedule})
					audit(t, l, nil)
					if err != nil || l.Planned != 20 || l.Succeeded+l.Failed > 0 {
						t.Errorf("%s, %d per connection, schedule %v: %+v, %v", network, per, schedule, l, err)
						break
					}
				}
				cancel()
			}
		}
	}
}

func nobodyThere(t *testing.T, e load.Engine) {
	for _, network := range []string{"tcp", "unix"} {
		s := serve(t, network, each(value))
		j := job(s)
		s.stop()
		if _, err := e.Open(t.Context(), j); err == nil {
			t.Errorf("%s: opened", network)
		}
	}
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Connections = 0
	if _, err := e.Open(t.Context(), j); err == nil {
		t.Error("opened no connection")
	}
	if _, err := open(t, e, job(s)).Run(t.Context(), load.Window{}); err == nil {
		t.Error("ran a window without an end")
	}
}

// duration: a window by time ends, drained.
func duration(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	l := run(t, open(t, e, job(s)), load.Window{For: 30 * time.Millisecond})
	if l.Succeeded != l.Started || l.Started != s.requests.Load() || l.Started == 0 {
		t.Errorf("%+v", l)
	}
}

// cutOff: a window without drain ends on time, and counts the requests in flight.
func cutOff(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.index >= 4 || p.dropped.Add(1) < 20 {
				p.say(value)
			}
		}
	})
	session := open(t, e, job(s))
	l := run(t, session, load.Window{For: 300 * time.Millisecond, Cut: true})
	if l.InFlight != 4 || l.Succeeded != 19 || l.Errored() > 0 {
		t.Errorf("%+v", l)
	}
	if l = run(t, session, load.Window{Requests: 8}); l.Succeeded != 8 || l.Established != 4 {
		t.Errorf("next window: %+v", l)
	}
}

// tooLate checks a window that ends before its first request can be sent. Each worker still sends
// one request, at most.
func tooLate(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", each(value))
	session := open(t, e, job(s))
	for range 3 {
		l := run(t, session, load.Window{For: 1})
		if l.Succeeded != l.Started || l.Started == 0 || l.Started > 4 {
			t.Errorf("%+v", l)
		}
	}
}

// spread: each connection begins at its own time. The server holds second requests back until all
// have begun.
func spread(t *testing.T, e load.Engine) {
	all := make(chan struct{})
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			switch {
			case p.n > 1:
				<-all
			case p.dropped.Add(1) == 8:
				close(all)
			}
			p.say(value)
		}
	})
	j := job(s)
	j.Connections, j.Workers, j.Timeout = 8, 1, never
	session := open(t, e, j)
	l := run(t, session, load.Window{Requests: 16, Spread: 200 * time.Millisecond})
	if l.Established != 8 || l.Succeeded != 16 || l.WindowNS < int64(50*time.Millisecond) {
		t.Errorf("%+v", l)
	}
}

// fewer: a server that takes only some connections.
func fewer(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		if p.index == 2 {
			p.Listener.Close()
		}
		each(value)(p)
	})
	j := job(s)
	j.Connections, j.Workers = 40, 1
	session, err := e.Open(t.Context(), j)
	if err != nil {
		t.Skip("the listener closed before the first connection was through")
	}
	defer session.Close()
	l, err := session.Run(t.Context(), load.Window{Requests: 100})
	audit(t, l, nil)
	if err != nil || l.Established > 40 || l.Connections != 40 {
		t.Errorf("%+v, %v", l, err)
	}
}

// rate: it is of the time from when the last connection was to begin until nothing more starts.
func rate(t *testing.T, e load.Engine) {
	const length = 60 * time.Millisecond
	s := serve(t, "tcp", each(value))
	l := run(t, open(t, e, job(s)), load.Window{For: length, Spread: length / 6})
	switch { // a machine that is busy elsewhere may answer one of them late, or never
	case l.RateFromNS+l.RateNS != int64(length):
		t.Errorf("the span of the rate does not end with the window: %+v", l)
	case l.RateFromNS > 0 && (l.RateFromNS != int64(length/6) || l.RateAnswers == 0):
		t.Errorf("the span of the rate does not begin with the last connection: %+v", l)
	}
	if l = run(t, open(t, e, job(s)), load.Window{Requests: 400}); l.RateFromNS+l.RateNS > l.WallNS {
		t.Errorf("of a number: %+v", l)
	}
}

// standstill: a server that stops answering for a while is silent for that long, on all connections and
// streams and whatever protocol it speaks.
func standstill(t *testing.T, e load.Engine) {
	const stop = 300 * time.Millisecond
	var n atomic.Int64
	var still sync.RWMutex
	s := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		if n.Add(1)%50 == 0 {
			still.Lock()
			time.Sleep(stop)
			still.Unlock()
		}
		still.RLock()
		defer still.RUnlock()
		io.WriteString(w, "value")
	})}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(ln)
	defer s.Close()
	for _, two := range []bool{false, true} {
		to := wire.TCP(ln.Addr().String())
		to.HTTP2 = two
		for _, schedule := range []*load.Schedule{nil, constant(500)} {
			l := run(t, open(t, e, load.Job{Endpoint: to, Scenario: values(), Connections: 8, Workers: 2, Timeout: never}),
				load.Window{Requests: 100, Schedule: schedule})
			// on a busy machine an answer may be read late, within the standstill
			if l.Succeeded != 100 || l.SilentNS < int64(stop/2) {
				t.Errorf("HTTP/2 %v: no answer for %v: %+v", two, time.Duration(l.SilentNS), l)
			}
		}
	}
}

// rateOfAStall: who answers for a while and then no more, or not on all connections, is not as fast
// as it was while it answered.
func rateOfAStall(t *testing.T, e load.Engine) {
	const length = 300 * time.Millisecond
	for _, silent := range []int{0, 1} { // the first connections, that have no answer at all
		var conns atomic.Int64
		s := serve(t, "tcp", func(p *peer) {
			for mute := conns.Add(1) <= int64(silent); p.next(); {
				if mute || p.n > 5 {
					linger(p)
					return
				}
				p.say(value)
			}
		})
		j := job(s)
		j.Timeout = 2 * length
		l := run(t, open(t, e, j), load.Window{For: length})
		if l.Succeeded > int64(4-silent)*5 || l.RateNS != int64(length) {
			t.Errorf("%d mute: %+v", silent, l)
		}
		if silent > 0 && (l.RateFromNS > 0 || l.RateAnswers > float64(l.Succeeded)) {
			t.Errorf("steady, though a connection had no answer: %+v", l)
		}
		if perSec, _ := l.PerSec(); perSec > 2*float64(l.Succeeded)/length.Seconds() {
			t.Errorf("%v/s of %d answers in %v", perSec, l.Succeeded, length)
		}
	}
}
