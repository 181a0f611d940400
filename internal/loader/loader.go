// Package loader loads one HTTP server and summarizes how it did: the command dyno load. A Request
// says what is asked, New makes a Plan of it, and Run carries the plan out.
package loader

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/document"
	machine "dyno/internal/host"
	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/load/gonet"
	"dyno/internal/proc"
	"dyno/internal/summary"
)

// Request says what is asked. The zero value of a field means that nothing is said about it.
type Request struct {
	Dyno    string // version of dyno
	Command string // that asks the same again

	// Where requests go.
	URL, Unix           string
	Resolve, LocalAddrs []string

	// How many, how fast and over what. Rate or Stages make an open loop.
	Connections, Requests, Pipeline, PerConnection int64
	Duration, Warmup, RampUp, Timeout              time.Duration
	Rate                                           float64 // per second
	Stages                                         []load.Stage
	Arrivals                                       string // constant or poisson
	Think                                          load.Pause
	NoKeepalive, Cookies                           bool
	Seed                                           uint64

	adhoc.Request // what is sent, and what must come back

	// The generator.
	Engine  string // epoll or gonet
	Threads int64
	CPUs    []int
	Spin    string // auto, on or off

	// The verdict and the files to write.
	MaxErrors float64 // share of requests that may fail
	SLO       []summary.Objective
	Strict    bool // the generator must not be at its limit
	CSV, HDR  string
}

// DefaultConnections is how many connections a load has if nothing is said.
const DefaultConnections = 125

// DefaultEngine returns the best engine on this system.
func DefaultEngine() string {
	if runtime.GOOS == "linux" {
		return "epoll"
	}
	return "gonet"
}

// open reports whether requests are due by time, whatever the responses take.
func (r *Request) open() bool { return r.Rate > 0 || r.Stages != nil }

// Plan is a load, ready to run.
type Plan struct {
	Request
	Target   string        // where requests go, for people
	Did      string        // what is done, on one line
	Length   time.Duration // that the load should last; 0: as long as its requests take
	target   *adhoc.Target
	engine   load.Engine
	job      load.Job
	window   load.Window
	openLoop bool
	noSpin   string // why job.Spin is false
}

