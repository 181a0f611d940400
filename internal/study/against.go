package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Against compares a run with an earlier run of the same question: for each contestant, the change
// in its ratio to the reference. Absolute figures drift with the machine and are not compared;
// Drifts holds the reference's own drift.
//
// There is a verdict only where both runs were measured after one boot of one machine, and only in a
// metric in which the reference moved by mostDrift or less. Elsewhere the runs stand side by side.
//
// The unit is the epoch on both sides. The spread between epochs does not include differences
// between two runs, so an interval here is too narrow. The reference's copy, whose true
// change is none, shows by how much.
type Against struct {
	Reference string   // "": the runs have none, and Changes has absolute figures
	Apart     []string // why no metric has a verdict; nil: those have one whose reference did not move
	Alpha     float64  // error rate for each metric's family of contestants and controls
	Margin    float64
	Epochs    [2]int   // valid epochs in the run and in the other run
	Warnings  []string // reasons why the comparison is weaker
	Drifts    []Drift
	Changes   []Change // changes by metric, the primary first; in the plan's order, then the controls
	Absent    []string // contestants that are not compared, and why
}

// mostDrift is the largest change of the reference with which a metric has verdicts.
const mostDrift = 0.05

// Drift is the reference's own value in both runs.
type Drift struct {
	Metric    string
	Now, Then float64
}

// Moved reports whether the reference changed so much that no ratio to it tells of the contestants.
func (d Drift) Moved() bool { return !(math.Abs(math.Log(d.Now/d.Then)) <= math.Log1p(mostDrift)) }

// Change is a contestant in both runs.
type Change struct {
	Contestant string
	Control    bool
	Metric     string
	Now, Then  judge.Estimate // ratio to the reference, at 1 − Alpha; without a reference the figure
	// Now over Then, judged together under a metric; N is the smaller number of epochs, and
	// inconclusive means that no change is shown. Without a verdict it is zero
	judge.Decision
	Better    bool // a change is shown, and it is an improvement
	SameBuild bool // both runs started the same program
}

// Compare compares run with other. An error says why the runs can never stand side by side.
func Compare(run, other *record.Run) (*Against, error) {
	if err := sameQuestion(&run.Plan, &other.Plan); err != nil {
		return nil, err
	}
	a := &Against{
		Apart: apart(run, other), Alpha: min(run.Plan.Alpha, other.Plan.Alpha), Margin: run.Plan.Margin,
		Epochs: [2]int{len(plan.Epochs(run)), len(plan.Epochs(other))},
	}
	if c, d := run.Plan.Controls, other.Plan.Controls; len(c) > 0 && len(d) > 0 && c[0] == d[0] {
		a.Reference = c[0]
	} else {
		a.Apart = append(a.Apart, "the runs have no reference server in common, and absolute figures drift between runs")
	}
	if min(a.Epochs[0], a.Epochs[1]) == 0 {
		return nil, fmt.Errorf("one of the runs has no valid epoch (%d and %d)", a.Epochs[0], a.Epochs[1])
	}
	a.Warnings = append(a.Warnings, weaknesses(run, other, a.Reference)...)
	p := pairOf{run: run, other: other, now: firstLevel(run), then: firstLevel(other), a: a}
	all := metrics(run.Plan.Primary)
	reference := record.Cell{Contestant: a.Reference}
	for i, m := range all {
		now, then := p.now.Level(m, reference), p.then.Level(m, reference)
		if now.N == 0 || then.N == 0 {
			continue
		}
		d := Drift{m.Name, now.Value, then.Value}
		a.Drifts = append(a.Drifts, d)
		if i == 0 && d.Moved() {
			a.Apart = append(a.Apart, fmt.Sprintf("the reference %s itself moved by %s in %s, the metric that decides",
				a.Reference, SignedPerCent(d.Now/d.Then-1), m.Name))
		}
	}
	names := p.names()
	for _, m := range all {
		a.Changes = append(a.Changes, p.changes(m, names)...)
	}
	return a, nil
}

// decides reports whether changes in a metric have verdicts.
func (a *Against) decides(metric string) bool {
	i := slices.IndexFunc(a.Drifts, func(d Drift) bool { return d.Metric == metric })
	return len(a.Apart) == 0 && i >= 0 && !a.Drifts[i].Moved()
}

// sameQuestion returns an error if two plans do not ask the same question.
func sameQuestion(p, q *record.Plan) error {
	differ := func(what string, x, y any) error {
		return fmt.Errorf("the runs cannot be compared, because they differ: %s %v, and %v", what, x, y)
	}
	switch {
	case !p.Ranks() || !q.Ranks():
		return fmt.Errorf("only runs that compare all pairs at one level can be compared with each other; one of " +
			"these does not")
	case p.Scenario != q.Scenario:
		return differ("scenario", p.Scenario, q.Scenario)
	case p.First() != q.First():
		return differ("level", judge.LevelName(p.First()), judge.LevelName(q.First()))
	}
	return nil
}

// apart lists what keeps two runs from being compared: they were not measured after one boot of one
// machine, or on other CPUs. Without the ids of their boots that cannot be told.
func apart(run, other *record.Run) (out []string) {
	h, g := &run.Host, &other.Host
	for _, d := range []struct {
		what      string
		now, then any
	}{
		{"CPU", h.CPU, g.CPU}, {"number of CPUs", h.CPUs, g.CPUs}, {"pinned", h.Pinned, g.Pinned},
		{"server's CPUs", h.ServerCPUs, g.ServerCPUs}, {"generator's CPUs", h.GeneratorCPUs, g.GeneratorCPUs},
		{"number of generators", max(1, len(h.Generators)), max(1, len(g.Generators))},
	} {
		if fmt.Sprint(d.now) != fmt.Sprint(d.then) {
			out = append(out, fmt.Sprintf("%s: %v, was %v", d.what, d.now, d.then))
		}
	}
	now, then := boots(run), boots(other)
	switch {
	case slices.Contains(now, "") || slices.Contains(then, ""):
		out = append(out, "cannot tell whether it is the same machine: a record does not identify its boot")
	case !slices.Equal(now, then):
		out = append(out, "another boot, or another machine")
	}
	return out
}

