package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dyno/internal/judge"
	"dyno/internal/stats"
)

// sessionEffects is what differs from session to session, so that no epoch of one session shows it.
type sessionEffects struct {
	tau       float64 // standard deviation of a pair's log ratio between sessions
	lognormal float64 // each session has another tau: the standard deviation of its log
	df        float64 // tau is estimated with these degrees of freedom; 0: it is known
	bias      float64 // standard deviation of each server's bias in short loads
	fixed     bool    // server 0 has a bias of 2 standard deviations, the others have none
	trials    float64 // standard error of a pair's log ratio in an epoch, if there are long loads; 0: there are none
	loads     float64 // standard error of a pair's log ratio in long loads
	runs      int     // runs in the session, each with an effect of its own; 0: one without
}

// runEffect is the standard deviation of a pair's log ratio between runs in one session.
const runEffect = 0.008

// estimated is the number of degrees of freedom with which cases estimate tau.
const estimated = 10

// draw returns the effects of one session on k servers.
func (s *sessionEffects) draw(rng *rand.Rand, k int) []float64 {
	out := make([]float64, k)
	if s == nil {
		return out
	}
	tau := s.spreadOf(rng)
	for i := range out {
		out[i] = tau / math.Sqrt2 * rng.NormFloat64()
	}
	return out
}

// biases draws each server's bias in short loads, what long loads show of it beside the trials of an epoch, and half
// the difference of its two long loads.
func (s *sessionEffects) biases(rng *rand.Rand, k int) (own, shown, halves []float64) {
	for i := range k {
		bias, trials, loads := s.bias*rng.NormFloat64(), s.trials/math.Sqrt2, s.loads/math.Sqrt2
		if s.fixed {
			bias = 2 * s.bias * when(i == 0, 1)
		}
		own = append(own, bias)
		shown = append(shown, -bias+trials*rng.NormFloat64()+loads*rng.NormFloat64())
		halves = append(halves, loads*rng.NormFloat64())
	}
	return own, shown, halves
}

// spreadOf returns tau in one session.
func (s *sessionEffects) spreadOf(rng *rand.Rand) float64 {
	if s.lognormal == 0 {
		return s.tau
	}
	return s.tau * math.Exp(s.lognormal*rng.NormFloat64())
}

// spread returns what the judge knows of tau: the value, or an estimate from earlier sessions.
func (s *sessionEffects) spread(rng *rand.Rand) stats.Between {
	b := stats.Between{SD: s.tau, DF: s.df}
	if s.df > 0 {
		b.SD = 0
		for range int(s.df) {
			b.SD = math.Hypot(b.SD, s.spreadOf(rng)*rng.NormFloat64()/math.Sqrt(s.df))
		}
	}
	return b
}

// elsewhere is what the second verdict made of a comparison.
type elsewhere struct {
	false, holds bool
	misled       bool // short loads are said to mislead
	found        int
}

// seeElsewhere gives the second verdict on all pairs.
func (c *comparison) seeElsewhere() elsewhere {
	e, k := elsewhere{holds: true}, len(c.truth)
	seen := math.Float64bits(c.d[0][0])
	rng := rand.New(rand.NewPCG(DefaultSeed, seen))
	known, prior := c.between.spread(rng), math.Sqrt2*c.between.bias
	own, shown, halves := c.between.biases(rng, k)
	_, upper := judge.LongError(halves, c.between.trials)
	for i, pair := range couples(k) {
		truth := c.truth[pair[0]] - c.truth[pair[1]]
		ratio := c.at[len(c.at)-1][i].Ratio
		if c.between.runs > 0 {
			ratio = c.overRuns(pair)
		}
		bias, beyond := judge.Long{SD: prior}, known
		if c.between.trials > 0 {
			bias.Measured = shown[pair[0]] - shown[pair[1]]
			bias.Allow(prior, math.Sqrt2*programsBias, upper, k)
			e.misled = e.misled || bias.Misleads
		}
		beyond.Bias = bias.SD
		ratio = ratio.Moved(own[pair[0]] - own[pair[1]] + bias.Mean).Wider(beyond.Reach(k, 1-Alpha))
		shown := different(judge.VerdictOf(ratio, Margin))
		switch {
		case math.Abs(truth) < exact:
			e.false = e.false || shown
		case shown && ratio.Value > 1 == (truth > 0):
			e.found++
		}
		e.holds = e.holds && math.Log(ratio.Lo) <= truth+exact && truth-exact <= math.Log(ratio.Hi)
	}
	return e
}

