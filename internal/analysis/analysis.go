// Package analysis turns trials into cells, paired comparisons, tiers and verdicts: a function of
// the trials and a seedless method, so that the same file always gives the same bytes.
//
// The unit of inference is the epoch. Within it two contestants are compared round by round, so
// that the machine's drift falls on both; the median over its rounds of the log ratio is the
// epoch's one value (doc/method.md, Statistics).
package analysis

import (
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Verdict is the outcome of a comparison of two cells.
type Verdict string

// The four verdicts. Negligible is a difference that is certain, and certainly within the margin.
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
	N             int // epochs
}

// Cell is one contestant under one metric.
type Cell struct {
	Contestant string
	Metric     string
	// median over epochs of the epoch's median, in the metric's unit, or that of the first
	// contestant times the ratio to it (derive); its interval is between epochs, 95 %
	Level       Estimate
	Least, Most float64  // of the epochs' medians
	Ratio       Estimate // to the reference; zero N where there is none
	Absent      string   // why there is no value; empty when there is
	Merged      bool     // Level is of all requests together, read off one histogram, without an interval
}

// Pair compares A with B under one metric: Ratio is A's value over B's.
type Pair struct {
	A, B     string
	AtA, AtB int // levels of the plan: 0 in a run at one
	Metric   string
	Ratio    Estimate
	Likely   Estimate // by all epochs, with Student's interval: those of all analyses hold with 80 %
	SE, DF   float64  // standard error of the log of Ratio, and its degrees of freedom
	P        float64  // adjusted for the family; 1 before the first analysis
	Verdict  Verdict
	Better   string // A, B or "" unless different or negligible
	BetterAt int    // its level
	Note     string // why a difference that was found is not counted
	Moving   bool   // one of the two moves over an epoch (Analysis.Trends): only far larger differences count
}

// CellA returns A at its level.
func (p Pair) CellA() result.Cell { return result.Cell{Contestant: p.A, Level: p.AtA} }

// CellB returns B at its level.
func (p Pair) CellB() result.Cell { return result.Cell{Contestant: p.B, Level: p.AtB} }

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

// Turned returns the comparison of B with A.
func (p Pair) Turned() Pair {
	p.A, p.B, p.AtA, p.AtB = p.B, p.A, p.AtB, p.AtA
	p.Ratio, p.Likely = p.Ratio.inverse(), p.Likely.inverse()
	return p
}

// inverse returns the estimate of the inverse of a ratio.
func (e Estimate) inverse() Estimate {
	return Estimate{Value: 1 / e.Value, Lo: 1 / e.Hi, Hi: 1 / e.Lo, N: e.N}
}

// Place is a contestant's rank under the primary metric. Lo..Hi is its rank interval, from 1; 0 where it has no figure.
type Place struct {
	Contestant string
	Tier       int
	Lo, Hi     int
	LowerBound bool   // at the generator's ceiling: never ranked above another
	Excluded   string // why it is not ranked, if it is not
}

// Analysis is the result of Analyse. If the plan names its comparisons, it has no cells, places or
// shares; each level has its own Analysis for those.
type Analysis struct {
	Primary string
	Epochs  int     // valid, pilots left out; where a family has cells of several delays, those that each of them has
	Interim int     // number of the last interim analysis, from 1; 0 before the first
	AlphaAt float64 // level of the last interim analysis, or of the first to come
	Needed  int     // smallest number of valid epochs that can show a difference
	Margin  float64

	Order   []string   // contestants in table order: by their figures, the best first; those without figures last
	Cells   []Cell     // contestants and controls × metrics, and their p99, which is compared with nothing
	Pairs   []Pair     // of contestants, all metrics: the run's family; the controls' own pair is AACheck
	Places  []Place    // in Order
	AACheck *Pair      // the reference against its copy, primary metric
	Trends  []Trend    // of all cells of the family, by the metrics of speed
	Long    *LongLoads // nil: there are none, or NoLong says why they cannot be compared
	NoLong  string
	Serial  *stats.Serial // of the epochs, which errors of the primary metric allow for; nil: judged early
	Others  []Pair        // the reference against further controls (ref+20%), primary metric

	// Taken is the largest share of its CPUs' time that others took from a contestant whose rates are compared per CPU
	// time that it had; Busy the share of rounds whose latencies do not count, because of others.
	Taken, Busy float64

	Shares map[string]float64 // of the generator's ceiling that a contestant reaches, where known
	// CellShares is the same of a run that names its comparisons, by cell.
	CellShares map[result.Cell]float64
}

// Cell returns the cell of a contestant under a metric, or nil.
func (a *Analysis) Cell(contestant, metric string) *Cell {
	for i := range a.Cells {
		if c := &a.Cells[i]; c.Contestant == contestant && c.Metric == metric {
			return c
		}
	}
	return nil
}

// ShareOf returns the share of the generator's ceiling that a cell reaches; 0 if it is not known.
func (a *Analysis) ShareOf(c result.Cell) float64 {
	if x, ok := a.CellShares[c]; ok || c.Level > 0 {
		return x
	}
	return a.Shares[c.Contestant]
}

// Pair returns the comparison of x with y under a metric, both at the first level. It reverses the
// stored comparison if necessary; ok is false if they were not compared.
func (a *Analysis) Pair(x, y, metric string) (p Pair, ok bool) {
	return a.Compared(at(x), at(y), metric)
}

// Compared does the same as Pair, for cells at any level.
func (a *Analysis) Compared(x, y result.Cell, metric string) (p Pair, ok bool) {
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
