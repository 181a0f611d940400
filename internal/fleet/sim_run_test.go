package fleet

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// serve adds a machine for servers.
func (w *world) serve() {
	w.fleet.Servers = []Machine{{Name: "srv", Address: "10.0.0.9"}}
	a := &Agent{Bundle: &Bundle{Name: "srv", Controller: w.fleet.Controller}, Version: "9.9.9", Log: w.log.add,
		Role: Server, dial: w.net.dial,
		site: &simSite{name: "srv", all: &w.all}}
	w.agents, w.stops = append(w.agents, &simAgent{agent: a}), append(w.stops, nil)
	w.start(len(w.agents) - 1)
}

// comparison is a run for simulated machines: two contestants, each in a folder, in an open loop.
type comparison struct {
	options  bench.LocalOptions
	plan     record.Plan
	scenario *scenario.Scenario
}

func newComparison(t *testing.T, machines int) *comparison {
	root := t.TempDir()
	for name, text := range map[string]string{
		"scenarios/values.toml": "name", "contestants/go/a/main.go": "package a", "contestants/go/a/data/x": "x",
		"contestants/go/b/main.go": "package b",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	body := "value"
	return &comparison{
		options: bench.LocalOptions{Root: root, FS: os.DirFS(root), Scenario: "values",
			Manifests: []*contestant.Manifest{{Name: "a", Path: "contestants/go/a"}, {Name: "b", Path: "contestants/go/b"}}},
		plan: record.Plan{Format: record.Format, Contestants: []string{"a", "b"}, Seed: 3, Primary: "cpu_per_request",
			Alpha: .9, Margin: .03, Rounds: 2, Pilots: 1, Epochs: []int{2}, Load: record.LoadLength{NS: 4e8},
			BudgetNS: int64(time.Hour),
			Scenario: "values", Levels: []record.Level{{Connections: 20 + machines, Pipeline: 1, RatePerSec: 3000}}},
		scenario: &scenario.Scenario{Name: "values", Requests: []scenario.Request{{Name: "get", Method: "GET", Path: "/",
			Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body}}}},
	}
}

// on carries out the comparison, or continues its record if possible.
func (c *comparison) on(ctx context.Context, host bench.Host, g bench.Generator, records *[]record.Record) (*record.Run,
	error) {
	b := &bench.Bench{Host: host, Generator: g, Scenario: c.scenario,
		Append: func(r record.Record) error { *records = append(*records, r); return nil },
		Sync:   func() error { return nil }, Decided: func(*record.Run) bool { return true },
		Standing: func(*record.Run) []record.Standing { return nil }}
	run := read(*records)
	if _, err := plan.Resumable(run); err == nil {
		return b.Resume(ctx, run)
	}
	*records = nil // empty, or only pilots
	p := c.plan
	p.Complete()
	plan.Ride(&p, nil, func(plan.Asking) bool { return true })
	return b.Run(ctx, p)
}

// alone carries out the comparison on one machine.
func (c *comparison) alone(t *testing.T) *record.Run {
	all := &simServers{all: map[string]*simServer{}}
	m := simMachine{&simHost{c.options, all}, &simSite{name: "srv", all: all}, simAsker{all}}
	run, err := c.on(t.Context(), m, m, new([]record.Record))
	if err != nil || run.End == nil || run.End.Reason != string(plan.Decided) || len(run.Failures) > 0 {
		t.Fatalf("on one machine: %v, %+v, %+v", err, run.End, run.Failures)
	}
	return run
}

// compare carries out the comparison like dyno run --fleet.
func (w *world) compare(ctx context.Context, c *comparison, records *[]record.Record) (*record.Run, error) {
	h := newHub(w.fleet, "9.9.9", w.net.open(), w.log.add)
	defer h.Close()
	if err := h.Gather(ctx, h.fleet.InRun(&c.plan)); err != nil {
		return nil, err
	}
	host, err := h.Host(ctx, c.options, &c.plan)
	if err != nil {
		return nil, err
	}
	defer host.Close()
	return c.on(ctx, host, host.Generator(), records)
}

