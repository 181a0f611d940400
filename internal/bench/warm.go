package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// settle is the time for a managed contestant to notice that its connections are closed, so that
// this work does not count as compiling.
const settle = 20 * time.Millisecond

// compiling is the CPU time between two windows above which a managed contestant counts as
// compiling.
const compiling = 20 * time.Millisecond

// warm loads fresh processes in turn until each has had its minimum and is steady. A turn begins
// with the managed ones. Then they rest, because their runtimes compile when they are idle. Once
// the compilers are idle too, the native ones are loaded.
func (b *Bench) warm(ctx context.Context, all []*started) {
	defer b.Generator.Quiet()()
	compilers := 0
	for _, s := range all {
		s.Warming = plan.Warmup(b.run, s.Contestant, s.Epoch)
		s.need = windowsOf(plan.WarmWindow(s.at[0]))
		if s.managed {
			compilers++
		}
	}
	for _, s := range all {
		s.disturbed = s.managed && compilers > 1
	}
	managed, native := b.due(all)
	for b.over(ctx) == nil && len(managed)+len(native) > 0 {
		b.warmEach(ctx, managed)
		rests := b.Generator.Now()
		compilers := slices.DeleteFunc(managed, func(s *started) bool { return s.err != nil || s.quiet() })
		if b.compiled(compilers, rests) {
			b.warmEach(ctx, native)
		}
		if managed, native = b.due(all); len(managed) > 0 && len(compilers) > 0 {
			b.Generator.Rest(max(0, plan.WarmRest-b.Generator.Now().Sub(rests)))
		}
	}
	for _, s := range all {
		if s.err == nil && len(s.Windows) > 0 {
			s.classify()
		}
	}
}

// due returns the managed and the native contestants that a turn loads: those that are not warm,
// and all managed ones until the last managed one is.
func (b *Bench) due(all []*started) (managed, native []*started) {
	noise := [2]float64{noiseOf(all, perCPU), noiseOf(all, perSecond)}
	young := false
	for _, s := range all {
		s.noise = noise
		young = young || s.managed && s.err == nil && !s.warm(b.delay(s.Epoch) > 0)
	}
	for _, s := range all {
		switch {
		case s.err != nil, !(s.managed && young && time.Duration(s.WarmupNS) < s.Most) && s.warm(b.delay(s.Epoch) > 0):
		case s.managed:
			managed = append(managed, s)
		default:
			native = append(native, s)
		}
	}
	return managed, native
}

// warmEach makes one load window on each contestant.
func (b *Bench) warmEach(ctx context.Context, some []*started) {
	for _, s := range some {
		b.progress("warm up", s.Contestant, s.Epoch, nil)
		if s.err = b.warmOnce(ctx, s); s.err != nil {
			s.err = WithLog(s.server, fmt.Errorf("warm up: %w", s.err))
		}
	}
}

// A compiler counts as idle once it has had time to begin, timer, and then used at most busy CPU
// during looks. (.NET begins when nothing new was called for 100 ms.)
const (
	timer = 100 * time.Millisecond
	looks = 50 * time.Millisecond
	busy  = looks / 5
)

// compiled waits until the compilers of contestants that rest since that time are idle, and reports
// whether they are.
func (b *Bench) compiled(some []*started, since time.Time) bool {
	if len(some) == 0 {
		return true
	}
	used := func() (sum time.Duration) {
		for _, s := range some {
			d, _ := cpuOf(s.server)()
			sum += d
		}
		return sum
	}
	b.Generator.Rest(timer)
	for b.Generator.Now().Sub(since) < plan.WarmRestMost {
		before := used()
		b.Generator.Rest(looks)
		if used()-before <= busy {
			return true
		}
	}
	return false
}

// warm reports whether s needs no more warm-up.
func (s *started) warm(waits bool) bool {
	took := time.Duration(s.WarmupNS)
	switch {
	case len(s.Windows) == 0, took < s.Least:
		return false
	case took >= s.Most:
		return true
	case s.managed && (!s.quiet() || !waits && s.WarmupRequests < s.Requests):
		return false
	}
	return s.steady()
}

// quiet reports whether a managed contestant has been idle at rest for long enough.
func (s *started) quiet() bool { return time.Duration(s.WarmupNS)-s.compiled >= plan.WarmQuiet }

// steady reports whether s is steady.
func (s *started) steady() bool {
	return !slices.ContainsFunc(s.levels(), func(l leveled) bool { return !l.settled })
}

// levels analyses the series that must be steady: requests per second of CPU time, because other
// contestants may work at the same time, and, in the pilots and if none of them compiles, requests
// per second.
func (s *started) levels() []leveled {
	if s.Calibrated {
		return []leveled{levels(perCPU(s.Windows), steadyTurns, s.noise[0])}
	}
	all := []leveled{levels(perCPU(s.Windows), s.need, s.noise[0])}
	if !s.disturbed {
		all = append(all, levels(perSecond(s.Windows), s.need, s.noise[1]))
	}
	return all
}

// classify records the warm-up's class and its end.
func (s *started) classify() {
	rates := perCPU(s.Windows)
	s.WarmupRateFirst, s.WarmupRateLast = rate(rates[0]), rate(rates[len(rates)-1])
	if !s.steady() || s.managed && !s.quiet() {
		s.Warmup = record.NotSteady
		return
	}
	var from int
	s.Warmup, from = classOf(s.levels())
	at := began(s.Windows[from])
	s.SteadyNS = &at
}

// began returns the start of a window, on WarmupNS's clock.
func began(w record.WarmupWindow) int64 { return w.EndNS - w.WindowNS }

// warmOnce makes one load window for each scenario that s will be loaded with, on new connections
// as in a trial: the code that opens and closes them must be compiled as well. WarmupNS is the
// loaded time for a native process, and for a managed one the time since its first window began.
func (b *Bench) warmOnce(ctx context.Context, s *started) error {
	before, unread := cpuOf(s.server)()
	if unread == nil && len(s.Windows) > 0 && before-s.cpu > compiling {
		s.compiled = b.Generator.Now().Sub(s.began)
	}
	var w record.WarmupWindow
	var used time.Duration
	for i, level := range s.at {
		if i > 0 {
			before, unread = cpuOf(s.server)()
		}
		if err := b.instruct(ctx, s.Epoch, level.Records); err != nil {
			return err
		}
		session, err := b.Generator.Open(ctx, b.job(s.Contestant, s.server, level, 0))
		if err != nil {
			return err
		}
		if i == 0 && len(s.Windows) == 0 {
			s.began = b.Generator.Now()
		}
		seen, err := session.Run(ctx, load.Window{For: plan.WarmWindow(level), Spread: b.delay(s.Epoch), Uncounted: true})
		after, unread2 := cpuOf(s.server)()
		session.Close()
		if err == nil {
			err = broken(&seen, b.scenario(level.Scenario))
		}
		if err != nil {
			return err
		}
		if unread != nil || unread2 != nil {
			after = before
		}
		used += after - before
		w.Requests, w.WindowNS = w.Requests+seen.Succeeded, w.WindowNS+seen.WindowNS
	}
	s.WarmupRequests += w.Requests
	s.WarmupNS += w.WindowNS
	if s.managed {
		s.WarmupNS = int64(b.Generator.Now().Sub(s.began))
		b.Generator.Rest(settle)
	}
	s.cpu, _ = cpuOf(s.server)()
	w.EndNS, w.CPUNS = s.WarmupNS, int64(max(0, used))
	s.Windows = append(s.Windows, w)
	return nil
}
