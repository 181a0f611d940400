package judge

import (
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Elsewhere is the second verdict on a pair: in other sessions on the same model of CPU.
type Elsewhere struct {
	Ratio    Estimate // Ratio.Value, with an interval for another session
	Verdict  Verdict
	Sessions int // number of sessions that the interval rests on; 0: on a given standard deviation
}

// sure is the confidence with which the second intervals of a run hold together.
const sure = 0.95

// InSessions reports whether it is known how much m varies between sessions.
func (m Metric) InSessions() bool { return m.Kind&(Rate|ServiceTime|CPUTime) != 0 }

// Wider returns the estimate with an interval that allows for reach, in logs, besides its own error.
func (e Estimate) Wider(reach float64) Estimate {
	x := math.Log(e.Value)
	e.Lo = math.Exp(x - math.Hypot(x-math.Log(e.Lo), reach))
	e.Hi = math.Exp(x + math.Hypot(math.Log(e.Hi)-x, reach))
	return e
}

// VerdictOf returns the verdict that an interval shows at a margin.
func VerdictOf(e Estimate, margin float64) Verdict {
	limit := math.Log1p(margin)
	within := math.Log(e.Lo) > -limit && math.Log(e.Hi) < limit
	switch {
	case (e.Lo > 1 || e.Hi < 1) && within:
		return Negligible
	case e.Lo > 1 || e.Hi < 1:
		return Different
	case within:
		return Equivalent
	}
	return Inconclusive
}

// judgeElsewhere adds the second verdicts to a run's pairs. There is none without a first one, or if the record does
// not tell the model of CPU.
func (a *Analysis) judgeElsewhere(run *record.Run, known Sessions) {
	p := &run.Plan
	if !run.Host.KnownModel() || slices.ContainsFunc(run.Resumes, func(r record.Resume) bool { return r.Host != nil }) {
		return
	}
	cells := map[record.Cell]bool{}
	for i := range a.Pairs {
		cells[a.Pairs[i].CellA()], cells[a.Pairs[i].CellB()] = true, true
	}
	spread, n := known.Between(RelationOf(p), run.Host.CPU)
	reach, each := spread.Reach(len(cells), sure), stats.PairConfidence(len(cells), sure)
	programs := map[string]string{}
	for i := range run.Contestants {
		programs[run.Contestants[i].Name] = Program(&run.Contestants[i])
	}
	for i := range a.Pairs {
		q := &a.Pairs[i]
		m, ok := MetricNamed(q.Metric)
		if !ok || !m.InSessions() || q.Ratio.N == 0 || q.A == q.B || a.Interim == 0 {
			continue
		}
		e := &Elsewhere{Ratio: q.Ratio.Wider(reach), Verdict: Inconclusive, Sessions: n}
		if x, y := programs[q.A], programs[q.B]; x != "" && y != "" && q.AtA == q.AtB {
			logs, ses := known.Pair(run.Host.CPU, SessionOf(run), Asked(p, q.AtA, m.Name), x, y)
			logs, ses = append(logs, math.Log(q.Ratio.Value)), append(ses, q.SE)
			if c := stats.CombineRuns(logs, ses, each); len(logs) >= leastSessions && !math.IsNaN(c.Mean) {
				e.Sessions = len(logs)
				e.Ratio = Estimate{Value: math.Exp(c.Mean), Lo: math.Exp(c.Lo), Hi: math.Exp(c.Hi), N: q.Ratio.N}
			}
		}
		if q.Note == "" {
			e.Verdict = VerdictOf(e.Ratio, a.Margin)
		}
		q.Elsewhere = e
	}
}
