package fleet

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// world is a controller and its agents, the real code, in one process and in simulated time
// (testing/synctest), with a random network from a seed. Each agent has its own clock.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	net    *network
	fleet  *Fleet
	agents []*simAgent
	stops  []func()
	log    lines
	all    simServers
}

func newWorld(t *testing.T, seed uint64, n int, w weather) *world {
	rng := rand.New(rand.NewPCG(seed, 0x776f726c64))
	sim := &world{t: t, rng: rng, net: &network{seed: seed, weather: w}, fleet: &Fleet{Controller: "10.0.0.1:7447"},
		stops: make([]func(), n), all: simServers{all: map[string]*simServer{}}}
	for i := range n {
		name := fmt.Sprintf("gen%d", i)
		sim.fleet.Generators = append(sim.fleet.Generators, Machine{Name: name})
		a := &Agent{Bundle: &Bundle{Name: name, Controller: sim.fleet.Controller}, Version: "9.9.9", Log: sim.log.add,
			dial: sim.net.dial}
		a.skew, a.drift = rng.Int64N(20e9)-10e9, (2*rng.Float64()-1)*500e-6
		a.delay = time.Duration(rng.Int64N(int64(time.Millisecond)))
		a.site = &simSite{name: name, all: &sim.all, drift: a.drift}
		own := &simAgent{agent: a}
		a.spin = func(left time.Duration) { time.Sleep(left + time.Duration(own.late.Load())) }
		sim.agents = append(sim.agents, own)
		sim.start(i)
	}
	return sim
}

// start starts agent i.
func (w *world) start(i int) {
	ctx, cancel := context.WithCancel(w.t.Context())
	agent, done := w.agents[i].agent, make(chan struct{})
	go func() {
		defer close(done)
		if err := agent.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	w.stops[i] = func() { cancel(); <-done }
}

// end ends all agents.
func (w *world) end() {
	for _, stop := range w.stops {
		stop()
	}
}

// command makes a window of a shape from all generators, and checks that it ends in time.
func (w *world) command(ctx context.Context, shape int) (l record.Load, d record.Detail, err error) {
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > coming+launchLimit+2*serverLimit+ending+simShapes[shape].Length() {
			w.t.Errorf("a window took %v", took)
		}
	}()
	w.all.mu.Lock()
	w.all.all[simAddr] = &simServer{all: &w.all, addr: simAddr}
	w.all.mu.Unlock()
	for _, a := range w.agents {
		a.site().mu.Lock()
		a.site().cost, a.site().begun = simShapes[shape].cost, nil
		a.site().mu.Unlock()
	}
	h := newHub(w.fleet, "9.9.9", w.net.open(), w.log.add)
	defer h.Close()
	if err := h.Gather(ctx, h.Names()); err != nil {
		return l, d, err
	}
	to := wire.TCP(simAddr)
	host := &Host{hub: h, machines: h.Names(), generators: h.Names(), work: context.WithoutCancel(ctx),
		described: map[string]record.Host{}, place: map[string]Place{where(to): {Addr: to.Addr}}}
	defer host.Close()
	if err := host.take(ctx); err != nil {
		return l, d, err
	}
	body := "value"
	session, err := host.Generator().Open(ctx, load.Job{Endpoint: to, Connections: simConnections, Timeout: time.Second,
		Scenario: &scenario.Scenario{Name: "values", Requests: []scenario.Request{{Name: "get", Method: "GET", Path: "/",
			Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body}}}}})
	if err == nil {
		defer session.Close()
		l, err = session.Run(ctx, simShapes[shape].window(&d))
	}
	if err != nil {
		err = stdcmp.Or(host.Lost(), err)
	}
	return l, d, err
}

// calm ends the bad weather, and everything that delays windows.
func (w *world) calm() {
	w.net.mu.Lock()
	w.net.weather = weather{jitter: time.Millisecond}
	w.net.mu.Unlock()
	for _, a := range w.agents {
		a.late.Store(0)
	}
}

