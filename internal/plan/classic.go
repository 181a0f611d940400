package plan

import (
	"cmp"
	"time"

	"dyno/internal/record"
)

// arrangeClassic sets up a classic run: one long load after another, each on its own process, as
// published benchmarks do. It gives single figures, for comparison with published ones.
func arrangeClassic(p *record.Plan, r *Request, q *Question, _ *profile) {
	p.Rounds, p.Epochs = 1, []int{cmp.Or(r.Epochs, 1)}
	p.BudgetNS = int64(cmp.Or(r.Budget, wholeBudget))
	p.Load.NS = int64(cmp.Or(r.Duration, q.Duration, 30*time.Second)) // the articles' own
	if p.Load.Requests = r.Requests; r.Requests == 0 && r.Duration == 0 {
		p.Load.Requests = q.Requests
	}
}
