package bench

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// warmWindow is one stretch of load of a warm-up.
const warmWindow = 100 * time.Millisecond

// settle is how long a managed contestant gets to see that its connections are closed, which is no work at rest.
const settle = 20 * time.Millisecond

// compiling is the CPU time between two of its windows above which a managed contestant is at work on its own: its compiler is.
const compiling = 20 * time.Millisecond

// warm loads fresh processes by turns until each has had its least and stands still. Between its windows a managed one rests, while others are
// loaded or all rest, for its runtime compiles then.
func (b *Bench) warm(ctx context.Context, all []*started) {
	defer b.Driver.Quiet()()
	for ctx.Err() == nil {
		native, managed := 0, 0
		for _, s := range all {
			if s.err != nil || s.warm(b.delay(s.Epoch) > 0) {
				continue
			}
			if s.managed {
				managed++
			} else {
				native++
			}
			b.progress("warm up", s.Contestant, s.Epoch, nil)
			if s.err = b.warmOnce(ctx, s); s.err != nil {
				s.err = &LogError{Err: fmt.Errorf("warm up: %w", s.err), Tail: s.server.LogTail()}
			}
		}
		if native+managed == 0 {
			break
		}
		if native == 0 {
			b.Driver.Rest(plan.WarmRest)
		}
	}
	for _, s := range all {
		if s.err == nil && len(s.rates) > 0 {
			s.Warmup = class(s.rates, s.last())
			s.WarmupRateFirst, s.WarmupRateLast = int64(s.rates[0]), int64(s.rates[len(s.rates)-1])
		}
	}
}

// last is how many of the last windows must agree.
func (s *started) last() int {
	if s.managed {
		return steadyTurns
	}
	return steadyWindows
}

// warm reports whether s needs no more.
func (s *started) warm(waits bool) bool {
	took := time.Duration(s.WarmupNS)
	if !s.managed {
		return took >= plan.WarmNativeCap || took >= plan.WarmNative && steady(s.rates, s.last())
	}
	enough := took >= plan.WarmManaged && (waits || s.WarmupRequests >= plan.WarmRequests)
	return took >= plan.WarmManagedCap || enough && took-s.compiled >= plan.WarmQuiet
}

// warmOnce is one window of load of each scenario that it will be loaded with, on connections of its own as in a trial: what opens and closes them must be compiled as well. WarmupNS is what a native one was loaded for, and for a managed one the time since its first window.
func (b *Bench) warmOnce(ctx context.Context, s *started) error {
	before, unread := s.server.CPU()
	if unread == nil && len(s.rates) > 0 && before-s.cpu > compiling {
		s.compiled = b.Driver.Now().Sub(s.began)
	}
	var seen result.Load
	var used time.Duration
	for i, level := range s.levels {
		if i > 0 {
			before, unread = s.server.CPU()
		}
		session, err := b.Driver.Open(ctx, b.job(s.Contestant, s.server, level, 0))
		if err != nil {
			return err
		}
		one, err := session.Run(ctx, load.Window{For: max(warmWindow, 2*b.delay(s.Epoch)), Spread: b.delay(s.Epoch)})
		after, unread2 := s.server.CPU()
		session.Close()
		if err == nil {
			err = broken(&one)
		}
		if err != nil {
			return err
		}
		if unread != nil || unread2 != nil || after <= before {
			after = before + time.Duration(one.WindowNS)
		}
		used += after - before
		seen.Succeeded, seen.WindowNS = seen.Succeeded+one.Succeeded, seen.WindowNS+one.WindowNS
	}
	if s.managed {
		b.Driver.Rest(settle)
	}
	if len(s.rates) == 0 {
		s.began = b.Driver.Now()
	}
	s.cpu, _ = s.server.CPU()
	s.WarmupRequests += seen.Succeeded
	s.rates = append(s.rates, float64(seen.Succeeded)/used.Seconds())
	s.WarmupNS += seen.WindowNS
	if s.managed {
		s.WarmupNS = int64(b.Driver.Now().Sub(s.began))
	}
	return nil
}

// Warm-up classes of method.md §2.3. This version tells them by halves; the changepoint test is to come.
const (
	flat      = "flat"
	warmed    = "warmed"
	slowdown  = "slowdown"
	notSteady = "no steady state"
)

// steadyWindows and steadyTurns are how many of the last windows must agree, of native and of managed contestants.
const (
	steadyWindows = 10
	steadyTurns   = 4
)

// moves is by how much two halves may differ and still be called equal: the machine's own noise over such a short time is nearly of that
// size, and code that is not compiled yet is slower by more.
const moves = 0.30

// steady reports whether the last windows stand still: the median of their later half is within moves of that of their earlier half.
// With fewer windows than that, half of those there are must do.
func steady(rates []float64, n int) bool {
	last := rates[max(0, len(rates)-n):]
	if len(last) < 4 {
		return false
	}
	early, late := stats.Median(last[:len(last)/2]), stats.Median(last[len(last)/2:])
	return late < early*(1+moves) && late > early*(1-moves)
}

// class tells how the rate moved from the first windows to the last ones, which must be steady.
func class(rates []float64, last int) string {
	if !steady(rates, last) {
		return notSteady
	}
	n := max(1, min(3, len(rates)/3))
	early, late := stats.Median(rates[:n]), stats.Median(rates[len(rates)-n:])
	switch {
	case late > early*(1+moves):
		return warmed
	case late < early*(1-moves):
		return slowdown
	}
	return flat
}
