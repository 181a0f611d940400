package study

import (
	"cmp"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// costs returns, for each contestant and level, the CPU per request beyond the level's base.
// Excluded contestants have a reason instead of a figure; levels that the run did not load are left
// out.
func (e *evidence) costs() (out []cost) {
	if e.study.Base == "" || e.run.Plan.Processes == record.PerLoad {
		return nil
	}
	m, _ := judge.MetricNamed("cpu_per_request")
	for _, name := range e.run.Plan.Contestants {
		for i := range e.study.Levels {
			l := &e.study.Levels[i]
			c := cost{Contestant: name, Level: l.Name, Base: cmp.Or(l.Base, e.study.Base)}
			if _, loaded := e.cell(Cell{Contestant: name, Level: c.Level}); !loaded || c.Level == c.Base ||
				!slices.Contains(e.study.at(l), name) ||
				!slices.Contains(e.study.at(e.study.level(c.Base)), name) {
				continue
			}
			for _, level := range []string{c.Level, c.Base} {
				c.Absent = cmp.Or(e.unsettled(Cell{Contestant: name, Level: level}, m.Name), c.Absent)
			}
			if c.Absent == "" {
				here, _ := e.cell(Cell{Contestant: name, Level: c.Level})
				base, _ := e.cell(Cell{Contestant: name, Level: c.Base})
				c.More, c.Of = e.table().Difference(m, here, base, 0.95), e.table().Level(m, base)
			}
			out = append(out, c)
		}
	}
	return out
}
