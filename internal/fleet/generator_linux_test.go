package fleet

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// generators returns two generators, and a load job for a server in this process.
func generators(t *testing.T) (*rig, *Host, load.Job) {
	t.Helper()
	b := newBench(t, "gen1", "gen2")
	if err := b.Gather(t.Context(), b.Names()); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("hello"))
	}))
	t.Cleanup(srv.Close)
	h, job := b.taken(t, srv.URL, "hello")
	return b, h, job
}

// TestGeneratorsTogether: two generators make one load, whose parts tell how they began.
func TestGeneratorsTogether(t *testing.T) {
	b, h, job := generators(t)
	g := h.Generator()
	if a, err := g.Ask(t.Context(), job.Endpoint, verifying(job.Scenario)); err != nil || a.Observed.BodyBytes != 5 {
		t.Fatalf("%v, %+v", err, a.Observed)
	}
	wrong, other := *job.Scenario, "goodbye"
	wrong.Requests = []scenario.Request{wrong.Requests[0]}
	wrong.Requests[0].Expect.Body = &other
	if _, err := g.Ask(t.Context(), job.Endpoint, verifying(&wrong)); err == nil ||
		!strings.Contains(err.Error(), "goodbye") {
		t.Errorf("a server that breaks its contract: %v", err)
	}
	session, err := g.Open(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if l, err := session.Run(t.Context(), load.Window{For: 20 * time.Millisecond, Uncounted: true}); err != nil ||
		l.Succeeded == 0 || l.Connections != 5 || l.Parts[0].BoundNS != 0 {
		t.Fatalf("%v, %+v", err, l)
	}
	b.agents["gen2"].delay = 20 * time.Millisecond
	var d record.Detail
	for name, w := range map[string]load.Window{
		"closed": {Requests: 1001},
		"open": {For: 200 * time.Millisecond, Observe: &load.Observe{Into: &d}, Schedule: &load.Schedule{Seed: 3,
			Stages: []load.Stage{{From: 1000, To: 1000}}}},
	} {
		l := counted(t, session, w)
		if p := l.Parts; len(p) != 2 || p[0].Generator != "gen1" || p[0].Started+p[1].Started != l.Started ||
			p[0].BoundNS <= 0 || p[1].BeganNS < 20e6-p[1].BoundNS || w.Requests > 0 &&
			(l.Succeeded != 1001 || p[0].Started != 501) {
			t.Errorf("%s: %d, %+v", name, l.Succeeded, p)
		}
		for _, p := range l.Parts { // compared by checks
			if p.Connections < 2 || p.ServiceP50NS <= 0 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	if d.Response == nil || d.Response.Count() == 0 {
		t.Error("the response times of an open loop are missing")
	}
	if used, err := g.CPU(); err != nil || used <= 0 {
		t.Error(used, err)
	}
}

// TestGeneratorsSpeakAllForms: a run's server is loaded over TLS, HTTP/2 and both, with only the certificate
// from its machine trusted.
func TestGeneratorsSpeakAllForms(t *testing.T) {
	_, h, job := generators(t)
	for _, f := range wire.Protocols {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte("hello"))
		}))
		srv.EnableHTTP2 = true
		srv.Config.Protocols = new(http.Protocols)
		srv.Config.Protocols.SetHTTP1(true)
		srv.Config.Protocols.SetHTTP2(true)
		srv.Config.Protocols.SetUnencryptedHTTP2(true)
		p := Place{HTTP: f}
		if f.TLS() {
			srv.StartTLS()
			p.Cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
		} else {
			srv.Start()
		}
		t.Cleanup(srv.Close)
		p.Addr = srv.Listener.Addr().String()
		var err error
		if job.Endpoint, err = p.endpoint(); err != nil {
			t.Fatal(err)
		}
		h.keep(job.Endpoint, p)
		if a, err := h.Generator().Ask(t.Context(), job.Endpoint, verifying(job.Scenario)); err != nil ||
			a.Observed.BodyBytes != 5 {
			t.Fatalf("%v: %v, %+v", f, err, a.Observed)
		}
		session, err := h.Generator().Open(t.Context(), job)
		if err != nil {
			t.Fatal(f, err)
		}
		l := counted(t, session, load.Window{Requests: 101})
		if l.Succeeded != 101 || f.TLS() != (len(l.TLS) > 0) || f.TLS() && f.Two() != (l.TLS[0].ALPN == "h2") {
			t.Errorf("%v: %+v", f, l)
		}
		session.Close()
	}
}

