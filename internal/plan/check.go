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
		return fmt.Errorf("fresh processes need a number of requests for each load, and the plan has none")
	}
	for i := range p.Points() {
		if err := checkLevel(p, i); err != nil {
			return err
		}
	}
	for _, name := range p.Contestants {
		of := func(c result.Cell) bool { return c.Contestant == name }
		if len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, of) {
			return fmt.Errorf(
				"%s is in no cell: it would be built but never loaded; remove it, or add a cell for it", name)
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
		return fmt.Errorf("level %d is load %d of its processes: this needs fresh processes, and load %d at the "+
			"same delay just before it in the plan", i, l.Step+1, l.Step)
	case slices.Index(points, l) < i:
		return fmt.Errorf("level %d repeats level %d; levels must differ", i, slices.Index(points, l))
	case m.Of != nil && m.Open() && !l.Open() && slices.ContainsFunc(p.Contestants, isCompared):
		return fmt.Errorf("%s can decide only in an open loop, and level %d is a closed loop; choose another "+
			"primary metric, or give the level a rate", m.Name, i)
	case l.RateShare == 0:
		return nil
	case l.RateShare < 0 || l.RateShare >= 1:
		return fmt.Errorf("level %d: rate share %v: want more than 0 and less than 1", i, l.RateShare)
	case l.RatePerSec > 0:
		return fmt.Errorf("level %d has both a rate and a rate share; remove one", i)
	case base(p, i) < 0:
		return fmt.Errorf("level %d is a share of the closed loop's rate, but the plan has no such closed loop; "+
			"add a level without a rate, with the same delay, work, CPUs, scenario and records", i)
	case p.Pilots < len(partsWith(p, true)):
		return fmt.Errorf(
			"level %d is a share of a rate that the pilots measure, but there are %d pilot epochs for %d delays",
			i, p.Pilots, len(partsWith(p, true)))
	case len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, atBase):
		return fmt.Errorf("level %d is a share of the rate at level %d, where no contestant is loaded; add cells there",
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
			return fmt.Errorf("%s is compared but not loaded; add it to the cells", cellName(c))
		}
	}
	why := "they have different delays, work or numbers of CPUs, which are set when a contestant starts"
	switch {
	case f.A == f.B:
		return fmt.Errorf("%s is compared with itself", cellName(f.A))
	case together(p, f.A.Level, f.B.Level):
		return nil
	case p.Fresh:
		why = "each has its own processes"
	}
	return fmt.Errorf("%s and %s cannot be compared: %s, so they never share a round",
		cellName(f.A), cellName(f.B), why)
}

// known returns an error if the plan has no such cell.
func known(p *result.Plan, c result.Cell) error {
	switch n := len(p.Points()); {
	case !slices.Contains(p.Contestants, c.Contestant):
		return fmt.Errorf("%s: the plan has no contestant %q", cellName(c), c.Contestant)
	case c.Level < 0 || c.Level >= n:
		return fmt.Errorf("%s: the plan has %d levels, numbered from 0", cellName(c), n)
	}
	return nil
}

func cellName(c result.Cell) string { return fmt.Sprintf("%s at level %d", c.Contestant, c.Level) }
