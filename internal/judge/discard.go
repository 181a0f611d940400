package judge

import (
	"slices"

	"dyno/internal/record"
)

// Limits fixed before any measurement, as shares of CPU time: background CPU above which loads are
// reported, and steal that is reported, or that discards a single trial as a jump (doc/method.md,
// Noise).
const (
	backgroundLimit       = 0.10
	stealLimit, stealJump = 0.03, 0.10
)

// shares are causes over some trials, as shares of the available CPU time. With several generators
// or machines the worst one counts: generatorName and stealName name it.
type shares struct {
	server, generator, queue, steal, sides float64
	service                                float64 // share on a machine of the service's own
	generatorName, stealName               string
}

func sharesOf(trials []*record.Trial) shares {
	var server, generator, queue, steal, sides, serverTime, generatorTime, sidesTime, loaded, wall float64
	var service, serviceTime float64
	for i := range trials {
		c := &trials[i].Causes
		server += float64(c.BackgroundServerNS)
		generator += float64(c.BackgroundGeneratorNS)
		queue += float64(trials[i].Load.RunQueueNS)
		loaded += float64(trials[i].Load.Wall()) * float64(c.GeneratorCPUs)
		steal += float64(c.StealNS)
		sides += float64(c.OtherSidesNS)
		sidesTime += float64(c.WallNS) * float64(c.ServerCPUs)
		if !c.BackgroundUnknown {
			serverTime += float64(c.WallNS) * float64(c.ServerCPUs)
			generatorTime += float64(c.WallNS) * float64(c.GeneratorCPUs)
		}
		service += float64(c.BackgroundServiceNS)
		serviceTime += float64(c.WallNS) * float64(c.ServiceCPUs)
		wall += float64(c.WallNS) * float64(c.CPUs())
	}
	s := shares{server: share(server, serverTime), generator: share(generator, generatorTime),
		queue: share(queue, loaded), steal: share(steal, wall), sides: share(sides, sidesTime),
		service: share(service, serviceTime)}
	s.worst(trials)
	return s
}

// worst sets the figures for the worst of several machines.
func (s *shares) worst(trials []*record.Trial) {
	type causes struct{ background, steal, time float64 }
	all, names := map[string]*causes{}, []string(nil)
	generators := map[string]bool{}
	for i := range trials {
		for _, m := range trials[i].Causes.Machines {
			if all[m.Machine] == nil {
				all[m.Machine], names = &causes{}, append(names, m.Machine)
			}
			of := all[m.Machine]
			of.background += float64(m.BackgroundNS)
			of.steal += float64(m.StealNS)
			of.time += float64(trials[i].Causes.WallNS) * float64(m.CPUs)
			generators[m.Machine] = m.Generator
		}
	}
	for i, name := range names {
		of := all[name]
		if x := share(of.steal, of.time); i == 0 || x > s.steal {
			s.steal, s.stealName = x, name
		}
		if x := share(of.background, of.time); generators[name] && (s.generatorName == "" || x > s.generator) {
			s.generator, s.generatorName = x, name
		}
	}
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

// Thresholds for a trial's longest pause: a share of its window, and at least pauseLeast ns. A
// pause reduces a closed loop's throughput by its share of the window; an open loop is judged by
// its tail, and a pause of 1 % can determine the 99th percentile. Trials of 0.1 s on a virtual
// machine without other load pause for 0.2 ms in the median, 4 ms at the 95th percentile, and 6 ms
// at most.
const (
	pauseLeast             = 10_000_000
	pauseClosed, pauseOpen = 0.10, 0.01
)

// pauseOf returns how long the generator stood still in a trial, in ns: its longest gap, or the
// time for which the machine was suspended. Waiting for a CPU does not count as a pause: other
// programs took that time.
func pauseOf(t *record.Trial) (ns int64) {
	return max(t.Load.GapNS-t.Load.RunQueueNS, t.Causes.SuspendedNS, 0)
}

// Paused reports whether a trial is invalid because of a pause.
func Paused(t *record.Trial) bool {
	limit := pauseClosed
	if t.Load.Pace != nil {
		limit = pauseOpen
	}
	return t.Causes.SuspendedNS > 0 || float64(pauseOf(t)) > max(pauseLeast, limit*float64(t.Load.WindowNS))
}

// Thresholds for the longest time without an answer: stoppedTimes median service times and
// stoppedLeast ns. If there are fewer than stoppedFrom connections, they may all be waiting for
// slow answers.
const (
	stoppedTimes = 20
	stoppedLeast = 100_000_000
	stoppedFrom  = 8
)

// sample is the length, in ns, of the samples that give a load's rates and its time without an
// answer.
const sample = 20_000_000

// unseen returns the shortest time without an answer that would count as a stop, if the load is too
// short to contain it beside a sample with an answer; else 0.
func unseen(l *record.Load) (ns int64) {
	if ns = max(stoppedLeast, stoppedTimes*l.ServiceP50NS); l.Sending()/sample*sample >= ns+sample {
		return 0
	}
	return ns
}

// Stopped returns how long a server stood still in a trial: no answer came although requests
// waited, and neither the generator nor the machine paused; 0 if it did not. few reports whether
// there were so few connections that this may be a single slow answer.
func Stopped(t *record.Trial) (ns int64, few bool) {
	l := &t.Load
	ns = l.SilentNS
	if ns <= stoppedTimes*l.ServiceP50NS || ns < stoppedLeast || Paused(t) || 2*pauseOf(t) > ns {
		return 0, false
	}
	return ns, l.Connections < stoppedFrom
}

// startMost is the largest distance of a generator's start from the common time, including its
// clock's bound.
const startMost = sample / 2

// missedStart reports whether one among several generators began, or may have begun, at another
// time.
func missedStart(t *record.Trial) bool {
	return slices.ContainsFunc(t.Load.Parts, func(p record.LoadPart) bool {
		return max(p.BeganNS, -p.BeganNS) > startMost-p.BoundNS
	})
}

// Discard reports whether a trial is invalid for a cause that no correction covers: the generator
// or the machine stood still, several generators did not begin together, the hypervisor withheld
// CPU time in a jump, or other programs used the service's own machine. It looks at no metric.
func Discard(t *record.Trial) bool {
	s := sharesOf([]*record.Trial{t})
	return Paused(t) || missedStart(t) || s.steal > stealJump || s.service > backgroundLimit
}

// Disturbed reports whether other programs changed the figures of loads that are not compared round
// by round.
func Disturbed(loads []*record.Trial) bool {
	s := sharesOf(loads)
	return slices.ContainsFunc(loads, Discard) || max(s.server, s.generator, s.sides) > backgroundLimit ||
		s.steal > stealLimit
}
