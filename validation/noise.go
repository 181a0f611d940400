package main

import (
	"math"
	"math/rand/v2"
)

// Noise changes the log of a server's speed independently of the server's code. Sizes are standard deviations
// on the log scale, shares are from 0 to 1.
type Noise struct {
	Name  string
	Drift float64 // machine speed, common to all servers; see wander
	Trial float64 // T1: 0.4 s of load on one server; scales as 1/√time for shorter trials
	Start float64 // T2: a fresh process, constant in an epoch
	// Hits is the share of trials that another program slows down, by a log drawn from the exponential
	// distribution with mean Hit.
	Hits, Hit float64
	Loud      float64 // if not 0, multiplies Trial and Start for server 0
	// Rho is the correlation between a server's starts in successive epochs (AR 1).
	Rho float64
}

// Noises are the noise models in README.md. Their sizes come from pilots with 0.4 s trials; the throughput
// drift, 25 %, comes from 0.1 s trials (doc/method.md).
var Noises = []Noise{
	{Name: "quiet", Drift: .02, Trial: .01, Start: .003},
	{Name: "VM, CPU/request", Drift: .03, Trial: .02, Start: .005, Hits: .06, Hit: .2},
	{Name: "VM, throughput, gated", Drift: .25, Trial: .03, Start: .005},
	{Name: "VM, throughput, ungated", Drift: .25, Trial: .08, Start: .005, Hits: .15, Hit: .5},
	{Name: "JIT or layout", Drift: .03, Trial: .02, Start: .02, Hits: .06, Hit: .2},
	{Name: "one server 3 × noisier", Drift: .03, Trial: .02, Start: .005, Hits: .06, Hit: .2, Loud: 3},
}

// Durations in a run, s, as in internal/plan.
const (
	trialTime = 0.1
	gapTime   = 0.052 // re-warm, thaw, dial, drain, freeze
	startTime = 0.8   // per server, at the start of an epoch
	pilotTime = 0.4   // trial length to which Noise.Trial refers
)

// wander is the machine's speed in units of its standard deviation: the sum of three Ornstein–Uhlenbeck
// processes. Their weights and times, s, reproduce the measured autocorrelation: .83 at 10 ms, .49 at 0.1 s,
// .26 at 0.4 s and .2 at 1 s.
type wander struct {
	x   [3]float64
	rng *rand.Rand
}

var wanders = [3]struct{ weight, time float64 }{{.315, .016}, {.485, .196}, {.2, 30}}

// newWander starts in the stationary state.
func newWander(rng *rand.Rand) *wander {
	w := &wander{rng: rng}
	for i, part := range wanders {
		w.x[i] = math.Sqrt(part.weight) * rng.NormFloat64()
	}
	return w
}

// rest advances the time by step s.
func (w *wander) rest(s *step) {
	for i := range w.x {
		w.x[i] = w.x[i]*s.keep[i] + s.end[i]*w.rng.NormFloat64()
	}
}

// mean advances the time by step s and returns the mean speed during the step. The process and its integral
// are drawn together, exactly.
func (w *wander) mean(s *step) (mean float64) {
	for i := range w.x {
		z := w.rng.NormFloat64()
		mean += w.x[i]*s.share[i] + s.mean[i]*(s.both[i]*z+s.alone[i]*w.rng.NormFloat64())
		w.x[i] = w.x[i]*s.keep[i] + s.end[i]*z
	}
	return mean
}

// step describes how each part of a wander changes over a period, given the value x before. The value after
// the period has mean keep·x and standard deviation end. The average over the period has mean share·x and
// standard deviation mean; both is the correlation between the two (Gillespie, Phys. Rev. E 54 (1996) 2084).
// alone is √(1 - both²).
type step struct{ keep, end, share, mean, both, alone [3]float64 }

// newStep precomputes the step for a period.
func newStep(seconds float64) *step {
	var s step
	for i, part := range wanders {
		t := seconds / part.time
		e := math.Exp(-t)
		s.keep[i] = e
		s.end[i] = math.Sqrt(part.weight * (1 - e*e))
		s.share[i] = (1 - e) / t
		s.mean[i] = math.Sqrt(part.weight * (2*t - 3 + 4*e - e*e) / (t * t))
		s.both[i] = part.weight * (1 - e) * (1 - e) / t / (s.end[i] * s.mean[i])
		s.alone[i] = math.Sqrt(1 - s.both[i]*s.both[i])
	}
	return &s
}

var (
	overTrial = newStep(trialTime)
	overGap   = newStep(gapTime)
)
