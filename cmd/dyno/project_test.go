package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/contestant"
	"dyno/internal/scenario"
)

// A run has the services of its scenario, study and contestants; tables of one name must be the same.
func TestServicesOfFiles(t *testing.T) {
	const manifest = `name = "x"
title = "X"
language = "go"
framework = "x"
version = "v1.0.0"
engine = "x"
scenarios = ["db"]
build = ["true"]
run = ["true"]
toolchain = { go = ">=1.24" }
`
	for _, c := range []struct{ study, contestant, want string }{
		{"", "", "postgres in scenarios"},
		{"[[service]]\nname = \"redis\"\nseed = \"a\"", "[[service]]\nname = \"cache\"\nstart = \"./cache {port}\"",
			"postgres in scenarios, redis in studies/s, cache in contestants/go/x"},
		{"[[service]]\nname = \"postgres\"", "[[service]]\nname = \"postgres\"", "postgres in scenarios"},
		{"[[service]]\nname = \"postgres\"\nseed = \"a\"", "",
			`the service "postgres" of studies/s differs from that of scenarios; write the same, or give it another name`},
		{"[[service]]\nname = \"postgres\"\nreset = \"day\"", "", `studies/s/study.toml:3:1: "day": want epoch or run`},
		{"", "[[service]]\nname = \"x\"\nurl = \"tcp://localhost:1\"\nport = 1", `contestants/go/x/contestant.toml:14:1: port is not for`},
	} {
		fsys := fstest.MapFS{"studies/s/study.toml": {Data: []byte(c.study)},
			"contestants/go/x/contestant.toml": {Data: []byte(manifest + c.contestant)}}
		p := &project{fsys: fsys, typed: &scenario.Scenario{Name: "db", Services: []scenario.Service{{Name: "postgres", Dir: "scenarios"}}}}
		var err error
		if p.manifests, err = contestant.List(fsys); err == nil {
			err = p.call("s", []string{"x", "ref"})
		}
		var s *scenario.Scenario
		if err == nil {
			s, err = p.scenario("db")
		}
		var all []string
		if err != nil {
			all = []string{err.Error()}
		} else {
			for _, d := range s.Services {
				all = append(all, d.Name+" in "+d.Dir)
			}
		}
		if got := strings.Join(all, ", "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