// counted makes a counted window.
func counted(t *testing.T, s load.Session, w load.Window) record.Load {
	t.Helper()
	l, err := s.Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestGeneratorIsLost: a window with a lost generator does not count, and later orders fail.
func TestGeneratorIsLost(t *testing.T) {
	b, h, job := generators(t)
	g := h.Generator()
	session, err := g.Open(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(300 * time.Millisecond)
		c := b.wire.(*center)
		_, number, _ := strings.Cut(b.Hello("gen2").Client, " ")
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Error(err)
		}
		c.server.DisconnectClientByID(id)
	}()
	if _, err := session.Run(t.Context(), load.Window{For: 4 * time.Second}); err == nil {
		t.Error("there are figures of a generator that was lost")
	}
	if err := h.Lost(); err == nil || !strings.HasPrefix(err.Error(), "gen2 was lost: its connection ended") {
		t.Fatal(err)
	}
	if _, err := g.Open(t.Context(), job); err == nil {
		t.Error("a load on a machine that was lost is open")
	}
	session.Close()
}

// TestLoadIsLeft: a load that the controller closes during its window ends, and nothing else does.
func TestLoadIsLeft(t *testing.T) {
	_, h, job := generators(t)
	g := h.Generator()
	for range 3 {
		session, err := g.Open(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if _, err := session.Run(ctx, load.Window{For: 10 * time.Second, Uncounted: true}); err == nil {
			t.Error("a window that was interrupted has figures")
		}
		cancel()
		if err := session.Close(); err != nil {
			t.Fatal(err)
		}
	}
	session, err := g.Open(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if l := counted(t, session, load.Window{Requests: 100}); l.Succeeded != 100 {
		t.Errorf("%+v", l)
	}
	session.Close()
}

// TestWatchesEnd: the end of a run ends open observations, and closes their files.
func TestWatchesEnd(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	s := &session{agent: &Agent{site: ownSite{}}, ctx: t.Context()}
	before := files()
	for range 20 {
		if _, err := s.watch(&Watching{}); err != nil {
			t.Fatal(err)
		}
	}
	s.release()
	if after := files(); after >= before+20 {
		t.Errorf("%d files are open; before 20 observations there were %d", after, before)
	}
	if _, err := s.unwatch(new(1)); err == nil {
		t.Error("an observation goes on after its run")
	}
}

// TestServersThatAreRunning: generators load a URL, whose server's CPU is not read.
func TestServersThatAreRunning(t *testing.T) {
	_, h, job := generators(t)
	h.server, h.place = "", map[string]Place{}
	h.running = map[string]*contestant.Manifest{}
	for _, host := range []string{"one.example", "two.example"} { // the same address
		to := job.Endpoint
		to.Host = host
		h.running[host] = &contestant.Manifest{Name: host,
			URL: &scenario.Target{Endpoint: to, URL: "http://" + host + "/", Path: "/"}}
	}
	g := h.Generator()
	for name := range h.running {
		c, err := h.Build(t.Context(), name, nil)
		if err != nil || c.URL != "http://"+name+"/" || !strings.Contains(c.Processes, "another machine") {
			t.Errorf("%v, %+v", err, c)
		}
		s, err := h.Launch(t.Context(), name, bench.Launch{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Read(bench.ReadCPU); err == nil {
			t.Error("the CPU time of a server elsewhere is known")
		}
		job.Endpoint = s.At(wire.Clear)
		if p, err := h.placeOf(job.Endpoint); err != nil || p.Host != name {
			t.Errorf("%s is at %+v, %v", name, p, err)
		}
		if a, err := g.Ask(t.Context(), job.Endpoint, verifying(job.Scenario)); err != nil || a.Observed.BodyBytes != 5 {
			t.Errorf("%v, %+v", err, a.Observed)
		}
		session, err := g.Open(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if l := counted(t, session, load.Window{Requests: 100}); l.Succeeded != 100 || len(l.Parts) != 2 {
			t.Errorf("%+v", l)
		}
		session.Close()
		end := h.Watch(s)
		if c := end(0, 0, 0); c.ServerCPUs != 0 || c.ServiceCPUs != 0 || c.GeneratorCPUs < 2 || c.WallNS <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if d := h.Describe(); len(d.Generators) != 2 || d.CPUs != 0 || !d.Pinned {
		t.Errorf("%+v", d)
	}
}
