package validate

import (
	"context"
	"fmt"
	"math"

	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
	"dyno/internal/study"
)

// Carried is how often two equal servers without controls are called different, where what follows one of them is slower.
type Carried struct {
	By             float64 // as a share
	Drawn, Chained Rate    // a round begins with whom it draws; with whom the round before ended
}

// carried plays duels of two servers, with the looks of a run of theirs.
func carried(ctx context.Context, o *Options) (out []Carried) {
	looks := lone(2).Looks
	for _, by := range []float64{0, .02, .03} {
		o.tell("checks: carry-over of %g %%", 100*by)
		foe := &Foe{Name: fmt.Sprintf("carry-over of %g %%", 100*by),
			act: func(_ *field, m moment) (float64, float64) { return when(m.before == 0, math.Log1p(-by)), 0 }}
		c := Carried{By: by}
		for _, drawn := range []bool{true, false} {
			all := repeat(ctx, o.Reps, func(rep int) played {
				f := newField(trapNoise, make([]float64, 2), Quick.Rounds, source(o.Seed, "carried/"+foe.Name, rep))
				f.foe, f.unchained = foe, drawn
				d := &duel{k: 2, looks: looks, next: f.epoch}
				d.play()
				return see(d, 0)
			})
			if r := count(all, func(p played) bool { return p.false }); drawn {
				c.Drawn = r
			} else {
				c.Chained = r
			}
		}
		out = append(out, c)
	}
	return out
}

// setup is a number of contestants in a profile, by its plan.
type setup struct {
	name  string
	plan  result.Plan
	Looks []stats.Look
}

// lone is a plan of quick without controls.
func lone(k int) setup {
	p := duelPlan(Quick.Name, k)
	p.Controls = []string{}
	return setupOf(fmt.Sprintf("quick, %d, no controls", k), p)
}

func setupOf(name string, p result.Plan) setup {
	c, err := plan.Estimate(&p)
	if err != nil {
		panic(err) // the budgets of duelPlan are enough
	}
	return setup{name: name, plan: p, Looks: c.Looks}
}

// setups are those whose checks are tried: two alone, some, as many as the default study has, and the longer profile.
func setups() []setup {
	full := duelPlan(Full.Name, 3)
	full.BudgetNS = 15 * 60e9
	return []setup{lone(2), setupOf("quick, 3", duelPlan(Quick.Name, 3)), setupOf("quick, 7", duelPlan(Quick.Name, 7)), setupOf("full, 3", full)}
}

// fault is something that a check must tell, by its size. truth changes the speed of the servers, the contestants first.
type fault struct {
	Check string
	Foe
	truth func(truth []float64, k int)
}

// checkFaults are what the statistical checks look for, each in the first of the contestants.
var checkFaults = []fault{
	{Foe: noFoe},
	{Check: checks.Drift, Foe: rise(.05)},
	{Check: checks.Drift, Foe: rise(.1)},
	{Check: checks.Drift, Foe: rise(.2)},
	{Check: checks.Drift, Foe: *foe("one suffers more, unseen")},
	{Check: checks.Twins, Foe: Foe{Name: "twins differ by 5 %", act: noFoe.act}, truth: func(truth []float64, k int) {
		if k+1 < len(truth) {
			truth[k+1] = math.Log(.95)
		}
	}},
	{Check: checks.Order, Foe: *foe("position")},
	{Check: checks.CarryOver, Foe: *foe("carry-over")},
	{Check: checks.FreshStarts, Foe: Foe{Name: "fresh starts differ by 3 %", act: noFoe.act, set: func(f *field) { f.noise.Start = .03 }}},
}

// rise is one server that becomes faster by a share in the course of each epoch.
func rise(by float64) Foe {
	return Foe{Name: fmt.Sprintf("one rises by %g %% over the epoch", 100*by),
		act: func(f *field, m moment) (float64, float64) {
			return when(m.server == 0, math.Log1p(by)*f.through(m)), 0
		}}
}

// foe finds a trap by its name.
func foe(name string) *Foe {
	for i := range Foes {
		if Foes[i].Name == name {
			return &Foes[i]
		}
	}
	panic("no trap " + name)
}

// Checked is what the checks said of whole runs with one fault: by setup, how often that check warned or failed, and how often it could not tell.
type Checked struct {
	Check, Fault string // Check is empty where nothing was wrong
	Setups       []string
	Epochs       []float64 // mean
	Told         []Rate
	CannotTell   []Rate
	Moving       []Rate            // a contestant was shown to move
	False        []map[string]Rate // where nothing was wrong: by check, it warned or failed
}

// checkRuns is one whole run for so many duels of a cell.
const checkRuns = 30

// checked plays whole runs with each fault, in each setup.
func checked(ctx context.Context, o *Options) (out []Checked) {
	for i := range checkFaults {
		x := &checkFaults[i]
		c := Checked{Check: x.Check, Fault: x.Name}
		for _, s := range setups() {
			o.tell("checks: %s, %s", x.Name, s.name)
			all := repeat(ctx, max(1, o.Reps/checkRuns), func(rep int) judgedRun { return x.play(o.Seed, rep, s.plan) })
			state := func(is func(checks.State) bool) Rate {
				return count(all, func(j judgedRun) bool { return is(j.worst[x.Check]) })
			}
			c.Setups = append(c.Setups, s.name)
			c.Told = append(c.Told, state(func(s checks.State) bool { return s >= checks.Warn }))
			c.CannotTell = append(c.CannotTell, state(func(s checks.State) bool { return s == checks.CannotTell }))
			c.Moving = append(c.Moving, count(all, func(j judgedRun) bool { return j.moving }))
			warned := map[string]Rate{}
			for _, id := range statistical {
				warned[id] = count(all, func(j judgedRun) bool { return j.worst[id] >= checks.Warn })
			}
			c.False = append(c.False, warned)
			epochs := 0.
			for _, j := range all {
				epochs += float64(j.epochs) / float64(len(all))
			}
			c.Epochs = append(c.Epochs, epochs)
		}
		out = append(out, c)
	}
	return out
}

// statistical are the checks of this section. That of a known difference is not among them: what it finds is a pair,
// with the power of the verdicts.
var statistical = []string{checks.Drift, checks.Twins, checks.Order, checks.CarryOver, checks.FreshStarts}

// judgedRun is what the checks say of a run.
type judgedRun struct {
	worst  map[string]checks.State
	moving bool
	epochs int
}

func (x *fault) play(seed uint64, rep int, p result.Plan) judgedRun {
	k := len(p.Contestants)
	truth := make([]float64, k+len(p.Controls))
	if x.truth != nil {
		x.truth(truth, k)
	}
	data := study.Judge(recordPlan(&x.Foe, seed, rep, truth, p))
	j := judgedRun{worst: map[string]checks.State{}, epochs: data.Analysis.Epochs}
	for _, f := range data.Findings {
		j.worst[f.ID] = max(j.worst[f.ID], f.State)
	}
	for _, t := range data.Analysis.Trends {
		j.moving = j.moving || t.Moving
	}
	if len(p.Controls) == 0 {
		delete(j.worst, checks.Twins) // which warns that it has no copy
	}
	return j
}