// read returns the run in a record.
func read(records []record.Record) *record.Run {
	run := &record.Run{}
	for _, r := range records {
		run.Add(r)
	}
	return run
}

// measured is the part of a trial that does not depend on the number of machines.
type measured struct {
	Key        record.Key
	Contestant string
	Load       record.Load
	Server     record.Usage
}

func measuredOf(tr *record.Trial) measured {
	l := bare(tr.Load)
	l.Network = tr.Load.Network
	return measured{tr.Key, tr.Contestant, l, tr.Server}
}

// constant is the part of a run that does not depend on the number of machines.
func constant(run *record.Run) (all struct {
	Contestants []record.Contestant
	Launches    []string
	Trials      []measured
	Failures    []record.Failure
	End         string
}) {
	all.Failures, all.End = run.Failures, run.End.Reason
	for _, c := range run.Contestants {
		c.VerifyUnixNS, c.Costs = 0, nil // later, and longer, on several machines
		all.Contestants = append(all.Contestants, c)
	}
	for _, l := range run.Launches {
		all.Launches = append(all.Launches, fmt.Sprint(l.Epoch, l.Contestant, l.Layout, l.Warmup, l.WarmupRequests, l.Meters,
			l.Absent))
	}
	for i := range run.Trials {
		all.Trials = append(all.Trials, measuredOf(run.Trials[i]))
	}
	return all
}

// TestSimulatedRuns: a comparison on many machines, with a network that delays and reorders messages and
// clocks that differ and drift, is recorded as on one machine: the built folders, the order of trials, and
// all counts and quantiles.
func TestSimulatedRuns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(t, 5)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := []int{1, 2, 3, 5, 20, 100}[seed%6]
		weather := weather{held: 0.05 * rng.Float64(),
			jitter: time.Duration(1 + rng.Int64N(int64(3*time.Millisecond))), hold: 40 * time.Millisecond}
		ok := t.Run(fmt.Sprintf("%d/%d machines", seed, n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newComparison(t, n)
				one := c.alone(t)
				w := newWorld(t, seed, n, weather)
				defer w.end()
				w.serve()
				var records []record.Record
				run, err := w.compare(t.Context(), c, &records)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(constant(one), constant(run)); diff != "" {
					t.Fatalf("this is not what one machine records: %s", diff)
				}
				if len(run.Trials) != 12 || len(run.Trials[0].Load.Parts) != n || run.Trials[0].Load.Started < 1000 {
					t.Errorf("%d trials, %+v", len(run.Trials), run.Trials[0].Load)
				}
				if left := slices.Collect(maps.Keys(w.all.all)); len(left) > 0 {
					t.Errorf("servers are left: %v", left)
				}
			})
		})
		if !ok {
			t.Fatalf("seed %d: %+v", seed, weather)
		}
	}
}

// TestInterruptedHosting: an interrupted wait for a machine in use ends at once, and so does the agent's.
func TestInterruptedHosting(t *testing.T) {
	program() // reads the file once
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, weather{jitter: time.Millisecond})
		defer w.end()
		w.serve()
		site := w.agents[1].agent.site.(*simSite)
		site.taken = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c, began := newComparison(t, 1), time.Now()
		if _, err := w.compare(ctx, c, new([]record.Record)); err == nil || time.Since(began) > 10*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		site.taken = 0
		run, err := w.compare(t.Context(), c, new([]record.Record))
		if err != nil || run.End.Reason != string(plan.Decided) {
			t.Fatalf("the next command: %v", err)
		}
		for _, name := range run.Plan.Contestants {
			if run.End.LogCutBytes[name] != 3 { // simServer.Stop
				t.Errorf("cut out of logs: %v", run.End.LogCutBytes)
			}
		}
	})
}

