package plan

import (
	"cmp"
	"slices"
	"time"

	"dyno/internal/record"
)

// Warm-up for a fresh process (doc/method.md): it is loaded for at least WarmLeast, has answered
// fewRequests where the time is not known yet, and its rates no longer rise. A process that uses CPU at
// rest compiles: it has answered warmRequests, and has been idle at rest for WarmQuiet, unless its
// rates are steady after WarmMost.
const (
	WarmLeast = 500 * time.Millisecond
	WarmMost  = 10 * time.Second

	WarmCompiling = 60 * time.Second // the longest of one that compiles
	WarmRestMost  = 3 * time.Second  // between two windows, while one compiles
	WarmQuiet     = 2 * time.Second
	warmRequests  = 20_000
	fewRequests   = 5000 // of one that compiles, once the time is known
)

// warmPilot is the estimated warm-up for a contestant that is steady from the start, while its
// warm-up time is not yet known.
const warmPilot = time.Second

// Estimates for contestants that compile: CPU time of one's compiler, and time between its windows.
// Three ASP.NET Core servers used 4.8 s of CPU; Node takes 0.3 s.
const (
	compileTime = 500 * time.Millisecond
	warmRest    = 200 * time.Millisecond
)

// warmConnections is the maximum number of connections in a warm-up. A window takes 0.8 s with
// 5,000 connections and 0.15 s with 1,000, and a warm-up has at least four.
const warmConnections = 1000

// The number of windows that a contestant's last level must have: FirstWindows in the epochs that find
// the warm-up time, FewestWindows later.
const (
	FirstWindows  = 10
	FewestWindows = 4
)

// WarmWindow returns the length of one warm-up window at a level.
func WarmWindow(level record.Level) time.Duration {
	return max(100*time.Millisecond, 2*time.Duration(level.DelayNS))
}

// Warming holds the parameters for a contestant's warm-up in an epoch.
type Warming struct {
	Least, Most time.Duration
	Compiling   time.Duration // Most for one that compiles
	Quiet       time.Duration // for which one that compiles must have been idle at rest
	Requests    int64         // the least of one that compiles and whose handlers do not wait
	Plain       int64         // the same of one that does not compile
	Calibrated  bool          // earlier epochs found the time
	Compiles    bool          // an earlier epoch showed that it does
}

// found returns how many epochs find the warm-up times: the pilots, or the first epoch.
func found(p *record.Plan) int { return max(1, p.Pilots) }

// Warmup returns the parameters for a contestant's warm-up in an epoch. After the first epochs the
// minimum is 1.25 times the time that they found; for contestants that compile the longest time that
// any of them needed, so that all have run equally long. If a contestant never became steady there,
// no length is known to help, and its warm-up is not extended.
func Warmup(run *record.Run, name string, epoch int) Warming {
	p, pr := &run.Plan, profileOf(&run.Plan)
	w := Warming{Least: WarmLeast, Most: WarmMost, Compiling: cmp.Or(pr.compiling, WarmCompiling),
		Quiet: cmp.Or(pr.quiet, WarmQuiet), Requests: cmp.Or(pr.requests, warmRequests), Calibrated: epoch >= found(p)}
	w.Plain = min(w.Requests, fewRequests)
	for _, l := range run.Launches {
		w.Compiles = w.Compiles || l.Contestant == name && l.Epoch < epoch && l.CompiledNS != nil
	}
	if !w.Calibrated {
		return w
	}
	lost, steady := false, time.Duration(0)
	for _, l := range run.Launches {
		own := l.Contestant == name
		if l.Epoch >= found(p) || !own && !(w.Compiles && l.CompiledNS != nil) {
			continue
		}
		if l.SteadyNS != nil {
			steady = max(steady, time.Duration(*l.SteadyNS))
		}
		if own {
			lost = l.Warmup == record.NotSteady && (lost || l.Epoch == 0)
		}
	}
	if lost {
		w.Most, w.Compiling = w.Least+WarmQuiet, w.Least+WarmQuiet
	}
	most := w.Most
	if w.Compiles {
		most = w.Compiling
	}
	w.Least, w.Requests, w.Plain = min(max(w.Least, steady*5/4), most), w.Plain, 0
	return w
}

// warmEstimate estimates the time for an epoch's warm-ups: contestants that do not compile are loaded
// one after the other while the compilers of the others are idle. Before the first epoch their names
// tell which they are.
func warmEstimate(run *record.Run, epoch int, names []string) time.Duration {
	p := &run.Plan
	first := warmLevel(First(p, epoch))
	var sum, least, quiet, longest time.Duration
	compilers, windows := time.Duration(0), time.Duration(FewestWindows)
	for _, name := range names {
		window := WarmWindow(first) + Answered(first) + beyond(first)*dialTime
		loaded := window
		if connect, answer := connecting(run, name, first); answer > 0 {
			loaded = WarmWindow(first) + answer
			window = loaded + connect
		}
		w := Warmup(run, name, epoch)
		if !w.Calibrated {
			windows = FirstWindows
		}
		if w.Compiles || slices.Contains(p.Servers.Managed, name) && !launchedBefore(run, name) {
			compilers++
			least, quiet, longest = max(least, w.Least), w.Quiet, max(longest, window)
			continue
		}
		if !w.Calibrated {
			w.Least = max(w.Least, warmPilot)
		}
		sum += max(time.Duration(float64(w.Least)*window.Seconds()/loaded.Seconds()), FewestWindows*window)
	}
	if compilers == 0 {
		return sum
	}
	compile := compilers * compileTime
	return sum + max(least, compile+quiet, compile+windows*(compilers*longest+warmRest))
}

// launchedBefore reports whether a contestant's warm-up is recorded.
func launchedBefore(run *record.Run, name string) bool {
	return slices.ContainsFunc(run.Launches, func(l record.Launch) bool { return l.Contestant == name })
}

// Warmups returns the levels that a contestant is warmed up at in an epoch, as closed loops: the
// first level for each scenario and HTTP version with which it is loaded there, because code
// that is not called is not compiled.
func Warmups(run *record.Run, epoch int, name string) []record.Level {
	return warmups(append(slots(&run.Plan, epoch), extras(run, epoch)...), name)
}

// warmLevel returns the closed loop with which a contestant is warmed up for a level. It has fewer
// connections than a level with thousands, whose dialling and re-warm before each trial do the
// rest.
func warmLevel(l record.Level) record.Level {
	l.RatePerSec = 0
	l.Connections = min(l.Connections, warmConnections)
	return l
}

// warmups returns one contestant's warm-up levels among entering.
func warmups(entering []slot, name string) []record.Level {
	var out []record.Level
	for _, e := range entering {
		l := warmLevel(e.level)
		known := slices.ContainsFunc(out, func(o record.Level) bool {
			return o.Scenario == l.Scenario && o.HTTP == l.HTTP
		})
		if e.Contestant == name && !known {
			out = append(out, l)
		}
	}
	return out
}
