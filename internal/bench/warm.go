package bench

import "dyno/internal/stats"

// Warm-up classes of method.md §2.3. This version tells them by halves; the changepoint test comes with the method's own issue.
const (
	flat      = "flat"
	warmed    = "warmed"
	slowdown  = "slowdown"
	notSteady = "no steady state"
)

// steadyWindows is how many of the last windows must agree.
const steadyWindows = 10

// moves is by how much two halves may differ and still be called equal: the machine's own noise over such a short time is of that size.
const moves = 0.10

// steady reports whether the last windows stand still: the median of their later half is within moves of that of their earlier half.
// With fewer windows than that, half of those there are must do.
func steady(rates []float64) bool {
	last := rates[max(0, len(rates)-steadyWindows):]
	if len(last) < 4 {
		return false
	}
	early, late := stats.Median(last[:len(last)/2]), stats.Median(last[len(last)/2:])
	return late < early*(1+moves) && late > early*(1-moves)
}

// class tells how the rate moved from the first windows to the last.
func class(rates []float64) string {
	if !steady(rates) {
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
