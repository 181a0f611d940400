package bench

import (
	"context"
	"fmt"
	"maps"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// serviceDeaths is the number of unexpected ends of a service after which the run is given up. It is
// restarted in the next epoch.
const serviceDeaths = 3

// Services returns a scenario's services for a plan.
func Services(s *scenario.Scenario) (all []record.Service) {
	for _, d := range s.Services {
		all = append(all, record.Service{Name: d.Name, Records: d.Records(), Each: d.Each, PerRun: d.PerRun()})
	}
	return all
}

// source returns the server that answers with records; nil if there is none, or it is not running.
func (b *Bench) source() Server { return b.servers[b.run.Plan.Source()] }

// called returns the running services that a contestant calls, in the plan's order; none for the
// source, whose own ceiling is measured.
func (b *Bench) called(name string) (all []Server) {
	p := &b.run.Plan
	for i := range p.Services {
		if server := b.servers[p.Services[i].Of(name)]; server != nil && !p.IsService(name) {
			all = append(all, server)
		}
	}
	return all
}

// environment returns the variables with which a contestant finds a scenario's services. They are
// not recorded, because they may hold passwords.
func environment(s *scenario.Scenario, contestant string, running map[string]Server) map[string]string {
	env := map[string]string{}
	for i, service := range Services(s) {
		if server := running[service.Of(contestant)]; server != nil {
			maps.Copy(env, s.Services[i].Variables(server.At(wire.Clear).Addr))
		}
	}
	return env
}

// startServices starts the services that contestants call in an epoch, before these, and returns
// their launches. It thaws those that run already.
func (b *Bench) startServices(ctx context.Context, epoch int, contestants []string) (launches []*record.Launch,
	failed *serviceError) {
	p := &b.run.Plan
	clear(b.exact.bound)
	b.mute = nil
	started := map[string]bool{}
	for _, c := range contestants {
		for i := range p.Services {
			d, name := &p.Services[i], p.Services[i].Of(c)
			if p.IsService(c) || started[name] {
				continue
			}
			started[name] = true
			if l, err := b.startService(ctx, d, name, epoch); err != nil {
				return launches, &serviceError{name, err}
			} else if l != nil {
				launches = append(launches, l)
			}
		}
	}
	return launches, nil
}

// startService starts an instance of a service. It thaws one that runs already, and returns nil.
func (b *Bench) startService(ctx context.Context, d *record.Service, name string, epoch int) (*record.Launch, error) {
	if s := b.servers[name]; s != nil {
		return nil, s.Thaw()
	}
	b.progress("launch", name, epoch, nil)
	p := &b.run.Plan
	l := &record.Launch{Contestant: d.Name, Epoch: epoch, StartedUnixNS: time.Now().UnixNano()}
	o := Launch{Epoch: epoch, AsPublished: plan.First(p, epoch).AsPublished, Padding: plan.Padding(p.Seed, epoch, -1),
		Instance: name}
	if d.Records {
		o.Probe.Records = &Records{p.Levels[0].Records, plan.RecordsSeed(p, epoch)}
	}
	s, err := b.Host.Launch(ctx, d.Name, o)
	if err != nil {
		return nil, err
	}
	if l.CPUs = b.run.Host.ServiceCPUs; l.CPUs == nil || o.AsPublished {
		l.CPUs = b.Generator.CPUs()
	}
	b.servers[name] = s
	r, _ := s.Read(ReadStart)
	l.ReadyNS, l.Limits, l.Meters, l.Absent = int64(r.Ready), r.Limits, r.Meters, r.Absent
	return l, nil
}

// serviceError is a service's failure.
type serviceError struct {
	name string
	err  error
}

func (e *serviceError) Error() string { return fmt.Sprintf("the service %s: %v", e.name, e.err) }

// Unwrap returns the cause.
func (e *serviceError) Unwrap() error { return e.err }

// beginEpoch starts an epoch's services and records that. If one does not start, the epoch ends, and
// gone is true.
func (b *Bench) beginEpoch(ctx context.Context, epoch int, contestants []string) (gone bool, err error) {
	launches, failed := b.startServices(ctx, epoch, contestants)
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case failed != nil:
		return true, b.lose(epoch, "launch", failed)
	}
	for _, l := range launches {
		if err := b.record(record.Record{Launch: l}); err != nil {
			return false, err
		}
	}
	return false, nil
}

