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

// settle is the time for a contestant to notice that its connections are closed, so that this work
// does not count as compiling.
const settle = 20 * time.Millisecond

// compiling is the CPU time between two windows above which a contestant counts as compiling, if it is
// also more than one part in background of the rest.
const (
	compiling  = 20 * time.Millisecond
	background = 50
)

// warm loads fresh processes in turn until each has had its minimum and is steady. A turn begins
// with those that compile. Then they rest, because runtimes compile when they are idle. Once the
// compilers are idle too, the others are loaded. Whether a process compiles is seen at its rests.
func (b *Bench) warm(ctx context.Context, all []*started) {
	defer b.Generator.Quiet()()
	for _, s := range all {
		s.Warming = plan.Warmup(b.run, s.Contestant, s.Epoch)
		s.compiles = s.Compiles
	}
	compilers, others := b.due(all)
	for b.over(ctx) == nil && len(compilers)+len(others) > 0 {
		b.warmEach(ctx, compilers)
		rests := b.Generator.Now()
		busy := slices.DeleteFunc(compilers, func(s *started) bool {
			return s.err != nil || s.quiet() || s.took() >= plan.WarmMost
		})
		if b.compiled(busy, rests) {
			b.warmEach(ctx, others)
		}
		if len(compilers) == 0 && len(others) == 1 && !others[0].Calibrated { // nobody is loaded while it rests
			b.Generator.Rest(timer + looks)
		}
		compilers, others = b.due(all)
	}
	for _, s := range all {
		if s.err == nil && len(s.Windows) > 0 {
			s.classify()
		}
	}
}

// due returns those that a turn loads, which compile and which do not: contestants that are not warm,
// and all that compile until the last of these is.
func (b *Bench) due(all []*started) (compilers, others []*started) {
	noise := [2]float64{noiseOf(all, perCPU), noiseOf(all, perSecond)}
	young, n := false, 0
	for _, s := range all {
		s.noise = noise
		if s.compiles && s.err == nil {
			young, n = young || !s.warm(b.delay(s.Epoch) > 0), n+1
		}
	}
	for _, s := range all {
		s.disturbed = s.compiles && n > 1
		switch {
		case s.err != nil, !(s.compiles && young && s.took() < s.most()) && s.warm(b.delay(s.Epoch) > 0):
		case s.compiles:
			compilers = append(compilers, s)
		default:
			others = append(others, s)
		}
	}
	return compilers, others
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

// took returns the time that s was loaded; if it compiles, which it may do at rest, the time since its
// first window began.
func (s *started) took() time.Duration {
	if s.compiles {
		return time.Duration(s.WarmupNS)
	}
	return s.loaded
}

// most returns the longest warm-up.
func (s *started) most() time.Duration {
	if s.compiles {
		return s.Compiling
	}
	return s.Most
}

// warm reports whether s needs no more warm-up.
func (s *started) warm(waits bool) bool {
	switch took := s.took(); {
	case len(s.Windows) == 0, took < s.Least:
		return false
	case took >= s.most():
		return true
	case s.compiles && took < plan.WarmMost && !s.quiet():
		return false
	case !waits && (s.WarmupRequests < s.Plain || s.compiles && s.WarmupRequests < s.Requests):
		return false
	}
	return s.steady()
}

// quiet reports whether one that compiles has been idle at rest for long enough.
func (s *started) quiet() bool { return time.Duration(s.WarmupNS)-s.compiled >= s.Quiet }

// steady reports whether s is steady.
func (s *started) steady() bool {
	return !slices.ContainsFunc(s.levels(), func(l leveled) bool { return !l.settled })
}

// levels analyses the series that must be steady: requests per second of CPU time, because other
// contestants may work at the same time, and, in the pilots and if none of them compiles, requests
// per second.
func (s *started) levels() []leveled {
	if s.Calibrated {
		return []leveled{levels(perCPU(s.Windows), plan.FewestWindows, s.noise[0])}
	}
	all := []leveled{levels(perCPU(s.Windows), s.need, s.noise[0])}
	if !s.disturbed {
		all = append(all, levels(perSecond(s.Windows), s.need, s.noise[1]))
	}
	return all
}

// classify records the warm-up's class and its end. If the process did not compile, all its times are
// those in which it was loaded.
func (s *started) classify() {
	if s.compiled > 0 {
		s.CompiledNS = new(int64(s.compiled))
	}
	if !s.compiles {
		s.WarmupNS = 0
		for i := range s.Windows {
			s.WarmupNS += s.Windows[i].WindowNS
			s.Windows[i].EndNS = s.WarmupNS
		}
	}
	if !s.steady() {
		s.Warmup = record.NotSteady
		return
	}
	var from int
	s.Warmup, from = classOf(s.levels())
	s.SteadyNS = new(s.Windows[from].EndNS - s.Windows[from].WindowNS) // its start, on WarmupNS's clock
}

// warmOnce makes one load window for each scenario that s will be loaded with, on new connections
// as in a trial: the code that opens and closes them must be compiled as well.
func (b *Bench) warmOnce(ctx context.Context, s *started) error {
	before, unread := cpuOf(s.server)()
	watched := s.compiles || !s.Calibrated // else the work of closing connections might count
	if now := b.Generator.Now(); watched && unread == nil && len(s.Windows) > 0 &&
		before-s.cpu > max(compiling, now.Sub(s.rests)/background) {
		s.compiled, s.compiles = now.Sub(s.began), true
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
	s.WarmupRequests, s.loaded = s.WarmupRequests+w.Requests, s.loaded+time.Duration(w.WindowNS)
	s.need = windowsOf(s.loaded / time.Duration((len(s.Windows)+1)*len(s.at)))
	s.WarmupNS = int64(b.Generator.Now().Sub(s.began))
	if watched {
		b.Generator.Rest(settle)
	}
	s.cpu, _ = cpuOf(s.server)()
	s.rests = b.Generator.Now()
	w.EndNS, w.CPUNS = s.WarmupNS, int64(max(0, used))
	s.Windows = append(s.Windows, w)
	return nil
}
