package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// VerifySetup holds the inputs for verifying contestants.
type VerifySetup struct {
	Root      string
	FS        fs.FS // file system at Root
	Manifests []*contestant.Manifest
	Offline   bool // download no toolchain
	Records   int  // number of records that a scenario's backend returns in a run
}

// manyRecords exceed one buffer. A contract with a backend is also verified with this number of records.
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

// Sample chooses n names, or all if there are fewer, and sorts them. The same seed chooses the same names:
// those with the lowest hashes of seed and name.
func Sample(names []string, n int, seed string) []string {
	hash := func(name string) string {
		sum := sha256.Sum256([]byte(seed + "\n" + name))
		return string(sum[:])
	}
	byHash := slices.SortedFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(hash(a), hash(b)) })
	chosen := byHash[:min(n, len(byHash))]
	slices.Sort(chosen)
	return chosen
}

// Contestants verifies contestants in turn, each in its scenarios, or in the scenario only if it is not "",
// and in each form of HTTP that it serves. It calls each with every outcome, and reports whether no
// contestant failed. A contestant that is unavailable on this machine does not count as failed.
func (u *VerifySetup) Contestants(ctx context.Context, all []*contestant.Manifest, only string, each func(*Outcome)) (bool,
	error) {
	right := true
	for _, m := range all {
		for _, name := range m.Scenarios {
			if only != "" && name != only {
				continue
			}
			s, err := scenario.Read(u.FS, name)
			if err != nil {
				return false, err
			}
			for _, h := range formsServed(m) {
				o, err := u.contestant(ctx, m, s, h)
				if err != nil {
					return false, err
				}
				each(o)
				right = right && (o.Failure == nil || o.Failure.Unavailable())
				if ctx.Err() != nil {
					return false, ctx.Err()
				}
			}
		}
	}
	return right, nil
}

// served returns the forms of HTTP in a manifest; by default HTTP/1.1 in the clear.
func formsServed(m *contestant.Manifest) []wire.HTTP {
	if len(m.Protocols) == 0 {
		return []wire.HTTP{wire.Clear}
	}
	return m.Protocols
}

// contestant verifies one contestant in one scenario and form of HTTP. It keeps the log folder if the failure
// mentions a log.
func (u *VerifySetup) contestant(ctx context.Context, m *contestant.Manifest, s *scenario.Scenario,
	h wire.HTTP) (*Outcome, error) {
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
	host, err := NewLocal(LocalOptions{Root: u.Root, FS: u.FS, Manifests: u.Manifests, Scenario: s.Name,
		Backend: s.Backend, Folder: folder, Offline: u.Offline})
	if err != nil {
		return nil, err
	}
	defer host.Close()
	if err := u.launched(ctx, host, s, o); err != nil {
		f := host.Failure(m.Name, "verify", err)
		o.Failure = &f
	}
	return o, nil
}

// launched builds, launches and verifies a contestant, with its backend if there is one. With a backend it
// verifies the contract strictly with many records first, and then completely with u.Records.
func (u *VerifySetup) launched(ctx context.Context, host *Local, s *scenario.Scenario, o *Outcome) error {
	name := o.Contestant.Name
	c, err := host.Build(ctx, name, func(string) {})
	if err != nil {
		return err
	}
	o.Version = c.Version
	asked := s.At(c.Paths)
	l := Launch{Probe: Probe{Scenario: asked}, Routes: asked.Routes, Protocols: []wire.HTTP{o.HTTP}}
	var backend Server
	if s.Backend != "" {
		if backend, err = u.backend(ctx, host, s.Backend); err != nil {
			return fmt.Errorf("the backend %s: %w", s.Backend, err)
		}
		defer backend.Stop()
		l.Backend = backend.At(wire.Clear).Addr
	}
	server, err := host.Launch(ctx, name, l)
	if err != nil {
		return err
	}
	defer server.Stop()
	to := Contracted{Endpoint: server.At(o.HTTP), Differs: c.Differs}
	if backend != nil {
		var many *scenario.Scenario
		if many, err = bound(ctx, s, backend, manyRecords); err == nil {
			_, err = scenario.Verify(ctx, many.At(c.Paths), to.Endpoint, c.Differs, 0)
		}
		if err == nil {
			s, err = bound(ctx, s, backend, u.Records)
		}
	}
	if err == nil {
		o.Seen, err = keepsContract(ctx, host.Generator(), s.At(c.Paths), to)
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

// backend builds and starts a backend.
func (u *VerifySetup) backend(ctx context.Context, host *Local, name string) (Server, error) {
	if _, err := host.Build(ctx, name, func(string) {}); err != nil {
		return nil, err
	}
	return host.Launch(ctx, name, Launch{Probe: Probe{Records: &Records{Number: u.Records, Seed: 1}}})
}

// bound returns s with the expected bodies for this number of backend records.
func bound(ctx context.Context, s *scenario.Scenario, backend Server, records int) (*scenario.Scenario, error) {
	to := backend.At(wire.Clear)
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
	to := Contracted{Endpoint: server.At(l.Protocols[0]), Differs: differs, Delay: tried}
	if err := waitsFor(ctx, host.Generator(), s, to); err != nil {
		return WithLog(server, err)
	}
	return nil
}