// instruct sets the number of records in the source's responses. The records stay the same
// throughout an epoch, because contestants must repeat the bytes from its start.
func (b *Bench) instruct(ctx context.Context, epoch, records int) error {
	s := b.source()
	if s == nil || records == 0 {
		return nil
	}
	_, err := b.Generator.Ask(ctx, s.At(wire.Clear), Question{What: AskTell,
		Records: Records{records, plan.RecordsSeed(&b.run.Plan, epoch)}})
	if err != nil {
		err = fmt.Errorf("set it to %d records: %w", records, err)
		b.mute = err
	}
	return err
}

// contract returns the scenario for this epoch, with the expected responses for the source's
// records.
func (b *Bench) contract(ctx context.Context, of plan.Asking, epoch int) (*scenario.Scenario, error) {
	s := b.scenario(of.Scenario)
	if b.source() == nil {
		return s, nil
	}
	if err := b.instruct(ctx, epoch, of.Records); err != nil {
		return nil, err
	}
	k := said{s.Name, of.Records}
	if known := b.exact.bound[k]; known != nil {
		return known, nil
	}
	bound, err := s.Bind(func(path string) ([]byte, error) {
		a, err := b.Generator.Ask(ctx, b.source().At(wire.Clear), Question{What: AskFetch, Path: path})
		return a.Body, err
	})
	if err != nil {
		b.mute = err
		return nil, err
	}
	b.exact.bound[k] = bound
	return bound, nil
}

// gone returns a service that has ended, or that a contestant no longer reaches by its relay, or a source that
// cannot be controlled; nil if there is none.
func (b *Bench) gone() *serviceError {
	for name, s := range b.servers {
		if err := exited(s); err != nil && b.run.Plan.IsService(name) {
			return &serviceError{name, fmt.Errorf("it exited: %w", err)}
		}
		if r, err := s.Read(ReadRelay); err == nil && r.Ended != "" {
			return &serviceError{b.run.Plan.Services[0].Of(name),
				fmt.Errorf("dyno's relay to it from the network of %s ended: %s", name, r.Ended)}
		}
	}
	if b.mute != nil {
		return &serviceError{b.run.Plan.Source(), b.mute}
	}
	return nil
}

// lose ends an epoch one of whose services is gone. Its contestants do not fail, because
// measurements without the service would be meaningless. The run continues with the next epoch, or
// lose returns an error.
func (b *Bench) lose(epoch int, stage string, of *serviceError) error {
	p := &b.run.Plan
	if lost := b.lost(); lost != nil {
		return lost
	}
	cause := of.err
	if s := b.servers[of.name]; s != nil {
		cause = WithLog(s, of.err)
	}
	service := p.Service(of.name).Name
	if err := b.fail(service, stage, epoch, cause); err != nil {
		return err
	}
	b.stopAll()
	b.mute = nil
	deaths := 0
	for i := range b.run.Failures {
		if b.run.Failures[i].Contestant == service {
			deaths++
		}
	}
	switch {
	case epoch < p.Pilots || p.Processes == record.PerLoad:
		return of
	case deaths >= serviceDeaths:
		return fmt.Errorf("the service %s was gone %d times, the last time because %w", of.name, deaths, of.err)
	}
	return b.record(record.Record{Resume: &record.Resume{Epoch: epoch + 1, StartedUnixNS: time.Now().UnixNano()}})
}

// frozen freezes a contestant and the services that it calls.
func (b *Bench) frozen(name string, s Server) error {
	err := s.Freeze()
	for _, c := range b.called(name) {
		if err == nil {
			err = c.Freeze()
		}
	}
	return err
}

// thawed thaws the services that a contestant calls, sets the number of records, and thaws the
// contestant.
func (b *Bench) thawed(ctx context.Context, name string, s Server, epoch int, level record.Level) error {
	needed := b.called(name)
	if s == b.source() { // it must run to be instructed
		needed = []Server{s}
	}
	for _, c := range needed {
		if err := c.Thaw(); err != nil {
			return err
		}
	}
	if err := b.instruct(ctx, epoch, level.Records); err != nil || s == b.source() {
		return err
	}
	return s.Thaw()
}

// relay is the relay through which a contestant reaches services. Only its CPU time is known.
type relay struct{ Server }

// Read implements Server.
func (r relay) Read(what What) (Reading, error) {
	if what != ReadCPU {
		return Reading{}, nil
	}
	return r.Server.Read(ReadRelay)
}
