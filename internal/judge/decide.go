package judge

import (
	"math"

	"dyno/internal/stats"
)

// Decision is the result for one pair.
type Decision struct {
	stats.Judged
	Ratio   Estimate // first over second
	Verdict Verdict
	Serial  *stats.Serial // serial correlation between the family's epochs, which SE allows for; nil: judged early
}

// Up reports whether the first has the larger value.
func (j *Decision) Up() bool { return j.Log > 0 }

// Decide judges a family's pairs at the last analysis that the epochs allow. d[i] holds pair i's
// log ratios in epoch order, NaN for an epoch without one. Before the first analysis Decide returns
// estimates without verdicts. beside holds log ratios for pairs with controls: they are not judged,
// but help to detect dependence between epochs. Each epoch has rounds rounds.
func Decide(d, beside [][]float64, epochs int, analyses []stats.Interim, alpha, margin float64, rounds int) []Decision {
	at, made := stats.Interim{N: epochs, Alpha: alpha, Early: epochs < stats.Least}, false
	for _, a := range analyses {
		if a.N <= epochs {
			at, made = a, true
		}
	}
	var family [][]float64
	var of []int
	out := make([]Decision, len(d))
	for i := range d {
		out[i] = Decision{Verdict: Inconclusive}
		switch x := present(d[i], at.N); {
		case len(x) == at.N || len(x) >= stats.Least:
			family, of = append(family, d[i][:at.N]), append(of, i)
		case len(x) > 0: // too few epochs have it
			js, _ := test([][]float64{x}, nil, at.Alpha, rounds, true)
			out[i].estimate(js[0], len(x))
		}
		out[i].P = 1
	}
	js, serial := test(family, beside, at.Alpha, rounds, at.Early)
	for k, j := range js {
		o := &out[of[k]]
		o.Serial = serial
		if o.estimate(j, len(present(family[k], at.N))); made {
			o.decide(margin)
		} else {
			o.P = 1
		}
	}
	return out
}

// test calls stats.Joint or, if early, stats.Early.
func test(d, beside [][]float64, alpha float64, rounds int, early bool) (js []stats.Judged, serial *stats.Serial) {
	if len(d) == 0 {
		return nil, nil
	}
	if early {
		return stats.Early(d, alpha, earlySD*math.Sqrt(earlyRounds/float64(max(1, min(earlyRounds, rounds))))), nil
	}
	var all [][]float64
	for _, x := range d {
		all = append(all, present(x, len(x)))
	}
	own := stats.SerialOf(all)
	for _, x := range beside {
		all = append(all, present(x, len(d[0])))
	}
	if s := stats.SerialOf(all); s.Spread() > own.Spread() {
		own = s
	}
	return stats.Joint(d, alpha, own.Spread()), &own
}

// jointly is stats.Joint for the series with stats.Least values or more. The others get an infinite
// standard error.
func jointly(d [][]float64, alpha float64) []stats.Judged {
	out := make([]stats.Judged, len(d))
	var family [][]float64
	var of []int
	for i, x := range d {
		out[i] = stats.Judged{SE: math.Inf(1), P: 1, Crit: math.Inf(1)}
		if len(present(x, all)) >= stats.Least {
			family, of = append(family, x), append(of, i)
		}
	}
	for k, j := range stats.Joint(family, alpha, 1) {
		out[of[k]] = j
	}
	return out
}

// earlySD is the standard deviation of a pair's log ratios that early analyses assume at
// earlyRounds rounds per epoch; it grows with the square root of earlyRounds/rounds. Nine in ten
// pairs in the studies' records have less (go run ./validation starts: 8, 14 and 31 % for
// requests/s with 12, 3 and 1 rounds).
const (
	earlySD     = 0.08
	earlyRounds = 12
)

// estimate sets the ratio from n epochs.
func (j *Decision) estimate(x stats.Judged, n int) {
	lo, hi := x.Interval()
	j.Judged, j.Ratio = x, Estimate{Value: math.Exp(x.Log), Lo: math.Exp(lo), Hi: math.Exp(hi), N: n}
}

// decide sets the pair's verdict.
func (j *Decision) decide(margin float64) {
	switch {
	case j.Different && j.Ratio.within(margin):
		j.Verdict = Negligible
	case j.Different:
		j.Verdict = Different
	case j.Equivalent(margin):
		j.Verdict = Equivalent
	}
}

// within reports whether a ratio's interval lies within the margin.
func (e Estimate) within(margin float64) bool {
	limit := math.Log1p(margin)
	return math.Log(e.Lo) > -limit && math.Log(e.Hi) < limit
}

// RatioOf estimates a ratio from its logs per epoch, with an interval at confidence conf, without a
// verdict.
func RatioOf(d []float64, conf float64) Estimate {
	if len(d) == 0 {
		return Estimate{}
	}
	var j Decision
	js, _ := test([][]float64{d}, nil, 1-conf, earlyRounds, len(d) < stats.Least)
	j.estimate(js[0], len(d))
	return j.Ratio
}

// present returns the known values among the first n epochs.
func present(d []float64, n int) []float64 {
	var out []float64
	for _, v := range d[:min(n, len(d))] {
		if !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// Ranks returns rank intervals for k contestants, counted from 1 (doc/method.md). lo is one more
// than the number of contestants that beat it; hi is k minus the number that it beats.
func Ranks(k int, beats func(i, j int) bool) (lo, hi []int) {
	lo, hi = make([]int, k), make([]int, k)
	for i := range k {
		lo[i], hi[i] = 1, k
		for j := range k {
			if i != j && beats(j, i) {
				lo[i]++
			}
			if i != j && beats(i, j) {
				hi[i]--
			}
		}
	}
	return lo, hi
}
