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
	for i, name := range plan.Starts(b.run, epoch) {
		b.progress("launch", name, epoch, nil)
		s, err := b.start(ctx, name, epoch, i)
		if ctx.Err() != nil {
			if s != nil {
				s.Stop()
			}
			return ctx.Err()
		}
		if err != nil {
			if s != nil {
				s.Stop()
			}
			if err := b.fail(name, "launch", epoch, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// start launches one contestant for an epoch and leaves it warm and frozen.
func (b *Bench) start(ctx context.Context, name string, epoch, position int) (Server, error) {
	p := &b.run.Plan
	began := time.Now()
	s, err := b.launch(ctx, name, plan.Padding(p.Seed, epoch, position), epoch)
	if err != nil {
		return nil, err
	}
	b.servers[name] = s
	network, addr := s.Addr()
	c := b.run.Contestant(name)
	if name != p.Ceiling {
		if _, err := scenario.Verify(ctx, b.Scenario, network, addr, c.Differs, b.delay()); err != nil {
			return s, &LogError{Err: err, Tail: s.LogTail()}
		}
	}
	l := result.Launch{Contestant: name, Epoch: epoch, StartedUnixNS: began.UnixNano(), ReadyNS: int64(s.Ready())}
	if err := b.warm(ctx, s, slices.Contains(p.Managed, name), &l); err != nil {
		return s, &LogError{Err: fmt.Errorf("warm up: %w", err), Tail: s.LogTail()}
	}
	if err := s.Freeze(); err != nil {
		return s, err
	}
	return s, b.record(result.Record{Launch: &l})
}

// warmWindow is one stretch of warm-up.
const warmWindow = 100 * time.Millisecond

// warm loads a fresh process until it has had its least time and requests and its rate stands still, and classes what it saw.
func (b *Bench) warm(ctx context.Context, s Server, managed bool, l *result.Launch) error {
	least, requests, limit := plan.WarmNative, int64(0), plan.WarmNativeCap
	if managed {
		least, requests, limit = plan.WarmManaged, plan.WarmManagedRequests, plan.WarmManagedCap
	}
	if b.delay() > 0 {
		requests = 0 // a handler that waits may never get so many
	}
	sess, err := b.Driver.Open(ctx, b.job(s, 0))
	if err != nil {
		return err
	}
	defer sess.Close()
	defer b.Driver.Quiet()()
	began := time.Now()
	var loaded time.Duration
	var rates []float64
	for loaded < limit && time.Since(began) < 2*limit {
		seen, err := sess.Run(ctx, load.Window{For: max(warmWindow, 2*b.delay()), Spread: b.delay()})
		if err == nil {
			err = broken(&seen)
		}
		if err != nil {
			return err
		}
		l.WarmupRequests += seen.Succeeded
		loaded += time.Duration(seen.WindowNS)
		rates = append(rates, float64(seen.Succeeded)/float64(seen.WindowNS)*1e9)
		if loaded >= least && l.WarmupRequests >= requests && steady(rates) {
			break
		}
	}
	l.WarmupNS = int64(loaded)
	l.Warmup = class(rates)
	l.WarmupRateFirst, l.WarmupRateLast = int64(rates[0]), int64(rates[len(rates)-1])
	return nil
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
		if err == nil {
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
	if err := s.Thaw(); err != nil {
		return nil, err
	}
	sess, err := b.Driver.Open(ctx, b.job(s, o.LoadSeed))
	if err != nil {
		return nil, err
	}
	defer sess.Close()
	rewarm := load.Window{For: time.Duration(p.RewarmNS), Spread: b.delay()}
	if _, err := sess.Run(ctx, rewarm); err != nil {
		return nil, err
	}
	inner := clocks(s, b.Driver)
	before := s.Logged()
	if t.Load, err = sess.Run(ctx, load.Window{For: time.Duration(p.TrialNS), Spread: b.delay()}); err != nil {
		return nil, err
	}
	server, generator := inner()
	sess.Close()
	if err := s.Freeze(); err != nil {
		return nil, err
	}
	t.EndedUnixNS = time.Now().UnixNano()
	serverAll, generatorAll := outer()
	t.Causes = watched(serverAll.or(0), generatorAll.or(0))
	t.Server = s.Usage()
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

func (b *Bench) job(s Server, seed uint64) load.Job {
	network, addr := s.Addr()
	return load.Job{
		Network: network, Addr: addr, Scenario: b.Scenario, Seed: seed, CPUs: b.Driver.CPUs(),
		Connections: b.run.Plan.Level.Connections, Pipeline: b.run.Plan.Level.Pipeline, Timeout: 10*time.Second + b.delay(),
	}
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
