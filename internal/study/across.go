package study

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/stats"
)

// Across combines several runs of one question. The unit is the run: its intervals include the
// differences from run to run, which a single run's interval cannot know.
type Across struct {
	Runs    int
	Primary judge.Metric
	Pairs   []AcrossPair // contestants, then the reference and its copy
}

// AcrossPair is the ratio of A to B.
type AcrossPair struct {
	A, B     string
	Each     []judge.Estimate    // ratios by run, at 95 %; N is 0 if a run has none
	Together stats.RandomEffects // log ratio, at 95 %
	// Elsewhere is the ratio with the interval for the mean over sessions; all runs are one session. N is 0 if unknown.
	Elsewhere judge.Estimate
}

// runLevel is the confidence of each pair's interval. It holds for each pair, not for all together.
const runLevel = 0.95

// Combine combines runs that ask one question, made one after another.
func Combine(runs []*record.Run) (*Across, error) {
	first := &runs[0].Plan
	for _, r := range runs[1:] {
		p := &r.Plan
		if p.Scenario != first.Scenario || p.First() != first.First() || p.Primary != first.Primary ||
			!slices.Equal(p.Contestants, first.Contestants) {
			return nil, fmt.Errorf("the runs do not ask the same: contestants, scenario, level or primary metric differ")
		}
		if r.Host.CPU != runs[0].Host.CPU || r.Host.BootID != runs[0].Host.BootID {
			return nil, fmt.Errorf("two machines or boots measured the runs: dyno report shows each by itself")
		}
	}
	if !first.Ranks() {
		return nil, fmt.Errorf("only paired comparisons at one level are combined across runs")
	}
	m, ok := judge.MetricNamed(first.Primary)
	if !ok {
		return nil, fmt.Errorf("the runs decide by %q, which this version does not know", first.Primary)
	}
	a := &Across{Runs: len(runs), Primary: m}
	for i, one := range first.Contestants {
		for _, other := range first.Contestants[i+1:] {
			a.Pairs = append(a.Pairs, AcrossPair{A: one, B: other})
		}
	}
	if c := first.Controls; len(c) > 1 {
		a.Pairs = append(a.Pairs, AcrossPair{A: c[0], B: c[1]})
	}
	states := make([]float64, len(a.Pairs))
	for _, r := range runs {
		t, shown := judge.Tabulate(plan.Valid(r), r.Plan.At), Analyse(r)
		for i := range a.Pairs {
			p := &a.Pairs[i]
			ratio := t.Compare(m, record.Cell{Contestant: p.A}, record.Cell{Contestant: p.B}, runLevel)
			one, _ := shown.Pair(p.A, p.B, m.Name)
			if one.Long != nil && one.Long.Misleads { // the long loads decide
				ratio = one.Ratio
			}
			p.Each = append(p.Each, ratio)
			if one.Elsewhere != nil {
				states[i] = max(states[i], one.Elsewhere.State)
			}
		}
	}
	for i := range a.Pairs {
		a.Pairs[i].combine()
	}
	if h := &runs[0].Host; h.KnownModel() && m.InSessions() {
		between, _ := judge.KnownSessions().Between(judge.RelationOf(first), h.CPU)
		for i := range a.Pairs {
			x := a.Pairs[i].Together
			if !slices.Contains(first.Contestants, a.Pairs[i].A) {
				continue // the reference and its copy
			}
			between.State = states[i]
			e := judge.Estimate{Value: math.Exp(x.Mean), Lo: math.Exp(x.Lo), Hi: math.Exp(x.Hi), N: len(runs)}
			a.Pairs[i].Elsewhere = e.Wider(between.Reach(2, runLevel))
		}
	}
	a.Pairs = slices.DeleteFunc(a.Pairs, func(p AcrossPair) bool { return math.IsNaN(p.Together.Mean) })
	return a, nil
}

// combine combines the log ratios of the runs that have an interval; NaN if none has.
func (p *AcrossPair) combine() {
	var y, se []float64
	for _, e := range p.Each {
		width := math.Log(e.Hi) - math.Log(e.Lo)
		if e.N > 0 && !math.IsInf(width, 0) && width > 0 {
			y, se = append(y, math.Log(e.Value)), append(se, width/2/stats.NormalLimit(1-runLevel))
		}
	}
	p.Together = stats.CombineRuns(y, se, runLevel)
}

// nextText formats the prediction interval; two runs give none.
func nextText(x stats.RandomEffects) string {
	if math.IsInf(x.NextHi, 1) {
		return "needs 3 runs"
	}
	return fmt.Sprintf("%.3f–%.3f", math.Exp(x.NextLo), math.Exp(x.NextHi))
}

// Document returns the combined figures as a document. first is one of the runs.
func (a *Across) Document(first *record.Run) *document.Document {
	t := document.Table{Columns: []document.Column{{Head: a.Primary.Title, Lead: true}, {Head: "ratio over all runs"},
		{Head: "the next run"}, {Head: "other sessions"}, {Head: "between runs"}, {Head: "each run"}}}
	for _, p := range a.Pairs {
		each := ""
		for _, e := range p.Each {
			if e.N > 0 {
				each += fmt.Sprintf(" %.3f", e.Value)
			}
		}
		x, elsewhere := p.Together, "not known"
		if p.Elsewhere.N > 0 {
			elsewhere = fmt.Sprintf("%.3f–%.3f", p.Elsewhere.Lo, p.Elsewhere.Hi)
		}
		t.Rows = append(t.Rows, document.Row{Cells: []document.Cell{
			{Value: titleOf(first, p.A) + " / " + titleOf(first, p.B)},
			{Value: report.Ratio(math.Exp(x.Mean), math.Exp(x.Lo), math.Exp(x.Hi))},
			{Value: nextText(x)}, {Value: elsewhere},
			{Value: document.Percent(math.Expm1(x.Between))}, {Value: each}}})
	}
	note := fmt.Sprintf("%d runs, each with an order, layouts, ports and processes of its own. The 95 %% intervals "+
		"include differences between runs (random effects); each holds by itself. The next run: the interval for one "+
		"more run in this session. Other sessions: the interval for the mean over sessions on this model of CPU.", a.Runs)
	return &document.Document{Sections: []document.Section{{Blocks: []document.Block{t,
		document.Paragraph{Text: document.Plain(note)}}}}}
}

func titleOf(run *record.Run, name string) string {
	if c := run.Contestant(name); c != nil && c.Title != "" {
		return c.Title
	}
	return name
}

// Data returns the combined figures as JSON has them; doc/format.md has the keys.
func (a *Across) Data() any {
	return object{"format": 3, "runs": a.Runs, "metric": a.Primary.Name, "pairs": objects(a.Pairs, func(p *AcrossPair) object {
		x := p.Together
		numbers := map[string]float64{"value": math.Exp(x.Mean), "lo": math.Exp(x.Lo), "hi": math.Exp(x.Hi),
			"next_lo": math.Exp(x.NextLo), "next_hi": math.Exp(x.NextHi), "between": math.Exp(x.Between)}
		elsewhere := report.InUnit("×", report.EstimateNumbers(p.Elsewhere, p.Elsewhere.N == 0), object{})
		each := objects(p.Each, func(e *judge.Estimate) object {
			return report.InUnit("×", report.EstimateNumbers(*e, e.N == 0), object{"epochs": e.N})
		})
		return report.InUnit("×", numbers, object{"a": p.A, "b": p.B, "each": each, "elsewhere": elsewhere})
	})}
}
