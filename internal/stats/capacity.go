package stats

import (
	"math"
	"slices"
)

// Probe is one try of a load: at Rate requests per second it kept its objective, or did not.
type Probe struct {
	Rate float64
	Pass bool
}

const (
	capacityGrid = 400
	drop         = 3.0
	trust        = 0.75 // in one probe: the chance that it tells the side of the capacity rightly
)

// Bisect returns the rate to probe next, by probabilistic bisection: over a grid of log rates between lo and hi, a posterior that each probe
// so far multiplied by trust on its side and by 1 - trust on the other; the answer is its median (Waeber, Frazier, Henderson, SIAM J. Control
// Optim. 2013). Binary search, which believes every probe, goes astray by 30 to 60 % at one time in a hundred (method.md §3).
func Bisect(lo, hi float64, probes []Probe) float64 {
	at := func(i int) float64 { return math.Log(lo) + (math.Log(hi)-math.Log(lo))*float64(i)/(capacityGrid-1) }
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

// Capacity estimates the rate at which half of all probes pass, from probes around it, by maximum likelihood of
//
//	P(pass at rate) = .02 + .88 / (1 + exp(s·(ln rate − a)))
//
// over a and the steepness s; the floor and the ceiling allow for probes that something else decided (method.md §3). Lo and hi bound the
// profile likelihood within 3 of its maximum: with so few probes the usual 1.92 covers 87 to 90 % by simulation, and 3 about 95 %; they are 0 and +Inf where all probes pass or all fail. Without probes the
// result is NaN.
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
	first, last := slices.Index(profile, best), 0
	for i, l := range profile {
		if l >= best-1e-9 {
			last = i
		}
	}
	center := (a(first) + a(last)) / 2 // of the plateau that perfectly separated probes leave
	lo, hi = 0, math.Inf(1)
	for i, l := range profile {
		if l >= best-drop {
			if lo == 0 {
				lo = math.Exp(a(i))
			}
			hi = math.Exp(a(i))
		}
	}
	switch passed {
	case 0:
		return math.Exp(least), 0, math.Exp(least)
	case len(probes):
		return math.Exp(most), math.Exp(most), math.Inf(1)
	}
	return math.Exp(center), lo, hi
}

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
