package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Host presents a fleet's machines as a bench.Host: servers run on one machine, their service on
// one, and the others load them (Generator). It remembers lost machines until Rejoin.
type Host struct {
	hub        *Hub
	machines   []string // all machines in the run, each once
	server     string   // "": all contestants are already running
	generators []string
	launchers  map[string]*launcher            // machines that start programs, by name
	service    *launcher                       // one of launchers; nil: no service
	work       context.Context                 // for orders without a caller's context; survives an interruption
	cpus       int                             // CPUs that servers must have
	here       string                          // the controller's boot ID
	running    map[string]*contestant.Manifest // contestants that are already running, at a URL

	mu         sync.Mutex
	generating map[string]record.Host // present descriptions of the generators
	lost       *record.Lost
	confirmed  bool            // all other machines have answered or are lost too
	gone       map[string]bool // machines that get no orders until they are back
	place      map[string]Place
}

// launcher is a machine that starts programs in the run.
type launcher struct {
	name    string
	serves  Hosting
	sources *os.File    // archive of all that it builds
	machine record.Host // present description of the machine
}

// Time limits for orders.
const (
	hostLimit   = 10 * time.Minute // sources may be large
	buildLimit  = time.Hour
	launchLimit = 2 * time.Minute
	serverLimit = time.Minute
)

// Host takes the machines that carry out a plan; o describes the contestants' needs. Close must be called
// after the run.
func (h *Hub) Host(ctx context.Context, o bench.LocalOptions, p *record.Plan) (*Host, error) {
	if o.AsPublished {
		return nil, conf.Usagef("--fleet: at a level as published servers and load generator share one machine, but in a " +
			"fleet each has its own; choose another level, or omit --placement")
	}
	r := &Host{hub: h, machines: h.fleet.InRun(p), generators: h.Names(), launchers: map[string]*launcher{}, cpus: o.CPUs,
		here: machine.BootID(), work: context.WithoutCancel(ctx),
		generating: map[string]record.Host{}, gone: map[string]bool{}, place: map[string]Place{}}
	var err error
	if len(p.Servers.Attached) > 0 {
		r.running, err = Running(o.Manifests, p.Contestants)
	} else {
		err = h.launches(r, o, p)
	}
	if err != nil {
		return nil, err
	}
	if err := r.take(ctx, r.machines); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// launches prepares the machines that start programs.
func (h *Hub) launches(r *Host, o bench.LocalOptions, p *record.Plan) error {
	at := h.fleet.Servers[0]
	r.server = at.Name
	own := Hosting{Address: at.Address, Offline: o.Offline, Command: p.Origin.Command, Scenario: o.Scenario,
		Others:  o.Others,
		Layouts: o.Layouts}
	archive, all, err := sourcesOf(o, p.Contestants)
	if err != nil {
		return err
	}
	own.Contestants = all
	r.launchers[at.Name] = &launcher{name: at.Name, serves: own, sources: archive}
	if len(o.Services) == 0 {
		return nil
	}
	at = h.fleet.Services[0]
	own = Hosting{Address: at.Address, Offline: o.Offline, Command: p.Origin.Command, Service: o.Services[0].Name}
	if archive, err = serviceOf(o); err != nil {
		return err
	}
	r.service = &launcher{name: at.Name, serves: own, sources: archive}
	r.launchers[at.Name] = r.service
	return nil
}

// take begins the run on machines, and describes them.
func (h *Host) take(ctx context.Context, names []string) error {
	for _, name := range names {
		if s := h.launchers[name]; s != nil {
			if err := h.hub.give(ctx, name, s.sources); err != nil {
				return err
			}
			m, err := ask(ctx, h.hub, name, toHost, s.serves, hostLimit)
			if err == nil {
				err = h.room(name, &m)
			}
			if err != nil {
				return err
			}
			m.Name = name
			s.machine = m
		}
		if slices.Contains(h.generators, name) {
			m, err := ask(ctx, h.hub, name, toGenerate, Done{}, hostLimit)
			if err != nil {
				return err
			}
			m.Name = name
			h.mu.Lock()
			h.generating[name] = m
			h.mu.Unlock()
		}
	}
	return nil
}

// room returns an error if the servers' machine has fewer CPUs than a level gives to servers.
func (h *Host) room(name string, m *record.Host) error {
	have := float64(len(m.ServerCPUs))
	if m.QuotaCPUs > 0 {
		have = min(have, m.QuotaCPUs)
	}
	if name != h.server || float64(h.cpus) <= have {
		return nil
	}
	return conf.Usagef("--placement asks for %s, but %s has %.3g for servers; pass fewer, or name a machine that "+
		"has more", document.Count(h.cpus, "CPU"), name, have)
}

// Close ends the run on all agents that are there and answer in time, and the controller.
func (h *Host) Close() {
	_ = each(h.machines, func(_ int, name string) error {
		_, err := tell(h.work, h, name, toLeave, Done{}, serverLimit)
		return err
	})
	for _, s := range h.launchers {
		s.sources.Close() // nil if it was not made
	}
	h.hub.Close()
}

// Apart returns false: generators on other machines could not reach a namespace.
func (h *Host) Apart(string) bool { return false }

// Describe returns the servers' machine, with the generators' and the service's. Nothing is known about
// servers that are already running.
func (h *Host) Describe() record.Host {
	m := record.Host{Pinned: true}
	if s := h.launchers[h.server]; s != nil {
		m = s.machine
	}
	m.Generators = h.loaders()
	if h.service != nil {
		at := h.service.machine
		m.Service = &at
	}
	return m
}

// loaders returns the generators, in order.
func (h *Host) loaders() (all []record.Host) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.generators {
		all = append(all, h.generating[name])
	}
	return all
}

