package bench

import (
	"math"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// steadyWindows is the number of windows that the last level must have, and the number of last
// windows that the halves test uses. For a managed contestant, whose windows are not adjacent, the
// latter is steadyTurns. A level has at least fewest windows.
const (
	steadyWindows = 10
	steadyTurns   = 4
	fewest        = 3
)

// windowsOf returns the number of windows of a length that the last level must have: steadyWindows,
// or fewer for longer windows, to make up the same time, but at least as many as the halves test
// needs.
func windowsOf(length time.Duration) int {
	return max(steadyTurns, int(steadyWindows*plan.WarmWindow(result.Level{})/length))
}

// perCPU returns the logs of requests per second of CPU time; per second of wall time for windows
// whose CPU time could not be read.
func perCPU(windows []result.WarmupWindow) []float64 {
	x := perSecond(windows)
	for i, w := range windows {
		if w.CPUNS > 0 {
			x[i] += math.Log(float64(w.WindowNS) / float64(w.CPUNS))
		}
	}
	return x
}

// perSecond returns the logs of requests per second.
func perSecond(windows []result.WarmupWindow) []float64 {
	var x []float64
	for _, w := range windows {
		x = append(x, math.Log(float64(w.Requests)/float64(w.WindowNS)*1e9))
	}
	return x
}

func rate(log float64) int64 { return int64(math.Round(math.Exp(log))) }

// tolerance returns the largest difference at which two levels of logs count as one.
func tolerance(sigma float64) float64 { return max(math.Log(1.02), 2*sigma) }

// leveled is the result of a changepoint analysis of a series.
type leveled struct {
	settled        bool // the last level has enough windows
	from           int  // where it begins
	faster, slower bool // there was a faster one before it, a slower one
}

// levels finds the last level of x, logs of rates, oldest first (doc/method.md, Warm-up). A level
// is a run of segments of equal mean at the end of x whose means differ from the last one by less
// than the tolerance. It is settled if it has at least need windows. A last segment with fewer than
// fewest windows is not a level yet. noise is a lower bound of the noise of x.
func levels(x []float64, need int, noise float64) (l leveled) {
	sigma := max(stats.Jitter(x), noise)
	if math.IsNaN(sigma) {
		return l
	}
	x = stats.Despike(x, 3*sigma)
	starts := stats.Segments(x, 3*sigma*sigma*math.Log(float64(len(x))))
	means := make([]float64, len(starts))
	end := len(x)
	k := len(starts) - 1
	for i := k; i >= 0; i-- {
		for _, v := range x[starts[i]:end] {
			means[i] += v / float64(end-starts[i])
		}
		end = starts[i]
	}
	young := len(x)-starts[k] < fewest && k > 0
	if young {
		k--
	}
	last, tol := means[k], tolerance(sigma)
	for k > 0 && math.Abs(means[k-1]-last) < tol {
		k--
	}
	l.from = starts[k]
	for _, m := range means[:k] {
		l.faster = l.faster || m >= last+tol
		l.slower = l.slower || m <= last-tol
	}
	l.settled = len(x)-l.from >= need && (!young || math.Abs(means[len(means)-1]-last) < tol)
	return l
}

// classOf returns the class of a warm-up that ended steady, and the window with which its last
// level began, over all its series.
func classOf(all []leveled) (class string, from int) {
	class = result.Flat
	for _, l := range all {
		from = max(from, l.from)
		switch {
		case l.faster:
			class = result.Slowdown
		case l.slower && class == result.Flat:
			class = result.Warmed
		}
	}
	return class, from
}

// halvesAgree reports whether the medians of both halves of x, logs of rates, are within the
// tolerance of each other. It is false for fewer than four values.
func halvesAgree(x []float64, noise float64) bool {
	if len(x) < 4 {
		return false
	}
	half := len(x) / 2
	return math.Abs(stats.Median(x[len(x)-half:])-stats.Median(x[:half])) < tolerance(max(stats.Jitter(x), noise))
}

// noiseOf returns the median over contestants of the noise of a series from one window to the next,
// because the few windows of one contestant give a poor estimate. It is 0 if none has four windows.
func noiseOf(all []*started, series func([]result.WarmupWindow) []float64) float64 {
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

// last returns the last n values of x.
func last(x []float64, n int) []float64 { return x[max(0, len(x)-n):] }
