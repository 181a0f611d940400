// Package judge turns trials into cells, paired comparisons and verdicts, and holds the checks in
// doc/method.md as one table over recorded causes and the analysis. A check says whether a number is reliable; it
// does not depend on which contestant is ahead. It uses no random numbers: the same file always gives the same
// bytes.
//
// The unit of inference is the epoch. Within an epoch two contestants are compared round by round,
// so that the machine's drift affects both; the epoch's single value is the median log ratio over
// its rounds (doc/method.md, Statistics).
package judge

import (
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Verdict is the outcome when two cells are compared.
type Verdict string

// The four verdicts. A Negligible difference is significant, and its whole interval lies within the
// margin.
const (
	Different    Verdict = "different"
	Negligible   Verdict = "negligible"
	Equivalent   Verdict = "equivalent"
	Inconclusive Verdict = "inconclusive"
)

// Estimate is a value with its interval. With too few epochs Lo is -Inf (0 for ratios) and Hi is
// +Inf.
type Estimate struct {
	Value, Lo, Hi float64
	N             int // number of epochs
}

// Cell is one contestant under one metric.
type Cell struct {
	Contestant string
	Metric     string
	// median over epochs of the epoch medians, in the metric's unit, or the first contestant's
	// level times the ratio to it (derive); the 95 % interval is between epochs
	Level       Estimate
	Least, Most float64  // smallest and largest epoch median, in proportion to Level
	Ratio       Estimate // ratio to the reference; N is 0 if there is none
	Absent      string   // why there is no value; "" if there is one
}

// Pair compares A with B under one metric: Ratio is A's value over B's.
type Pair struct {
	A, B     string
	AtA, AtB int // the plan's levels: 0 if there is only one
	Metric   string
	Ratio    Estimate
	Likely   Estimate // ratio from all epochs, with Student's interval: over all analyses it holds with 80 %
	SE, DF   float64  // standard error and degrees of freedom for the log of Ratio
	P        float64  // adjusted for the family; 1 before the first analysis
	Verdict  Verdict
	Better   string // A, B or "" unless different or negligible
	BetterAt int    // the better cell's level
	Note     string // why there is no ratio, or why a significant difference does not count
	// Elsewhere is nil before the first analysis, and for metrics whose spread between sessions is unknown.
	Elsewhere *Elsewhere
	Long      *Long // nil: not both had long loads
}

// CellA returns A at its level.
func (p Pair) CellA() record.Cell { return record.Cell{Contestant: p.A, Level: p.AtA} }

// CellB returns B at its level.
func (p Pair) CellB() record.Cell { return record.Cell{Contestant: p.B, Level: p.AtB} }

// Leads returns 1 if A was found to be better, −1 if B was, and 0 otherwise.
func (p Pair) Leads() int {
	switch {
	case p.Better == "":
		return 0
	case p.Better == p.A && p.BetterAt == p.AtA:
		return 1
	}
	return -1
}

// Turned returns the same comparison with B first.
func (p Pair) Turned() Pair {
	p.A, p.B, p.AtA, p.AtB = p.B, p.A, p.AtB, p.AtA
	p.Ratio, p.Likely = p.Ratio.inverse(), p.Likely.inverse()
	if p.Elsewhere != nil {
		e := *p.Elsewhere
		e.Ratio, e.Models, p.Elsewhere = e.Ratio.inverse(), slices.Clone(e.Models), &e
		for i := range e.Models {
			e.Models[i].Ratio = e.Models[i].Ratio.inverse()
		}
	}
	if p.Long != nil {
		x := *p.Long
		x.Ratio, x.Short, x.Measured, x.Mean = x.Ratio.inverse(), 1/x.Short, -x.Measured, -x.Mean
		p.Long = &x
	}
	return p
}

// inverse returns the estimate for the inverse ratio.
func (e Estimate) inverse() Estimate {
	return Estimate{Value: 1 / e.Value, Lo: 1 / e.Hi, Hi: 1 / e.Lo, N: e.N}
}

// Place is a contestant's rank under the primary metric. Lo..Hi is the rank interval, from 1; 0
// without a figure.
type Place struct {
	Contestant string
	Lo, Hi     int
	LowerBound bool   // a lower bound, at the generator's ceiling: never ranked above another
	Excluded   string // why it is not ranked; "" if it is
}

// Analysis is returned by Analyse. If the plan names its comparisons, Cells, Places and Shares are
// empty: each level has its own Analysis for them.
type Analysis struct {
	Primary string
	Epochs  int     // valid ones, without pilots; for a family over several delays, the fewest that any comparison has
	Interim int     // the last interim analysis, from 1; 0 before the first
	AlphaAt float64 // alpha at the last interim analysis, or at the first to come
	Needed  int     // the fewest valid epochs that can show a difference
	Margin  float64

	Order   []string        // contestants in table order: the best figure first, those without figures last
	Cells   []Cell          // contestants and controls × metrics
	Pairs   []Pair          // the run's family under all metrics; the controls' pair is AACheck
	Places  []Place         // ranks, in the order of Order
	AACheck *Pair           // the reference against its copy, primary metric
	Trends  []Trend         // trends of all cells in the family, by speed metrics
	Long    []*record.Trial // long loads as in Input; nil: none, or NoLong says why they tell nothing
	NoLong  string
	Serial  *stats.Serial // primary metric, between epochs; intervals allow for it; nil: judged early

	// Taken is the largest share of CPU time that other programs took from a contestant whose rates
	// are compared per available CPU time. Busy is the share of rounds whose latencies are dropped
	// because other programs ran.
	Taken, Busy float64

	Shares map[string]float64 // share of the generator's ceiling that each contestant reaches, where known
	// CellShares replaces Shares in a run that names its comparisons.
	CellShares map[record.Cell]float64
}

// Cell returns a contestant's cell under a metric, or nil.
func (a *Analysis) Cell(contestant, metric string) *Cell {
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Contestant == contestant && c.Metric == metric {
			return c
		}
	}
	return nil
}

// ShareOf returns the share of the generator's ceiling that a cell reaches; 0 if unknown.
func (a *Analysis) ShareOf(c record.Cell) float64 {
	if x, ok := a.CellShares[c]; ok || c.Level > 0 {
		return x
	}
	return a.Shares[c.Contestant]
}

// Pair returns x compared with y under a metric, both at the first level. It reverses the stored
// comparison if necessary; ok is false if they were not compared.
func (a *Analysis) Pair(x, y, metric string) (p Pair, ok bool) {
	return a.Compared(at(x), at(y), metric)
}

// Compared is Pair for cells at any level.
func (a *Analysis) Compared(x, y record.Cell, metric string) (p Pair, ok bool) {
	for _, p := range a.Pairs {
		if p.Metric == metric && p.CellA() == x && p.CellB() == y {
			return p, true
		}
		if p.Metric == metric && p.CellA() == y && p.CellB() == x {
			return p.Turned(), true
		}
	}
	return Pair{}, false
}
