package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
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

// Host presents a fleet's machines as a bench.Fleet: servers run on one machine, and the others load them (Generator).
type Host struct {
	hub        *Hub
	machines   []string                        // all machines in the run
	server     string                          // "": all contestants are already running
	serves     Hosting                         // what the server's machine is to do
	sources    *os.File                        // archive of all that it builds
	generators []string                        // the others
	described  map[string]record.Host          // descriptions, by machine
	work       context.Context                 // for orders without a caller's context; survives an interruption
	cpus       int                             // CPUs that servers must have
	here       string                          // the controller's boot ID
	running    map[string]*contestant.Manifest // contestants that are already running, at a URL

	mu    sync.Mutex
	lost  error // the first loss of a machine
	place map[string]Place
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
	r := &Host{hub: h, machines: h.fleet.InRun(p), generators: h.Names(), cpus: o.CPUs,
		here: machine.BootID(), work: context.WithoutCancel(ctx), described: map[string]record.Host{},
		place: map[string]Place{}}
	var err error
	if len(p.Servers.Attached) > 0 {
		r.running, err = Running(o.Manifests, p.Contestants)
	} else {
		r.server = h.fleet.Servers[0].Name
		r.serves = Hosting{Address: h.fleet.Servers[0].Address, Offline: o.Offline, Command: p.Origin.Command,
			Scenario: o.Scenario, Others: o.Others, Layouts: o.Layouts}
		r.sources, r.serves.Contestants, err = sourcesOf(o, p.Contestants)
	}
	if err != nil {
		return nil, err
	}
	if err := r.take(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// take begins the run on its machines, and describes them.
func (h *Host) take(ctx context.Context) error {
	for _, name := range h.machines {
		m, err := h.taken(ctx, name)
		if err == nil && name == h.server {
			err = h.room(&m)
		}
		if err != nil {
			return err
		}
		m.Name = name
		h.described[name] = m
	}
	return nil
}

// taken begins the run on one machine, and returns its description.
func (h *Host) taken(ctx context.Context, name string) (m record.Host, err error) {
	if name != h.server {
		return ask(ctx, h.hub, name, toGenerate, Done{}, hostLimit)
	}
	if err := h.hub.give(ctx, name, h.sources); err != nil {
		return m, err
	}
	return ask(ctx, h.hub, name, toHost, h.serves, hostLimit)
}

// room returns an error if the servers' machine has fewer CPUs than a level gives to servers.
func (h *Host) room(m *record.Host) error {
	have := float64(len(m.ServerCPUs))
	if m.QuotaCPUs > 0 {
		have = min(have, m.QuotaCPUs)
	}
	if float64(h.cpus) <= have {
		return nil
	}
	return conf.Usagef("--placement asks for %s, but %s has %.3g for servers; pass fewer, or name a machine that "+
		"has more", document.Count(h.cpus, "CPU"), h.server, have)
}

// Close ends the run on all agents, and the controller.
func (h *Host) Close() {
	_ = each(h.machines, func(_ int, name string) error {
		_, err := tell(h.work, h, name, toLeave, Done{}, serverLimit)
		return err
	})
	h.sources.Close() // nil if it was not made
	h.hub.Close()
}

// Apart returns false: generators on other machines could not reach a namespace.
func (h *Host) Apart(string) bool { return false }

// Describe returns the servers' machine, with the generators'. Nothing is known about servers that are already running.
func (h *Host) Describe() record.Host {
	m := record.Host{Pinned: true}
	if h.server != "" {
		m = h.described[h.server]
	}
	m.Generators = h.loaders()
	return m
}

// loaders returns the generators, in order.
func (h *Host) loaders() (all []record.Host) {
	for _, name := range h.generators {
		all = append(all, h.described[name])
	}
	return all
}

// lose keeps a loss of a machine. The first one counts.
func (h *Host) lose(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = cmp.Or(h.lost, err)
}

// Lost implements bench.Fleet.
func (h *Host) Lost() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

// tell sends an order to a machine in the run, unless one was lost, and keeps a loss.
func tell[Q, A any](ctx context.Context, h *Host, name string, k kind[Q, A], q Q, limit time.Duration) (a A,
	err error) {
	if lost := h.Lost(); lost != nil {
		return a, lost
	}
	a, err = ask(ctx, h.hub, name, k, q, limit)
	if _, lost := errors.AsType[*LostError](err); lost {
		h.lose(err)
	}
	return a, err
}

// Build builds a contestant on the servers' machine.
func (h *Host) Build(ctx context.Context, name string, note func(string)) (record.Contestant, error) {
	if m := h.running[name]; m != nil {
		c, _ := bench.Elsewhere(m)
		return c, nil
	}
	note("building on " + h.server)
	c, err := tell(ctx, h, h.server, toBuild, name, buildLimit)
	return c, withoutMachine(err)
}

// Launch starts the program that Build built, on the same machine.
func (h *Host) Launch(ctx context.Context, name string, l bench.Launch) (bench.Server, error) {
	if m := h.running[name]; m != nil {
		_, s := bench.Elsewhere(m)
		h.keep(m.URL.Endpoint, placeOfURL(m.URL))
		return s, nil
	}
	a, err := tell(ctx, h, h.server, toLaunch, Starting{name, l}, launchLimit)
	if err != nil {
		return nil, withoutMachine(err)
	}
	s := &remote{host: h, machine: h.server, number: a.Number, at: map[wire.HTTP]wire.Endpoint{}}
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
