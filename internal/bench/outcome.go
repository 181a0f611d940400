package bench

import (
	"context"
	"strings"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// manyRecords exceed one buffer. A contract with a source is also verified with this number of records.
const manyRecords = 500

// Outcome is the verdict on one contestant and scenario.
type Outcome struct {
	Contestant *contestant.Manifest
	Scenario   string
	HTTP       wire.HTTP
	Seen       *scenario.Observed
	Version    string          // the built version
	Failure    *record.Failure // nil: the contestant satisfies the contract
}

// Verify verifies contestants in turn, each in its scenarios, or in o.Scenario only if it is not "", and in
// each form of HTTP that it serves. It calls each with every outcome, and reports whether no contestant
// failed. A contestant that is unavailable on this machine does not count as failed.
func Verify(ctx context.Context, o LocalOptions, all []*contestant.Manifest, each func(*Outcome)) (bool, error) {
	only := o.Scenario
	right := true
	for _, m := range all {
		for _, name := range m.Scenarios {
			if only != "" && name != only {
				continue
			}
			s, err := scenario.Read(o.FS, name)
			if err == nil {
				s.Services, err = scenario.Join(s.Services, m.Called())
			}
			if err != nil {
				return false, err
			}
			for _, h := range formsServed(m) {
				found, err := verifyContestant(ctx, o, m, s, h)
				if err != nil {
					return false, err
				}
				each(found)
				right = right && (found.Failure == nil || found.Failure.Unavailable())
				if ctx.Err() != nil {
					return false, ctx.Err()
				}
			}
		}
	}
	return right, nil
}

// formsServed returns the forms of HTTP in a manifest; by default HTTP/1.1 in the clear.
func formsServed(m *contestant.Manifest) []wire.HTTP {
	if len(m.Protocols) == 0 {
		return []wire.HTTP{wire.Clear}
	}
	return m.Protocols
}

// verifyContestant verifies one contestant in one scenario and form of HTTP. It keeps the log folder if the failure
// mentions a log.
func verifyContestant(ctx context.Context, at LocalOptions, m *contestant.Manifest, s *scenario.Scenario,
	h wire.HTTP,
) (*Outcome, error) {
	folder, err := machine.MkdirTemp("", "dyno-verify-")
	if err != nil {
		return nil, err
	}
	o := &Outcome{Contestant: m, Scenario: s.Name, HTTP: h}
	defer func() {
		if o.Failure != nil && strings.Contains(o.Failure.Hint, folder) {
			machine.UnmarkTemp(folder)
		} else {
			machine.RemoveTemp(folder)
		}
	}()
	at.Scenario, at.Services, at.Folder = s.Name, s.Services, folder
	host, err := NewLocal(at)
	if err != nil {
		return nil, err
	}
	defer host.Close()
	if err := launched(ctx, host, s, o); err != nil {
		o.Failure = new(host.Failure(m.Name, "verify", err))
	}
	return o, nil
}

// launched builds, launches and verifies a contestant, with its services. With a source it
// verifies the contract strictly with many records first, and then completely with as many as in a run.
func launched(ctx context.Context, host *Local, s *scenario.Scenario, o *Outcome) error {
	name := o.Contestant.Name
	c, err := host.Build(ctx, name, func(string) {})
	if err != nil {
		return err
	}
	o.Version = c.Version
	asked := s.At(c.Paths)
	l := Launch{Probe: Probe{Scenario: asked}, Routes: asked.Routes, Protocols: []wire.HTTP{o.HTTP}}
	var source Server
	running := map[string]Server{}
	for _, d := range Services(s) {
		started, err := start(ctx, host, d)
		if err != nil {
			return &serviceError{d.Name, err}
		}
		defer started.Stop()
		if running[d.Of(name)] = started; d.Records {
			source = started
		}
	}
	l.Env = environment(s, name, running)
	server, err := host.Launch(ctx, name, l)
	if err != nil {
		return err
	}
	defer server.Stop()
	to := contracted{Endpoint: server.At(o.HTTP), Differs: c.Differs}
	if source != nil {
		var many *scenario.Scenario
		if many, err = bound(ctx, s, source, manyRecords); err == nil {
			_, err = scenario.Verify(ctx, many.At(c.Paths), to.Endpoint, c.Differs, 0)
		}
		if err == nil {
			s, err = bound(ctx, s, source, plan.DefaultRecords)
		}
	}
	if err == nil {
		o.Seen, err = keepsContract(ctx, host.Generator(), s.At(c.Paths), to)
	}
	if err == nil {
		err = witnessed(ctx, host.Generator(), s.At(c.Paths), o.Seen, to, running[scenario.Database], contestant.Query)
	}
	if err == nil {
		err = ends(server.End)
	}
	if err != nil {
		return WithLog(server, err)
	}
	if !o.Contestant.Delay {
		return nil
	}
	return waits(ctx, host, name, s.At(c.Paths), c.Differs, l)
}

// start builds and starts a service.
func start(ctx context.Context, host *Local, d record.Service) (Server, error) {
	if _, err := host.Build(ctx, d.Name, func(string) {}); err != nil {
		return nil, err
	}
	var l Launch
	if d.Records {
		l.Probe.Records = &Records{Number: plan.DefaultRecords, Seed: 1}
	}
	return host.Launch(ctx, d.Name, l)
}

// bound returns s with the expected bodies for this number of records.
func bound(ctx context.Context, s *scenario.Scenario, source Server, records int) (*scenario.Scenario, error) {
	to := source.At(wire.Clear)
	if err := scenario.Tell(ctx, to, records, uint64(records)); err != nil {
		return nil, err
	}
	return s.Bind(scenario.Ask(ctx, to))
}

// tried is the delay with which contestants must show that they wait.
const tried = 30 * time.Millisecond

// waits launches the contestant again, with a delay, and verifies that its handlers wait.
func waits(ctx context.Context, host *Local, name string, s *scenario.Scenario, differs []string,
	l Launch) error {
	l.Delay, l.Probe = tried, Probe{Scenario: s, Delay: tried}
	server, err := host.Launch(ctx, name, l)
	if err != nil {
		return err
	}
	defer server.Stop()
	to := contracted{Endpoint: server.At(l.Protocols[0]), Differs: differs, Delay: tried}
	if err := waitsFor(ctx, host.Generator(), s, to); err != nil {
		return WithLog(server, err)
	}
	return nil
}
