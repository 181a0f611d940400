package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/bench"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// simServers are all servers in a world. Responses depend only on the due times of their requests, whoever
// sends them.
type simServers struct {
	mu   sync.Mutex
	last int // port
	all  map[string]*simServer
}

func (s *simServers) at(addr string) *simServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[addr]
}

// simServer uses 20 µs of CPU time per request.
type simServer struct {
	all    *simServers
	addr   string
	served atomic.Int64
}

func (s *simServer) gone() error {
	if s.all.at(s.addr) != s {
		return errors.New("it has ended")
	}
	return nil
}

func (s *simServer) Stop() (int64, error) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	delete(s.all.all, s.addr)
	return 3, nil
}

// Read returns a size, and the CPU time of all served requests.
func (s *simServer) Read(what bench.What) (r bench.Reading, err error) {
	switch what {
	case bench.ReadStart:
		r.Ready, r.Meters, r.Absent = time.Millisecond, map[string]string{"cpu": "requests"},
			map[string]string{"instructions": "it counts none"}
	case bench.ReadCPU:
		r.CPU, err = time.Duration(s.served.Load())*20*time.Microsecond, s.gone()
	case bench.ReadUsage:
		n := 1<<20 + s.served.Load()
		r.Usage.PrivateBytes, r.Usage.Processes = &n, 1
	case bench.ReadExit:
		err = s.gone()
	case bench.ReadHeap:
		err = errors.New("it has none")
	}
	return r, err
}

func (s *simServer) At(wire.HTTP) wire.Endpoint { return wire.TCP(s.addr) }
func (s *simServer) Freeze() error              { return s.gone() }
func (s *simServer) Thaw() error                { return s.gone() }
func (s *simServer) End() error                 { _, err := s.Stop(); return err }

// simHost builds and starts the contents of contestants' folders.
type simHost struct {
	o   bench.LocalOptions
	all *simServers
}

func (h *simHost) Apart(string) bool { return false }

func (h *simHost) Describe() record.Host {
	return record.Host{OS: "sim", CPU: "sim", CPUs: 2, ServerCPUs: []int{0, 1}, BootID: "srv"}
}

// Build names a program by a digest of its folder.
func (h *simHost) Build(_ context.Context, name string, note func(string)) (c record.Contestant, err error) {
	note("building")
	for _, m := range h.o.Manifests {
		if m.Name == name {
			c = record.Contestant{Name: name, Title: name, Version: "v1", Toolchain: "sim"}
			c.BinaryHash, err = namesAndContents(os.DirFS(m.Dir(h.o.Root)))
			return c, err
		}
	}
	return c, fmt.Errorf("no contestant %q", name)
}

// namesAndContents returns a folder's digest.
func namesAndContents(fsys fs.FS) (string, error) {
	all := map[string][]byte{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[name], err = fs.ReadFile(fsys, name)
		}
		return err
	})
	return digest(encoded(all)), err
}

func (h *simHost) Launch(_ context.Context, _ string, l bench.Launch) (bench.Server, error) {
	if l.Probe.Scenario == nil || len(l.Probe.Scenario.Requests) != 1 {
		return nil, fmt.Errorf("a probe that nobody asked for: %+v", l.Probe)
	}
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	h.all.last++
	s := &simServer{all: h.all, addr: fmt.Sprintf("10.0.0.9:%d", h.all.last)}
	h.all.all[s.addr] = s
	return s, nil
}

func (h *simHost) Failure(name, stage string, err error) record.Failure {
	return record.Failure{Contestant: name, Stage: stage, Reason: err.Error()}
}

func (h *simHost) Watch(bench.Server) func(server, generator, service time.Duration) record.Causes {
	return func(_, _, _ time.Duration) record.Causes {
		return record.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1}
	}
}

func (h *simHost) Certificate() ([]byte, error) { return nil, nil }
func (h *simHost) Close()                       {}
func (h *simHost) Generator() bench.Generator   { return nil }

// simSite is a machine in a world: an agent's, or a single one with a generator.
type simSite struct {
	name  string
	all   *simServers
	drift float64       // the clock's drift
	taken time.Duration // time for which another program locks the machine

	cost    time.Duration // a generator's CPU time per request; 0: it sends all due requests
	running atomic.Int32  // open loads
	mu      sync.Mutex
	begun   []time.Time // windows with a schedule
}

