package bench

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/stats"
)

// warmWindow is one stretch of a native contestant's warm-up.
const warmWindow = 100 * time.Millisecond

// warm loads fresh processes by turns until each has had its least and its rate stands still. While others are loaded, and in the rest at the
// end of a turn of managed ones alone, a managed runtime compiles.
func (b *Bench) warm(ctx context.Context, all []*started) {
	defer b.Driver.Quiet()()
	for ctx.Err() == nil {
		native, managed := 0, 0
		for _, s := range all {
			if s.err != nil || s.warm(b.delay() > 0) {
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
			s.WarmupNS, s.Warmup = int64(s.loaded), class(s.rates, s.last())
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
	if !s.managed {
		return s.loaded >= plan.WarmNativeCap || s.loaded >= plan.WarmNative && steady(s.rates, s.last())
	}
	enough := len(s.rates) >= plan.WarmTurns && (waits || s.WarmupRequests >= plan.WarmRequests)
	return len(s.rates) >= plan.WarmTurnsCap || enough && steady(s.rates, s.last())
}

// warmOnce is one window of load.
func (b *Bench) warmOnce(ctx context.Context, s *started) error {
	window := max(warmWindow, 2*b.delay())
	if s.managed {
		window = max(plan.WarmTurn, 2*b.delay())
	}
	seen, err := s.session.Run(ctx, load.Window{For: window, Spread: b.delay()})
	if err == nil {
		err = broken(&seen)
	}
	if err != nil {
		return err
	}
	s.WarmupRequests += seen.Succeeded
	s.loaded += time.Duration(seen.WindowNS)
	s.rates = append(s.rates, float64(seen.Succeeded)/float64(seen.WindowNS)*1e9)
	return nil
}

// Warm-up classes of method.md §2.3. This version tells them by halves; the changepoint test comes with the method's own issue.
const (
	flat      = "flat"
	warmed    = "warmed"
	slowdown  = "slowdown"
	notSteady = "no steady state"
)

// steadyWindows and steadyTurns are how many of the last windows must agree, of native and of managed contestants.
const (
	steadyWindows = 10
	steadyTurns   = 6
)

// moves is by how much two halves may differ and still be called equal: the machine's own noise over such a short time is of that size.
const moves = 0.10

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
