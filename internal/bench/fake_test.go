package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// fakeHost starts real reference servers inside the test, and tracks which are running and which
// are thawed.
type fakeHost struct {
	t        *testing.T
	scenario *scenario.Scenario
	build    map[string]error               // contestants that do not build
	mutant   map[string]*scenario.Scenario  // contestants with another contract
	paths    map[string]map[string]string   // contestants with paths of their own
	exits    map[string]int                 // contestants that exit in that trial, from 1
	dies     func(start, thaws int) bool    // the service, in that start
	records  *fakeRecords                   // the service's answers
	launch   func(name string, n int) error // may refuse the n-th launch
	built    func()                         // when the first contestant is built
	thaws    func(s *fakeServer)
	stops    func(s *fakeServer)                     // before it has ended
	cuts     map[string]int64                        // from contestants' logs
	handlers map[string]func(start int) http.Handler // for contestants' processes
	apart    map[string]bool                         // contestants that move to a namespace after their first start
	stays    map[string]bool                         // contestants that ignore the request to end
	hasty    map[string]bool                         // contestants that do not wait for their delay
	canned   map[string]bool                         // contestants that repeat one answer after their first thaw
	keeps    time.Duration                           // how long b keeps the service's answers
	unlinked int                                     // b's start whose relay to the service has ended, from 1

	compiles func(*fakeServer) time.Duration // a server's CPU clock, read each time
	followed bool                            // memory is read under load
	machine  record.Host                     // zero: the usual one
	program  record.Contestant               // for all contestants: toolchain, sources and hashes; zero: the usual one

	once        sync.Once
	mu          sync.Mutex
	thawed      []string
	running     int
	starts      map[string]int
	connections map[string]int         // connections, by contestant
	servers     map[string]*fakeServer // by address
	routes      map[string][]string    // routes that a contestant was last given
	told        []Launch
	names       []string // of told
}

func (h *fakeHost) Generator() Generator { return nil }
func (h *fakeHost) Close()               {}

func (h *fakeHost) Apart(name string) bool { return h.starts[name] > 0 && h.apart[name] }

func (h *fakeHost) Describe() record.Host {
	if h.machine.CPUs > 0 {
		return h.machine
	}
	return record.Host{OS: "fake", CPUs: 2}
}

func (h *fakeHost) Build(ctx context.Context, name string, note func(string)) (record.Contestant, error) {
	note("compiling")
	if h.built != nil {
		h.once.Do(h.built)
	}
	return record.Contestant{Name: name, Title: name, Version: "v1", Toolchain: h.program.Toolchain,
		Sources: h.program.Sources, BinaryHash: cmp.Or(h.program.BinaryHash, "00"), Layouts: h.program.Layouts,
		Paths: h.paths[name]}, h.build[name]
}

func (h *fakeHost) Failure(name, stage string, err error) record.Failure {
	if errors.Is(err, errNoToolchain) {
		stage = "toolchain"
	}
	return record.Failure{Contestant: name, Stage: stage, Reason: err.Error()}
}

var errNoToolchain = errors.New("no toolchain")

func (h *fakeHost) Watch(Server) func(server, generator, service time.Duration) record.Causes {
	return func(server, generator, service time.Duration) record.Causes {
		return record.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1}
	}
}

