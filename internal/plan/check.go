package plan

import (
	"fmt"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// checkPairs returns an error if the plan cannot compare its pairs: a cell does not exist, no round
// can load both sides, or a share has no base.
func checkPairs(p *result.Plan) error {
	if p.Fresh && p.Requests < 1 {
		return fmt.Errorf("fresh processes are loaded with a number of requests, and the plan has none")
	}
	for i := range p.Points() {
		if err := checkLevel(p, i); err != nil {
			return err
		}
	}
	for _, name := range p.Contestants {
		of := func(c result.Cell) bool { return c.Contestant == name }
		if len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, of) {
			return fmt.Errorf("%s is in no cell: it would be built and never loaded; leave it out", name)
		}
	}
	for _, c := range p.Cells {
		if err := known(p, c); err != nil {
			return err
		}
	}
	for i, f := range p.Family {
		if err := comparable(p, f); err != nil {
			return err
		}
		same := func(o result.Comparison) bool { return o == f || o.A == f.B && o.B == f.A }
		if slices.IndexFunc(p.Family, same) < i {
			return fmt.Errorf("%s is compared with %s twice", cellName(f.A), cellName(f.B))
		}
	}
	return nil
}

// checkLevel returns an error if a level is invalid.
func checkLevel(p *result.Plan, i int) error {
	points := p.Points()
	l := points[i]
	atBase := func(c result.Cell) bool { return c.Level == base(p, i) }
	isCompared := func(n string) bool { return compared(p, result.Cell{Contestant: n, Level: i}, false) }
	m, _ := analysis.MetricNamed(p.Primary)
	switch {
	case l.Step > 0 && (!p.Fresh || i == 0 || points[i-1].Step != l.Step-1 || points[i-1].Launch() != l.Launch()):
		return fmt.Errorf("level %d is load %d of its processes: want fresh processes, and before it in the plan the "+
			"load %d of the same delay", i, l.Step+1, l.Step)
	case slices.Index(points, l) < i:
		return fmt.Errorf("level %d is level %d again: a plan's levels must differ", i, slices.Index(points, l))
	case m.Of != nil && m.Open() && !l.Open() && slices.ContainsFunc(p.Contestants, isCompared):
		return fmt.Errorf("%s is measured in open loops alone, and level %d, where it should decide, is a closed loop: "+
			"take another primary metric or give the level a rate", m.Name, i)
	case l.RateShare == 0:
		return nil
	case l.RateShare < 0 || l.RateShare >= 1:
		return fmt.Errorf("level %d: a rate share of %v: want more than 0 and less than 1", i, l.RateShare)
	case l.RatePerSec > 0:
		return fmt.Errorf("level %d has a rate and a rate share: give one of them", i)
	case base(p, i) < 0:
		return fmt.Errorf("level %d is a share of a closed loop that the plan does not have: add a level of the same "+
			"delay, work, scenario and records without a rate", i)
	case p.Pilots < len(partsWith(p, true)):
		return fmt.Errorf("level %d is a share of what the pilots find, and there are %d pilot epochs for %d delays",
			i, p.Pilots, len(partsWith(p, true)))
	case len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, atBase):
		return fmt.Errorf("level %d is a share of level %d, at which no contestant is loaded: add cells there",
			i, base(p, i))
	}
	return nil
}

// comparable returns an error if a run cannot decide a comparison.
func comparable(p *result.Plan, f result.Comparison) error {
	for _, c := range []result.Cell{f.A, f.B} {
		if err := known(p, c); err != nil {
			return err
		}
		if !loaded(p, c) {
			return fmt.Errorf("%s is compared but not loaded: add it to the cells", cellName(c))
		}
	}
	why := "have different delays or work, which reach a contestant when it is launched"
	switch {
	case f.A == f.B:
		return fmt.Errorf("%s is compared with itself", cellName(f.A))
	case together(p, f.A.Level, f.B.Level):
		return nil
	case p.Fresh:
		why = "have processes of their own, started for each"
	}
	return fmt.Errorf("%s and %s %s: they never share a round, so they cannot be compared",
		cellName(f.A), cellName(f.B), why)
}

// known returns an error if the plan has no such cell.
func known(p *result.Plan, c result.Cell) error {
	switch n := len(p.Points()); {
	case !slices.Contains(p.Contestants, c.Contestant):
		return fmt.Errorf("%s: %q is no contestant of the plan", cellName(c), c.Contestant)
	case c.Level < 0 || c.Level >= n:
		return fmt.Errorf("%s: the plan has %d levels, from 0", cellName(c), n)
	}
	return nil
}

func cellName(c result.Cell) string { return fmt.Sprintf("%s at level %d", c.Contestant, c.Level) }
