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

// classic makes one long load after another, each on its own process, as published benchmarks do.
// It gives single figures, for comparison with published ones.
type classic struct{ whole }

var classicTraits = Traits{
	Name: Classic, Title: "classic run", Kind: checks.Classic, Alone: true,
	Flags: []string{"requests", "duration", "external", "classic", "epochs"},
}

// Traits implements Protocol.
func (classic) Traits() *Traits { return &classicTraits }

// Words implements Protocol.
func (classic) Words(p *result.Plan, c *Cost) string {
	if p.Requests > 0 {
		return fmt.Sprintf("%s of %s, one after another", document.Count(c.Trials, "load"), document.Count(p.Requests, "request"))
	}
	each, whole := time.Duration(p.TrialNS), c.Whole.Round(time.Second)
	return fmt.Sprintf("%s of %v, one after another, %v", document.Count(c.Trials, "load"), each, whole)
}

// trial returns for a tool the time that dyno's own load of a number of requests took: for wrk,
// which cannot count.
func (classic) trial(run *result.Run, k result.Key, e slot) (result.Level, int64, bool) {
	level, ns, ok := whole{}.trial(run, k, e)
	if e.external == "" || run.Plan.Requests == 0 {
		return level, ns, ok
	}
	for _, t := range slices.Backward(run.Trials) {
		if t.Contestant == e.Contestant && t.Epoch == k.Epoch && t.External == "" {
			return level, t.Load.WindowNS, ok
		}
	}
	return level, ns, ok
}

func (classic) arrange(p *result.Plan, r *Request, q *Question, _ *profile) {
	p.Rounds, p.Controls = 1, nil
	if len(p.External) == 0 {
		p.External = q.Tools
	}
	if len(p.External) == 0 || p.Backend != "" { // no load of a classic run is of the backend by itself
		p.Ceiling, p.CeilingScenarios, p.CeilingProtocols = "", nil, nil
	}
	p.Epochs = cmp.Or(p.Epochs, 1)
	p.BudgetNS = int64(cmp.Or(r.Budget, wholeBudget))
	p.TrialNS = int64(cmp.Or(r.Duration, q.Duration, 30*time.Second)) // the articles' own
	if p.Requests = r.Requests; r.Requests == 0 && r.Duration == 0 {
		p.Requests = q.Requests
	}
}

// estimate returns the cost, without the time of loads with a number of requests, which depends on
// the contestants.
func (classic) estimate(p *result.Plan) (Cost, error) {
	c, err := whole{}.estimate(p)
	if p.Requests > 0 {
		c.Whole, err = 0, nil
	}
	return c, err
}
