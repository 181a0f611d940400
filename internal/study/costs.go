package study

import (
	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/claim"
	"dyno/internal/report"
)

// costs are what each contestant needs at each level beyond what it needs at the base, in CPU per
// request. Those that it excluded say why they have no figure; levels that the run did not load are
// not among them.
func (e *evidence) costs() (out []report.Cost) {
	if e.study.Base == "" || isA(e.run, checks.Classic) {
		return nil
	}
	table := analysis.Tabulate(e.valid, e.run.Plan.At)
	m, _ := analysis.MetricNamed("cpu_per_request")
	for _, name := range e.run.Plan.Contestants {
		for i := range e.study.Levels {
			c := report.Cost{Contestant: name, Level: e.study.Levels[i].Name}
			if _, loaded := e.cell(claim.Cell{Contestant: name, Level: c.Level}); !loaded || c.Level == e.study.Base {
				continue
			}
			for _, level := range []string{c.Level, e.study.Base} {
				if verdict, why := e.Missing(claim.Cell{Contestant: name, Level: level}, m.Name); verdict != "" {
					c.Absent = string(verdict) + ": " + why
				}
			}
			if c.Absent == "" {
				here, _ := e.cell(claim.Cell{Contestant: name, Level: c.Level})
				base, _ := e.cell(claim.Cell{Contestant: name, Level: e.study.Base})
				c.More, c.Of = table.Difference(m, here, base, 0.95), table.Level(m, base)
			}
			out = append(out, c)
		}
	}
	return out
}
