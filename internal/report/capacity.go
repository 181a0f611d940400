package report

import (
	"fmt"
	"math"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
)

const ratesLabel = "search: the highest rate that keeps the objective, by open-loop probes in turn; intervals, no " +
	"verdicts"

// objective describes the objective of the search.
func (v *View) objective() string {
	o := v.run.Plan.SLO
	if o == nil {
		return "no objective is recorded"
	}
	return fmt.Sprintf("p%g of the response time below %v, at most %s errors", 100*o.Quantile, time.Duration(o.LimitNS),
		PerCent(o.ErrorShare))
}

// bestRate names the contestant with the highest capacity among those that kept the objective in a
// probe.
func (v *View) bestRate() string {
	var best judge.Capacity
	for _, c := range v.Found {
		if c.Lo > 0 && c.Rate > best.Rate {
			best = c
		}
	}
	switch {
	case best.Rate > 0:
	case len(v.Found) > 0:
		return "No highest rate was found: every probe missed the objective."
	default:
		return "Nothing was measured: no highest rate was found."
	}
	return fmt.Sprintf("%s keeps the objective at the highest rate: %s (%s–%v).", v.Title(best.Contestant),
		Rate(best.Rate), openBound(best.Lo, document.Decimals3(best.Lo)), openBound(best.Hi, document.Decimals3(best.Rate)))
}

// rateNotes returns the notes about a search.
func (v *View) rateNotes() (list []string) {
	for _, c := range v.Found {
		switch {
		case math.IsInf(c.Hi, 1):
			list = append(list, c.Contestant+" has no upper bound that can be trusted: its rate is a lower bound.")
		case c.Lo == 0:
			list = append(list, c.Contestant+" failed every probe: its rate is an upper bound.")
		}
		if c.Limited > 0 {
			list = append(list, fmt.Sprintf("%s: %s missed the objective with the load generator at its limit and "+
				"does not count.", c.Contestant, document.Count(c.Limited, "probe")))
		}
	}
	return append(list, v.absent()...)
}

// capacities returns a table with a row for each contestant and epoch.
func (v *View) capacities() document.Section {
	if v.run.Plan.SLO == nil {
		return document.Section{}
	}
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true},
		{Head: "highest rate/s", Word: "search", Number: true},
		{Head: "confirmed", Word: "confirmed"}, {Head: "closed loop/s", Number: true}}}
	for _, r := range v.all() {
		n := 0
		for _, c := range v.Found {
			if c.Contestant != r.Name || r.Excluded != "" {
				continue
			}
			n++
			confirmed := fmt.Sprintf("%d of %d", c.Confirmed, c.Confirms)
			if c.Confirmed < c.Confirms {
				confirmed += ", unstable"
			}
			row := v.TableRow(r)
			row.Cells = append(row.Cells, document.Cell{Value: Sig3(c.Rate), Side: "(" +
				openBound(c.Lo, document.Decimals3(c.Lo)) +
				"–" + openBound(c.Hi, document.Decimals3(c.Rate)) + ")"},
				document.Cell{Value: confirmed}, document.Cell{Value: Sig3(c.Top)})
			t.Rows = append(t.Rows, row)
		}
		if n == 0 {
			row := v.TableRow(r)
			for range 3 {
				row.Cells = append(row.Cells, document.Cell{Absent: "it was not found"})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	out := document.Section{ID: "table", Title: "Highest rate of each"}
	if len(t.Rows) > 0 {
		out.Blocks = []document.Block{t}
	}
	return out
}
