package fleet

import (
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
	"dyno/internal/loader"
	"dyno/internal/report"
)

// world is a controller and its agents, the real code, in one process and in simulated time
// (testing/synctest), with a random network from a seed. Each agent has its own clock.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	net    *network
	fleet  *Fleet
	agents []*simLoads
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
		loads := &simLoads{t: t, agent: a, index: i, of: n, begun: map[string][]time.Time{}, sent: map[string]int64{}}
		a.take = loads.take
		a.spin = func(left time.Duration) { time.Sleep(left + time.Duration(loads.late.Load())) }
		sim.agents = append(sim.agents, loads)
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

// command makes a load of a shape like dyno load --fleet, and checks that it ends in time.
func (w *world) command(ctx context.Context, name string, shape int) (*report.Summary, error) {
	began := time.Now()
	defer func() {
		if took := time.Since(began); took > coming+preparing+patience+ending+simShapes[shape].Length() {
			w.t.Errorf("%s took %v", name, took)
		}
	}()
	h := newHub(w.fleet, "9.9.9", w.net.open(), w.log.add)
	defer h.Close()
	if err := h.Gather(ctx, h.Names()); err != nil {
		return nil, err
	}
	plan, err := Pack(ctx, simRequest(name, shape))
	if err != nil {
		return nil, err
	}
	return h.Load(ctx, plan, func(string) {})
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

// right returns an error unless the summary equals one machine's, and all began once and at the reported
// times.
func (w *world) right(s *report.Summary, name string, shape int) error {
	for _, a := range w.agents {
		if n := len(a.begun[name]); n != 1 {
			return fmt.Errorf("%s began %d times", a.agent.Bundle.Name, n)
		}
	}
	if s.Interrupted {
		sum := int64(0)
		for _, a := range w.agents {
			sum += a.sent[name]
		}
		if s.Load.Started != sum {
			return fmt.Errorf("%d requests; the generators sent %d", s.Load.Started, sum)
		}
	} else {
		load, detail := oneMachine(shape)
		gotLoad, gotDetail := comparable(s)
		if diff := cmp.Diff(load, gotLoad) + cmp.Diff(detail, gotDetail, exact); diff != "" {
			return fmt.Errorf("this is not what one machine records: %s", diff)
		}
	}
	return inTime(s, func(name string) time.Time {
		i, _ := strconv.Atoi(strings.TrimPrefix(name, "gen"))
		return w.agents[i].begun[s.Did][0]
	})
}

// idle returns an error if an agent still carries out a load.
func (w *world) idle() error {
	for _, a := range w.agents {
		a.mu.Lock()
		n := a.running
		a.mu.Unlock()
		if n != 0 {
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
			s, err := w.command(t.Context(), "one load", tooMuch)
			if err != nil {
				t.Fatal(err)
			}
			rates[n] = float64(s.Load.Started) / float64(s.Load.WindowNS)
		})
	}
	for n, most := range map[int]float64{2: 2, 4: 4, 8: 4} {
		if x := rates[n] / rates[1]; x < .95*most || x > 1.01*most {
			t.Errorf("%d generators offer %.2f × one; want %v", n, x, most)
		}
	}
}

// TestSimulatedFaults: a load with a fault has a right result or an error that names the fault, in time;
// nothing continues, and the next command works with the same agents.
func TestSimulatedFaults(t *testing.T) {
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
				s, err := w.command(ctx, "one load", shape)
				end := "a summary"
				if err == nil {
					err = w.right(s, "one load", shape)
				} else {
					end, err = err.Error(), clear(err)
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
				if s, err = w.command(t.Context(), "another", shape); err == nil {
					err = w.right(s, "another", shape)
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

// TestStoppedLoad: a load with a number of requests ends without an agent that stops.
func TestStoppedLoad(t *testing.T) {
	program() // reads the file once
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 3, weather{jitter: time.Millisecond})
		defer w.end()
		h := newHub(w.fleet, "9.9.9", w.net.open(), w.log.add)
		defer h.Close()
		for i, a := range w.agents {
			w.stops[i]() // it reads take
			a.agent.take = func(_ context.Context, r loader.Request) (part, time.Duration, error) {
				return stoppingPart{w, i, r.Share}, 0, nil
			}
			w.start(i)
		}
		if err := h.Gather(t.Context(), h.Names()); err != nil {
			t.Fatal(err)
		}
		plan, err := Pack(t.Context(), loader.Request{URL: "http://10.0.0.9/", Requests: 3000, Connections: 3})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := h.Load(ctx, plan, func(string) {}); err == nil || ctx.Err() != nil ||
			!strings.Contains(err.Error(), "gen1: it has not finished its requests") {
			t.Errorf("%v, %v", err, ctx.Err())
		}
	})
}

// stoppingPart is an agent's share, in which gen1 stops.
type stoppingPart struct {
	w     *world
	agent int
	share load.Share
}

func (p stoppingPart) Close() error { return nil }

func (p stoppingPart) measure(ctx context.Context, w load.Window, r *LoadedWindow) error {
	w.Begin()
	if p.agent == 1 {
		l := p.w.net.controller().link("gen1")
		l.down.stall(24 * time.Hour)
		l.up.stall(24 * time.Hour)
	}
	naps(ctx, time.Duration(1+p.agent)*time.Minute)
	r.Outcome = &loader.Outcome{Part: partOf(0, p.share, time.Second)}
	return nil
}

// clear returns an error unless err names a machine, or says that the load was interrupted.
func clear(err error) error {
	text := err.Error()
	if strings.Contains(text, "bug in "+
		"dyno") || strings.Contains(text, "context ") || !strings.Contains(text, "gen") && text != errInterrupted.Error() {
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
	for seed := range uint64(seeds(t, 30)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := machines(seed)
		weather := weather{held: 0.05 * rng.Float64(),
			jitter: time.Duration(1 + rng.Int64N(int64(3*time.Millisecond))), hold: 100 * time.Millisecond}
		ok := t.Run(fmt.Sprintf("%d/%d machines", seed, n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed, n, weather)
				defer w.end()
				for _, name := range []string{"one load", "another"} {
					shape := rng.IntN(tooMuch)
					s, err := w.command(t.Context(), name, shape)
					if err == nil {
						err = w.right(s, name, shape)
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
