package plan

import (
	"slices"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// searched returns a search's results, epoch by epoch, with contestants in plan order.
func searched(run *record.Run, epochs []int) (out []judge.Capacity) {
	for _, name := range slices.Concat(run.Plan.Contestants, run.Plan.Controls) {
		for _, epoch := range epochs {
			seen, closed := Probes(run, epoch, name)
			if len(seen) == 0 || run.FailureOf(name) != nil {
				continue
			}
			c := judge.Capacity{Contestant: name, Epoch: epoch, Top: closed.PerSec}
			c.Rate, c.Lo, c.Hi = Highest(run.Plan.SLO, seen)
			for _, p := range seen {
				switch {
				case p.Limited:
					c.Limited++
				case !Confirms(p.Round):
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
