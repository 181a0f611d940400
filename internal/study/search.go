package study

import (
	"slices"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// capacities returns a search's results, epoch by epoch, with contestants in plan order.
func capacities(run *record.Run) (out []report.Capacity) {
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
