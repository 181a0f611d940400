package main

import (
	"context"
	"fmt"
	"math"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// plannedAnalyses returns the interim analyses that fit into p's budget.
func plannedAnalyses(p record.Plan) []stats.Interim {
	c, err := plan.Estimate(&p)
	if err != nil {
		panic(err) // the budgets of runPlan are enough
	}
	return c.Analyses
}

// runPlan returns the plan of dyno run for k native contestants.
func runPlan(profile string, k int) record.Plan {
	r := plan.Request{Profile: profile, Controls: []string{"ref", "ref'"}, Primary: "throughput",
		Alpha: Alpha, Margin: Margin}
	for i := range k {
		r.Contestants = append(r.Contestants, serverName(i))
	}
	p, err := plan.New(r, plan.World{})
	if err != nil {
		panic(err)
	}
	return p
}

// riders is the number of controls in each round of runPlan. Controls take time and are not compared with
// contestants.
const riders = 2

// serverName names a simulated contestant.
func serverName(i int) string { return fmt.Sprintf("server%d", i) }

// trueLeads are the simulated leads, as the log by which the first server is faster than the others: 0, the
// margin of equivalence, and 5 %.
var trueLeads = map[string]float64{"A/A": 0, "3 %": math.Log1p(.03), "5 %": math.Log1p(.05)}

// speeds returns the log speeds of n servers; the first is faster by a true lead.
func speeds(n int, truth string) []float64 {
	log := make([]float64, n)
	log[0] = trueLeads[truth]
	return log
}

// Cell is one cell in the simulation: many comparisons between k servers in one noise. All rates count
// comparisons, except Found, which counts pairs.
type Cell struct {
	Noise         string
	K             int
	Truth         string
	Analyses      []int
	Error         Rate   // an equal pair was called different, or different within the margin
	Early         Rate   // an early analysis did so
	Found         []Rate // by analysis: pairs with the first server that were found
	Wrong         Rate   // a differing pair was called different the wrong way round
	Equivalent    Rate   // a pair that differs by the margin or more was called equivalent
	Holds         Rate   // all final intervals hold
	PairSD, Taken float64
}

// sizes are the simulated numbers of contestants.
var sizes = []int{2, 4, 8}

// simulation makes all cells: every noise with every size and true lead.
func simulation(ctx context.Context, o *Options) (cells []Cell) {
	for _, noise := range Noises {
		for _, k := range sizes {
			p := runPlan(plan.Standard, k)
			for _, truth := range []string{"A/A", "3 %", "5 %"} {
				o.tell("simulation: %d servers, %s, %s", k, truth, noise.Name)
				cells = append(cells, simulate(ctx, o, noise, &p, truth))
			}
		}
	}
	return cells
}

// simulate makes the comparisons in one cell.
func simulate(ctx context.Context, o *Options, noise Noise, p *record.Plan, truth string) Cell {
	analyses, k := plannedAnalyses(*p), len(p.Contestants)
	purpose := fmt.Sprintf("%s/%d/%s", noise.Name, k, truth)
	all := compare(ctx, o.Reps, speeds(k, truth), analyses, func(rep int) func(int) [][]float64 {
		return newField(noise, speeds(k+riders, truth), p.Rounds, source(o.Seed, purpose, rep)).epoch
	})
	c := Cell{Noise: noise.Name, K: k, Truth: truth, Error: all.False(), Holds: all.Holds(), Taken: all.Epochs(),
		Early:      all.rate(func(p *played) bool { return p.early }),
		Wrong:      all.rate(func(p *played) bool { return p.wrong }),
		Equivalent: all.rate(func(p *played) bool { return p.equivalent }),
	}
	var sds []float64
	for _, p := range all {
		sds = append(sds, p.sd)
	}
	c.PairSD = stats.Median(sds)
	c.Analyses, c.Found = foundBy(all, analyses)
	return c
}

// foundBy returns the rate of differing pairs found by each analysis.
func foundBy(all outcomes, analyses []stats.Interim) (ns []int, rates []Rate) {
	for _, a := range analyses {
		ns, rates = append(ns, a.N), append(rates, all.Found(analyses, a.N))
	}
	return ns, rates
}