func (h *fakeHost) Launch(ctx context.Context, name string, l Launch) (Server, error) {
	h.mu.Lock()
	h.starts[name]++
	n := h.starts[name]
	if h.routes == nil {
		h.routes = map[string][]string{}
	}
	h.routes[name] = l.Routes
	h.told, h.names = append(h.told, l), append(h.names, name)
	h.mu.Unlock()
	if h.launch != nil {
		if err := h.launch(name, n); err != nil {
			return nil, err
		}
	}
	sc := h.scenario
	if m := h.mutant[name]; m != nil {
		sc = m
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	ref := refserver.Reference{Scenario: sc, Delay: l.Delay}
	if h.hasty[name] {
		ref.Delay = 0
	}
	if at := l.Env["DYNO_RECORDS"]; at != "" {
		ref.Ask = scenario.Ask(ctx, wire.TCP(at))
	}
	if name == "b" && h.keeps > 0 {
		ref.Ask = keeping(ref.Ask, h.keeps)
	}
	if name == serviceName {
		h.records = &fakeRecords{}
		go func() { done <- h.records.serve(ctx, ln) }()
	}
	s := &fakeServer{host: h, name: cmp.Or(l.Instance, name), start: n, cpus: l.CPUs, addr: ln.Addr().String(), stop: stop, done: done}
	switch {
	case name == serviceName:
	case h.handlers[name] != nil:
		srv := &http.Server{Handler: h.handlers[name](n)}
		context.AfterFunc(ctx, func() { srv.Close() })
		go func() { done <- srv.Serve(ln) }()
	case h.canned[name]:
		go func() { done <- s.can(ctx, ln, ref.Handler()) }()
	default:
		go func() { done <- ref.Serve(ctx, ln) }()
	}
	h.mu.Lock()
	h.running++
	if h.servers == nil {
		h.servers = map[string]*fakeServer{}
	}
	h.servers[s.addr] = s
	h.mu.Unlock()
	if l.Instance != "" && l.Probe.Records == nil { // the host knows how to ask it
		return s, nil
	}
	if err := l.Probe.Ask(ctx, wire.TCP(s.addr)); err != nil {
		s.Stop()
		return nil, fmt.Errorf("not ready: %w", err)
	}
	return s, nil
}

func isFakeService(name string) bool {
	return name == serviceName || name == "cache" || name == scenario.Database || strings.HasPrefix(name, "db of ")
}

// keeping repeats ask's first answer for that long.
func keeping(ask func(string) ([]byte, error), long time.Duration) func(string) ([]byte, error) {
	var mu sync.Mutex
	var kept []byte
	var since time.Time
	return func(path string) (body []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if kept == nil || time.Since(since) > long {
			kept, err = ask(path)
			since = time.Now()
		}
		return kept, err
	}
}

type fakeServer struct {
	host       *fakeHost
	name       string
	start      int
	cpus       int // of its Launch
	addr       string
	stop       context.CancelFunc
	done       chan error
	once       sync.Once
	loads      int
	warmed     int // warm-up windows so far
	heap       int64
	goroutines int64
	frozen     bool
	thawed     atomic.Bool // once
}

// can answers by h, and after its first thaw always with the first answer.
func (s *fakeServer) can(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.thawed.Load() {
			io.WriteString(w, "value")
			return
		}
		h.ServeHTTP(w, r)
	})}
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	srv.Serve(ln)
	return nil
}

func (s *fakeServer) At(wire.HTTP) wire.Endpoint { return wire.TCP(s.addr) }

// Read implements Server. Only contestant a's instructions are counted.
func (s *fakeServer) Read(what What) (r Reading, err error) {
	switch what {
	case ReadStart:
		r.Ready, r.Meters, r.Absent = time.Millisecond, map[string]string{"cpu": "fake"},
			map[string]string{"memory": "it has none"}
		if s.cpus > 0 {
			r.Processors = &record.Processors{CPUs: make([]int, s.cpus)}
		}
	case ReadExit:
		err = s.exited()
	case ReadCPU: // a managed contestant compiles on it until the host says that it is done
		if s.host.compiles == nil {
			return r, errors.New("no clock")
		}
		r.CPU = s.host.compiles(s)
	case ReadRelay:
		if s.name != "b" || s.host.unlinked == 0 {
			return r, errors.New("no relay")
		}
		if s.start == s.host.unlinked {
			r.Ended = "signal: killed"
		}
	case ReadUsage:
		if !s.frozen && !s.host.followed {
			s.host.t.Errorf("usage of %s was read while it ran", s.name)
		}
		s.host.mu.Lock()
		defer s.host.mu.Unlock()
		n := int64(s.host.connections[s.name]) * 1000
		r.Usage.PrivateBytes, r.Usage.Processes = &n, 1
	case ReadTotals:
		if s.frozen {
			s.host.t.Errorf("totals of %s were read when its connections were closed", s.name)
		}
		n := int64(s.loads)
		r.Usage.OpenSockets = &n
	case ReadHeap:
		r.Heap, err = s.hold()
	case ReadLog:
		r.Tail = []string{"last words of " + s.name}
	case ReadCounted:
		if n := int64(5e6); s.name == "a" {
			r.Usage.Instructions = &n
		}
	}
	return r, err
}

// hold returns a heap that grows by 1,000 bytes per reading, and by 64 per request; b's cannot be
// read, and c, like .NET, only knows its allocations. A reading starts one goroutine, and each
// request two.
func (s *fakeServer) hold() (Heap, error) {
	if s.frozen {
		s.host.t.Errorf("the heap of %s was read while it was frozen", s.name)
	}
	if s.name == "b" {
		return Heap{}, errors.New("no figures")
	}
	s.heap += 1000
	s.goroutines++
	if s.name == "c" {
		return Heap{Allocated: s.heap}, nil
	}
	return Heap{Inuse: 5e6, Allocated: s.heap, Goroutines: s.goroutines}, nil
}

func (s *fakeServer) Freeze() error {
	s.frozen = true
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.host.thawed = slices.DeleteFunc(s.host.thawed, func(n string) bool { return n == s.name })
	return nil
}

func (s *fakeServer) Thaw() error {
	s.frozen = false
	s.thawed.Store(true)
	if s.host.thaws != nil {
		s.host.thaws(s)
	}
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.host.thawed = append(s.host.thawed, s.name)
	servers := slices.DeleteFunc(slices.Clone(s.host.thawed), isFakeService)
	if len(servers) > 1 {
		s.host.t.Errorf("thawed at once: %v", s.host.thawed)
	}
	s.loads++
	return nil
}

