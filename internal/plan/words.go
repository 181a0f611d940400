package plan

import (
	"fmt"
	"time"

	"dyno/internal/document"
	"dyno/internal/record"
)

// Words returns a sentence about a run's cost, before it begins.
func Words(p *record.Plan, c *Cost) string {
	whole := c.Whole.Round(time.Second)
	switch {
	case inTurn(p) && p.Load.Requests > 0:
		return fmt.Sprintf("%s of %s, one after "+
			"another", document.Count(c.Trials, "load"), document.Count(p.Load.Requests, "request"))
	case inTurn(p):
		return fmt.Sprintf("%s of %v, one after another, "+
			"%v", document.Count(c.Trials, "load"), time.Duration(p.Load.NS), whole)
	}
	each := fmt.Sprintf("%v, of slow servers up to %v,", time.Duration(p.Load.NS), max(time.Duration(p.Load.NS), longTrial))
	most := time.Duration(p.BudgetNS).String()
	if p.Fresh() {
		each = document.Count(p.Load.Requests, "request")
		most += " and one load more"
	}
	epochs := document.Count(c.Epochs, "epoch")
	if p.Pilots > 0 {
		epochs = document.Count(p.Pilots, "pilot") + " and " + epochs
	}
	verdict := fmt.Sprintf("first verdict possible after %v", c.FirstVerdict.Round(time.Second))
	if cost := RatedCost(&record.Run{Plan: *p}); cost > 0 {
		verdict += fmt.Sprintf("; then open loops for %v", cost.Round(time.Second))
	}
	anew := "each with freshly started servers"
	switch len(p.Servers.Attached) {
	case 0:
	case len(p.Contestants):
		anew = "each a block of rounds on the running servers"
	default:
		anew += ", except those that were already running"
	}
	return fmt.Sprintf("about %v, at most %s; %s of %s in %s, %s; %s", whole, most,
		document.Count(c.Trials, "trial"), each, epochs, anew, verdict)
}
