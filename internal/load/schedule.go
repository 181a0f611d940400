package load

import (
	"math"
	"math/rand/v2"
	"time"
)

// Schedule says when an open loop's requests are due. Due times follow from its fields alone and
// never move: a request that is sent late was still due at its due time. Latency from the due time
// avoids coordinated omission.
type Schedule struct {
	Stages  []Stage // one after another
	Poisson bool    // arrivals are random, at that rate; else evenly spaced
	Seed    uint64

	share Share // the share that this generator sends: see Job.Own
}

// Stage is a part of a Schedule whose rate changes linearly, From -> To, in requests per second.
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

// integral returns the rate's integral over the first t seconds of the stage.
func (s Stage) integral(t float64) float64 {
	if s.For <= 0 {
		return s.From * t
	}
	return s.From*t + (s.To-s.From)/(2*s.For.Seconds())*t*t
}

// when returns when the integral reaches n: the inverse of integral, by the root that does not
// cancel.
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

// Arrivals is one worker's part in a Schedule. Every worker draws the same sequence and keeps its
// own arrivals, so that all workers together have the Schedule's arrivals, whatever their number.
// Evenly spaced arrivals are dealt out in turn. For each random arrival a worker is drawn, so that
// each worker's arrivals are Poisson again, at a part of the rate.
type Arrivals struct {
	s      *Schedule
	stage  int
	start  time.Duration // the stage's start
	before float64       // integral before the stage
	limit  int64         // the Schedule's arrivals; math.MaxInt64: no limit
	at     float64       // integral at the last arrival

	next int64 // index of the next arrival in the Schedule, for any worker
	// For even arrivals: the worker's have the same remainder modulo step.
	step int64
	// For random arrivals: the worker, one of step; the integral at the start of the current block,
	// and the product of the variates drawn in it.
	worker        uint64
	base, product float64
	rng           rand.PCG
}

// block is the number of random arrivals that share a logarithm, which costs more than the rest of
// a draw. The smallest product of as many variates, 2^-640, is well within float64.
const block = 16

// Arrivals starts the sequence for worker i of n, on the generator that has the Schedule's share. A
// limit above 0 is the number of arrivals, over all workers.
func (s *Schedule) Arrivals(i, n int, limit int64) Arrivals {
	a := Arrivals{s: s, limit: math.MaxInt64, step: int64(s.share.of() * n), product: 1,
		rng: *rand.NewPCG(s.Seed, 0x6172726976616c73)}
	if limit > 0 {
		a.limit = limit
	}
	if s.Poisson {
		a.worker = uint64(s.share.Index*n + i) // its range of variates lies within its generator's
	} else {
		a.next = int64(s.share.member(i))
	}
	return a
}

// draw draws the next random arrival's variate, in (0,1], and whether it belongs to the worker:
// from 40 bits and from 24, so that with 1000 workers their rates differ by 0.01 %.
func (a *Arrivals) draw() (v float64, own bool) {
	bits := a.rng.Uint64()
	a.next++
	return float64(bits>>24+1) / (1 << 40), bits<<40>>40*uint64(a.step)>>24 == a.worker
}

// advance moves to the worker's next arrival; false if the limit allows none.
func (a *Arrivals) advance() bool {
	if !a.s.Poisson {
		if a.next >= a.limit {
			return false
		}
		a.at = float64(a.next)
		a.next += a.step
		return true
	}
	// Exponential gaps with unit rate on the integral's scale, by inversion: the sum of -ln(v).
	for a.next < a.limit {
		if a.next%block == 0 {
			a.base, a.product = a.base-math.Log(a.product), 1
		}
		v, own := a.draw()
		if a.product *= v; own {
			a.at = a.base - math.Log(a.product)
			return true
		}
	}
	return false
}

// Next returns when the worker's next request is due, in ns from the start; false if there is none.
// The first request of an even schedule is due at 0.
func (a *Arrivals) Next() (due int64, ok bool) {
	if !a.advance() {
		return 0, false
	}
	for ; a.stage < len(a.s.Stages); a.stage++ {
		st := a.s.Stages[a.stage]
		if st.For <= 0 && st.From <= 0 {
			return 0, false
		}
		// Rounded, so that an even rate is evenly spaced to the ns, and an arrival at a stage's end
		// belongs to the next stage, which begins there.
		if n := a.at - a.before; st.For <= 0 || n < st.integral(st.For.Seconds()) {
			if in := math.Round(st.when(n) * 1e9); in >= farthest {
				return 0, false
			} else if st.For <= 0 || in < float64(st.For) {
				return int64(a.start) + int64(in), true
			}
		}
		a.before += st.integral(st.For.Seconds())
		a.start += st.For
	}
	return 0, false
}

// farthest is the latest due time, in ns from a stage's start: int64 holds 292 years.
const farthest = 100 * 365 * 24 * 3600 * 1e9

// Left returns the number of the worker's arrivals that are still to come, if arrivals are limited;
// 0 without a limit. It draws up to counted random arrivals, and takes the mean number beyond:
// interrupting a load of a billion requests takes no time.
func (a *Arrivals) Left() (n int64) {
	switch {
	case a.limit == math.MaxInt64:
		return 0
	case !a.s.Poisson:
		return max(0, (a.limit-a.next+a.step-1)/a.step)
	case a.step == 1:
		return a.limit - a.next
	}
	rest := *a
	rest.limit = min(a.limit, a.next+counted)
	for rest.next < rest.limit {
		if _, own := rest.draw(); own {
			n++
		}
	}
	return n + (a.limit-rest.limit)/a.step
}

// counted is the largest number of random arrivals that Left draws: a tenth of a second's work.
const counted = 1 << 24
