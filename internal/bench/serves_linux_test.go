package bench

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"time"

	"dyno/internal/alike"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// If a server serves fewer connections than asked for, all servers are loaded over as many.
func TestFewerConnections(t *testing.T) {
	b, h, d, _ := set(t)
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { write(w, "hello\n") })
	h.handlers = map[string]func(int) http.Handler{"a": func(int) http.Handler { return hello },
		"b": func(int) http.Handler { return hello }}
	s, _, err := (&scenario.AdHoc{}).Make(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	s.Lenient, h.scenario, b.Scenario, b.Alike = true, s, s, &alike.Sides{}
	d.trouble = func(name string, l *record.Load) {
		most := 3
		if h.starts["b"] > 0 {
			most = 2
		}
		if l.Connections > most {
			l.Errors = map[string]int64{"timeout": int64(l.Connections - most)}
		}
	}
	p := small("a", "b")
	p.Controls, p.Ceiling = nil, ""
	p.Levels = []record.Level{p.First(), {Connections: 4, Pipeline: 2}}
	p = wholePlan(p)
	run := &record.Run{}
	b.Append = func(rec record.Record) error { run.Add(rec); return nil }
	run.Add(record.Record{Plan: &p})
	b.run, b.servers, b.exact = &record.Run{Plan: p}, map[string]Server{}, newExact()
	if err := b.verifyAll(t.Context(), []record.Contestant{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	want := &record.Fewer{Asked: 4, Served: 2, Why: "gave no answer within 5s on 1 of 3 connections"}
	for _, r := range []*record.Run{b.run, run} {
		if got := r.Contestant("b").Fewer; !reflect.DeepEqual(got, want) || r.Contestant("a").Fewer.Served != 3 {
			t.Errorf("%+v; want %+v", got, want)
		}
		if p := &r.Plan; p.Connections() != 2 || p.Levels[1].Connections != 2 {
			t.Errorf("planned: %+v", p)
		}
	}
	if p.Levels[0].Connections != 4 {
		t.Error("the caller's plan changed")
	}
	b.run.Plan.Levels[1].Connections = 3
	if b.run.Plan.Connections() != 0 {
		t.Error("levels with unlike connections are one number")
	}
}

// A server that fails over one connection has failed.
func TestServesNone(t *testing.T) {
	b, _, d, _ := set(t)
	d.trouble = func(name string, l *record.Load) { l.Errors = map[string]int64{"reset": 1} }
	b.run, b.servers, b.exact = &record.Run{Plan: wholePlan(small("a"))}, map[string]Server{}, newExact()
	server, err := b.launch(t.Context(), "a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	if fewer, err := b.serves(t.Context(), "a", server, b.run.Plan.First(), &record.Costs{}); err == nil {
		t.Errorf("%+v", fewer)
	}
}

// What happens once may be a pause of the machine, and takes no connections away.
func TestServesAllButOnce(t *testing.T) {
	b, _, d, _ := set(t)
	once := true
	d.trouble = func(name string, l *record.Load) {
		if once {
			l.Established, once = 1, false
		}
	}
	b.run, b.servers, b.exact = &record.Run{Plan: wholePlan(small("a"))}, map[string]Server{}, newExact()
	server, err := b.launch(t.Context(), "a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	if fewer, err := b.serves(t.Context(), "a", server, record.Level{Connections: 4, Pipeline: 1},
		&record.Costs{}); err != nil ||
		fewer != nil {
		t.Errorf("%+v, %v", fewer, err)
	}
	if once {
		t.Error("nothing happened")
	}
}

// Puma's threads wait for a further request after each answer: without a load, the last requests wait for many
// of them. A server with a thread for each connection lets others wait within a load, too.
func TestServesInTurn(t *testing.T) {
	for name, c := range map[string]struct {
		after, within int64 // requests that time out
		served        int
	}{"in turn": {0, 0, 0}, "in turn, slowly": {3, 0, 0}, "by thread": {0, 3, 13}, "by thread, for good": {3, 3, 13}} {
		b, _, d, _ := set(t)
		d.within = func(w load.Window, l *record.Load) {
			if l.Connections <= 13 || w.Observe == nil {
				return
			}
			n := c.within
			if !w.Cut {
				w.Observe.Into.Service = record.NewHistogram()
				w.Observe.Into.Service.RecordN(1e6, 100)
				w.Observe.Into.Service.Record(2e9)
				n = c.after
			} else if w.For <= answered {
				t.Errorf("%s: no request can time out in %v", name, w.For)
			}
			if n > 0 {
				l.Errors = map[string]int64{"timeout": n}
			}
		}
		b.run, b.servers, b.exact = &record.Run{Plan: wholePlan(small("a"))}, map[string]Server{}, newExact()
		server, err := b.launch(t.Context(), "a", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Stop()
		fewer, err := b.serves(t.Context(), "a", server, record.Level{Connections: 16, Pipeline: 1}, &record.Costs{})
		if err != nil || (fewer == nil) != (c.served == 0) || fewer != nil && fewer.Served != c.served {
			t.Errorf("%s: %+v, %v", name, fewer, err)
		}
	}
}

// A server that closes kept connections without notice does so rarely over fewer of them.
func TestServesWithoutClosing(t *testing.T) {
	b, _, d, _ := set(t)
	d.trouble = func(name string, l *record.Load) {
		if l.Connections > 8 || l.Connections > 4 && l.WindowNS > 1e9 {
			l.Errors = map[string]int64{"closed": 1}
		}
	}
	b.run, b.servers, b.exact = &record.Run{Plan: wholePlan(small("a"))}, map[string]Server{}, newExact()
	server, err := b.launch(t.Context(), "a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	fewer, err := b.serves(t.Context(), "a", server, record.Level{Connections: 16, Pipeline: 1}, &record.Costs{})
	if err != nil || fewer == nil || fewer.Served != 2 { // half of 4
		t.Errorf("%+v, %v", fewer, err)
	}
}

// briefly is a server with a listen queue for four connections, which it closes after an answer.
type briefly struct {
	Server
	ln     net.Listener
	frozen sync.Mutex // while it is
}

func serveBriefly(t *testing.T) *briefly {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 3))
	}
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "listener")
	defer f.Close()
	s := &briefly{}
	if s.ln, err = net.FileListener(f); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.ln.Close() })
	go func() {
		for {
			c, err := s.ln.Accept()
			if err != nil {
				return
			}
			s.frozen.Lock()
			c.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "+
					"5\r\nConnection: close\r\n\r\nvalue")
			}
			c.Close()
			s.frozen.Unlock()
		}
	}()
	return s
}

