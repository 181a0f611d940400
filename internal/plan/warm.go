package plan

import (
	"cmp"
	"slices"
	"time"

	"dyno/internal/record"
)

// Warm-up for a fresh process (doc/method.md): a native one is loaded for at least WarmNative. A
// managed one is loaded at intervals, for at least WarmManaged since its first window and
// warmRequests, and until it has used no CPU while idle for WarmQuiet, which means that its
// compiler has finished.
const (
	WarmNative    = 500 * time.Millisecond
	WarmNativeCap = 10 * time.Second

	WarmManaged    = 6 * time.Second
	WarmManagedCap = 60 * time.Second
	WarmRest       = 400 * time.Millisecond // pause between two turns
	WarmRestMost   = 3 * time.Second        // longest pause, while a contestant compiles
	WarmQuiet      = 2 * time.Second
	warmRequests   = 20_000
)

// warmPilot is the estimated warm-up for a native contestant that is steady from the start,
// while its warm-up time is not yet known.
const warmPilot = time.Second

// compileTime is the estimated CPU time that a managed contestant's compiler uses: three ASP.NET
// Core servers used 4.8 s.
const compileTime = 1500 * time.Millisecond

// warmConnections is the maximum number of connections in a warm-up. A window takes 0.8 s with
// 5,000 connections and 0.15 s with 1,000, and a warm-up has at least four.
const warmConnections = 1000

// fewestWindows is the number of windows needed to determine that a contestant is steady.
const fewestWindows = 4

// WarmWindow returns the length of one warm-up window at a level.
func WarmWindow(level record.Level) time.Duration {
	return max(100*time.Millisecond, 2*time.Duration(level.DelayNS))
}

// Warming holds the parameters for a contestant's warm-up in an epoch.
type Warming struct {
	Least, Most time.Duration
	Calibrated  bool  // the pilots are over
	Requests    int64 // minimum for a managed contestant whose handlers do not wait
}

// warmLeast returns the minimum warm-up time for a fresh process.
func warmLeast(p *record.Plan, managed bool) time.Duration {
	if managed {
		return cmp.Or(profileOf(p).managed, WarmManaged)
	}
	return cmp.Or(profileOf(p).native, WarmNative)
}

// Warmup returns the parameters for a contestant's warm-up in an epoch. After the pilots the
// minimum is 1.25 times the time that they found; for managed contestants the longest time that
// any needed, so that all runtimes have run equally long. If a contestant never became steady in
// the pilots, no length is known to help, and its warm-up is not extended.
func Warmup(run *record.Run, name string, epoch int) Warming {
	p := &run.Plan
	managed := slices.Contains(p.Servers.Managed, name)
	w := Warming{Least: warmLeast(p, managed), Most: WarmNativeCap, Calibrated: p.Pilots > 0 && epoch >= p.Pilots}
	if managed {
		pr := profileOf(p)
		w.Most, w.Requests = cmp.Or(pr.managedCap, WarmManagedCap), cmp.Or(pr.requests, warmRequests)
	}
	if !w.Calibrated {
		return w
	}
	lost, found := false, time.Duration(0)
	for i := range run.Launches {
		l := &run.Launches[i]
		own := l.Contestant == name
		if l.Epoch >= p.Pilots || !own && !(managed && slices.Contains(p.Servers.Managed, l.Contestant)) {
			continue
		}
		if l.SteadyNS != nil {
			found = max(found, time.Duration(*l.SteadyNS))
		}
		if !own {
			continue
		}
		lost = l.Warmup == record.NotSteady && (lost || l.Epoch == 0)
	}
	if lost {
		w.Most = w.Least + WarmQuiet
	}
	w.Least = min(max(w.Least, found*5/4), w.Most)
	return w
}

// warmEstimate estimates the time for an epoch's warm-ups: native contestants are loaded one
// after the other while the managed ones' compilers are idle, managed ones at the same time.
// They are assumed to need the minimum.
func warmEstimate(run *record.Run, epoch int, names []string) time.Duration {
	p := &run.Plan
	first := warmLevel(First(p, epoch))
	window := WarmWindow(first) + Answered(first) + beyond(first)*dialTime
	var native, managed time.Duration
	for _, name := range names {
		w := Warmup(run, name, epoch)
		least := w.Least
		if slices.Contains(p.Servers.Managed, name) {
			managed = max(managed, least+WarmQuiet, fewestWindows*(window+WarmRest))
			native += compileTime
			continue
		}
		if !w.Calibrated {
			least = max(least, warmPilot)
		}
		native += max(least, fewestWindows*window)
	}
	return max(native, managed)
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
	l.RatePerSec, l.RateShare, l.OwnRate = 0, 0, false
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
