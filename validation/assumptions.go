package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dyno/internal/checks"
	"dyno/internal/stats"
)

// Assumption is a case in which something that the statistics rest on does not hold. The servers are
// equal, in what Equal says.
type Assumption struct {
	Foe
	// Equal is what of the epochs' values is 0: "pseudomedian", which verdicts are about, "mean" or
	// "median"; "" for all of them, where their distribution is symmetric.
	Equal string
	noise Noise
}

// Assumptions are the cases of README.md. The noise of each is trapNoise with what it says.
var Assumptions = []Assumption{
	starts("spread", "one server's starts differ by 3 %, the others' by 0.5 %", "",
		func(r *rand.Rand) float64 { return .03 * r.NormFloat64() }),
	starts("skewed", "one server's starts have a tail: slower by 3 % in the mean", "pseudomedian", slowTail),
	starts("skewed", "the same", "mean", slowTail),
	starts("skewed", "the same", "median", slowTail),
	starts("bimodal", "30 % of one server's starts are 6 % slower", "pseudomedian", modes(.3, .06)),
	starts("bimodal", "the same", "mean", modes(.3, .06)),
	starts("bimodal, rare", "10 % of one server's starts are 15 % slower", "pseudomedian", modes(.1, .15)),
	starts("bimodal, rare", "the same", "mean", modes(.1, .15)),
	dependent(.3), dependent(.6),
	drifting("drift in each round", "all lose 5 % in the course of each round", func(f *field, m moment) float64 {
		return math.Log(.95) * float64(m.position) / float64(len(f.truth)-1)
	}),
	drifting("drift in step with rounds", "the first half of a round and the second half of the next are 5 % slower",
		inStep),
}

// starts is a case in which one server's starts vary otherwise than those of the others.
func starts(name, what, equal string, odd func(*rand.Rand) float64) Assumption {
	n := trapNoise
	n.Odd = odd
	return Assumption{Foe: Foe{Name: "starts " + name, What: what, act: nothing}, Equal: equal, noise: n}
}

func slowTail(r *rand.Rand) float64 { return -.03 * r.ExpFloat64() }

// modes draws from a share of starts that are slower by a log.
func modes(share, by float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return when(r.Float64() < share, -by) }
}

// dependent is a case in which the starts of each server, which differ by 2 %, resemble those of the
// epoch before.
func dependent(rho float64) Assumption {
	n := trapNoise
	n.Start, n.Rho = .02, rho
	return Assumption{noise: n, Foe: Foe{Name: fmt.Sprintf("dependent epochs, ρ = %g", rho), act: nothing,
		Catch: checks.Dependence,
		What:  "each server's starts differ by 2 %, and resemble its start an epoch before (AR 1)"}}
}

// drifting is a case in which the machine changes in step with the order of the loads.
func drifting(name, what string, by func(f *field, m moment) float64) Assumption {
	return Assumption{Foe: Foe{Name: name, What: what, act: unseen(by)}, noise: trapNoise}
}

// inStep slows the first half of even rounds and the second half of odd ones.
func inStep(f *field, m moment) float64 {
	second := 2*m.position >= len(f.truth)
	return when(second == (m.round%2 == 1), math.Log(.95))
}

// centreEpochs is how many epochs the centre of a case is found by. The test of a comparison of 24
// epochs is then off by a thirtieth of its standard error.
const centreEpochs = 20_000

// centre returns what of the first server's epochs against another is to be 0.
func (a *Assumption) centre(seed uint64) float64 {
	if a.Equal == "" {
		return 0
	}
	f := newField(a.noise, make([]float64, 2), Standard.Rounds, source(seed, "centre/"+a.Name, 0))
	d := make([]float64, centreEpochs)
	for e := range d {
		d[e] = difference(f.epoch(e), 0, 1)
	}
	switch a.Equal {
	case "mean":
		mean, _, _ := stats.MeanCI(d, 0.95)
		return mean
	case "median":
		return stats.Median(d)
	}
	centre, _, _ := stats.HodgesLehmann(d, 0.95)
	return centre
}

// Broken is what came of one case.
type Broken struct {
	Assumption // its plain fields
	K          int
	False      Rate // of comparisons, in which a pair was called different
	Runs       int  // whole runs, on full records, where a check is to tell
	Warned     Rate // of these, in which it warned or failed
	Silent     Rate // in which a pair was called different and it did neither
}

// brokenSizes are the numbers of contestants of each case, beside the controls.
var brokenSizes = []int{2, 4}

// brokenRuns is how many whole runs a case has where a check is to tell.
func brokenRuns(o *Options) int { return max(1, o.Reps/5) }

// broken tries all cases.
func broken(ctx context.Context, o *Options) (out []Broken) {
	for i := range Assumptions {
		a := &Assumptions[i]
		centre := a.centre(o.Seed)
		for _, k := range brokenSizes {
			o.tell("assumptions: %s, equal %s, %d servers", a.Name, a.Equal, k)
			truth := func() []float64 {
				log := make([]float64, k+Standard.Riders)
				log[0] = -centre
				return log
			}
			purpose := fmt.Sprintf("broken/%s/%s/%d", a.Name, a.Equal, k)
			b := Broken{Assumption: *a, K: k}
			all := compare(ctx, o.Reps, k, Standard.Analyses(k), 0, func(rep int) func(int) [][]float64 {
				f := newField(a.noise, truth(), Standard.Rounds, source(o.Seed, purpose, rep))
				f.foe = &a.Foe
				return f.epoch
			})
			b.False = count(all, func(p played) bool { return p.false })
			if a.Catch != "" {
				foe := a.Foe
				foe.set = func(f *field, _ int) { f.noise = a.noise }
				b.Runs = brokenRuns(o)
				runs := repeat(ctx, b.Runs, func(rep int) evaluated { return evaluate(record(&foe, o.Seed, rep, truth())) })
				warned := func(j evaluated) bool { return j.worst[a.Catch] >= checks.Warn }
				b.Warned = count(runs, warned)
				b.Silent = count(runs, func(j evaluated) bool { return j.claimed && !warned(j) })
			}
			out = append(out, b)
		}
	}
	return out
}

// Outcome returns how a case ended, and whether that is good: the error is kept, or the check that is
// to tell does so, in all runs or in those that err.
func (b *Broken) Outcome() (text string, met bool) {
	switch {
	case errorHolds(b.False):
		return "keeps the bar", true
	case b.Catch == "":
		return "does not keep the bar", false
	case atLeast95(b.Warned):
		return b.Catch + " warns in " + b.Warned.String(), true
	}
	return fmt.Sprintf("%s warns in %v; an error without it in %v", b.Catch, b.Warned, b.Silent), errorHolds(b.Silent)
}
