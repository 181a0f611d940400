// Package loader implements the command dyno load: it loads one HTTP server and summarizes the results. New
// makes a Plan from a Request, and Plan.Run carries it out.
package loader

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/machine"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Request describes the requested load. A zero field means the default.
type Request struct {
	Dyno    string // dyno's version
	Command string // command line that repeats the load

	// The server.
	URL, Unix string

	// The amount, the rate and the connections. Rate or Stages make an open loop.
	Connections, Requests, Pipeline   int64
	Streams                           int64      // HTTP/2 requests in flight per connection, like Pipeline in HTTP/1.1
	HTTP                              *wire.HTTP // nil: HTTP/1.1
	Duration, Warmup, RampUp, Timeout time.Duration
	Rate                              float64 // requests per second
	Stages                            []load.Stage
	Arrivals                          string // constant or poisson
	NoKeepalive                       bool
	Seed                              uint64

	TLS wire.TLS // encryption, for an https:// URL

	scenario.AdHoc // the requests and expected responses

	// The generator.
	Threads int64

	// The verdict.
	SLO    []judge.Objective
	Find   []judge.Objective // search for the highest rate that meets it (Plan.Search), for Duration
	Strict bool              // fail if the generator is at its limit
}

// defaultConnections is the default number of connections.
const defaultConnections = 125

// open reports whether the load is an open loop.
func (r *Request) open() bool { return r.Rate > 0 || r.Stages != nil || r.Find != nil }

// Plan is a load, ready to run.
type Plan struct {
	Request
	Target   string        // the server, for people
	Did      string        // description of the load in one line
	Length   time.Duration // planned length; 0: until all requests are done
	target   *scenario.Target
	engine   load.Engine
	job      load.Job
	window   load.Window
	openLoop bool
	noSpin   string // why job.Spin is false
}

// New makes a plan. The error says what is wrong with the request, or what failed at the server.
func New(ctx context.Context, r Request) (*Plan, error) {
	r.Pipeline, r.Timeout = cmp.Or(r.Pipeline, 1), cmp.Or(r.Timeout, 10*time.Second)
	if r.Find != nil {
		if _, err := r.objective(); err != nil {
			return nil, err
		}
	}
	if r.Connections == 0 {
		r.Connections = defaultConnections
		if r.Requests > 0 && !r.open() {
			r.Connections = min(r.Connections, r.Requests) // further connections would have nothing to do
		}
	}
	if err := machine.RoomFor(r.Connections, 0); err != nil {
		return nil, err
	}
	t, err := scenario.ReadTarget(ctx, r.URL, r.route())
	if err != nil {
		return nil, err
	}
	if err := r.protocol(ctx, t); err != nil {
		return nil, err
	}
	s, host, err := r.scenario(ctx, t)
	if err != nil {
		return nil, advised(err)
	}
	if !t.HTTP2 {
		r.Pipeline = max(r.Pipeline, int64(s.Pipeline))
	}
	loaded := t.URL
	if base, ok := strings.CutSuffix(t.URL, "/"); ok && t.Path == "/" {
		if loaded = base; len(s.Requests) == 1 {
			loaded += s.Requests[0].Path
		}
	}
	p := &Plan{Request: r, Target: foreign.Mask(loaded), target: t, engine: loop.Engine{},
		openLoop: r.open()}
	p.job = load.Job{
		Endpoint: t.Endpoint, Scenario: s, Seed: r.Seed,
		Connections: int(r.Connections), Pipeline: int(max(r.Pipeline, r.Streams)), Timeout: r.Timeout,
		Workers: r.workers(t), Lazy: r.RampUp > 0,
	}
	p.job.Host = host
	p.job.PerConnection = s.PerConnection
	if r.NoKeepalive {
		p.job.PerConnection = 1
	}
	p.job.Spin, p.noSpin = r.spins(t, p.job.Workers)
	if r.Find == nil {
		p.setWindow()
	}
	p.Did = p.description()
	return p, nil
}

// route says how to reach the server.
func (r *Request) route() scenario.Route {
	return scenario.Route{Unix: r.Unix, TLS: r.TLS}
}

// workers returns the number of event loops: the requested number, but at most the number of connections. By
// default load.Loops derives it from the CPUs, or from half of them if the server is on this machine too.
func (r *Request) workers(t *scenario.Target) int {
	usable, quota := machine.Limits()
	n := len(usable)
	if quota > 0 {
		n = min(n, int(quota))
	}
	switch {
	case r.Threads > 0:
		return int(min(r.Threads, r.Connections))
	case t.Here:
		n /= 2
	}
	return load.Loops(n, int(r.Connections))
}

// spins reports whether the loops busy-wait, and if not, why.
func (r *Request) spins(t *scenario.Target, loops int) (spin bool, why string) {
	switch {
	case !r.open():
		return false, "a closed loop"
	case runtime.GOOS != "linux":
		return false, "polling needs Linux"
	}
	s := machine.Spinning{Loops: loops, Remote: true}
	s.Usable, s.Quota = machine.Limits()
	if ok, why := s.Allowed(); !ok || !t.Here {
		return ok, why
	}
	s.Remote = false
	s.ServerCPUs, _ = machine.ServerCPUs(t.Addr) // nil: they are unknown, as behind a unix socket
	return s.Allowed()
}

// setWindow sets when requests are due and when the load ends.
func (p *Plan) setWindow() {
	p.Length = p.Duration
	if p.Length == 0 && p.Requests == 0 {
		p.Length = 10 * time.Second
	}
	p.window = load.Window{For: p.Length, Requests: p.Requests, Spread: p.RampUp}
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

// description describes the load on one line.
func (p *Plan) description() string {
	amount := durationText(p.Length)
	if p.Requests > 0 {
		amount = document.Count(p.Requests, "request")
	}
	switch {
	case p.Find != nil:
		length := p.searchTime().Round(time.Second)
		amount = fmt.Sprintf("the highest rate that keeps %s, in about %s (at most %s, and the wait for last responses)",
			objectiveText(p.Find), durationText(length), durationText(2*length))
	case p.Stages != nil:
		amount = durationText(p.Length) + " in " + document.Count(int64(len(p.Stages)), "stage")
	case p.openLoop:
		amount += fmt.Sprintf(" at %g/s", p.Rate)
	}
	if amount += " over " + document.Count(p.Connections, "connection"); p.job.HTTP2 {
		amount += " of HTTP/2"
	}
	parts := []string{amount}
	if p.openLoop {
		arrivals := "constant"
		if p.Find != nil {
			arrivals = "poisson"
		}
		parts = append(parts, "open loop, "+cmp.Or(p.Arrivals, arrivals)+" arrivals")
	} else {
		parts = append(parts, "closed loop")
	}
	if p.RampUp > 0 {
		parts = append(parts, "added over "+durationText(p.RampUp))
	}
	if p.Pipeline > 1 {
		parts = append(parts, fmt.Sprintf("%d in the pipeline of each", p.Pipeline))
	}
	if p.Streams > 1 {
		parts = append(parts, fmt.Sprintf("%d streams on each", p.Streams))
	}
	if n := int64(p.job.PerConnection); n > 0 {
		parts = append(parts, document.Count(n, "request")+" per connection")
	}
	if p.job.Scenario.SentAsJSON {
		parts = append(parts, "body sent as application/json")
	}
	return strings.Join(append(parts, document.Count(int64(p.job.Workers), "thread")), ", ")
}

// durationText formats a duration without trailing zeros.
func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
