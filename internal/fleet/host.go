package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	lab "dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/endpoint"
	"dyno/internal/host"
	"dyno/internal/proc"
	form "dyno/internal/protocol"
	"dyno/internal/result"
)

// Host is the machines of a fleet as a lab.Host: servers run on one of them, and the others load them
// (Generator). It keeps what was lost until Rejoin.
type Host struct {
	post       *post
	hosting    Hosting
	server     string
	generators []string
	work       context.Context // of orders that no caller limits; it outlives an interruption
	machine    result.Host
	cpus       int    // that servers must have
	here       string // boot of the controller's machine

	mu    sync.Mutex
	lost  *result.Lost
	gone  map[string]bool // machines that nothing is asked of until they are back
	place map[string]Place
}

// The longest that an agent may take for an order.
const (
	hostLimit   = 10 * time.Minute // sources may be large
	buildLimit  = time.Hour
	launchLimit = 2 * time.Minute
	serverLimit = time.Minute
)

// GatherRun does what Gather does, of the servers' machine too.
func (h *Hub) GatherRun(ctx context.Context) error {
	return eachOf(append(names(h.fleet.Servers), h.Names()...), func(name string) error { return h.Greet(ctx, name) })
}

// Host takes the machines for a run of these contestants; o says what they need. Close must be called
// after the run.
func (h *Hub) Host(ctx context.Context, o lab.LocalOptions, names []string, command string) (*Host, error) {
	m := h.fleet.Servers[0]
	r := &Host{server: m.Name, cpus: o.CPUs, here: host.Describe().BootID,
		work: context.WithoutCancel(ctx), gone: map[string]bool{},
		place: map[string]Place{}, hosting: Hosting{Address: m.Address, Scenario: o.Scenario, Others: o.Others,
			Backend: o.Backend, Offline: o.Offline, Layouts: o.Layouts, Command: command}}
	for _, g := range h.fleet.Generators {
		r.generators = append(r.generators, g.Name)
	}
	var err error
	if r.hosting.Sources, r.hosting.Contestants, err = h.sourcesOf(ctx, o, names, m.Name); err != nil {
		return nil, err
	}
	if r.post, err = newPost(r.work, h, append([]string{r.server}, r.generators...)); err != nil {
		return nil, err
	}
	if err := r.take(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// take begins with all machines, and describes them.
func (h *Host) take(ctx context.Context) error {
	d, err := work[Hosting, Described](ctx, h.post, h.server, toHost, h.hosting, hostLimit)
	if err != nil {
		return err
	}
	machine := d.Host
	if have := len(machine.ServerCPUs); h.cpus > have {
		return conf.Usagef("%s has %d CPUs for servers, and the run is to have %d", h.server, have, h.cpus)
	}
	machine.Name = h.server
	for _, name := range h.generators {
		g, err := order[Generating, Described](ctx, h.post, name, toGenerate, Generating{}, hostLimit)
		if err != nil {
			return err
		}
		g.Host.Name = name
		machine.Generators = append(machine.Generators, g.Host)
	}
	h.machine = machine
	return nil
}

// Close stops all that the agents do for the run.
func (h *Host) Close() {
	for _, name := range append([]string{h.server}, h.generators...) {
		if h.gone[name] {
			continue
		}
		_, _ = order[Generating, Done](h.work, h.post, name, toLeave, Generating{}, serverLimit)
	}
	h.post.stop()
}

// Describe returns the servers' machine, and the generators'.
func (h *Host) Describe() result.Host { return h.machine }

// errGone is the error of what would be asked of a machine that was lost.
var errGone = errors.New("a machine was lost")

// lose keeps that a machine was lost. The first one counts.
func (h *Host) lose(name, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone[name] = true
	switch {
	case h.lost == nil:
		h.lost = &result.Lost{Machine: name, Server: name == h.server, Reason: why}
	case name == h.server && !h.lost.Server: // which is worse
		h.lost.Machine, h.lost.Server = h.lost.Machine+", "+name, true
	}
}

// Lost returns the machines that were lost since Rejoin; nil: none.
func (h *Host) Lost() *result.Lost {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil {
		return nil
	}
	l := *h.lost
	return &l
}

// Rejoin waits until all machines that were lost are there again, for at most ten minutes, and begins
// with them anew.
func (h *Host) Rejoin(ctx context.Context) error {
	h.mu.Lock()
	var back []string
	for name := range h.gone {
		back = append(back, name)
	}
	h.mu.Unlock()
	slices.Sort(back)
	before := h.machine
	for end := time.Now().Add(returning); ; time.Sleep(100 * time.Millisecond) {
		err := h.greet(ctx, back)
		if err == nil {
			break
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("wait for machines that were lost: %w", err)
		}
	}
	if a, b := &before, &h.machine; a.CPU != b.CPU || !slices.Equal(a.ServerCPUs, b.ServerCPUs) {
		return fmt.Errorf("%s came back with other CPUs than it had: %s %v, now %s %v", h.server, a.CPU, a.ServerCPUs,
			b.CPU, b.ServerCPUs)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = nil
	h.gone = map[string]bool{}
	return nil
}

// greet begins with machines that were lost. What an agent that was only late still has of the run ends.
func (h *Host) greet(ctx context.Context, back []string) error {
	for _, name := range back {
		if err := h.post.Greet(ctx, name); err != nil {
			return err
		}
		if _, err := order[Generating, Done](ctx, h.post, name, toLeave, Generating{}, serverLimit); err != nil {
			return err
		}
	}
	if slices.Contains(back, h.server) {
		return h.take(ctx)
	}
	return nil
}

// returning is how long a run waits for a machine that was lost.
const returning = 10 * time.Minute

// tell sends an order to a machine of the run, unless it was lost, and keeps that it is lost now.
func tell[Q, A any](ctx context.Context, h *Host, name, kind string, q Q, limit time.Duration) (*A, error) {
	return keeping(h, name, func() (*A, error) { return order[Q, A](ctx, h.post, name, kind, q, limit) })
}

// have does so with what may take long.
func have[Q, A any](ctx context.Context, h *Host, name, kind string, q Q, limit time.Duration) (*A, error) {
	return keeping(h, name, func() (*A, error) { return work[Q, A](ctx, h.post, name, kind, q, limit) })
}

func keeping[A any](h *Host, name string, send func() (*A, error)) (*A, error) {
	h.mu.Lock()
	gone := h.gone[name]
	h.mu.Unlock()
	if gone {
		return nil, errGone
	}
	a, err := send()
	if lost, is := errors.AsType[*LostError](err); is {
		h.lose(name, lost.Why)
	}
	return a, err
}

// Build builds a contestant on the servers' machine.
func (h *Host) Build(ctx context.Context, name string, note func(string)) (result.Contestant, error) {
	note("building on " + h.server)
	b, err := have[Building, Built](ctx, h, h.server, toBuild, Building{Name: name}, buildLimit)
	if err != nil {
		return result.Contestant{}, err
	}
	if b.Trouble != nil {
		return b.Contestant, b.Trouble
	}
	return b.Contestant, nil
}

// Launch starts a contestant on the servers' machine.
func (h *Host) Launch(ctx context.Context, name string, l lab.Launch) (lab.Server, error) {
	contract, err := contractOf(l.Probe.Scenario)
	if err != nil {
		return nil, err
	}
	l.Probe.Scenario = nil
	a, err := have[Starting, Launched](ctx, h, h.server, toLaunch, Starting{name, l, contract}, launchLimit)
	if err != nil {
		return nil, err
	}
	if a.Trouble != nil {
		return nil, a.Trouble
	}
	s := &remote{host: h, number: a.Number, ready: a.Ready, processors: a.Processors,
		at: map[form.HTTP]endpoint.Endpoint{}}
	for _, p := range a.Places {
		to, err := p.endpoint()
		if err != nil {
			return nil, err
		}
		s.at[p.HTTP] = to
		h.mu.Lock()
		h.place[p.Addr] = p
		h.mu.Unlock()
	}
	return s, nil
}

// placeOf returns how generators reach an endpoint that a server of the run has.
func (h *Host) placeOf(to endpoint.Endpoint) (Place, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.place[to.Addr]
	if !ok {
		return p, fmt.Errorf("no server of the fleet listens on %s", to.Addr)
	}
	for _, f := range form.All {
		if f.Two() == to.HTTP2 && f.TLS() == (to.TLS != nil) {
			p.HTTP = f
		}
	}
	return p, nil
}

// Failure returns the record that the contestant's machine made of its error.
func (h *Host) Failure(name, stage string, err error) result.Failure {
	f := result.Failure{Contestant: name, Stage: stage, Reason: err.Error()}
	if t, is := errors.AsType[*Trouble](err); is {
		f = t.Failure
		f.Contestant, f.Stage = name, cmp.Or(f.Stage, stage)
	}
	return f
}

// Watch observes all machines of the run at once.
func (h *Host) Watch(loaded lab.Server) func(server, generator, backend time.Duration) result.Causes {
	names := append([]string{h.server}, h.generators...)
	numbers := make([]int, len(names))
	each(names, func(i int, name string) {
		q := Watching{}
		if s, ok := loaded.(*remote); ok && i == 0 {
			q.Server = s.number
		}
		if w, err := tell[Watching, Watched](h.work, h, name, toWatch, q, serverLimit); err == nil {
			numbers[i] = w.Number
		}
	})
	before := h.used(names)
	return func(server, _, _ time.Duration) result.Causes {
		all, beside := make([]result.Causes, len(names)), h.beside(names, before, server)
		each(names, func(i int, name string) {
			q := Unwatching{Number: numbers[i], Beside: beside[i]}
			if i == 0 {
				q.Server = server
			}
			if c, err := tell[Unwatching, Caused](h.work, h, name, toUnwatch, q, serverLimit); err == nil {
				all[i] = c.Causes
			}
		})
		c := all[0]
		for _, g := range all[1:] {
			c.GeneratorCPUs += g.GeneratorCPUs
			c.BackgroundGeneratorNS += g.BackgroundGeneratorNS
			c.StealNS += g.StealNS
			c.ThrottledNS += g.ThrottledNS
			c.SuspendedNS = max(c.SuspendedNS, g.SuspendedNS)
		}
		return c
	}
}

// boots returns which machines run on which boot of a kernel: those of names, and the controller's last.
func (h *Host) boots() []string {
	all := []string{h.machine.BootID}
	for i := range h.machine.Generators {
		all = append(all, h.machine.Generators[i].BootID)
	}
	return append(all, h.here)
}

// shares reports whether some of the fleet's hosts are one machine, such as containers.
func (h *Host) shares() bool {
	all := slices.DeleteFunc(h.boots(), func(id string) bool { return id == "" })
	slices.Sort(all)
	return len(slices.Compact(slices.Clone(all))) < len(all)
}

// used returns the CPU time of the agents and of the controller until now, if that matters to any other.
func (h *Host) used(names []string) []time.Duration {
	all := make([]time.Duration, len(names)+1)
	if !h.shares() {
		return all
	}
	each(names, func(i int, name string) {
		if u, err := tell[Generating, Used](h.work, h, name, toCPU, Generating{}, serverLimit); err == nil {
			all[i] = u.CPU
		}
	})
	all[len(names)], _ = proc.SelfCPU()
	return all
}

// beside returns for each of names how much CPU time the run's other programs on the same machine have used
// since before.
func (h *Host) beside(names []string, before []time.Duration, server time.Duration) []time.Duration {
	after, boots, all := h.used(names), h.boots(), make([]time.Duration, len(names))
	for i := range names {
		for j := range after {
			if j == i || boots[i] == "" || boots[i] != boots[j] {
				continue
			}
			all[i] += after[j] - before[j]
			if j == 0 {
				all[i] += server
			}
		}
	}
	return all
}

// each calls do for all names at once.
func each(names []string, do func(i int, name string)) {
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { do(i, name) })
	}
	all.Wait()
}
