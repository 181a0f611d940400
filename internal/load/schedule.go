package load

import (
	"math"
	"math/rand/v2"
	"time"
)

// Schedule says when the requests of an open loop are due. Due times follow from its fields alone
// and never move: a request that is sent late was still due when it was due. Latency from the due
// time avoids coordinated omission.
type Schedule struct {
	Stages  []Stage // one after another
	Poisson bool    // arrivals are random, at that rate; else evenly spaced
	Seed    uint64
}

// Stage is a stretch of a Schedule whose rate changes linearly, From -> To, in requests per second.
// The last stage may be endless: For = 0, with From = To.
type Stage struct {
	For      time.Duration
	From, To float64
}

// Length returns the sum of the stages; 0 if the last one is endless.
func (s *Schedule) Length() time.Duration {
	var sum time.Duration
	for _, st := range s.Stages {
		if st.For <= 0 {
			return 0
		}
		sum += st.For
	}
	return sum
}

// Expected returns the number of requests due until at, or its mean if arrivals are random: the
// integral of the rate.
func (s *Schedule) Expected(at time.Duration) float64 {
	sum := 0.0
	for _, st := range s.Stages {
		if st.For <= 0 || at < st.For {
			return sum + st.integral(at.Seconds())
		}
		sum += st.integral(st.For.Seconds())
		at -= st.For
	}
	return sum
}

// integral of the rate over the first t seconds of the stage.
func (s Stage) integral(t float64) float64 {
	if s.For <= 0 {
		return s.From * t
	}
	return s.From*t + (s.To-s.From)/(2*s.For.Seconds())*t*t
}

// when the integral reaches n: the inverse of integral, by the root that does not cancel.
func (s Stage) when(n float64) float64 {
	if n <= 0 {
		return 0
	}
	slope := 0.0
	if s.For > 0 {
		slope = (s.To - s.From) / s.For.Seconds()
	}
	root := math.Sqrt(max(s.From*s.From+2*slope*n, 0))
	return 2 * n / (s.From + root)
}

// Arrivals is the share of one of several workers in a Schedule. Evenly spaced requests are dealt
// out in turn. Of random ones each worker draws its own at a part of the rate; the superposition is
// Poisson again.
type Arrivals struct {
	s       *Schedule
	stage   int
	start   time.Duration // of the stage
	before  float64       // integral before the stage
	at      float64       // integral of the last arrival
	step    float64
	rng     rand.PCG
	left    int64 // arrivals, of a limited number
	limited bool
}

// Arrivals starts the sequence of worker i of n. A limit above 0 is the total number of requests,
// of which it takes its part.
func (s *Schedule) Arrivals(i, n int, limit int64) Arrivals {
	a := Arrivals{s: s, step: float64(n), at: float64(i) - float64(n),
		rng: *rand.NewPCG(s.Seed, uint64(i)<<32|uint64(n))}
	if s.Poisson {
		a.at = 0
	}
	if limit > 0 {
		a.limited, a.left = true, limit/int64(n)
		if int64(i) < limit%int64(n) {
			a.left++
		}
	}
	return a
}

// Next returns when the next request is due, in ns from the start; false if there is none. The
// first request of an even schedule is due at 0.
func (a *Arrivals) Next() (due int64, ok bool) {
	if a.limited && a.left == 0 {
		return 0, false
	}
	if a.s.Poisson {
		// Exponential gaps of unit rate on the scale of the integral, by inversion: -ln(1-u).
		u := float64(a.rng.Uint64()>>11) / (1 << 53)
		a.at -= math.Log1p(-u) * a.step
	} else {
		a.at += a.step
	}
	for ; a.stage < len(a.s.Stages); a.stage++ {
		st := a.s.Stages[a.stage]
		if st.For <= 0 && st.From <= 0 {
			return 0, false
		}
		// Rounded, so that an even rate is evenly spaced to the ns, and what falls upon the end of
		// a stage is in the next, which begins there.
		if n := a.at - a.before; st.For <= 0 || n < st.integral(st.For.Seconds()) {
			if in := math.Round(st.when(n) * 1e9); in >= farthest {
				return 0, false
			} else if st.For <= 0 || in < float64(st.For) {
				a.left--
				return int64(a.start) + int64(in), true
			}
		}
		a.before += st.integral(st.For.Seconds())
		a.start += st.For
	}
	return 0, false
}

// farthest is the latest due time, in ns from the start of a stage: int64 holds 292 years.
const farthest = 100 * 365 * 24 * 3600 * 1e9

// Left returns how many of a limited number of arrivals are still to come; 0 without a limit.
func (a *Arrivals) Left() int64 {
	if !a.limited {
		return 0
	}
	return a.left
}