// boots returns the boots of all machines that a run was measured on, "" for one that is unknown.
func boots(run *record.Run) (ids []string) {
	hosts := []*record.Host{&run.Host}
	for _, r := range run.Resumes {
		if r.Host != nil {
			hosts = append(hosts, r.Host)
		}
	}
	for _, h := range hosts {
		for _, m := range h.Machines() {
			ids = append(ids, m.BootID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// weaknesses lists differences between the runs, and defects in either, that weaken a comparison
// without forbidding it.
func weaknesses(run, other *record.Run, reference string) (out []string) {
	differ := func(what string, now, then any) {
		if fmt.Sprint(now) != fmt.Sprint(then) {
			out = append(out, fmt.Sprintf("%s %v, was %v", what, now, then))
		}
	}
	differ("dyno", run.Plan.Origin.Dyno, other.Plan.Origin.Dyno)
	if x, y := run.Contestant(reference), other.Contestant(reference); x != nil && y != nil {
		differ("build of the reference", x.Version, y.Version)
	}
	differ("profile", run.Plan.Profile, other.Plan.Profile)
	differ("length of a trial", time.Duration(run.Plan.Load.NS), time.Duration(other.Plan.Load.NS))
	differ("governor", run.Host.Governor, other.Host.Governor)
	for i, r := range []*record.Run{run, other} {
		which := []string{"the run", "the other run"}[i]
		for _, f := range Evaluate(r).Findings {
			if f.Contestant == "" && f.State.String() == "fail" {
				out = append(out, fmt.Sprintf("%s must not be quoted: %s", which, f.Text))
			}
		}
	}
	return out
}

// metrics returns all closed-loop metrics, the primary one first.
func metrics(primary string) []judge.Metric {
	all := slices.DeleteFunc(slices.Clone(judge.Metrics),
		func(m judge.Metric) bool { return (m.Open() || m.Rare) && m.Name != primary })
	i := max(0, slices.IndexFunc(all, func(m judge.Metric) bool { return m.Name == primary })) // −1: none
	return slices.Concat(all[i:i+1], all[:i], all[i+1:])
}

// pairOf holds two runs while they are compared, and their valid trials at the first level.
type pairOf struct {
	run, other *record.Run
	now, then  *judge.Table
	a          *Against
}

// names returns the servers to compare, controls last. It records why every other server is left
// out.
func (p *pairOf) names() (names []string) {
	run, other := p.run, p.other
	absent := func(name, why string) { p.a.Absent = append(p.a.Absent, name+": "+why) }
	participants := func(q *record.Plan) []string {
		return slices.DeleteFunc(slices.Concat(q.Contestants, q.Controls),
			func(name string) bool { return name == p.a.Reference })
	}
	for _, name := range participants(&run.Plan) {
		switch {
		case !slices.Contains(participants(&other.Plan), name):
			absent(name, "not in the other run")
		case run.FailureOf(name) != nil:
			absent(name, "failed at "+run.FailureOf(name).Stage)
		case other.FailureOf(name) != nil:
			absent(name, "failed at "+other.FailureOf(name).Stage+" in the other run")
		default:
			names = append(names, name)
		}
	}
	for _, name := range participants(&other.Plan) {
		if !slices.Contains(participants(&run.Plan), name) {
			absent(name, "only in the other run")
		}
	}
	return names
}

// changes returns all names under one metric, judged where the metric has verdicts.
func (p *pairOf) changes(m judge.Metric, names []string) (out []Change) {
	var now, then [][]float64
	reference := record.Cell{Contestant: p.a.Reference}
	for _, name := range names {
		cell := record.Cell{Contestant: name}
		c := Change{Contestant: name, Metric: m.Name, Control: slices.Contains(p.run.Plan.Controls, name),
			SameBuild: p.sameBuild(name), Now: p.now.Level(m, cell), Then: p.then.Level(m, cell)}
		x, y := p.now.Logs(m, cell, reference), p.then.Logs(m, cell, reference)
		if p.a.Reference != "" {
			c.Now, c.Then = judge.RatioOf(x, 1-p.a.Alpha), judge.RatioOf(y, 1-p.a.Alpha)
		}
		if why := cmp.Or(p.now.Mixed(m, cell, reference), p.then.Mixed(m, cell, reference)); why != "" {
			p.a.Absent = append(p.a.Absent, name+": "+m.Name+": "+why)
		}
		if c.Now.N > 0 && c.Then.N > 0 {
			now, then, out = append(now, x), append(then, y), append(out, c)
		}
	}
	if !p.a.decides(m.Name) {
		return out
	}
	rounds := [2]int{p.run.Plan.Rounds, p.other.Plan.Rounds}
	for i, d := range judge.Changes(now, then, p.a.Alpha, p.a.Margin, rounds) {
		out[i].Decision, out[i].Better = d, d.Up() == m.More
	}
	return out
}

func (p *pairOf) sameBuild(name string) bool {
	x, y := p.run.Contestant(name), p.other.Contestant(name)
	return x != nil && y != nil && x.BinaryHash != "" && x.BinaryHash == y.BinaryHash
}

// firstLevel returns a run's valid trials at its first level.
func firstLevel(run *record.Run) *judge.Table {
	return judge.Tabulate(judge.ByLevel(run, plan.Valid(run))[0], nil)
}