// New makes a plan. Its error says what is wrong with the request, or what failed at the server.
func New(ctx context.Context, r Request) (*Plan, error) {
	r.Engine, r.Spin = cmp.Or(r.Engine, DefaultEngine()), cmp.Or(r.Spin, "auto")
	r.Pipeline, r.Timeout = cmp.Or(r.Pipeline, 1), cmp.Or(r.Timeout, 10*time.Second)
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Connections == 0 {
		r.Connections = DefaultConnections
		if r.Requests > 0 && !r.open() {
			r.Connections = min(r.Connections, r.Requests) // the rest would have nothing to do
		}
	}
	if err := machine.RoomFor(r.Connections, 0); err != nil {
		return nil, err
	}
	t, err := adhoc.ReadTarget(ctx, r.URL, r.Unix, r.Resolve)
	if err != nil {
		return nil, err
	}
	s, host, err := r.scenario(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &Plan{Request: r, Target: t.URL, target: t, engine: load.Engine(epoll.Engine{}), openLoop: r.open()}
	if r.Engine == "gonet" {
		p.engine = gonet.Engine{}
	}
	p.job = load.Job{
		Network: t.Network, Addr: t.Addr, HostHeader: host, Scenario: s, Seed: r.Seed,
		Connections: int(r.Connections), Pipeline: int(r.Pipeline), Timeout: r.Timeout,
		Workers: r.workers(t), CPUs: r.CPUs, PerConnection: int(r.PerConnection), Cookies: r.Cookies,
		LocalAddrs: r.LocalAddrs, Lazy: r.RampUp > 0,
	}
	if r.NoKeepalive {
		p.job.PerConnection = 1
	}
	p.job.Spin, p.noSpin = r.spins(t, p.job.Workers)
	p.setWindow()
	p.Did = p.words()
	return p, nil
}

// check refuses what does not go together.
func (r *Request) check() error {
	switch {
	case r.Requests > 0 && r.Duration > 0:
		return conf.Usagef("-n and -d: which one ends the load? Give one of them")
	case r.Stages != nil && r.Duration > 0:
		return conf.Usagef("--stages and -d: the stages say how long the load lasts; leave -d out")
	case r.Stages != nil && r.Rate > 0:
		return conf.Usagef("--stages and --rate: the stages say the rate; leave --rate out")
	case r.Arrivals != "" && !r.open():
		return conf.Usagef("--arrivals is of an open loop: give --rate or --stages too")
	case r.Warmup > 0 && r.Stages != nil:
		return conf.Usagef("--warmup and --stages: let the first stage warm the server up; leave --warmup out")
	case r.Warmup > 0 && r.RampUp > 0:
		return conf.Usagef("--warmup and --ramp-up: the connections join at the start of the load, which a warm-up " +
			"would be; leave one out")
	case r.MaxErrors > 0 && summary.OfErrors(r.SLO):
		return conf.Usagef("--max-errors and --slo errors<…: which one counts? Give one of them")
	case r.Think.Mean > 0 && r.open():
		return conf.Usagef("--think is of a closed loop, and --rate and --stages make an open one: leave one out")
	case r.RampUp > 0 && r.open():
		return conf.Usagef("--ramp-up is of a closed loop; in an open one let the rate grow: --stages 5s@0..1000,…")
	case r.Think.Mean > 0 && r.Pipeline > 1:
		return conf.Usagef("--think and --pipeline: who pauses after each answer has one request in flight; leave " +
			"one out")
	case r.NoKeepalive && r.PerConnection > 1:
		return conf.Usagef("--no-keepalive and --requests-per-connection %d: without keep-alive it is one; leave one "+
			"out",
			r.PerConnection)
	case r.NoKeepalive && r.Pipeline > 1:
		return conf.Usagef("--no-keepalive and --pipeline: a connection that carries one request has no pipeline; " +
			"leave one out")
	case r.Unix != "" && (len(r.Resolve) > 0 || len(r.LocalAddrs) > 0):
		return conf.Usagef("--unix: a socket has no address for --resolve or --local-addr; leave them out")
	case r.Engine == "gonet" && len(r.CPUs) > 0:
		return conf.Usagef("--cpus: the engine gonet has no event loops to pin; leave --cpus out, or use taskset")
	case r.Engine == "gonet" && r.Spin == "on":
		return conf.Usagef("--spin on: the engine gonet cannot poll; leave --spin out, or give --engine epoll")
	case r.Engine == "epoll" && runtime.GOOS != "linux":
		return conf.Usagef("--engine epoll needs Linux; leave --engine out")
	}
	return nil
}

// workers returns the number of event loops: as many as asked for, but no more than connections.
// Otherwise load.Loops derives it from the CPUs given, or from half of all CPUs if the server is on
// this machine too.
func (r *Request) workers(t *adhoc.Target) int {
	usable, quota := machine.Limits()
	n := len(usable)
	if quota > 0 {
		n = min(n, int(quota))
	}
	switch {
	case r.Threads > 0:
		return int(min(r.Threads, r.Connections))
	case len(r.CPUs) > 0:
		n = len(r.CPUs)
	case t.Here:
		n /= 2
	}
	return load.Loops(n, int(r.Connections))
}

// spins reports whether the loops spin, and if not, why.
func (r *Request) spins(t *adhoc.Target, loops int) (spin bool, why string) {
	switch {
	case r.Engine == "gonet":
		return false, "the engine gonet cannot"
	case r.Spin == "on":
		return true, ""
	case r.Spin == "off":
		return false, "--spin off"
	case !r.open():
		return false, "a closed loop"
	}
	s := machine.Spinning{Loops: loops, LoopCPUs: r.CPUs, Remote: true}
	s.Usable, s.Quota = machine.Limits()
	if ok, why := s.Allowed(); !ok || !t.Here {
		return ok, why
	}
	s.Remote = false
	s.ServerCPUs, _ = proc.ServerCPUs(t.Network, t.Addr) // nil if unknown
	return s.Allowed()
}

// setWindow says when requests are due and when the load ends.
func (p *Plan) setWindow() {
	p.Length = p.Duration
	if p.Length == 0 && p.Requests == 0 {
		p.Length = 10 * time.Second
	}
	p.window = load.Window{For: p.Length, Requests: p.Requests, Spread: p.RampUp, Think: p.Think}
	if !p.openLoop {
		return
	}
	stages := p.Stages
	if stages == nil {
		stages = []load.Stage{{For: p.Length, From: p.Rate, To: p.Rate}}
	}
	p.window.Schedule = &load.Schedule{Stages: stages, Poisson: p.Arrivals == "poisson", Seed: p.Seed}
	p.Length = p.window.Schedule.Length()
	p.window.For = p.Length
}

// words describes the load on one line.
func (p *Plan) words() string {
	amount := plain(p.Length)
	if p.Requests > 0 {
		amount = document.Count(p.Requests, "request")
	}
	switch {
	case p.Stages != nil:
		amount = plain(p.Length) + " in " + document.Count(int64(len(p.Stages)), "stage")
	case p.openLoop:
		amount += fmt.Sprintf(" at %g/s", p.Rate)
	}
	parts := []string{amount + " over " + document.Count(p.Connections, "connection")}
	if p.openLoop {
		parts = append(parts, "open loop, "+cmp.Or(p.Arrivals, "constant")+" arrivals")
	} else {
		parts = append(parts, "closed loop")
	}
	if p.Think.Mean > 0 {
		text := "think time " + plain(p.Think.Mean)
		if p.Think.Random {
			text += " on average"
		}
		parts = append(parts, text)
	}
	if p.RampUp > 0 {
		parts = append(parts, "joining over "+plain(p.RampUp))
	}
	if p.Pipeline > 1 {
		parts = append(parts, fmt.Sprintf("%d in the pipeline of each", p.Pipeline))
	}
	if n := int64(p.job.PerConnection); n > 0 {
		parts = append(parts, document.Count(n, "request")+" per connection")
	}
	return strings.Join(append(parts, document.Count(int64(p.job.Workers), "thread")+" ("+p.Engine+")"), ", ")
}

// plain formats a duration without trailing zeros.
func plain(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
