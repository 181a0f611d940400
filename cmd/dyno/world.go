package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/report"
	"dyno/internal/scenario"
	"dyno/internal/study"
	"dyno/internal/wire"
)

// newHost makes a run's host; nil means this machine. Tests replace it.
var newHost func(bench.LocalOptions) (bench.Host, error)

// ask copies a study's question into a request.
func (p *project) ask(r *plan.Request, slug string, c study.Choice) (*study.Study, error) {
	st, err := p.study(slug)
	switch {
	case err != nil && (p.manifest(slug) != nil || contestant.IsDir(slug)):
		return nil, usagef("no study %q; to name contestants, use --contestants %s,net-http", slug, slug)
	case err != nil:
		return nil, err
	}
	var names []string
	for _, l := range st.Levels {
		names = append(names, l.Name)
	}
	for _, name := range c.Levels {
		if !slices.Contains(names, name) {
			return nil, usagef("no level %q in the study %s%s", name, slug, suggest(name, names, "its study.toml"))
		}
	}
	r.Question = st.Ask(c)
	return st, nil
}

// world returns the facts that a plan needs about the project and this machine.
func (p *project) world() plan.World {
	return plan.World{
		Dyno: version(), Now: time.Now(), Contestant: p.facts, Answered: p.answered,
		Room: machine.RoomForServers, Servers: len(machine.Describe().ServerCPUs),
		Scenario: func(name string) (plan.Scenario, error) {
			s, err := p.scenario(name)
			if err != nil {
				return plan.Scenario{}, err
			}
			return plan.Scenario{Title: s.Title, Services: bench.Services(s), Pipeline: s.Pipeline,
				PerConnection: s.PerConnection}, nil
		},
	}
}

// facts returns the facts that a plan needs about a contestant or a reference server.
func (p *project) facts(name string) (plan.Contestant, error) {
	control, ok, err := refserver.ParseControl(name)
	m := p.manifest(name)
	switch {
	case err != nil:
		return plan.Contestant{}, usage(err)
	case ok:
		var c plan.Contestant
		if control.Manner != (refserver.Manner{}) { // only in the clear
			c.Protocols = []wire.HTTP{wire.Clear}
		}
		return c, nil
	case m == nil:
		return plan.Contestant{}, usagef("no contestant %q%s", name, suggest(name, p.names(), "dyno list"))
	}
	c := plan.Contestant{Managed: m.Managed(), Attached: m.URL != nil, Scenarios: m.Scenarios,
		Protocols: m.Protocols, CPUs: m.CPUs}
	if m.URL != nil { // the URL says how to speak to it
		c.Protocols = []wire.HTTP{wire.Clear}
	}
	return c, nil
}

// shared returns the first scenario, in the first contestant's order, that all contestants serve.
// Reference servers serve every scenario; if there are no others, it returns "".
func (p *project) shared(names []string) (string, error) {
	var all []*contestant.Manifest
	for _, name := range names {
		if _, err := p.facts(name); err != nil {
			return "", err
		}
		if m := p.manifest(name); m != nil {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	serve := ""
	for _, m := range all {
		serve += fmt.Sprintf("\n  %s serves %s", m.Name, strings.Join(m.Scenarios, ", "))
	}
	for _, s := range all[0].Scenarios {
		if !slices.ContainsFunc(all, func(m *contestant.Manifest) bool { return !slices.Contains(m.Scenarios, s) }) {
			return s, nil
		}
	}
	return "", usagef("--contestants: they have no scenario in common%s", serve)
}

// answered returns the scenarios that a null server can serve, and whether it does so with one
// response; ok is false if it cannot serve the first.
func (p *project) answered(first string, others []string) (also []string, alike, ok bool) {
	var all []*scenario.Scenario
	for _, name := range append([]string{first}, others...) {
		s, err := p.scenario(name)
		if err != nil {
			return nil, false, false // World.Scenario has reported it
		}
		all = append(all, s)
	}
	null, also, err := refserver.NullOf(all[0], all[1:]...)
	return also, err == nil && null.OnlyClear() == "", err == nil
}

// setup returns an experiment's dependencies in this project.
func (p *project) setup(cmd *cobra.Command, at *place) bench.Setup {
	return bench.Setup{
		Root: p.root, FS: p.fsys, Manifests: p.manifests, Scenario: p.scenario, Folder: at.folder(p),
		Offline:    at.Offline,
		Dyno:       version(),
		NewHost:    newHost,
		Calibrated: func(of *record.Plan) (*record.Calibration, error) { return calibrated(cmd, of) },
		Claims: func(data *report.Data, dir string) {
			claims(cmd, data, filepath.Join(dir, record.TrialsFile))
		},
	}
}
