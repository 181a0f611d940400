package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Probe is one test load: at Rate requests per second it met its objective, or did not.
type Probe struct {
	Rate float64
	Pass bool
}

const (
	capacityGrid = 400  // rates between lo and hi
	drop         = 3.0  // fall in log likelihood from the maximum to the ends of the interval
	trust        = 0.75 // probability that a probe is right about the side on which the capacity lies
)

// Bisect returns the rate to probe next, by probabilistic bisection: over a grid of log rates
// between lo and hi, a posterior that each probe multiplied by trust on its side and by 1 - trust
// on the other; the next rate is the posterior median (Waeber, Frazier, Henderson, SIAM J. Control
// Optim. 2013). Binary search, which trusts every probe, is wrong by 30 to 60 % in one search in a
// hundred.
func Bisect(lo, hi float64, probes []Probe) float64 {
	from, to := math.Log(lo), math.Log(hi)
	at := func(i int) float64 { return from + (to-from)*float64(i)/(capacityGrid-1) }
	logs := make([]float64, capacityGrid)
	for _, p := range probes {
		x := math.Log(p.Rate)
		for i := range logs {
			if (at(i) >= x) == p.Pass {
				logs[i] += math.Log(trust)
			} else {
				logs[i] += math.Log(1 - trust)
			}
		}
	}
	most, sum := slices.Max(logs), 0.0
	for i, l := range logs {
		logs[i] = math.Exp(l - most)
		sum += logs[i]
	}
	half := 0.0
	for i, w := range logs {
		if half += w; half >= sum/2 {
			return math.Exp(at(i))
		}
	}
	return hi
}

// Capacity estimates the rate at which half the probes pass, from probes around it, by maximum
// likelihood for
//
//	P(pass at rate) = .02 + .88 / (1 + exp(s·(ln rate − a)))
//
// over a and the steepness s; the floor and the ceiling allow for probes that something else
// decided. lo and hi bound the profile likelihood within 3 of its maximum: with so few probes the
// usual 1.92 covers 87 to 90 % by simulation, and 3 about 95 %. If all probes pass, rate and lo are
// the highest probed rate and hi is +Inf; if all fail, rate and hi are the lowest and lo is 0.
// Without probes rate is NaN.
func Capacity(probes []Probe) (rate, lo, hi float64) {
	if len(probes) == 0 {
		return math.NaN(), 0, math.Inf(1)
	}
	least, most := math.Inf(1), math.Inf(-1)
	passed := 0
	for _, p := range probes {
		least, most = min(least, math.Log(p.Rate)), max(most, math.Log(p.Rate))
		if p.Pass {
			passed++
		}
	}
	switch passed {
	case 0:
		return math.Exp(least), 0, math.Exp(least)
	case len(probes):
		return math.Exp(most), math.Exp(most), math.Inf(1)
	}
	const steps = 200
	from, to := least-0.2, most+0.2
	profile := make([]float64, steps)
	a := func(i int) float64 { return from + (to-from)*float64(i)/(steps-1) }
	for i := range profile {
		profile[i] = math.Inf(-1)
		for s := 2.0; s < 300; s *= 1.5 {
			profile[i] = max(profile[i], logLikelihood(probes, a(i), s))
		}
	}
	best := slices.Max(profile)
	within := func(below float64) (first, last float64) { // range where the profile is at most this far below its best
		near := func(l float64) bool { return l >= best-below }
		end := steps - 1
		for !near(profile[end]) {
			end--
		}
		return a(slices.IndexFunc(profile, near)), a(end)
	}
	_, last := within(1e-9) // end of the plateau that perfectly separated probes leave
	lo, hi = within(drop)
	return math.Exp((a(slices.Index(profile, best)) + last) / 2), math.Exp(lo), math.Exp(hi)
}

// logLikelihood returns the log probability of probes under Capacity's curve.
func logLikelihood(probes []Probe, a, s float64) float64 {
	sum := 0.0
	for _, p := range probes {
		pass := .02 + .88/(1+math.Exp(s*(math.Log(p.Rate)-a)))
		if !p.Pass {
			pass = 1 - pass
		}
		sum += math.Log(pass)
	}
	return sum
}

// BinomialAtMost returns the probability that at most k in n events happen, each with probability
// p.
func BinomialAtMost(k, n int64, p float64) float64 {
	return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k))
}
