package plan

import (
	"fmt"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// mostPairs is the largest number of pairs that are decided together: stats.Joint computes all
// pairs in each flip.
const mostPairs = 2000

// checkPairs returns an error if a plan decides more than mostPairs pairs.
func checkPairs(p *record.Plan) error {
	if n := pairs(p); n > mostPairs {
		return fmt.Errorf("the plan decides %d pairs; at most %d are decided together, all pairs of 63 "+
			"contestants", n, mostPairs)
	}
	return nil
}

// checkLevels returns an error if a run cannot measure a level, or never loads a contestant. The
// study file's own checks find other faults.
func checkLevels(p *record.Plan) error {
	points := p.Levels
	m, _ := judge.MetricNamed(p.Primary)
	for i, l := range points {
		isCompared := func(n string) bool { return compared(p, record.Cell{Contestant: n, Level: i}) }
		switch {
		case slices.Index(points, l) < i:
			return fmt.Errorf("level %d repeats level %d; levels must differ", i, slices.Index(points, l))
		case m.Of != nil && m.Open() && !l.Open() && slices.ContainsFunc(p.Contestants, isCompared):
			return fmt.Errorf("%s can decide only in an open loop, and level %d is a closed loop; choose another "+
				"primary metric", m.Name, i)
		}
	}
	for _, name := range p.Contestants {
		of := func(c record.Cell) bool { return c.Contestant == name }
		if !slices.ContainsFunc(p.Cells, of) {
			return fmt.Errorf(
				"%s is in no cell: it would be built but never loaded; remove it, or add a cell for it", name)
		}
	}
	return nil
}
