package plan

import (
	"slices"
	"time"

	"dyno/internal/result"
)

// Warm-up of a fresh process (doc/method.md): a native one is loaded for at least WarmNative. A managed one is loaded now and then, for at least
// WarmManaged since its first window, WarmRequests, and until it has used no CPU at rest for WarmQuiet: its compiler is done.
const (
	WarmNative    = 500 * time.Millisecond
	WarmNativeCap = 10 * time.Second

	WarmManaged    = 6 * time.Second
	WarmManagedCap = 60 * time.Second
	WarmRest       = 400 * time.Millisecond // between two turns
	WarmQuiet      = 2 * time.Second
	WarmRequests   = 20_000
)

// warmPilot is what a native one that stands still from the start takes where its warm-up time is yet to be found.
const warmPilot = time.Second

// fewestWindows are needed to see that a contestant stands still.
const fewestWindows = 4

// WarmWindow is the length of one stretch of load of a warm-up at a level.
func WarmWindow(level result.Level) time.Duration {
	return max(100*time.Millisecond, 2*time.Duration(level.DelayNS))
}

// Warmup is how long the warm-up of a contestant takes in an epoch, at least and at most. It is calibrated where the pilots are over: then the
// least is 1.25 times the longest that a pilot's launch took to be steady. Where no pilot became steady no length is known to help, and it is not
// waited for again.
func Warmup(run *result.Run, name string, epoch int) (least, most time.Duration, calibrated bool) {
	p := &run.Plan
	least, most = WarmNative, WarmNativeCap
	if slices.Contains(p.Managed, name) {
		least, most = WarmManaged, WarmManagedCap
	}
	if epoch < p.Pilots || p.Pilots == 0 {
		return least, most, false
	}
	found, steady := time.Duration(0), len(run.Launches) == 0
	for i := range run.Launches {
		if l := &run.Launches[i]; l.Contestant == name && l.Epoch < p.Pilots {
			steady = steady || l.Warmup != result.NotSteady
			if l.SteadyNS != nil {
				found = max(found, time.Duration(*l.SteadyNS))
			}
		}
	}
	if !steady {
		return least, least + WarmQuiet, true
	}
	return min(max(least, found*5/4), most), most, true
}

// warmEstimate is what the warm-ups of an epoch take: natives are loaded one after the other, managed ones beside them. Those of
// which nothing is recorded need but the least.
func warmEstimate(run *result.Run, epoch int) time.Duration {
	p := &run.Plan
	window := WarmWindow(First(p, epoch))
	var native, managed time.Duration
	for _, name := range starters(p, epoch < p.Pilots) {
		least, _, calibrated := Warmup(run, name, epoch)
		if slices.Contains(p.Managed, name) {
			managed = max(managed, least+WarmQuiet, fewestWindows*(window+WarmRest))
			continue
		}
		if !calibrated {
			least = max(least, warmPilot)
		}
		native += max(least, fewestWindows*window)
	}
	return max(native, managed)
}

// warmExcess is by how much the warm-ups of the pilots took longer than estimated, ns.
func warmExcess(run *result.Run) (excess int64) {
	p := &run.Plan
	for e := range p.Pilots {
		var native, managed int64
		for i := range run.Launches {
			switch l := &run.Launches[i]; {
			case l.Epoch != e:
			case slices.Contains(p.Managed, l.Contestant):
				managed = max(managed, l.WarmupNS)
			default:
				native += l.WarmupNS
			}
		}
		excess += max(0, max(native, managed)-int64(warmEstimate(run, e)))
	}
	return excess
}
