package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	machine "dyno/internal/host"
	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/load/gonet"
	"dyno/internal/proc"
)

// loadPlan is a load, ready to run.
type loadPlan struct {
	*loadFlags
	target   *target
	engine   load.Engine
	job      load.Job
	window   load.Window
	length   time.Duration // that the load is meant to last; 0: as long as its requests take
	did      string
	command  string
	openLoop bool
	noSpin   string // why job.Spin is false
}

// plan turns flags into a load, or says what is wrong with them.
func (f *loadFlags) plan(ctx context.Context, arg string) (*loadPlan, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	t, err := readTarget(ctx, arg, f.unix, f.resolve.all)
	if err != nil {
		return nil, err
	}
	drawSeed(f.cmd)
	if !f.changed("connections") && f.requests > 0 && !f.isOpen() {
		f.connections = min(f.connections, f.requests) // the rest would have nothing to do
	}
	s, host, err := f.scenarioFor(ctx, t)
	if err != nil {
		return nil, err
	}
	p := &loadPlan{loadFlags: f, target: t, engine: load.Engine(epoll.Engine{}), openLoop: f.isOpen()}
	if f.engine == "gonet" {
		p.engine = gonet.Engine{}
	}
	p.job = load.Job{
		Network: t.network, Addr: t.addr, HostHeader: host, Scenario: s, Seed: f.seed, Connections: int(f.connections), Pipeline: int(f.pipeline),
		Timeout: f.timeout, Workers: f.workers(t), CPUs: f.cpus, PerConnection: int(f.perConnection), Cookies: f.cookies, LocalAddrs: f.locals,
		Lazy: f.rampUp > 0,
	}
	if f.noKeepalive {
		p.job.PerConnection = 1
	}
	p.job.Spin, p.noSpin = f.spins(t, p.job.Workers)
	p.setWindow()
	p.did, p.command = p.words(), repeated(f.cmd, slices.DeleteFunc([]string{arg}, func(a string) bool { return a == "" }))
	return p, nil
}

func (f *loadFlags) isOpen() bool { return f.changed("rate", "R", "stages") }

// check refuses what cannot be meant together.
func (f *loadFlags) check() error {
	length, stages := f.changed("duration", "z"), f.changed("stages")
	switch {
	case f.changed("requests") && length:
		return usagef("-n and -d: which one ends the load? Give one of them")
	case stages && length:
		return usagef("--stages and -d: the stages say how long the load lasts; leave -d out")
	case stages && f.changed("rate", "R"):
		return usagef("--stages and --rate: the stages say the rate; leave --rate out")
	case f.changed("arrivals") && !f.isOpen():
		return usagef("--arrivals is of an open loop: give --rate or --stages too")
	case f.changed("think") && f.isOpen():
		return usagef("--think is of a closed loop, and --rate and --stages make an open one: leave one out")
	case f.changed("ramp-up") && f.isOpen():
		return usagef("--ramp-up is of a closed loop; in an open one let the rate grow: --stages 5s@0..1000,…")
	case f.changed("think") && f.pipeline > 1:
		return usagef("--think and --pipeline: who pauses after each answer has one request in flight; leave one out")
	case f.noKeepalive && f.perConnection > 1:
		return usagef("--no-keepalive and --requests-per-connection %d: without keep-alive it is one; leave one out", f.perConnection)
	case f.noKeepalive && f.pipeline > 1:
		return usagef("--no-keepalive and --pipeline: a connection that carries one request has no pipeline; leave one out")
	case f.unix != "" && (len(f.resolve.all) > 0 || len(f.locals) > 0):
		return usagef("--unix: a socket has no address for --resolve or --local-addr; leave them out")
	case f.engine == "gonet" && len(f.cpus) > 0:
		return usagef("--cpus: the engine gonet has no event loops to pin; leave --cpus out, or use taskset")
	case f.engine == "gonet" && f.spin == "on":
		return usagef("--spin on: the engine gonet cannot poll; leave --spin out, or give --engine epoll")
	case f.engine == "epoll" && runtime.GOOS != "linux":
		return usagef("--engine epoll needs Linux; leave --engine out")
	}
	return fileLimit(f.connections, 0)
}

// workers is the number of event loops: as many as asked for, never more than connections; or by load.Loops, of the CPUs given, or of a share of
// all that leaves room for a server on this machine.
func (f *loadFlags) workers(t *target) int {
	usable, quota := machine.Limits()
	n := len(usable)
	if quota > 0 {
		n = min(n, int(quota))
	}
	switch {
	case f.threads > 0:
		return int(min(f.threads, f.connections))
	case len(f.cpus) > 0:
		n = len(f.cpus)
	case t.here:
		n /= 2
	}
	return load.Loops(n, int(f.connections))
}

// spins says whether the loops are to spin, and if not, why.
func (f *loadFlags) spins(t *target, loops int) (spin bool, why string) {
	switch {
	case f.engine == "gonet":
		return false, "the engine gonet cannot"
	case f.spin == "on":
		return true, ""
	case f.spin == "off":
		return false, "--spin off"
	case !f.isOpen():
		return false, "a closed loop"
	}
	s := machine.Spinning{Loops: loops, LoopCPUs: f.cpus, Remote: true}
	s.Usable, s.Quota = machine.Limits()
	if ok, why := s.Allowed(); !ok || !t.here {
		return ok, why
	}
	s.Remote = false
	s.ServerCPUs, _ = proc.ServerCPUs(t.network, t.addr) // nil where it cannot tell
	return s.Allowed()
}

// setWindow says when requests go out, and when the load ends.
func (p *loadPlan) setWindow() {
	p.length = p.duration
	if p.length == 0 && p.requests == 0 {
		p.length = 10 * time.Second
	}
	p.window = load.Window{For: p.length, Requests: p.requests, Spread: p.rampUp, Think: p.think}
	if !p.openLoop {
		return
	}
	stages := p.stages
	if stages == nil {
		stages = []load.Stage{{For: p.length, From: p.rate, To: p.rate}}
	}
	p.window.Schedule = &load.Schedule{Stages: stages, Poisson: p.arrivals == "poisson", Seed: p.seed}
	p.length = p.window.Schedule.Length()
	p.window.For = p.length
}

// words say what is done, on one line.
func (p *loadPlan) words() string {
	amount := plain(p.length)
	if p.requests > 0 {
		amount = plural(p.requests, "request")
	}
	switch {
	case p.stages != nil:
		amount = plain(p.length) + " in " + plural(int64(len(p.stages)), "stage")
	case p.openLoop:
		amount += fmt.Sprintf(" at %g/s", p.rate)
	}
	parts := []string{amount + " over " + plural(p.connections, "connection")}
	if p.openLoop {
		parts = append(parts, "open loop, "+p.arrivals+" arrivals")
	} else {
		parts = append(parts, "closed loop")
	}
	if p.think.Mean > 0 {
		text := "think time " + plain(p.think.Mean)
		if p.think.Random {
			text += " on average"
		}
		parts = append(parts, text)
	}
	if p.rampUp > 0 {
		parts = append(parts, "joining over "+plain(p.rampUp))
	}
	if p.pipeline > 1 {
		parts = append(parts, fmt.Sprintf("%d in the pipeline of each", p.pipeline))
	}
	if n := int64(p.job.PerConnection); n > 0 {
		parts = append(parts, plural(n, "request")+" per connection")
	}
	return strings.Join(append(parts, plural(int64(p.job.Workers), "thread")+" ("+p.loadFlags.engine+")"), ", ")
}

// plain is a duration without the zeros that Go writes behind it.
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

func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
