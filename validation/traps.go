package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// Foe is a disturbance in addition to the noise: it changes the log of a server's speed, and may use CPU that
// the causes show.
type Foe struct {
	Name, What string
	// Catch is the check that must detect the foe if the verdicts alone do not meet the limits.
	Catch string
	// Seen reports that causes show the foe. It is then tried on full records alone, where rounds can be
	// discarded.
	Seen bool

	act func(f *field, m moment) (by, seen float64)
	set func(f *field, contestants int) // changes the field before its first epoch; may be nil
}

// unseen returns the act for a disturbance that uses no visible CPU.
func unseen(by func(f *field, m moment) float64) func(*field, moment) (float64, float64) {
	return func(f *field, m moment) (float64, float64) { return by(f, m), 0 }
}

// suffer adds a foe to a field with this many contestants, followed by controls.
func (f *field) suffer(foe *Foe, contestants int) {
	if f.foe = foe; foe.set != nil {
		foe.set(f, contestants)
	}
}

// noFoe is no disturbance; it measures how often checks give a false alarm.
var noFoe = Foe{Name: "nothing", What: "the noise alone", act: nothing}

// nothing is the act of a disturbance that only changes the field beforehand.
func nothing(*field, moment) (by, seen float64) { return 0, 0 }

// Foes are the traps in README.md, on the noise "VM, CPU/request". "One server" is always the first, which is
// otherwise like the others.
var Foes = []Foe{
	noFoe,
	{Name: "drift ramp", What: "all lose 30 % of their speed in the course of each epoch",
		act: unseen(func(f *field, m moment) float64 { return math.Log(.7) * f.through(m) })},
	{Name: "step", What: "all lose 20 % from the middle of each epoch",
		act: unseen(func(f *field, m moment) float64 { return when(f.through(m) >= .5, math.Log(.8)) })},
	{Name: "noise in step with the trials", What: "the third place of every round is 30 % slower",
		act: unseen(func(_ *field, m moment) float64 { return when(m.position == 2, math.Log(.7)) })},
	{Name: "one-sided outliers", What: "20 % of the trials are slowed down, by a half in the mean",
		act: unseen(func(f *field, _ moment) float64 { return when(f.rng.Float64() < .2, -.5*f.rng.ExpFloat64()) })},
	{Name: "heavy tails of one", What: "one server has noise besides with a tail of 1.5 degrees of freedom",
		act: unseen(func(f *field, m moment) float64 { return when(m.server == 0, .05*f.student(1.5)) })},
	{Name: "coarse readings", What: "every value is rounded to a multiple of 2 %",
		act: unseen(func(_ *field, m moment) float64 { return .02*math.Round(m.log/.02) - m.log })},
	{Name: "position", What: "the last of a round is 3 % slower than the first",
		act: unseen(func(f *field, m moment) float64 {
			return math.Log(.97) * float64(m.position) / float64(len(f.truth)-1)
		})},
	{Name: "bursts", What: "others take a third of the CPU 15 % of the time, for 1 s each time", Seen: true,
		act: func(f *field, m moment) (float64, float64) { return f.hog(m, .15, 1, .33) }},
	{Name: "carry-over", What: "what follows one server is 2 % slower",
		act: unseen(func(_ *field, m moment) float64 { return when(m.before == 0, math.Log(.98)) })},
	{Name: "one server drifts", What: "one server loses 15 % in the course of each epoch", Catch: judge.Drift,
		act: unseen(func(f *field, m moment) float64 { return when(m.server == 0, math.Log(.85)*f.through(m)) })},
	{Name: "one suffers more, seen", Catch: judge.Drift, Seen: true,
		What: "others take half of the CPU for 1 s, a third of the time; one server loses twice as much as the rest",
		act: func(f *field, m moment) (float64, float64) {
			by, seen := f.hog(m, .33, 1, .5)
			return by*when(m.server == 0, 1) + by, seen
		}},
	{Name: "one suffers more, unseen", Catch: judge.Drift,
		What: "a neighbour whom no clock shows takes 10 % for 3 s, a third of the time; one server loses twice as much",
		act: unseen(func(f *field, m moment) float64 {
			by, _ := f.hog(m, .33, 3, .1)
			return by*when(m.server == 0, 1) + by
		})},
	{Name: "busy", Seen: true,
		What: "others take half of the CPU two thirds of the time, for 3 s each time",
		act:  func(f *field, m moment) (float64, float64) { return f.hog(m, .67, 3, .5) }},
	dependent(.3), dependent(.5),
	{Name: "drift in each round", What: "all lose 5 % in the course of each round",
		act: unseen(func(f *field, m moment) float64 {
			return math.Log(.95) * float64(m.position) / float64(len(f.truth)-1)
		})},
	{Name: "drift in step with rounds", What: "the first half of a round and the second half of the next are 5 % slower",
		act: unseen(func(f *field, m moment) float64 {
			return when((2*m.position >= len(f.truth)) == (m.round%2 == 1), math.Log(.95))
		})},
}

