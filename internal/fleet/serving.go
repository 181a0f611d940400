package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Hosting asks an agent to serve a run: to build, start, freeze and read the contestants, on all
// CPUs that bench.Whole gives to servers.
type Hosting struct {
	Address string `json:"address"` // IP address at which other machines reach the started programs
	Offline bool   `json:"offline,omitempty"`
	Command string `json:"command"` // the run's command, for messages

	Scenario string   `json:"scenario,omitempty"`
	Others   []string `json:"others,omitempty"`
	Layouts  int      `json:"layouts,omitempty"`
	// Contestants are the run's contestants; Root is a folder in the sources.
	Contestants []contestant.Manifest `json:"contestants,omitempty"`
}

// serving is an agent's state for a run whose contestants it serves.
type serving struct {
	local   servers
	free    []func() error // cleanup, run in reverse order
	servers table[bench.Server]
}

// host begins to serve a run, replacing the last one.
func (s *session) host(q *Hosting) (m record.Host, err error) {
	if net.ParseIP(q.Address) == nil {
		return m, unfit{fmt.Errorf("%q is no IP address", q.Address)}
	}
	ctx := s.begin()
	s.kept.mu.Lock()
	s.clear()
	s.kept.mu.Unlock()
	v := &serving{}
	err = v.open(ctx, s, q)
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if err == nil {
		err = ctx.Err() // the run may have ended
	}
	if err != nil {
		v.close(s.agent.Log)
		return m, err
	}
	s.serving = v
	return v.local.Describe(), nil
}

// clear ends observations and serving. s.kept.mu must be held.
func (s *session) clear() {
	for _, end := range s.watches.drain() {
		end()
	}
	if s.serving != nil {
		s.serving.close(s.agent.Log)
		s.serving = nil
	}
}

// open locks the machine, and makes a folder for all files of the run.
func (v *serving) open(ctx context.Context, s *session, q *Hosting) error {
	release, err := s.agent.site.claim(ctx, q.Command)
	if err != nil {
		return err
	}
	v.free = append(v.free, release)
	folder, err := machine.MkdirTemp("", "dyno-agent-")
	if err != nil {
		return err
	}
	v.free = append(v.free, func() error { return machine.RemoveTemp(folder) })
	root := filepath.Join(folder, "sources")
	manifests, err := s.sources(q, root)
	if err != nil {
		return err
	}
	v.local, err = s.agent.site.serve(bench.LocalOptions{Root: root, FS: os.DirFS(root), Manifests: manifests,
		Scenario: q.Scenario, Others: q.Others, Folder: filepath.Join(folder, "run"),
		Offline: q.Offline, Layouts: q.Layouts, Address: q.Address})
	if err != nil {
		return err
	}
	v.free = append(v.free, func() error { v.local.Close(); return nil })
	return nil
}

// close stops all servers and cleans up.
func (v *serving) close(log func(string)) {
	var all sync.WaitGroup
	for _, s := range v.servers.drain() {
		all.Go(func() {
			if _, err := s.Stop(); err != nil {
				log("stop a server: " + err.Error())
			}
		})
	}
	all.Wait()
	for i := range v.free {
		if err := v.free[len(v.free)-1-i](); err != nil {
			log("clean up after a run: " + err.Error())
		}
	}
}

// hosts returns what the agent serves.
func (s *session) hosts() (*serving, error) {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if s.serving == nil {
		return nil, unfit{errors.New("no run is served here")}
	}
	return s.serving, nil
}

// build builds the named program.
func (s *session) build(name *string) (c record.Contestant, err error) {
	v, err := s.hosts()
	if err != nil {
		return c, err
	}
	c, err = v.local.Build(s.begin(), *name, func(string) {})
	return c, troubleOf(v.local, *name, "build", err)
}

// Launched describes a started server.
type Launched struct {
	Number int     `json:"number"` // number in orders
	Places []Place `json:"places"` // one for each form of HTTP
}

func (s *session) launch(q *Starting) (l Launched, err error) {
	v, err := s.hosts()
	if err != nil {
		return l, err
	}
	o := q.Launch
	if o.Probe.Scenario == nil && o.Probe.Records == nil {
		return l, unfit{errors.New("a launch without a probe")}
	}
	server, err := v.local.Launch(s.begin(), q.Name, o)
	if err != nil {
		return l, troubleOf(v.local, q.Name, "launch", err)
	}
	cert, err := v.local.Certificate()
	if err != nil {
		_, failed := server.Stop()
		return l, errors.Join(err, failed)
	}
	forms := o.Protocols
	if len(forms) == 0 {
		forms = []wire.HTTP{wire.Clear}
	}
	l.Number = v.servers.put(server)
	for _, h := range forms {
		p := Place{Addr: server.At(h).Addr, HTTP: h}
		if h.TLS() {
			p.Cert = cert
		}
		l.Places = append(l.Places, p)
	}
	return l, nil
}

// Actions on a server, in addition to readings.
const (
	doFreeze bench.What = "freeze"
	doThaw   bench.What = "thaw"
	doStop   bench.What = "stop"
	doEnd    bench.What = "end"
)

// Doing asks for an action on a server, or for a reading.
type Doing struct {
	Number int        `json:"number"`
	What   bench.What `json:"what"`
}

// server carries out an action on a server.
func (s *session) server(q *Doing) (r bench.Reading, err error) {
	v, err := s.hosts()
	if err != nil {
		return r, err
	}
	get := v.servers.get
	if q.What == doStop {
		get = v.servers.take
	}
	of, err := get(q.Number)
	if err != nil {
		return r, err
	}
	switch q.What {
	case doFreeze:
		err = of.Freeze()
	case doThaw:
		err = of.Thaw()
	case doStop:
		r.Usage.LogCutBytes, err = of.Stop()
	case doEnd:
		err = of.End()
	default:
		r, err = of.Read(q.What)
	}
	return r, err
}
