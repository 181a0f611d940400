package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"dyno/internal/bench"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// The truth behind a made load: the servers' capacities, and how much one trial differs from
// another.
var madeRates = map[string]float64{"ref": 60_000, "ref+20%": 60_000, "ref+50%": 40_000, "fast": 60_000, "slow": 40_000,
	"base": 60_000, "head": 40_000, "go": 60_000, "node": 40_000, "disturbed": 40_000}

const madeNoise = 0.005

// madeMachine starts real servers on this machine, verifies, freezes and stops them; but their
// loads are made up, take no time and no CPU, and there is no background load.
type madeMachine struct {
	*bench.Local
	bench.Direct
	mu      sync.Mutex
	servers map[string]*madeServer // by address
	clock   time.Duration
}

func newMadeMachine(o bench.LocalOptions) (bench.Host, error) {
	local, err := bench.NewLocal(o)
	return &madeMachine{Local: local, servers: map[string]*madeServer{}}, err
}

func (m *madeMachine) Generator() bench.Generator { return m }

// Watch always finds that the hypervisor withholds the CPU of the server "disturbed".
func (m *madeMachine) Watch(s bench.Server) func(server, generator, service time.Duration) record.Causes {
	causes := record.Causes{WallNS: 4e8, ServerCPUs: 1, GeneratorCPUs: 1}
	if s.(*madeServer).name == "disturbed" {
		causes.StealNS = 2e8
	}
	return func(_, _, _ time.Duration) record.Causes { return causes }
}

func (m *madeMachine) Launch(ctx context.Context, name string, l bench.Launch) (bench.Server, error) {
	s, err := m.Local.Launch(ctx, name, l)
	if err != nil {
		return nil, err
	}
	made := &madeServer{Server: s, name: name, rate: madeRates[name]}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range wire.Protocols {
		m.servers[s.At(h).Addr] = made
	}
	return made, nil
}

func (m *madeMachine) CPU() (time.Duration, error) { return 0, nil }
func (m *madeMachine) CPUs() []int                 { return []int{1} }
func (m *madeMachine) Now() time.Time              { return time.Unix(0, 0).Add(m.clock) }
func (m *madeMachine) Rest(t time.Duration)        { m.clock += t }
func (m *madeMachine) Quiet() func()               { return func() {} }

func (m *madeMachine) Open(_ context.Context, job load.Job) (load.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &madeSession{m: m, s: m.servers[job.Addr], job: job, rng: rand.New(rand.NewPCG(job.Seed, 1))}, nil
}

// madeServer is a real server whose CPU clock counts made requests: a whole CPU at its rate.
type madeServer struct {
	bench.Server
	name string
	rate float64
	cpu  time.Duration
}

func (s *madeServer) Read(what bench.What) (bench.Reading, error) {
	r, err := s.Server.Read(what)
	if what == bench.ReadCPU {
		r.CPU, err = s.cpu, nil
	}
	return r, err
}

type madeSession struct {
	m   *madeMachine
	s   *madeServer
	job load.Job
	rng *rand.Rand
}

func (s *madeSession) Run(_ context.Context, w load.Window) (record.Load, error) {
	n := int64(s.s.rate * w.For.Seconds() * (1 + madeNoise*s.rng.NormFloat64()))
	s.m.clock += w.For
	s.s.cpu += time.Duration(float64(n) / s.s.rate * float64(time.Second))
	var sessions []record.TLSSession
	if s.job.TLS != nil {
		sessions = []record.TLSSession{{Version: "TLS 1.3", Suite: "made", ALPN: s.job.TLS.NextProtos[0],
			Connections: int64(s.job.Connections)}}
	}
	return record.Load{
		TLS: sessions, WindowNS: int64(w.For), Connections: s.job.Connections, Established: s.job.Connections, Started: n,
		Succeeded: n, ServiceP50NS: 1e6, ServiceP99NS: 1e6,
		ServiceMaxNS: 1e6,
	}, nil
}

func (s *madeSession) Close() error { return nil }

// mainMade is dyno with made loads.
func mainMade() {
	newHost = newMadeMachine
	main()
}
