package main

import (
	"context"
	"fmt"
	"math"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Carried counts how often two equal servers without controls are called different when every trial after the
// first server is slower.
type Carried struct {
	Fault          string
	Drawn, Chained Rate // a round begins with a server at random; with the last server of the round before
}

// carryFaults are the faults for two servers without controls.
var carryFaults = []Foe{follow(0), follow(.01), follow(.02), follow(.03), follow(.05),
	caught("", "drift in each round"), caught("", "drift in step with rounds")}

// follow returns a fault that slows down every trial after the first server.
func follow(by float64) Foe {
	return Foe{Name: fmt.Sprintf("carry-over of %g %%", 100*by),
		act: unseen(func(_ *field, m moment) float64 { return when(m.before == 0, math.Log1p(-by)) })}
}

// carried compares two servers with the interim analyses that a real run plans.
func carried(ctx context.Context, o *Options) (out []Carried) {
	p := lone(2).plan
	analyses := plannedAnalyses(p)
	for i := range carryFaults {
		foe := &carryFaults[i]
		o.tell("checks: %s", foe.Name)
		different := func(drawn bool) Rate {
			return compare(ctx, o.Reps, make([]float64, 2), analyses, func(rep int) func(int) [][]float64 {
				f := newField(trapNoise, make([]float64, 2), p.Rounds, source(o.Seed, "carried/"+foe.Name, rep))
				f.foe, f.unchained = foe, drawn
				return f.epoch
			}).False()
		}
		out = append(out, Carried{Fault: foe.Name, Drawn: different(true), Chained: different(false)})
	}
	return out
}

// setup is a plan for which the checks are tested.
type setup struct {
	name string
	plan record.Plan
}

// lone returns a plan with profile standard and no controls.
func lone(k int) setup {
	p := runPlan(plan.Standard, k)
	p.Controls = []string{}
	return setup{fmt.Sprintf("standard, %d, no controls", k), p}
}

// setups returns the tested plans: two servers without controls, three servers, seven as in the default
// study, and profile full.
func setups() []setup {
	full := runPlan("full", 3)
	full.BudgetNS = 15 * 60e9
	few, many := runPlan(plan.Standard, 3), runPlan(plan.Standard, 7)
	return []setup{lone(2), {"standard, 3", few}, {"standard, 7", many}, {"full, 3", full}}
}

// checkFaults are the faults that the statistical checks must find; faults in one server are in the first
// contestant. Catch is the tested check; the first entry has no fault.
var checkFaults = []Foe{
	noFoe,
	rise(.05),
	rise(.1),
	rise(.2),
	caught(judge.Drift, "one suffers more, unseen"),
	{Catch: judge.Twins, Name: "twins differ by 5 %", act: nothing, set: func(f *field, contestants int) {
		if contestants+1 < len(f.truth) {
			f.truth[contestants+1] = math.Log(.95)
		}
	}},
	caught(judge.Order, "position"),
	caught(judge.CheckCarryOver, "carry-over"),
	{Catch: judge.FreshStarts, Name: "fresh starts differ by 3 %", act: nothing,
		set: func(f *field, _ int) { f.noise.Start = .03 }},
}

// rise makes the first server faster during each epoch.
func rise(by float64) Foe {
	return Foe{
		Catch: judge.Drift, Name: fmt.Sprintf("one rises by %g %% over the epoch", 100*by),
		act: unseen(func(f *field, m moment) float64 { return when(m.server == 0, math.Log1p(by)*f.through(m)) }),
	}
}

// caught returns the named disturbance, with check as the check that must find it.
func caught(check, name string) Foe {
	for _, f := range Foes {
		if f.Name == name {
			f.Catch = check
			return f
		}
	}
	panic("no foe " + name)
}

// Checked counts check results in whole runs with one fault, per setup.
type Checked struct {
	Check, Fault string // Check is empty without a fault
	Setups       []string
	Epochs       []float64         // mean
	Detected     []Rate            // the check warned or failed
	CannotTell   []Rate            // the check could not tell
	Moving       []Rate            // a contestant was shown to move
	False        []map[string]Rate // by check: it warned or failed; a false alarm without a fault
}

// One whole run is made for every checkRuns comparisons in a cell.
const checkRuns = 40

// checked simulates whole runs with each fault in each setup.
func checked(ctx context.Context, o *Options, faults []Foe) (out []Checked) {
	for i := range faults {
		foe := &faults[i]
		c := Checked{Check: foe.Catch, Fault: foe.Name}
		for _, s := range setups() {
			o.tell("checks: %s, %s", foe.Name, s.name)
			all := repeat(ctx, max(1, o.Reps/checkRuns), func(rep int) evaluated { return s.play(foe, o.Seed, rep) })
			warned := func(id string) Rate {
				return count(all, func(j evaluated) bool { return j.worst[id] >= judge.Warn })
			}
			silent := func(j evaluated) bool { return j.worst[foe.Catch] == judge.CannotTell }
			c.Setups = append(c.Setups, s.name)
			c.Detected = append(c.Detected, warned(foe.Catch))
			c.CannotTell = append(c.CannotTell, count(all, silent))
			c.Moving = append(c.Moving, count(all, func(j evaluated) bool { return j.moving }))
			wrong, epochs := map[string]Rate{}, 0.
			for _, id := range statistical {
				wrong[id] = warned(id)
			}
			for _, j := range all {
				epochs += float64(j.epochs) / float64(len(all))
			}
			c.False = append(c.False, wrong)
			c.Epochs = append(c.Epochs, epochs)
		}
		out = append(out, c)
	}
	return out
}

// statistical are the checks in this section. The check for a known difference is missing, because it has the
// same power as the verdicts.
var statistical = []string{judge.Drift, judge.Twins, judge.Order, judge.CheckCarryOver, judge.FreshStarts,
	judge.Dependence}

// play simulates and judges one run with equal servers and a disturbance.
func (s setup) play(foe *Foe, seed uint64, rep int) evaluated {
	truth := make([]float64, len(s.plan.Contestants)+len(s.plan.Controls))
	return evaluate(recordPlan(foe, seed, rep, truth, s.plan))
}
