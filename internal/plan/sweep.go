package plan

import (
	"cmp"
	"slices"
	"time"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// arrangeSweep sets up a sweep: the same contestants at several levels, all pairs compared at
// each, in a number of epochs that is known before. Its budget is twice the time that these
// take, for epochs that do not count.
func arrangeSweep(p *record.Plan, r *Request, q *Question, pr *profile) {
	whole := *q
	whole.Budget = wholeBudget
	lay(p, r, &whole, pr)
	if p.Rounds = leastRounds; p.Fresh() {
		p.Rounds = 1
	}
	p.Epochs, p.Last = []int{cmp.Or(r.Epochs, stats.Least)}, record.Last{}
	if c, err := estimateRounds(&record.Run{Plan: *p}); err == nil && r.Budget == 0 {
		p.BudgetNS = int64(ceil(2*c.Whole, time.Minute))
	}
}

// sweepPairs returns the pairs at each level. If these are too many to be decided together, only pairs with
// the first contestant remain.
func sweepPairs(p *record.Plan) []record.Comparison {
	all := p.AllPairs()
	if len(all) > mostPairs {
		all = slices.DeleteFunc(all, func(f record.Comparison) bool { return f.A.Contestant != p.Contestants[0] })
	}
	return all
}