func (s *fakeServer) exited() error {
	if n := s.host.exits[s.name]; n > 0 && s.loads >= n || isFakeService(s.name) && s.host.dies != nil &&
		s.host.dies(s.start, s.loads) {
		return errors.New("signal: killed")
	}
	return nil
}

func (s *fakeServer) End() error {
	if s.host.stays[s.name] {
		return errors.New("it did not end")
	}
	_, err := s.Stop()
	return err
}

func (s *fakeServer) Stop() (cut int64, err error) {
	s.once.Do(func() {
		if s.host.stops != nil {
			s.host.stops(s)
		}
		s.stop()
		<-s.done
		s.host.mu.Lock()
		s.host.running--
		s.host.thawed = slices.DeleteFunc(s.host.thawed, func(n string) bool { return n == s.name })
		s.host.mu.Unlock()
	})
	return s.host.cuts[s.name], nil
}

// fakeGenerator makes up loads with known rates.
type fakeGenerator struct {
	Direct
	host    *fakeHost
	rates   map[string]float64                      // by contestant
	bears   func(name string, job load.Job) float64 // replaces rates if above 0
	asked   func(name string, job load.Job)
	rng     *rand.Rand
	trouble func(name string, l *record.Load)
	within  func(w load.Window, l *record.Load)
	opened  func(name string)
	asks    int                              // number of scenario requests in the last session
	refuses error                            // of Open
	warms   func(name string, n int) float64 // speed of its n-th warm-up window relative to the usual
	rested  func()
	clock   time.Duration
}

func (d *fakeGenerator) Open(ctx context.Context, job load.Job) (load.Session, error) {
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	name := ""
	for _, n := range d.host.thawed {
		if name == "" || isFakeService(name) {
			name = n
		}
	}
	if d.opened != nil {
		d.opened(name)
	}
	if d.asked != nil {
		d.asked(name, job)
	}
	if err := cmp.Or(d.refuses, ctx.Err()); err != nil {
		return nil, err
	}
	d.asks = 0
	for _, r := range job.Scenario.Requests {
		if r.Weight > 0 {
			d.asks++
		}
	}
	d.host.connections[name] += job.Connections
	return &fakeSession{d: d, name: name, server: d.host.servers[job.Addr], job: job}, nil
}

func (d *fakeGenerator) CPU() (time.Duration, error) { return 0, nil }
func (d *fakeGenerator) CPUs() []int                 { return []int{1} }

func (d *fakeGenerator) Now() time.Time { return time.Unix(0, 0).Add(d.clock) }

func (d *fakeGenerator) Rest(t time.Duration) {
	d.clock += t
	if d.rested != nil {
		d.rested()
	}
}

func (d *fakeGenerator) Quiet() func() { return func() {} }

type fakeSession struct {
	d      *fakeGenerator
	name   string
	server *fakeServer
	job    load.Job
	closed bool
}

func (s *fakeSession) Run(ctx context.Context, w load.Window) (record.Load, error) {
	rate := s.d.rates[s.name]
	if s.d.bears != nil {
		rate = cmp.Or(s.d.bears(s.name, s.job), rate)
	}
	if rate == 0 { // warming up: no contestant is thawed
		rate = 200_000
		if s.d.warms != nil {
			rate *= s.d.warms(s.server.name, s.server.warmed)
		}
		s.server.warmed++
	}
	s.d.clock += w.For
	n := int64(rate * w.For.Seconds() * (1 + .01*s.d.rng.NormFloat64()))
	s.server.heap += 64 * n
	s.server.goroutines += 2 * n
	if w.Schedule != nil { // each answer takes the server's service time
		n = int64(w.Schedule.Stages[0].From * w.For.Seconds())
		w.Observe.Into.Response, w.Observe.Into.Lag = record.NewHistogram(), record.NewHistogram()
		w.Observe.Into.Response.Record(int64(1e9 / rate))
		w.Observe.Into.Lag.Record(1000)
	}
	if w.Requests > 0 {
		n = w.Requests
	}
	l := record.Load{WindowNS: int64(w.For), Connections: s.job.Connections, Established: s.job.Connections,
		Started: n, Succeeded: n, ServiceP50NS: 1e6}
	if s.d.trouble != nil {
		s.d.trouble(s.name, &l)
	}
	if s.d.within != nil {
		s.d.within(w, &l)
	}
	return l, nil
}

func (s *fakeSession) Close() error {
	s.d.host.mu.Lock()
	defer s.d.host.mu.Unlock()
	if !s.closed {
		s.d.host.connections[s.name] -= s.job.Connections
	}
	s.closed = true
	return nil
}