func (s *simSite) describe() record.Host {
	return record.Host{OS: "sim", CPU: "sim", CPUs: 1, GeneratorCPUs: []int{0}, BootID: s.name}
}

func (s *simSite) engine() load.Engine          { return s }
func (s *simSite) asker() bench.Asker           { return simAsker{s.all} }
func (s *simSite) used() (time.Duration, error) { return 0, nil }
func (s *simSite) quiet() func()                { return func() {} }

func (s *simSite) observe() (end func(time.Duration) record.Causes, err error) {
	return func(time.Duration) record.Causes { return record.Causes{WallNS: 4e8, GeneratorCPUs: 1} }, nil
}

func (s *simSite) claim(ctx context.Context, _ string) (release func() error, err error) {
	if !naps(ctx, s.taken) {
		return nil, ctx.Err()
	}
	return func() error { return nil }, nil
}

func (s *simSite) serve(o bench.LocalOptions) (servers, error) { return &simHost{o, s.all}, nil }

// Open opens connections to a server in the world.
func (s *simSite) Open(ctx context.Context, job load.Job) (load.Session, error) {
	to := s.all.at(job.Addr)
	if to == nil {
		return nil, errors.New("connection refused")
	}
	if !naps(ctx, time.Millisecond) {
		return nil, ctx.Err()
	}
	job.Connections = int(job.Share.Part(int64(job.Connections)))
	s.running.Add(1)
	return &simSession{job, s, to}, nil
}

// simSession loads a server for a window on its machine's clock.
type simSession struct {
	job  load.Job
	site *simSite
	to   *simServer
}

func (s *simSession) Close() error { s.site.running.Add(-1); return nil }

// Run implements load.Session. A closed loop makes 10,000 requests a second.
func (s *simSession) Run(ctx context.Context, w load.Window) (l record.Load, err error) {
	if w.Begin != nil {
		w.Begin()
	}
	if w.Observe == nil {
		w.Observe = &load.Observe{Into: &record.Detail{}}
	}
	if w.Schedule != nil {
		s.site.mu.Lock()
		s.site.begun = append(s.site.begun, time.Now())
		s.site.mu.Unlock()
	} else {
		w.Schedule = &load.Schedule{Stages: []load.Stage{{From: 10_000, To: 10_000}}}
	}
	if !naps(ctx, time.Duration(float64(w.For)/(1+s.site.drift))) {
		return l, ctx.Err()
	}
	if err := s.to.gone(); err != nil {
		return l, err
	}
	if l, err = (&drawn{job: s.job, right: true, cost: s.site.cost}).Run(ctx, w); err == nil {
		s.to.served.Add(l.Started)
	}
	return l, err
}

// simWhole loads a server from a single machine.
type simWhole struct{ load.Session }

// Run implements load.Session.
func (s simWhole) Run(ctx context.Context, w load.Window) (record.Load, error) {
	p, err := load.Measure(ctx, s.Session, load.Share{}, w)
	if err != nil {
		return record.Load{}, err
	}
	l, detail, err := load.MergeParts([]*load.Part{p})
	if w.Observe != nil {
		*w.Observe.Into = detail
	}
	return l, err
}

// simAsker reports that each server in the world satisfies its contract.
type simAsker struct{ all *simServers }

// Ask implements lab.Asker.
func (a simAsker) Ask(_ context.Context, to wire.Endpoint, q bench.Question) (s bench.Said, err error) {
	switch {
	case q.What != bench.AskVerify && q.What != bench.AskInspect:
	case a.all.at(to.Addr) == nil:
		err = errors.New("connection refused")
	default:
		s.Observed = &scenario.Observed{Requests: 1, Framing: map[string]string{"get": "content-length"}, HeaderBytes: 100,
			BodyBytes: 5}
	}
	return s, err
}

// simMachine is one machine with servers and a generator.
type simMachine struct {
	*simHost
	*simSite
	simAsker
}

// Open opens the connections for a whole load.
func (m simMachine) Open(ctx context.Context, job load.Job) (load.Session, error) {
	s, err := m.simSite.Open(ctx, job)
	if err != nil {
		return nil, err
	}
	return simWhole{s}, nil
}

func (m simMachine) CPU() (time.Duration, error) { return m.used() }
func (m simMachine) CPUs() []int                 { return []int{0} }
func (m simMachine) Now() time.Time              { return time.Now() }
func (m simMachine) Rest(t time.Duration)        { time.Sleep(t) }
func (m simMachine) Quiet() func()               { return func() {} }