// right returns an error unless the window equals one machine's, and all began once, at the reported times, and at
// the same time unless something delayed the orders.
func (w *world) right(l record.Load, d record.Detail, shape int) error {
	w.net.mu.Lock()
	late := w.net.weather.hold > windowLead
	w.net.mu.Unlock()
	for i, a := range w.agents {
		late = late || a.late.Load() > 0
		if n := len(a.site().begun); n != 1 {
			return fmt.Errorf("%s began %d times", a.agent.Bundle.Name, n)
		}
		if p := l.Parts[i]; max(p.BeganNS, -p.BeganNS)+p.BoundNS > int64(Skew) && !late {
			return fmt.Errorf("%s began %d ± %d ns from its time", p.Generator, p.BeganNS, p.BoundNS)
		}
	}
	one, detail := oneMachine(shape)
	if diff := cmp.Diff(one, bare(l)) + cmp.Diff(detail, d, exact); diff != "" {
		return fmt.Errorf("this is not what one machine records: %s", diff)
	}
	return inTime(l.Parts, func(name string) time.Time {
		i, _ := strconv.Atoi(strings.TrimPrefix(name, "gen"))
		return w.agents[i].site().begun[0]
	})
}

// idle returns an error if an agent still carries out a load.
func (w *world) idle() error {
	for _, a := range w.agents {
		if n := a.site().running.Load(); n != 0 {
			return fmt.Errorf("%s carries out %d loads", a.agent.Bundle.Name, n)
		}
	}
	return nil
}

// seeds returns the number of seeds to simulate: n, in a short test a twentieth, or DYNO_SEEDS.
func seeds(t *testing.T, n int) int {
	t.Helper()
	if testing.Short() {
		n = max(n/20, 1)
	}
	if text := os.Getenv("DYNO_SEEDS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("DYNO_SEEDS: %v", err)
		}
	}
	program() // reads the file once
	return n
}

// faults are events that may happen to one of several machines, or to all, at some time in a load.
var faults = []struct {
	name string
	do   func(w *world, c *simCenter, agent int, interrupt func())
}{
	{"a connection is reset", func(w *world, c *simCenter, agent int, _ func()) { w.cut(c, agent, 0, 0) }},
	{"the agent sees late that its connection ended", func(w *world, c *simCenter, agent int, _ func()) {
		w.cut(c, agent, w.upTo(8*time.Second), 0)
	}},
	{"the controller sees late that a connection ended", func(w *world, c *simCenter, agent int, _ func()) {
		w.cut(c, agent, 0, w.upTo(8*time.Second))
	}},
	{"an agent is started anew", func(w *world, _ *simCenter, agent int, _ func()) {
		w.stops[agent]()
		time.Sleep(w.upTo(3 * time.Second))
		w.start(agent)
	}},
	{"nothing passes for some time", func(w *world, c *simCenter, agent int, _ func()) {
		if l := c.link(w.agents[agent].agent.Bundle.Name); l != nil {
			d := w.upTo(7 * time.Second)
			l.down.stall(d)
			l.up.stall(d)
		}
	}},
	{"the controller is killed", func(w *world, c *simCenter, _ int, _ func()) { c.vanish(w.rng) }},
	{"somebody interrupts the load", func(_ *world, _ *simCenter, _ int, interrupt func()) { interrupt() }},
	{"a machine's windows begin late", func(w *world, _ *simCenter, agent int, _ func()) {
		w.agents[agent].late.Store(int64(3 * Skew))
	}},
	{"only bad weather", func(*world, *simCenter, int, func()) {}},
}

func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

func (w *world) cut(c *simCenter, agent int, itself, controller time.Duration) {
	if l := c.link(w.agents[agent].agent.Bundle.Name); l != nil {
		l.end(itself, controller)
	}
}

