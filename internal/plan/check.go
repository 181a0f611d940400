package plan

import (
	"fmt"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// checkLevels returns an error if a run cannot measure a level of the plan, or never loads a contestant. What else may be
// wrong in a study its file says.
func checkLevels(p *result.Plan) error {
	points := p.Points()
	m, _ := analysis.MetricNamed(p.Primary)
	for i, l := range points {
		isCompared := func(n string) bool { return compared(p, result.Cell{Contestant: n, Level: i}, false) }
		atBase := func(c result.Cell) bool { return c.Level == base(p, i) }
		switch {
		case slices.Index(points, l) < i:
			return fmt.Errorf("level %d repeats level %d; levels must differ", i, slices.Index(points, l))
		case m.Of != nil && m.Open() && !l.Open() && slices.ContainsFunc(p.Contestants, isCompared):
			return fmt.Errorf("%s can decide only in an open loop, and level %d is a closed loop; choose another "+
				"primary metric, or give the level a rate", m.Name, i)
		case l.RateShare == 0:
		case l.RatePerSec > 0:
			return fmt.Errorf("level %d has both a rate and a rate share; remove one", i)
		case base(p, i) < 0:
			return fmt.Errorf("level %d is a share of the closed loop's rate, but the plan has no such closed loop; "+
				"add a level without a rate, with the same delay, work, CPUs, scenario and records", i)
		case len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, atBase):
			return fmt.Errorf("level %d is a share of the rate at level %d, where no contestant is loaded; add cells there",
				i, base(p, i))
		}
	}
	for _, name := range p.Contestants {
		of := func(c result.Cell) bool { return c.Contestant == name }
		if len(p.Cells) > 0 && !slices.ContainsFunc(p.Cells, of) {
			return fmt.Errorf(
				"%s is in no cell: it would be built but never loaded; remove it, or add a cell for it", name)
		}
	}
	return nil
}