// overRuns combines a pair over the session's runs, as --runs does. The runs have further epochs of this session.
func (c *comparison) overRuns(pair [2]int) judge.Estimate {
	n := len(c.d[0])
	rng := rand.New(rand.NewPCG(DefaultSeed+1, math.Float64bits(c.d[0][0])))
	var y, se []float64
	for run := range c.between.runs {
		effect, d := runEffect*rng.NormFloat64(), make([]float64, n)
		for e := range d {
			d[e] = difference(c.next(n*(1+run)+e), pair[0], pair[1]) + effect
		}
		j := stats.Joint([][]float64{d}, Alpha, 1)[0]
		y, se = append(y, j.Log), append(se, j.SE)
	}
	r := stats.CombineRuns(y, se, 1-Alpha)
	return judge.Estimate{Value: math.Exp(r.Mean), Lo: math.Exp(r.Lo), Hi: math.Exp(r.Hi), N: len(y)}
}

// elsewhere adds the rates of the second verdict to a case's result.
func (at *CaseAt) elsewhere(c *Case, made outcomes) {
	at.ErrorElsewhere = made.rate(func(p *played) bool { return p.elsewhere.false })
	at.HoldsElsewhere = made.rate(func(p *played) bool { return p.elsewhere.holds })
	if c.between.trials > 0 {
		at.Misled = made.rate(func(p *played) bool { return p.elsewhere.misled })
	}
	for _, p := range made {
		at.FoundElsewhere.Of, at.FoundElsewhere.Hits = at.FoundElsewhere.Of+p.differing,
			at.FoundElsewhere.Hits+p.elsewhere.found
	}
}

// programsBias is the standard deviation of each server's bias between different programs: 6.5 % of a pair.
const programsBias = 0.046

// revisionsCase is the case of two revisions of one program.
const revisionsCase = "one +5 %, τ 0.24 %, ω 0.15 %, trials ±1.5 %"

// sessionCases returns the cases of the second verdict.
func sessionCases() (all []Case) {
	for _, k := range []int{2, 3, 8} {
		add := func(what, effect string, b sessionEffects) {
			c := Case{Group: "sessions", What: what, K: k, logs: effects(k, effect), draw: starts(0, "normal"), between: &b}
			c.shift = func() float64 { return 0 }
			for _, n := range caseEpochs(c.Group) {
				c.At = append(c.At, CaseAt{Group: c.Group, What: what, K: k, N: n})
			}
			all = append(all, c)
		}
		for _, tau := range []float64{.0024, .008, .015} {
			add(fmt.Sprintf("τ %g %%", 100*tau), "", sessionEffects{tau: tau})
		}
		known := fmt.Sprintf(", known with %d degrees of freedom", estimated)
		add("τ 1.5 %"+known, "", sessionEffects{tau: .015, df: estimated})
		add("τ 1.5 %, lognormal"+known, "", sessionEffects{tau: .015, lognormal: .5, df: estimated})
		if k == 2 {
			add("τ 2 %, five runs in the session", "", sessionEffects{tau: .02, runs: 5})
		}
		add("ω 6.5 %, no long loads", "", sessionEffects{tau: .015, bias: programsBias})
		for _, trials := range []float64{.015, .06} {
			long := sessionEffects{tau: .015, bias: programsBias, trials: trials, loads: 2 * trials}
			what := fmt.Sprintf("ω 6.5 %%, trials ±%g %%", 100*trials)
			add(what, "", long)
			long.fixed = true
			add(what+", one at 2 ω", "", long)
		}
		add("ω 2 %, trials ±1.5 %, one at 2 ω", "",
			sessionEffects{tau: .015, bias: .014, fixed: true, trials: .015, loads: .03})
		add("one +20 %, ω 6.5 %, trials ±1.5 %", "one +20 %",
			sessionEffects{tau: .015, bias: programsBias, trials: .015, loads: .03})
		add(revisionsCase, "one +5 %", sessionEffects{tau: .0024, bias: .00106, trials: .015, loads: .03})
		add("one +5 %, τ 1.5 %", "one +5 %", sessionEffects{tau: .015})
	}
	return all
}
