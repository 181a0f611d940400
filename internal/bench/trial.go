package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// turn ends the last epoch's processes, and starts, verifies, warms up and freezes those of this one, in shuffled order.
func (b *Bench) turn(ctx context.Context, epoch int) error {
	b.stopAll()
	if err := b.Sync(); err != nil {
		return err
	}
	p := &b.run.Plan
	if epoch == p.Pilots && epoch > 0 && b.Note != nil {
		b.tell(result.Event{Stage: "analyse", Text: b.Note(b.run)})
	}
	var all []*started
	for i, name := range plan.Starts(b.run, epoch) {
		b.progress("launch", name, epoch, nil)
		s := &started{Launch: result.Launch{Contestant: name, Epoch: epoch}, position: i, managed: slices.Contains(p.Managed, name)}
		s.err = b.open(ctx, s)
		all = append(all, s)
	}
	b.warm(ctx, all)
	for _, s := range all {
		if ctx.Err() != nil {
			continue
		}
		if s.err == nil {
			s.err = s.server.Freeze()
		}
		var err error
		if s.err != nil {
			err = b.fail(s.Contestant, "launch", epoch, s.err)
		} else {
			s.Meters, s.Absent = s.server.Meters()
			err = b.record(result.Record{Launch: &s.Launch})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// started is a contestant on its way to be warm and frozen.
type started struct {
	result.Launch
	position int
	managed  bool
	server   Server
	rates    []float64     // of its warm-up windows, per second of its own CPU, for others work beside it
	began    time.Time     // end of the first
	cpu      time.Duration // its clock after the last
	compiled time.Duration // since began, when it was last seen to work at rest
	err      error
}

// open launches and verifies one contestant.
func (b *Bench) open(ctx context.Context, s *started) error {
	s.StartedUnixNS = time.Now().UnixNano()
	server, err := b.launch(ctx, s.Contestant, plan.Padding(b.run.Plan.Seed, s.Epoch, s.position), s.Epoch)
	if err != nil {
		return err
	}
	s.server, b.servers[s.Contestant] = server, server
	s.ReadyNS = int64(server.Ready())
	if s.Contestant != b.run.Plan.Ceiling {
		network, addr := server.Addr()
		seen, err := scenario.Verify(ctx, b.scenario(s.Contestant), network, addr, b.differs(s.Contestant), b.delay(s.Epoch))
		if err != nil {
			return &LogError{Err: err, Tail: server.LogTail()}
		}
		b.seen[s.Contestant] = seen
	}
	return nil
}

// alone launches one contestant by itself, loads it once, and stops it: the way of published benchmarks.
func (b *Bench) alone(ctx context.Context, o plan.Order) error {
	b.stopAll()
	if err := b.Sync(); err != nil {
		return err
	}
	b.progress("launch", o.Contestant, o.Epoch, nil)
	s := &started{Launch: result.Launch{Contestant: o.Contestant, Epoch: o.Epoch}, position: o.Position}
	if err := b.open(ctx, s); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return b.fail(o.Contestant, "launch", o.Epoch, err)
	}
	s.Meters, s.Absent = s.server.Meters()
	if err := b.record(result.Record{Launch: &s.Launch}); err != nil {
		return err
	}
	return b.trial(ctx, o)
}

// trial thaws, connects, re-warms, loads, drains, reads the clocks, disconnects, freezes, and records.
func (b *Bench) trial(ctx context.Context, o plan.Order) error {
	s := b.servers[o.Contestant]
	if s == nil {
		return b.fail(o.Contestant, "launch", o.Epoch, fmt.Errorf("it was not started in epoch %d", o.Epoch))
	}
	b.progress("measure", o.Contestant, o.Epoch, nil)
	t, err := b.load(ctx, s, o)
	if ctx.Err() != nil {
		return ctx.Err() // a trial cut short is no trial
	}
	if t != nil {
		if err := b.record(result.Record{Trial: t}); err != nil {
			return err
		}
		if o.Level.RatePerSec == 0 || t.Load.Failed > 0 { // an open loop may ask for more than it can bear
			err = broken(&t.Load)
		}
	}
	if exited := s.Exited(); exited != nil {
		err = fmt.Errorf("it exited under load: %w", exited)
	}
	if err != nil {
		if err := b.fail(o.Contestant, "load", o.Epoch, &LogError{Err: err, Tail: s.LogTail()}); err != nil {
			return err
		}
	}
	b.progress("measured", o.Contestant, o.Epoch, t)
	return nil
}

// load is the trial itself. It returns nil and an error where the load could not even begin.
func (b *Bench) load(ctx context.Context, s Server, o plan.Order) (*result.Trial, error) {
	p := &b.run.Plan
	defer b.Driver.Quiet()()
	watched := b.Host.Watch()
	outer := clocks(s, b.Driver)
	t := &result.Trial{Key: o.Key, Contestant: o.Contestant, StartedUnixNS: time.Now().UnixNano()}
	if o.Level != p.Level {
		t.Level = &o.Level
	}
	if err := s.Thaw(); err != nil {
		return nil, err
	}
	sess, err := b.Driver.Open(ctx, b.job(o.Contestant, s, o.Level, o.LoadSeed))
	if err != nil {
		return nil, err
	}
	defer sess.Close()
	delay := time.Duration(o.Level.DelayNS)
	if p.RewarmNS > 0 {
		if _, err := sess.Run(ctx, load.Window{For: time.Duration(plan.Rewarm(p, o.Level)), Spread: delay}); err != nil {
			return nil, err
		}
	}
	before := s.Logged()
	counted := s.Count()
	inner := clocks(s, b.Driver)
	var seen result.Detail
	if t.Load, err = sess.Run(ctx, b.window(o, &seen)); err != nil {
		return nil, err
	}
	if r := seen.Response; r != nil {
		t.Load.ResponseP50NS, t.Load.ResponseP99NS, t.Load.LagP99NS = r.Quantile(0.5), r.Quantile(0.99), seen.Lag.Quantile(0.99)
		t.Load.CensoredFromNS = seen.CensoredFromNS
	}
	server, generator := inner()
	counted(&t.Server)
	if o.Round == p.Rounds-1 { // the epoch's last, or its repetition
		s.Totals(&t.Server)
	}
	sess.Close()
	if err := s.Freeze(); err != nil {
		return nil, err
	}
	t.EndedUnixNS = time.Now().UnixNano()
	serverAll, generatorAll := outer()
	t.Causes = watched(serverAll.or(0), generatorAll.or(0))
	s.Usage(&t.Server)
	t.Server.LoggedBytes -= before
	t.Server.CPUNS, t.Generator.CPUNS = server.ns(), generator.ns()
	t.Causes.GeneratorCPUs = max(1, len(b.Driver.CPUs()))
	return t, nil
}

// reading is a difference of two clock readings, or none.
type reading struct {
	d  time.Duration
	ok bool
}

func (r reading) ns() *int64 {
	if !r.ok {
		return nil
	}
	n := int64(r.d)
	return &n
}

func (r reading) or(d time.Duration) time.Duration {
	if r.ok {
		return r.d
	}
	return d
}

// clocks reads the CPU clocks of both sides; the function it returns reads them again and says what passed.
func clocks(s Server, g Driver) func() (server, generator reading) {
	s0, serr := s.CPU()
	g0, gerr := g.CPU()
	return func() (reading, reading) {
		s1, serr1 := s.CPU()
		g1, gerr1 := g.CPU()
		return reading{s1 - s0, serr == nil && serr1 == nil}, reading{g1 - g0, gerr == nil && gerr1 == nil}
	}
}

// differs are the declared differences of a contestant.
func (b *Bench) differs(name string) []string {
	if c := b.run.Contestant(name); c != nil {
		return c.Differs
	}
	return nil
}

func (b *Bench) job(name string, s Server, level result.Level, seed uint64) load.Job {
	network, addr := s.Addr()
	return load.Job{
		Network: network, Addr: addr, Scenario: b.scenario(name).Exact(b.seen[name]).Excuse(b.differs(name)), Seed: seed, CPUs: b.Driver.CPUs(),
		Connections: level.Connections, Pipeline: level.Pipeline, PerConnection: level.PerConnection, Timeout: 10*time.Second + time.Duration(level.DelayNS),
		Spin: level.RatePerSec > 0 && b.run.Host.Pinned,
	}
}

// window is the load of a trial. Of an open loop the response times are kept in seen.
func (b *Bench) window(o plan.Order, seen *result.Detail) load.Window {
	if n := b.run.Plan.Requests; n > 0 {
		return load.Window{Requests: n}
	}
	w := load.Window{For: time.Duration(o.TrialNS), Spread: time.Duration(o.Level.DelayNS)}
	if rate := o.Level.RatePerSec; rate > 0 {
		w.Schedule = &load.Schedule{Stages: []load.Stage{{From: rate, To: rate}}, Poisson: true, Seed: o.LoadSeed}
		w.Observe = &load.Observe{Into: seen}
	}
	return w
}

// progress tells the live view where the run stands.
func (b *Bench) progress(stage, name string, epoch int, t *result.Trial) {
	if b.Event == nil {
		return
	}
	e := result.Event{Stage: stage, Contestant: name, Trial: t}
	if epoch < b.run.Plan.Pilots && (stage == "measure" || stage == "measured") {
		e.Stage = "pilot"
	}
	e.Done, e.Total, e.Left = plan.Progress(b.run)
	if t != nil && t.Position == 0 && t.Round == 0 && b.Standing != nil && epoch > b.run.Plan.Pilots {
		e.Standing = b.Standing(b.run)
	}
	b.tell(e)
}

// kinds writes counts by kind, the most frequent first.
func kinds(m map[string]int64) string {
	names := slices.Collect(maps.Keys(m))
	slices.SortFunc(names, func(a, b string) int { return int(m[b] - m[a]) })
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, m[n]))
	}
	return strings.Join(parts, ", ")
}
