package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dyno/internal/checks"
	"dyno/internal/document"
	"dyno/internal/result"
)

// sweep measures the same contestants at several levels: figures with intervals, no verdicts.
type sweep struct{ whole }

var sweepTraits = Traits{
	Name: Sweep, Title: "sweep", Kind: checks.Sweep, Levels: true, Ratios: true,
	Flags: []string{"epochs", "rate"},
}

// Traits implements Protocol.
func (sweep) Traits() *Traits { return &sweepTraits }

// Words implements Protocol.
func (sweep) Words(p *result.Plan, c *Cost) string {
	return fmt.Sprintf("about %s in %s, %v; figures with intervals, no verdicts%s", document.Count(c.Trials, "trial"),
		document.Count(c.Epochs+p.Pilots, "epoch"), c.Whole.Round(time.Second), openWords(p))
}

func (sweep) levels(p *result.Plan, q *Question) {
	p.Levels, p.Cells, p.Fresh = slices.Clone(q.Levels), q.Cells, q.Fresh
	if len(q.Levels) > 1 {
		p.LevelNames = q.LevelNames
	}
}

func (sweep) arrange(p *result.Plan, r *Request, q *Question, pr *profile) {
	p.Rounds, p.Pilots, p.UnloadedNS = leastRounds, len(parts(p)), unloadedNS
	if p.Fresh {
		p.Rounds, p.Pilots, p.Requests, p.UnloadedNS = 1, 0, q.Requests, 0
	}
	p.Epochs = cmp.Or(p.Epochs, 6) // fewer give a median no interval at 95 %
	p.BudgetNS = int64(cmp.Or(r.Budget, wholeBudget))
	pr.times(p, pr.trial) // of each level: see trialOf
	openLoads(p, r, q)
}
