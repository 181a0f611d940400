package fleet

import (
	"crypto/tls"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// TestContractsTravel: every scenario arrives unchanged, and so do binary bodies.
func TestContractsTravel(t *testing.T) {
	project := os.DirFS("../..")
	names, err := scenario.Names(project)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	body := "\x1f\x8b\xff\x00é\ufffd"
	all := []*scenario.Scenario{nil, {Name: "bytes", Requests: []scenario.Request{{Body: body, Weight: 1,
		Expect: scenario.Expect{Body: &body, Status: 200}}}}}
	for _, name := range names {
		s, err := scenario.Read(project, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s, s.Mixed())
	}
	for _, s := range all {
		var arrived *scenario.Scenario
		if err := strict(encoded(s), &arrived); err != nil || !reflect.DeepEqual(arrived, s) {
			t.Errorf("%v: %+v", err, s)
		}
		if err := Sendable(s); err != nil {
			t.Error(err)
		}
	}
	for value, sendable := range map[string]bool{"\xff": false, `\ufffd \\ufffd`: true, "\ufffd é": true} {
		s := &scenario.Scenario{Requests: []scenario.Request{{Headers: []scenario.HeaderLine{{Name: "A", Value: value}}}}}
		if err := Sendable(s); (err == nil) != sendable {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func verifying(s *scenario.Scenario) bench.Question {
	return bench.Question{What: bench.AskVerify, Scenario: s}
}

// TestLargeContracts: a scenario that is too large for an order is refused before it is sent, and no machine
// is lost.
func TestLargeContracts(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes 160 MB")
	}
	body := strings.Repeat("x", 40<<20)
	s := &scenario.Scenario{Name: "large", Requests: []scenario.Request{{Body: body}}}
	to := wire.TCP("10.0.0.9:80")
	h := &Host{hub: &Hub{}, generators: []string{"gen1"}, machines: []string{"gen1"}, work: t.Context(), server: "gen1",
		place: map[string]Place{where(to): {Addr: to.Addr}}}
	g := h.Generator()
	_, opened := g.Open(t.Context(), load.Job{Endpoint: to, Scenario: s, Connections: 1})
	_, asked := g.Ask(t.Context(), to, verifying(s))
	_, launched := h.Launch(t.Context(), "a", bench.Launch{Probe: bench.Probe{Scenario: s}})
	for _, err := range []error{Sendable(s), opened, asked, launched} {
		if _, usage := errors.AsType[*conf.UsageError](err); !usage ||
			!strings.Contains(err.Error(), "bodies smaller") {
			t.Error(err)
		}
	}
	if err := h.Lost(); err != nil {
		t.Error(err)
	}
}

// TestLoadsTravel: a generator opens the same job except for its CPUs, and the bench's window.
func TestLoadsTravel(t *testing.T) {
	body := "x"
	job := load.Job{Endpoint: wire.TCP("10.0.0.9:80"), Scenario: &scenario.Scenario{Name: "s",
		Requests: []scenario.Request{{Path: "/", Expect: scenario.Expect{Body: &body}}}}, Seed: 7, Connections: 9,
		Pipeline: 2, PerConnection: 3, Timeout: 5e9, Spin: true, CPUs: []int{3},
		Share: load.Share{Index: 1, Of: 2}}
	l := Loading{Share: job.Share, To: Place{Addr: "10.0.0.9:80", HTTP: wire.Clear}, Job: job}
	var arrived Loading
	if err := strict(encoded(l), &arrived); err != nil {
		t.Fatal(err)
	}
	got, err := arrived.job([]int{3})
	if err != nil || !reflect.DeepEqual(got, job) {
		t.Errorf("%v: %+v; want %+v", err, got, job)
	}
	w := load.Window{For: 1e9, Requests: 5, Spread: 2, InFlight: 1, Uncounted: true,
		Observe: &load.Observe{Into: &record.Detail{}}, Begin: func() {},
		Schedule: &load.Schedule{Stages: []load.Stage{{From: 5, To: 5}}, Poisson: true, Seed: 3}}
	var window LoadWindow
	if err := strict(encoded(LoadWindow{Window: w}), &window); err != nil {
		t.Fatal(err)
	}
	w.Observe, w.Begin = nil, nil // set by each machine
	if !reflect.DeepEqual(window.Window, w) {
		t.Errorf("%+v; want %+v", window.Window, w)
	}
}

// TestPlacesOfURLs: a generator reaches a URL's server as the controller does, or the URL is refused.
func TestPlacesOfURLs(t *testing.T) {
	at := func(to wire.Endpoint) *scenario.Target { return &scenario.Target{Endpoint: to, URL: "a URL"} }
	clear := wire.Endpoint{Network: "tcp", Addr: "10.0.0.9:80", Host: "shop.example"}
	encrypted := clear
	encrypted.TLS = &tls.Config{ServerName: "shop.example"}
	for _, want := range []wire.Endpoint{clear, encrypted} {
		p := placeOfURL(at(want))
		got, err := p.endpoint()
		if err != nil || got.Addr != want.Addr || got.Host != want.Host || (got.TLS == nil) != (want.TLS == nil) ||
			got.TLS != nil && (got.TLS.ServerName != "shop.example" || got.TLS.InsecureSkipVerify) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	socket, mine, any := clear, clear, clear
	socket.Network, mine.Addr, any.Addr = "unix", "127.0.0.1:80", "[::]:80"
	for _, to := range []wire.Endpoint{socket, mine, any} {
		all := []*contestant.Manifest{{Name: "a", URL: at(to)}}
		if _, err := Running(all, []string{"a"}); err == nil {
			t.Errorf("generators elsewhere would load %+v", to)
		}
	}
	all := []*contestant.Manifest{{Name: "a", URL: at(clear)}, {Name: "b", URL: at(mine)}}
	if r, err := Running(all, []string{"a"}); err != nil || len(r) != 1 {
		t.Error(r, err)
	}
}
