package study

import (
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

// evaluateSearch evaluates a search.
func evaluateSearch(run *result.Run) *report.Data {
	valid := plan.Valid(run)
	discarded, all := plan.Discarded(run)
	e := &checks.Evidence{Run: run, Valid: valid, Discarded: discarded, All: all, Analysis: &analysis.Analysis{}}
	return &report.Data{Run: run, Found: capacities(run), Valid: len(valid), Discarded: discarded,
		Findings: checks.Make(e, checks.Search, checks.Once)}
}

// capacities returns the results of a search, epoch by epoch, with contestants in order of the
// plan.
func capacities(run *result.Run) (out []report.Capacity) {
	for _, name := range slices.Concat(run.Plan.Contestants, run.Plan.Controls) {
		for _, epoch := range plan.Epochs(run) {
			seen, closed := plan.Probes(run, epoch, name)
			if len(seen) == 0 || run.FailureOf(name) != nil {
				continue
			}
			c := report.Capacity{Contestant: name, Epoch: epoch, Top: closed.PerSec}
			c.Rate, c.Lo, c.Hi = plan.Highest(run.Plan.SLO, seen)
			for _, p := range seen {
				switch {
				case p.Limited:
					c.Limited++
				case !plan.Confirms(p.Round):
					c.Probes++
				case p.Pass:
					c.Confirmed++
					fallthrough
				default:
					c.Confirms++
				}
			}
			out = append(out, c)
		}
	}
	return out
}
