package bench

import (
	"math"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// windowsOf returns how many windows of that length the last level must have before the warm-up time is
// known: plan.FirstWindows, or fewer for longer windows, to make up the same time.
func windowsOf(length time.Duration) int {
	return max(plan.FewestWindows, int((plan.FirstWindows*plan.WarmWindow(record.Level{})+length/2)/length))
}

// perCPU returns the logs of requests per second of CPU time, or of wall time for windows with
// unreadable CPU time.
func perCPU(windows []record.WarmupWindow) []float64 {
	x := perSecond(windows)
	for i, w := range windows {
		if w.CPUNS > 0 {
			x[i] += math.Log(float64(w.WindowNS) / float64(w.CPUNS))
		}
	}
	return x
}

// perSecond returns the logs of requests per second.
func perSecond(windows []record.WarmupWindow) []float64 {
	var x []float64
	for _, w := range windows {
		x = append(x, math.Log(float64(w.Requests)/float64(w.WindowNS)*1e9))
	}
	return x
}

// tolerance returns the largest difference at which two levels of logs count as one.
func tolerance(sigma float64) float64 { return max(math.Log(1.02), 2*sigma) }

// leveled describes a series' last level.
type leveled struct {
	settled        bool // it has enough windows
	from           int  // where it begins
	faster, slower bool // a faster, a slower level came before it
}

// levels finds the last level in x, logs of rates, oldest first (doc/method.md, Warm-up): the
// windows at the end that agree with the median of the last need. It is settled if it has need
// windows, and their halves agree. A window agrees if the median over up to seven around it is
// within the tolerance; the first and the last window alone, within twice that. noise is a lower
// bound for x's noise.
func levels(x []float64, need int, noise float64) (l leveled) {
	sigma := max(stats.Jitter(x), noise)
	if math.IsNaN(sigma) {
		return l
	}
	end := x[max(0, len(x)-need):]
	level, tol := stats.Median(end), tolerance(sigma)
	apart := func(i int) float64 { // in tolerances
		side := min(3, i, len(x)-1-i)
		d := (stats.Median(x[i-side:i+side+1]) - level) / tol
		if side == 0 {
			d /= 2
		}
		return d
	}
	for l.from = len(x); l.from > 0 && math.Abs(apart(l.from-1)) < 1; {
		l.from--
	}
	for i := range l.from {
		l.faster, l.slower = l.faster || apart(i) >= 1, l.slower || apart(i) <= -1
	}
	half := len(end) / 2
	l.settled = len(x)-l.from >= need && math.Abs(stats.Median(end[half:])-stats.Median(end[:half])) < tol
	return l
}

// classOf returns the class of a warm-up that ended steady, and the window where its last level
// began, over all its series.
func classOf(all []leveled) (class string, from int) {
	class = record.Flat
	for _, l := range all {
		from = max(from, l.from)
		switch {
		case l.faster:
			class = record.Slowdown
		case l.slower && class == record.Flat:
			class = record.Warmed
		}
	}
	return class, from
}

// noiseOf returns the median over contestants of a series' noise from one window to the next,
// because one contestant's few windows give a poor estimate. It is 0 if no contestant has four
// windows.
func noiseOf(all []*started, series func([]record.WarmupWindow) []float64) float64 {
	var each []float64
	for _, s := range all {
		if len(s.Windows) >= 4 {
			each = append(each, stats.Jitter(series(s.Windows)))
		}
	}
	if len(each) == 0 {
		return 0
	}
	return stats.Median(each)
}
