package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Profile is how a comparison is planned.
type Profile struct {
	Name     string
	Seed     string // its part of the seed of all comparisons: the name that it had at first
	Rounds   int
	Riders   int // controls in each round: they take time, and are not compared with the contestants
	Analyses func(k int) []stats.Interim
}

// Full and Standard are the simulated profiles, as plan has them. The analyses of Standard are those that the
// planner's own estimate fits into 6 minutes, or 10 for more than four contestants, at most 24. Full takes all of
// its interim analyses, as if there were no budget.
//
// Note: their rounds are those of runPlan, which a test compares; to ask it here would cost every start of dyno.
var (
	Full     = Profile{Name: "full", Seed: "full", Rounds: 20, Riders: 3, Analyses: looksOf("full")}
	Standard = Profile{Name: plan.Standard, Seed: "quick", Rounds: 12, Riders: 2, Analyses: looksOf(plan.Standard)}
)

var profiles = []*Profile{&Full, &Standard}

// looksOf returns the interim analyses of a profile that fit into its budget for that number of
// servers.
func looksOf(profile string) func(k int) []stats.Interim {
	return func(k int) []stats.Interim { return plannedAnalyses(runPlan(profile, k)) }
}

// plannedAnalyses returns the interim analyses that fit into the budget of p.
func plannedAnalyses(p result.Plan) []stats.Interim {
	c, err := plan.Estimate(&p)
	if err != nil {
		panic(err) // the budgets of runPlan are enough
	}
	return c.Analyses
}

// strict returns the interim analyses by the rules of a new run.
func strict(analyses []stats.Interim) []stats.Interim {
	for i := range analyses {
		analyses[i].Strict = true
	}
	return analyses
}

// runPlan returns the plan of dyno run for k native contestants.
func runPlan(profile string, k int) result.Plan {
	r := plan.Request{
		Profile: profile, Controls: []string{"ref", "ref'"}, Primary: "throughput",
		Alpha: Alpha, Margin: Margin,
	}
	if profile == plan.Standard && k > 4 {
		r.Budget = 10 * time.Minute
	}
	for i := range k {
		r.Contestants = append(r.Contestants, serverName(i))
	}
	p, err := plan.New(r, plan.World{})
	if err != nil {
		panic(err)
	}
	if profile == plan.Standard && k > 2 {
		p.Analyses = []int{familyFits}
	}
	return p
}

// serverName names a simulated contestant.
func serverName(i int) string { return fmt.Sprintf("server%d", i) }

// trueLeads are the true speeds that are simulated, as the log by which the first server is faster than
// the others: not at all, by 5 %, by the margin of equivalence, and by twice that.
var trueLeads = map[string]float64{"A/A": 0, "5 %": math.Log1p(.05), "3 %": math.Log1p(.03), "6 %": math.Log1p(.06)}

// Cell is one cell of the simulation: many comparisons of k servers in one noise. All rates are of
// comparisons.
type Cell struct {
	Noise   string
	Profile string
	K       int
	Truth   string

	Analyses   []int
	False      Rate         // an equal pair was called different, or different within the margin
	Found      []Rate       // by interim analysis: the first was found faster than the second
	Wrong      Rate         // a pair that differs was called different the wrong way round
	Equivalent Rate         // the first and second were called equivalent
	Covered    Rate         // the interval at the end holds the true ratio of the first two
	Ranks      Rate         // all rank intervals hold the true ranks
	Fixed      map[int]Rate // by number of epochs in fixedAt: the 95 % interval holds the true ratio; for k = 2
	PairSD     float64      // of one pair's values, median over the comparisons
	Duration   float64      // epochs that a comparison took, mean
}

// fixedAt are the numbers of epochs at which the coverage of the 95 % interval is measured, without
// looking before.
var fixedAt = []int{8, 12, 16, 24, 48}

// simulate makes the comparisons of one cell.
func simulate(ctx context.Context, o *Options, noise Noise, pr *Profile, k int, truth string) Cell {
	analyses := pr.Analyses(k)
	purpose := fmt.Sprintf("%s/%s/%d/%s", noise.Name, pr.Seed, k, truth)
	all := compare(ctx, o.Reps, k, analyses, trueLeads[truth], func(rep int) func(int) [][]float64 {
		return newField(noise, speeds(k+pr.Riders, truth), pr.Rounds, source(o.Seed, purpose, rep)).epoch
	})
	c := Cell{
		Noise: noise.Name, Profile: pr.Name, K: k, Truth: truth, Analyses: epochsOf(analyses), Found: foundBy(all, analyses),
		False:      count(all, func(p played) bool { return p.false }),
		Wrong:      count(all, func(p played) bool { return p.wrong }),
		Equivalent: count(all, func(p played) bool { return p.equivalent }),
		Covered:    count(all, func(p played) bool { return p.covered }),
		Ranks:      count(all, func(p played) bool { return p.ranks }),
		Fixed:      map[int]Rate{},
	}
	var sds []float64
	for _, p := range all {
		c.Duration += p.epochs / float64(len(all))
		sds = append(sds, p.sd)
	}
	c.PairSD = stats.Median(sds)
	for i, n := range fixedAt {
		if k == 2 {
			c.Fixed[n] = count(all, func(p played) bool { return i < len(p.fixed) && p.fixed[i] })
		}
	}
	return c
}

// speeds returns the log speeds of n servers, the first of which is faster by a truth.
func speeds(n int, truth string) []float64 {
	log := make([]float64, n)
	log[0] = trueLeads[truth]
	return log
}

// epochsOf returns the numbers of epochs of interim analyses.
func epochsOf(analyses []stats.Interim) (ns []int) {
	for _, l := range analyses {
		ns = append(ns, l.N)
	}
	return ns
}

// foundBy returns, by interim analysis, how often the first server was found faster than the second. After an
// interruption some comparisons found nothing.
func foundBy(all []played, analyses []stats.Interim) (rates []Rate) {
	for i := range analyses {
		rates = append(rates, count(all, func(p played) bool { return i < len(p.found) && p.found[i] }))
	}
	return rates
}

// sizes are the numbers of contestants that are simulated.
var sizes = []int{2, 4, 10}

// simulation makes all cells: every profile × noise × k, all alike and one 5 % faster; for two
// servers also those at the edge of equivalence.
func simulation(ctx context.Context, o *Options) (cells []Cell) {
	for _, pr := range profiles {
		for _, noise := range Noises {
			for _, k := range sizes {
				for _, truth := range []string{"A/A", "5 %", "3 %", "6 %"} {
					if k > 2 && (truth == "3 %" || truth == "6 %") {
						continue
					}
					o.tell("simulation: %s, %d servers, %s, %s", pr.Name, k, truth, noise.Name)
					cells = append(cells, simulate(ctx, o, noise, pr, k, truth))
				}
			}
		}
	}
	return cells
}