// startsOn returns the machine on which a program starts.
func (h *Host) startsOn(name string) string {
	if h.service != nil && name == h.service.serves.Service {
		return h.service.name
	}
	return h.server
}

// errGone is the error for an order to a lost machine.
var errGone = errors.New("a machine was lost")

// lose records a lost machine and everything that ran on it. The first loss counts.
func (h *Host) lose(name, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone[name] = true
	h.keepLost(name, why, h.launchers[name] != nil)
}

// late records that a machine spoiled a window, but is still there with everything that runs on it.
func (h *Host) late(name, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keepLost(name, why, false)
}

// keepLost records which machine was lost or late, and whether servers were lost with it. h.mu must be held.
func (h *Host) keepLost(name, why string, servers bool) {
	switch {
	case h.lost == nil:
		h.lost = &record.Lost{Machine: name, Server: servers, Reason: why}
	case servers && !h.lost.Server: // a worse loss
		h.lost.Server = true
		if h.lost.Machine != name {
			h.lost.Machine += ", " + name
		}
	}
}

// Lost returns the machines lost since Rejoin, or nil. After a loss it waits for a sign from all others,
// because the same may have happened to them.
func (h *Host) Lost() *record.Lost {
	h.mu.Lock()
	confirm := h.lost != nil && !h.confirmed
	h.confirmed = h.confirmed || confirm
	h.mu.Unlock()
	if confirm {
		_ = each(h.machines, func(_ int, name string) error {
			_, err := tell(h.work, h, name, clock, Done{}, serverLimit)
			return err
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil {
		return nil
	}
	l := *h.lost
	return &l
}

// Rejoin waits until all lost machines are back, for at most ten minutes, and begins the run on them anew.
func (h *Host) Rejoin(ctx context.Context) error {
	h.mu.Lock()
	var back []string
	for name := range h.gone {
		back = append(back, name)
	}
	h.mu.Unlock()
	slices.Sort(back)
	before := h.cpusOf(back)
	for end := time.Now().Add(returning); ; time.Sleep(100 * time.Millisecond) {
		err := h.greet(ctx, back)
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("wait for machines that were lost: %w", err)
		}
	}
	if now := h.cpusOf(back); !slices.Equal(now, before) {
		return fmt.Errorf("%s came back with other CPUs: before %s, now %s", strings.Join(back, ", "), before, now)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost, h.confirmed = nil, false
	h.gone = map[string]bool{}
	return nil
}

// greet begins with machines that were lost. An agent that was only late drops its part of the run.
func (h *Host) greet(ctx context.Context, back []string) error {
	for _, name := range back {
		if err := h.hub.Greet(ctx, name); err != nil {
			return err
		}
		if _, err := ask(ctx, h.hub, name, toLeave, Done{}, serverLimit); err != nil {
			return err
		}
	}
	return h.take(ctx, back)
}

// cpusOf describes the CPUs that machines have for the run.
func (h *Host) cpusOf(names []string) (all []string) {
	for _, name := range names {
		m := h.described(name)
		all = append(all, fmt.Sprintf("%s %v %v", m.CPU, m.ServerCPUs, m.GeneratorCPUs))
	}
	return all
}

// described returns a machine's present description.
func (h *Host) described(name string) record.Host {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.launchers[name]; s != nil {
		return s.machine
	}
	return h.generating[name]
}

// returning limits the time that a run waits for a lost machine.
const returning = 10 * time.Minute

// tell sends an order to a machine in the run, unless it is lost, and records a loss.
func tell[Q, A any](ctx context.Context, h *Host, name string, k kind[Q, A], q Q, limit time.Duration) (a A,
	err error) {
	h.mu.Lock()
	gone := h.gone[name]
	h.mu.Unlock()
	if gone {
		return a, errGone
	}
	a, err = ask(ctx, h.hub, name, k, q, limit)
	if lost, is := errors.AsType[*LostError](err); is {
		h.lose(name, lost.Why)
	}
	return a, err
}

// Build builds a contestant on the servers' machine, or the service on its machine.
func (h *Host) Build(ctx context.Context, name string, note func(string)) (record.Contestant, error) {
	if m := h.running[name]; m != nil {
		c, _ := bench.Elsewhere(m)
		return c, nil
	}
	at := h.startsOn(name)
	note("building on " + at)
	c, err := tell(ctx, h, at, toBuild, name, buildLimit)
	return c, withoutMachine(err)
}

// Launch starts the program that Build built, on the same machine.
func (h *Host) Launch(ctx context.Context, name string, l bench.Launch) (bench.Server, error) {
	if m := h.running[name]; m != nil {
		_, s := bench.Elsewhere(m)
		h.keep(m.URL.Endpoint, placeOfURL(m.URL))
		return s, nil
	}
	at := h.startsOn(name)
	a, err := tell(ctx, h, at, toLaunch, Starting{name, l}, launchLimit)
	if err != nil {
		return nil, withoutMachine(err)
	}
	s := &remote{host: h, machine: at, number: a.Number, at: map[wire.HTTP]wire.Endpoint{}}
	for _, p := range a.Places {
		to, err := p.endpoint()
		if err != nil {
			return nil, err
		}
		s.at[p.HTTP] = to
		h.keep(to, p)
	}
	return s, nil
}

// keep records how generators reach an endpoint.
func (h *Host) keep(to wire.Endpoint, p Place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.place[where(to)] = p
}

// where identifies an endpoint's server: one address may have several.
func where(to wire.Endpoint) string { return to.Addr + " " + to.Host }

// placeOf returns how generators reach the endpoint of a server in the run.
func (h *Host) placeOf(to wire.Endpoint) (Place, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.place[where(to)]
	if !ok {
		return p, fmt.Errorf("no server of the fleet listens on %s", to.Addr)
	}
	for _, f := range wire.Protocols {
		if f.Two() == to.HTTP2 && f.TLS() == (to.TLS != nil) {
			p.HTTP = f
		}
	}
	return p, nil
}

// Failure returns the record that the contestant's machine made of its error.
func (h *Host) Failure(name, stage string, err error) record.Failure {
	f := record.Failure{Contestant: name, Stage: stage, Reason: err.Error()}
	if t, is := errors.AsType[*Fault](err); is && t.Failure != nil {
		f = *t.Failure
		f.Contestant, f.Stage = name, cmp.Or(f.Stage, stage)
	}
	return f
}