func (s *briefly) At(wire.HTTP) wire.Endpoint { return wire.TCP(s.ln.Addr().String()) }
func (s *briefly) Freeze() error              { s.frozen.Lock(); return nil }
func (s *briefly) Thaw() error                { s.frozen.Unlock(); return nil }

// A server that closes connections serves as many as its listen queue holds.
func TestListenQueue(t *testing.T) {
	t.Parallel() // it waits
	b, _, d, _ := set(t)
	b.Generator = &realGenerator{d, loop.Engine{}}
	b.run, b.exact = &record.Run{Plan: wholePlan(small("a"))}, newExact()
	level := record.Level{Connections: 12, Pipeline: 1}
	fewer, err := b.serves(t.Context(), "a", serveBriefly(t), level, &record.Costs{})
	// one may be accepted, and be too many
	if err != nil || fewer == nil || fewer.Asked != 12 || fewer.Served < 2 || fewer.Served > 5 {
		t.Errorf("%+v, %v", fewer, err)
	}
}

func TestServed(t *testing.T) {
	times := func(all ...time.Duration) *record.Histogram {
		h := record.NewHistogram()
		for _, d := range all {
			h.Record(int64(d))
		}
		return h
	}
	const ms, s = time.Millisecond, time.Second
	quick := []time.Duration{ms, ms, ms, ms, ms, ms, ms, ms, ms, ms}
	for name, c := range map[string]struct {
		load record.Load
		seen record.Detail
		n    int
		why  string
	}{
		"all": {record.Load{Established: 20}, record.Detail{Service: times(quick...), Connect: times(quick...)}, 20, ""},
		"one after another, but slowly": {record.Load{Established: 20}, record.Detail{Service: times(s, 2*s, 3*s, 4*s)}, 20,
			""},
		"some wait": {record.Load{Established: 20}, record.Detail{Service: times(append(quick, 2*s, 3*s)...)}, 20, ""},
		"no answer": {record.Load{Established: 20, Errors: map[string]int64{"timeout": 19}},
			record.Detail{}, 1, "gave no answer within 5s on 19 of 20 connections"},
		"not accepted": {record.Load{Established: 7}, record.Detail{}, 7,
			"did not accept 13 of 20 connections within 1s"},
		"accepted late": {record.Load{Established: 20}, record.Detail{Connect: times(ms, s, s)}, 10,
			"accepted some of 20 connections only after 900ms or more"},
		"closed at once": {record.Load{Established: 20, Started: 9, Errors: map[string]int64{"closed": 9}}, record.Detail{},
			10, "gave no whole response to 9 of 9 requests over 20 connections (closed 9)"},
		"none is one": {record.Load{}, record.Detail{}, 1, "did not accept 20 of 20 connections within 1s"},
	} {
		c.load.Connections = 20
		if n, why := servedOf(&c.load, &c.seen, 5*s); n != c.n || why != c.why {
			t.Errorf("%s: %d, %q; want %d, %q", name, n, why, c.n, c.why)
		}
	}
}