// TestSlowLink: a machine is not lost because sending the scenario takes long.
func TestSlowLink(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a run, as others do")
	}
	t.Parallel()
	program() // its file is read once
	synctest.Test(t, func(t *testing.T) {
		c := newComparison(t, 2)
		c.scenario.Requests[0].Method, c.scenario.Requests[0].Body = "POST", strings.Repeat("x", 1<<18)
		one := c.alone(t)
		w := newWorld(t, 1, 2, weather{jitter: time.Millisecond, each: 4 * time.Microsecond})
		defer w.end()
		w.serve()
		run, err := w.compare(t.Context(), c, new([]record.Record))
		if err != nil {
			t.Fatal(err)
		}
		if what := faulted(one, run); what != "" {
			t.Error(what)
		}
	})
}

// TestSimulatedRunFaults: a comparison with a fault is complete or interrupted. If it was interrupted it goes on, and
// is complete in the end: it has each trial once, as recorded on one machine, and no contestant is blamed.
func TestSimulatedRunFaults(t *testing.T) {
	t.Parallel()
	interrupted := map[string]int{}
	for seed := range uint64(seeds(t, len(faults))) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n, fault := []int{1, 2, 3, 5}[rng.IntN(4)], faults[seed%uint64(len(faults))]
		ok := t.Run(fmt.Sprintf("%d/%d machines, %s", seed, n, fault.name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newComparison(t, n)
				one := c.alone(t)
				w := newWorld(t, seed, n, weather{jitter: time.Millisecond})
				defer w.end()
				w.serve()
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				at, agent, done := w.upTo(20*time.Second), rng.IntN(n+1), make(chan struct{})
				go func() {
					defer close(done)
					time.Sleep(at)
					if center := w.net.controller(); center != nil {
						fault.do(w, center, agent, interrupt)
						if w.net.controller() == nil { // killed
							interrupt()
						}
						time.Sleep(w.upTo(time.Second))
						w.calm()
					}
				}()
				var records []record.Record
				run, err := w.compare(ctx, c, &records)
				<-done
				if err != nil || run.End.Reason == plan.Interrupted {
					interrupted[fault.name]++
					w.calm()
					run, err = w.compare(t.Context(), c, &records)
				}
				if err != nil {
					t.Fatalf("after %v: %v\n%v", at, err, w.log.with(""))
				}
				if what := faulted(one, read(records)); what != "" {
					t.Fatalf("after %v: %s\n%+v, %+v", at, what, run.Resumes, run.Failures)
				}
				if left := slices.Collect(maps.Keys(w.all.all)); len(left) > 0 {
					t.Errorf("servers are left: %v", left)
				}
			})
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
	for what, n := range interrupted {
		if t.Logf("%d × %s", n, what); what == "only bad weather" {
			t.Errorf("%s interrupts a run", what)
		}
	}
}

// faulted describes an error in a run that met one fault; "" if there is none.
func faulted(one, run *record.Run) string {
	discarded, _ := plan.Discarded(run)
	switch {
	case run.End == nil || run.End.Reason != string(plan.Decided) || len(run.Failures) > 0:
		return fmt.Sprintf("it is not whole: %+v", run.End)
	case len(run.Resumes) > 1:
		return "it cost more than one epoch"
	case discarded == 0 && len(plan.Valid(run)) != len(plan.Valid(one)) || len(plan.Epochs(run)) != len(plan.Epochs(one)):
		return fmt.Sprintf("%d valid trials in epochs %v", len(plan.Valid(run)), plan.Epochs(run))
	}
	known, seen, same := map[record.Key]measured{}, map[record.Key]bool{}, 0
	for i := range one.Trials {
		m := measuredOf(one.Trials[i])
		known[m.Key] = m
	}
	for i := range run.Trials {
		m := measuredOf(run.Trials[i])
		if seen[m.Key] {
			return fmt.Sprintf("%+v is there twice", m.Key)
		}
		seen[m.Key] = true
		if k, there := known[m.Key]; there && k.Contestant == m.Contestant {
			same++
			k.Server.PrivateBytes, m.Server.PrivateBytes = nil, nil // memory of all served programs
			if diff := cmp.Diff(k, m); diff != "" {
				return fmt.Sprintf("trial %+v is not what one machine records: %s", m.Key, diff)
			}
		}
	}
	if same == 0 {
		return "no trial is one of those of one machine"
	}
	return ""
}
