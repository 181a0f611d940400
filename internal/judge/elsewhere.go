package judge

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Elsewhere is the second verdict on a pair: in other sessions on the same model of CPU.
type Elsewhere struct {
	Ratio    Estimate // Pair.Ratio, less the bias of short loads, with an interval for another session
	Verdict  Verdict
	Sessions int // number of sessions that the interval rests on; 0: on a given standard deviation
	// Bias is the standard deviation of what is not known of the bias of short loads, Programs the number of programs
	// that its prior rests on; 0: it is given.
	Bias     float64
	Programs int
	State    float64 // standard deviation that the states of the machine during the run add; 0 if sessions show it
	Models   []OnModel
}

// OnModel is a pair's ratio in sessions on a model of CPU that is not the run's, over Ratio.N of them.
type OnModel struct {
	CPU   string
	Ratio Estimate
}

// slopeSD is the standard deviation, between pairs of different programs, of the slope of the log ratio over the log
// of the machine's speed: a pair of slope 1 has one server that the machine's states do not change. It is the upper
// 80 % limit of what python3 scripts/recompute/slopes.py finds in committed records. Revisions of one program have a
// slope of 0.
const slopeSD = 0.33

// sure is the confidence with which the second intervals of a run hold together.
const sure = 0.95

// InSessions reports whether it is known how much m varies between sessions.
func (m Metric) InSessions() bool { return m.Kind&(Rate|ServiceTime|CPUTime) != 0 }

// Moved returns the estimate times e to the power of by.
func (e Estimate) Moved(by float64) Estimate {
	f := math.Exp(by)
	return Estimate{Value: e.Value * f, Lo: e.Lo * f, Hi: e.Hi * f, N: e.N}
}

// Wider returns the estimate with an interval that allows for reach, in logs, besides its own error.
func (e Estimate) Wider(reach float64) Estimate {
	x := math.Log(e.Value)
	e.Lo = math.Exp(x - math.Hypot(x-math.Log(e.Lo), reach))
	e.Hi = math.Exp(x + math.Hypot(math.Log(e.Hi)-x, reach))
	return e
}

// VerdictOf returns the verdict that an interval shows at a margin.
func VerdictOf(e Estimate, margin float64) Verdict {
	switch within := e.within(margin); {
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
func (a *Analysis) judgeElsewhere(run *record.Run, valid []*record.Trial, known Sessions) {
	p := &run.Plan
	if !run.Host.KnownModel() || slices.ContainsFunc(run.Resumes, func(r record.Resume) bool { return r.Host != nil }) {
		return
	}
	cells := map[record.Cell]bool{}
	for i := range a.Pairs {
		cells[a.Pairs[i].CellA()], cells[a.Pairs[i].CellB()] = true, true
	}
	spread, n := known.Between(RelationOf(p), run.Host.CPU)
	_, biased := known.Bias(RelationOf(p))
	each := stats.PairConfidence(len(cells), sure)
	levels, speeds := ByLevel(run, valid), map[string]float64{}
	for i := range a.Pairs {
		q := &a.Pairs[i]
		m, ok := MetricNamed(q.Metric)
		if !ok || !m.InSessions() || q.Ratio.N == 0 || q.A == q.B || a.Interim == 0 {
			continue
		}
		ratio, beyond, sessions, log, state := q.Ratio, spread, n, 0., 0.
		if q.Long != nil {
			beyond.Bias, log = q.Long.SD, q.Long.Mean
		}
		x, y, asked := Program(run.Contestant(q.A)), Program(run.Contestant(q.B)), Asked(p, q.AtA, m.Name)
		alike := x != "" && y != "" && q.AtA == q.AtB
		if alike && !(q.Long != nil && q.Long.Misleads) { // they are of short loads
			_, logs, ses := known.Pair(run.Host.CPU, SessionOf(run), asked, x, y)
			logs, ses = append(logs, math.Log(q.Ratio.Value)), append(ses, q.SE)
			if c := stats.CombineRuns(logs, ses, each); len(logs) >= leastSessions && !math.IsNaN(c.Mean) {
				sessions, beyond = len(logs), stats.Between{Bias: beyond.Bias}
				ratio = Estimate{Value: math.Exp(c.Mean), Lo: math.Exp(c.Lo), Hi: math.Exp(c.Hi), N: q.Ratio.N}
			}
		}
		for _, at := range []int{q.AtA, q.AtB} {
			key := fmt.Sprint(m.Name, at)
			if _, known := speeds[key]; !known {
				speeds[key] = speedSpread(levels[at], m)
			}
			if RelationOf(p) == Programs {
				state = max(state, slopeSD*speeds[key])
			}
		}
		if sessions == 0 {
			beyond.State = state
		}
		e := &Elsewhere{Ratio: ratio.Moved(log).Wider(beyond.Reach(len(cells), sure)), Verdict: Inconclusive,
			Sessions: sessions, Bias: beyond.Bias, Programs: biased, State: beyond.State}
		for _, cpu := range known.Models() {
			r := known.On(cpu, RelationOf(p), asked, x, y, len(cells), state)
			if alike && cpu != run.Host.CPU && r.N > 0 {
				e.Models = append(e.Models, OnModel{cpu, r})
			}
		}
		if q.Note == "" {
			e.Verdict = VerdictOf(e.Ratio, a.Margin)
		}
		q.Elsewhere = e
	}
}