// dependent returns a foe: each server's start resembles its start an epoch before.
func dependent(rho float64) Foe {
	return Foe{Name: fmt.Sprintf("dependent epochs, ρ = %g", rho), act: nothing, Catch: judge.Dependence,
		What: "each server's starts differ by 2 %, and resemble its start an epoch before (AR 1)",
		set:  func(f *field, _ int) { f.noise.Start, f.noise.Rho = .02, rho }}
}

// when returns x if the condition holds, else 0.
func when(condition bool, x float64) float64 {
	if condition {
		return x
	}
	return 0
}

// through returns the share of the epoch that has passed at a moment, from 0 to 1.
func (f *field) through(m moment) float64 {
	return (float64(m.round) + float64(m.position)/float64(len(f.truth))) / float64(f.rounds)
}

// hog is the act of a program that takes a share of the CPU for some seconds at a time, at random times. It
// runs for the share part of the time.
func (f *field) hog(m moment, part, seconds, share float64) (by, seen float64) {
	away := func() float64 { return seconds * (1 - part) / part * f.rng.ExpFloat64() }
	if f.turn == 0 {
		f.turn = away()
	}
	for f.turn <= m.now {
		f.hogging = !f.hogging
		if f.hogging {
			f.turn += seconds
		} else {
			f.turn += away()
		}
	}
	if f.hogging {
		return math.Log(1 - share), share
	}
	return 0, 0
}

// student draws from Student's t with df degrees of freedom (Bailey, Math. Comp. 62 (1994)).
func (f *field) student(df float64) float64 {
	for {
		u, v := 2*f.rng.Float64()-1, 2*f.rng.Float64()-1
		if w := u*u + v*v; w <= 1 && w > 0 {
			return u * math.Sqrt(df*(math.Pow(w, -2/df)-1)/w)
		}
	}
}

// trapNoise is the noise in which the traps are tried, and trapServers the number of contestants.
var trapNoise = Noises[1]

const trapServers = 3

// Trap is the result for one disturbance.
type Trap struct {
	Foe          // the plain fields are set
	False   Rate // comparisons of equal servers that called a pair different
	Covered Rate // comparisons with one server 5 % faster whose intervals all held

	Runs    int             // whole runs of equal servers, on full records
	Warned  map[string]Rate // by check: it warned or failed
	Claimed Rate            // runs that called a pair different
	Missed  Rate            // runs that did so while the check Catch passed
}

// traps tries every foe: in comparisons for the rates, and in whole runs that package plan plans, judged with
// all checks.
func traps(ctx context.Context, o *Options) []Trap {
	var out []Trap
	for i := range Foes {
		foe := &Foes[i]
		o.tell("adversarial: %s", foe.Name)
		t := Trap{Foe: *foe, Runs: max(1, o.Reps/10)}
		if !foe.Seen {
			t.False = against(ctx, o, foe, "A/A").False()
			t.Covered = against(ctx, o, foe, "5 %").Holds()
		}
		t.summarise(repeat(ctx, t.Runs, func(rep int) evaluated { return wholeRun(foe, o.Seed, rep) }))
		if foe.Seen {
			t.False = t.Claimed
		}
		out = append(out, t)
	}
	return out
}

// against compares servers with a foe.
func against(ctx context.Context, o *Options, foe *Foe, truth string) outcomes {
	p := runPlan(plan.Standard, trapServers)
	return compare(ctx, o.Reps, speeds(trapServers, truth), plannedAnalyses(p), func(rep int) func(int) [][]float64 {
		f := newField(trapNoise, speeds(trapServers+riders, truth), p.Rounds, source(o.Seed, "trap/"+foe.Name+truth, rep))
		f.suffer(foe, trapServers)
		return f.epoch
	})
}

// evaluated is package study's judgement on a whole run.
type evaluated struct {
	worst   map[string]judge.State // by check
	claimed bool                   // a pair was called different
	moving  bool                   // a contestant was shown to move
	epochs  int
}

// evaluate judges a run.
func evaluate(run *record.Run) evaluated {
	data := study.Evaluate(run)
	a := data.Analysis
	j := evaluated{worst: map[string]judge.State{}, epochs: a.Epochs}
	for _, f := range data.Findings {
		j.worst[f.ID] = max(j.worst[f.ID], f.State)
	}
	j.claimed = slices.ContainsFunc(a.Pairs, func(p judge.Pair) bool {
		return p.Metric == a.Primary && different(p.Verdict)
	})
	j.moving = slices.ContainsFunc(a.Trends, func(t judge.Trend) bool { return t.Moving })
	return j
}

// wholeRun simulates one run with equal servers and a disturbance, planned by package plan and judged by package
// study.
func wholeRun(foe *Foe, seed uint64, rep int) evaluated {
	return evaluate(recordRun(foe, seed, rep, make([]float64, trapServers+riders)))
}

// summarise counts the results of the runs.
func (t *Trap) summarise(all []evaluated) {
	t.Warned = map[string]Rate{}
	for _, id := range checksShown {
		t.Warned[id] = count(all, func(j evaluated) bool { return j.worst[id] >= judge.Warn })
	}
	t.Claimed = count(all, func(j evaluated) bool { return j.claimed })
	t.Missed = count(all, func(j evaluated) bool { return j.claimed && j.worst[t.Catch] == judge.Pass })
}
