package study

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// Against compares a run with an earlier run of the same question: for each contestant, the change
// in its ratio to the reference. Absolute figures drift with the machine and are not compared;
// Drifts holds the reference's own drift.
//
// The unit is the epoch on both sides. The spread between epochs does not include differences
// between the days of two runs, so an interval here is too narrow. The reference's copy, whose true
// change is none, shows by how much.
type Against struct {
	Reference string
	Alpha     float64 // for each metric's family of contestants and controls
	Margin    float64
	Epochs    [2]int   // valid epochs in the run and in the other run
	Warnings  []string // reasons why the comparison is weaker
	Drifts    []Drift
	Changes   []Change // by metric, the primary first; in the plan's order, then the controls
	Absent    []string // contestants that are not compared, and why
}

// Drift is the reference's own value in both runs.
type Drift struct {
	Metric    string
	Now, Then float64
}

// Change is a contestant's ratio to the reference in both runs.
type Change struct {
	Contestant string
	Control    bool
	Metric     string
	Now, Then  judge.Estimate // ratio to the reference, at 1 − Alpha
	// Now over Then, judged together under a metric; N is the smaller number of epochs, and
	// inconclusive means that no change is shown
	judge.Decision
	Better    bool // a change is shown, and it is an improvement
	SameBuild bool // both runs started the same program
}

// OtherMachine is the error for two runs made on different machines. It can be overruled.
type OtherMachine struct{ Differences []string }

func (o *OtherMachine) Error() string {
	return "the runs were taken on different machines: " + strings.Join(o.Differences, "; ")
}

// Compare compares run with other. If the two machines differ and force is not set, the error is an
// *OtherMachine. Any other error says why the runs can never be compared.
func Compare(run, other *record.Run, force bool) (*Against, error) {
	if err := sameQuestion(&run.Plan, &other.Plan); err != nil {
		return nil, err
	}
	machine := machineDifferences(&run.Host, &other.Host)
	if len(machine) > 0 && !force {
		return nil, &OtherMachine{machine}
	}
	a := &Against{
		Reference: run.Plan.Controls[0], Alpha: min(run.Plan.Alpha, other.Plan.Alpha), Margin: run.Plan.Margin,
		Epochs: [2]int{len(plan.Epochs(run)), len(plan.Epochs(other))},
	}
	for _, d := range machine {
		a.Warnings = append(a.Warnings, "different machines: "+d)
	}
	if min(a.Epochs[0], a.Epochs[1]) == 0 {
		return nil, fmt.Errorf("one of the runs has no valid epoch (%d and %d)", a.Epochs[0], a.Epochs[1])
	}
	a.Warnings = append(a.Warnings, weaknesses(run, other, a.Reference)...)
	p := pairOf{run: run, other: other, now: firstLevel(run), then: firstLevel(other), a: a}
	names := p.names()
	for _, m := range metrics(run.Plan.Primary) {
		reference := record.Cell{Contestant: a.Reference}
		if now, then := p.now.Level(m, reference), p.then.Level(m, reference); now.N > 0 && then.N > 0 {
			a.Drifts = append(a.Drifts, Drift{m.Name, now.Value, then.Value})
		}
		a.Changes = append(a.Changes, p.changes(m, names)...)
	}
	return a, nil
}

// sameQuestion returns an error if two plans do not ask the same question.
func sameQuestion(p, q *record.Plan) error {
	differ := func(what string, x, y any) error {
		return fmt.Errorf("the runs cannot be compared, because they differ: %s %v, and %v", what, x, y)
	}
	switch {
	case !p.Ranks() || !q.Ranks():
		return fmt.Errorf("only runs that compare all pairs at one level can be compared with each other; one of these does not")
	case p.Scenario != q.Scenario:
		return differ("scenario", p.Scenario, q.Scenario)
	case p.First() != q.First():
		return differ("level", report.LevelName(p.First()), report.LevelName(q.First()))
	case len(p.Controls) == 0 || len(q.Controls) == 0:
		return fmt.Errorf("a run without the reference cannot be compared with another, because absolute figures " +
			"drift from day to day")
	case p.Controls[0] != q.Controls[0]:
		return differ("reference", p.Controls[0], q.Controls[0])
	}
	return nil
}

// machineDifferences lists differences between machines that affect a ratio, including how CPUs are
// divided between server and generator.
func machineDifferences(h, g *record.Host) (out []string) {
	for _, d := range []struct {
		what      string
		now, then any
	}{
		{"CPU", h.CPU, g.CPU}, {"number of CPUs", h.CPUs, g.CPUs}, {"kernel", h.Kernel, g.Kernel}, {"pinned", h.Pinned, g.Pinned},
		{"server's CPUs", h.ServerCPUs, g.ServerCPUs}, {"generator's CPUs", h.GeneratorCPUs, g.GeneratorCPUs},
		{"number of generators", max(1, len(h.Generators)), max(1, len(g.Generators))},
	} {
		if fmt.Sprint(d.now) != fmt.Sprint(d.then) {
			out = append(out, fmt.Sprintf("%s %v, was %v", d.what, d.now, d.then))
		}
	}
	return out
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
	all := slices.DeleteFunc(slices.Clone(judge.Metrics), func(m judge.Metric) bool { return (m.Open() || m.Rare) && m.Name != primary })
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
	participants := func(p *record.Plan) []string { return slices.Concat(p.Contestants, p.Controls[1:]) }
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

// changes judges all names under one metric.
func (p *pairOf) changes(m judge.Metric, names []string) (out []Change) {
	var now, then [][]float64
	reference := record.Cell{Contestant: p.a.Reference}
	for _, name := range names {
		cell := record.Cell{Contestant: name}
		x, y := p.now.Logs(m, cell, reference), p.then.Logs(m, cell, reference)
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		now, then = append(now, x), append(then, y)
		out = append(out, Change{Contestant: name, Metric: m.Name, Control: slices.Contains(p.run.Plan.Controls, name),
			SameBuild: p.sameBuild(name), Now: judge.RatioOf(x, 1-p.a.Alpha), Then: judge.RatioOf(y, 1-p.a.Alpha)})
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
	return judge.Tabulate(byLevel(run, plan.Valid(run))[0], nil)
}