// TestSimulatedTwo: if generators limit a load, two send nearly twice as much as one, and more generators
// send more, up to the schedule.
func TestSimulatedTwo(t *testing.T) {
	program() // reads the file once
	rates := map[int]float64{}
	for _, n := range []int{1, 2, 4, 8} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, uint64(n), n, weather{jitter: time.Millisecond})
			defer w.end()
			l, _, err := w.command(t.Context(), tooMuch)
			if err != nil {
				t.Fatal(err)
			}
			rates[n] = float64(l.Started) / float64(l.WindowNS)
		})
	}
	for n, most := range map[int]float64{2: 2, 4: 4, 8: 4} {
		if x := rates[n] / rates[1]; x < .95*most || x > 1.01*most {
			t.Errorf("%d generators offer %.2f × one; want %v", n, x, most)
		}
	}
}

// TestSimulatedFaults: a window with a fault has a right result or an error that names the fault, in time;
// nothing continues, and the next window works with the same agents.
func TestSimulatedFaults(t *testing.T) {
	t.Parallel()
	ends := map[string]int{} // by text, without names and figures
	names := regexp.MustCompile(`gen\d+`)
	figures := regexp.MustCompile(`[+-]?\d+`)
	for seed := range uint64(seeds(t, 4*len(faults))) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, fault := machines(splitmix(seed)), faults[seed%uint64(len(faults))]
		weather := weather{held: 0.05 * rng.Float64(),
			jitter: time.Duration(1 + rng.Int64N(int64(5*time.Millisecond))), hold: time.Second}
		ok := t.Run(fmt.Sprintf("%d/%d machines, %s", seed, n, fault.name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, n, weather)
				defer w.end()
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				happened := make(chan struct{})
				at, agent, shape := w.upTo(4*time.Second), rng.IntN(n), rng.IntN(tooMuch)
				go func() {
					defer close(happened)
					time.Sleep(at)
					if c := w.net.controller(); c != nil {
						fault.do(w, c, agent, interrupt)
					}
				}()
				l, d, err := w.command(ctx, shape)
				end := "a result"
				if err == nil {
					err = w.right(l, d, shape)
				} else if end = err.Error(); ctx.Err() == nil {
					err = clear(err)
				} else {
					err = nil // it was interrupted
				}
				if err != nil {
					t.Fatal(err)
				}
				end, _, _ = strings.Cut(end, "\n") // the first of several
				ends[figures.ReplaceAllString(names.ReplaceAllString(end, "NAME"), "N")]++
				<-happened
				time.Sleep(10 * time.Second)
				if err := w.idle(); err != nil {
					t.Fatal(err)
				}
				w.calm()
				if l, d, err = w.command(t.Context(), shape); err == nil {
					err = w.right(l, d, shape)
				}
				if err != nil {
					t.Fatal("the next command: ", err)
				}
			})
		})
		if !ok {
			t.Fatalf("seed %d: %+v", seed, weather)
		}
	}
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		t.Logf("%d × %s", ends[end], end)
	}
}

// clear returns an error unless err names a machine.
func clear(err error) error {
	text := err.Error()
	if strings.Contains(text, "bug in dyno") || strings.Contains(text, "context ") || !strings.Contains(text, "gen") {
		return fmt.Errorf("this error is not clear: %w", err)
	}
	return nil
}

// machines draws a number of machines: 100 in every 20th world.
func machines(seed uint64) int {
	if seed%20 == 7 {
		return 100
	}
	return []int{1, 2, 3, 5, 8}[splitmix(seed)%5]
}

// TestSimulatedNetwork: on a network that delays and reorders messages, a load from many machines, whose
// clocks differ and drift, equals one machine's bit for bit, and begins at the reported times.
func TestSimulatedNetwork(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(t, 30)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := machines(seed)
		weather := weather{held: 0.05 * rng.Float64(),
			jitter: time.Duration(1 + rng.Int64N(int64(3*time.Millisecond))), hold: 100 * time.Millisecond}
		ok := t.Run(fmt.Sprintf("%d/%d machines", seed, n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, n, weather)
				defer w.end()
				for range 2 {
					shape := rng.IntN(tooMuch)
					l, d, err := w.command(t.Context(), shape)
					if err == nil {
						err = w.right(l, d, shape)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			})
		})
		if !ok {
			t.Fatalf("seed %d: %+v", seed, weather)
		}
	}
}
