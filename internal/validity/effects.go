package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Limits of V16 and V19–V21, shares (method.md B). An effect is graded by its size only where it is shown: p at most shown. On a machine whose
// speed wanders by a quarter, sizes alone would warn of nothing but noise. V16 warns of a drift that is likely already.
//
// Note: of 1,000 simulated runs of servers alike it warns of 1.1 %, and it tells of one that suffers twice as much, unseen (doc/proof.md, traps), in
// 98.6 %; what is missed lacks p, not size. With likely at 0.10 these are 2.4 and 99.2 %, with a family of its own for each question 2.4 and 99.2 %.
const (
	shown  = 0.01
	likely = 0.05

	driftWarn, driftFail = 0.03, 0.10
	orderFail            = 0.01
	carryFail            = 0.02
	freshWarn            = 0.02

	carryPermutations = 999
	leastEpochs       = 8 // the first number of them that allows p <= shown
)

// residuals are those of the primary metric, found once.
func (e *Evidence) residuals() []analysis.Residual {
	if e.left == nil {
		m, ok := analysis.MetricNamed(e.Analysis.Primary)
		if !ok {
			m = analysis.Metrics[0]
		}
		levels := e.Levels
		if levels == nil {
			levels = [][]result.Trial{e.Valid}
		}
		for _, trials := range levels {
			e.left = append(e.left, analysis.Residuals(trials, m)...)
		}
		slices.SortStableFunc(e.left, func(a, b analysis.Residual) int { return cmp.Compare(a.Epoch, b.Epoch) })
	}
	return e.left
}

// drift is V16: does a contestant change within an epoch, against the others of its rounds, or with the speed of the machine more than they
// do? If so its ratio depends on when it was taken. The contestants are one family (Holm).
func drift(e *Evidence) []Finding {
	type question struct {
		contestant, text string
		effect           analysis.Effect
	}
	var asked []question
	var ps []float64
	ask := func(name, text string, x analysis.Effect) {
		if x.Epochs > 0 {
			asked, ps = append(asked, question{name, text + signed(x.Log), x}), append(ps, x.P)
		}
	}
	for _, name := range e.Run.Plan.Contestants {
		ask(name, "second half of an epoch against the first, beside the others: ", analysis.HalfRatio(e.residuals(), name))
		ask(name, "slower half of the rounds against the faster, beside them: ", analysis.SpeedRatio(e.residuals(), name))
	}
	var out []Finding
	for i, p := range stats.Holm(ps) {
		q := asked[i]
		state, text := grade(q.effect.Share(), p, q.effect.Epochs, q.text, driftWarn, driftFail)
		if q.effect.Epochs >= leastEpochs && p > shown && p <= likely && q.effect.Share() > driftWarn {
			state, text = Warn, fmt.Sprintf("%s, likely (p = %.2g)", q.text, p)
		}
		if last := len(out) - 1; last >= 0 && out[last].Contestant == q.contestant {
			if out[last].Text == text {
				continue // of neither question more can be said
			}
			out[last].State, out[last].Text = max(out[last].State, state), out[last].Text+"; "+text
		} else {
			out = append(out, Finding{Contestant: q.contestant, State: state, Text: text})
		}
	}
	return out
}

// grade is the state of an effect of that size, seen in so many epochs.
func grade(size, p float64, epochs int, text string, warn, fail float64) (State, string) {
	switch {
	case epochs < leastEpochs:
		return Warn, fmt.Sprintf("too few epochs to tell: %d, and %d are needed", epochs, leastEpochs)
	case !(p <= shown):
		return Pass, fmt.Sprintf("%s, which may be chance (p = %.2g)", text, p)
	}
	return above(size, warn, fail), fmt.Sprintf("%s, p = %.2g", text, p)
}

func orderEffect(e *Evidence) (State, string) {
	if e.Run.Plan.Fresh {
		return Pass, "one round an epoch cannot tell it; who is first is drawn anew in each"
	}
	x := analysis.OrderEffect(e.residuals())
	return grade(x.Share(), x.P, x.Epochs, "last of a round against the first: "+signed(x.Log), 0, orderFail)
}

func carryOver(e *Evidence) (State, string) {
	size, p := analysis.CarryOver(e.residuals(), carryPermutations, e.Run.Plan.Seed)
	return grade(size, p, e.Analysis.Epochs, "by what was loaded before, trials differ by up to "+percent(size), 0, carryFail)
}

// freshStarts is V21: is the epoch the right unit? It always is; but where a fresh start matters, many epochs count for more than long ones.
func freshStarts(e *Evidence) []Finding {
	var out []Finding
	for _, name := range e.Run.Plan.Contestants {
		within, between, p := analysis.EpochComponents(e.residuals(), name)
		if math.IsNaN(p) {
			continue
		}
		f := Finding{Contestant: name, Text: fmt.Sprintf("%s between epochs, %s between trials", percent(between), percent(within))}
		switch {
		case !(p <= shown):
			f.Text += ", which may be chance"
		case between > freshWarn:
			f.State = Warn
			f.Text += ": a fresh start changes it"
		}
		out = append(out, f)
	}
	return out
}

// signed is a difference on the log scale as a share with its sign.
func signed(log float64) string { return fmt.Sprintf("%+.2g %%", 100*math.Expm1(log)) }
