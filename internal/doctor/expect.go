package doctor

import (
	"fmt"
	"math"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// expectation is the smallest difference that a run is expected to detect.
type expectation struct {
	Contestants int             `json:"contestants"`
	MDE         document.Number `json:"mde_ratio"`           // as a share; four runs in five find it
	Elsewhere   document.Number `json:"mde_elsewhere_ratio"` // between different programs, in other sessions
	Epochs      int             `json:"epochs"`
	// WholeNS is the time until the last interim analysis, on a quiet machine and with native
	// contestants.
	WholeNS  int64 `json:"whole_ns"`
	BudgetNS int64 `json:"budget_ns"`             // needed budget
	More     bool  `json:"budget_more,omitempty"` // above the usual budget
}

// span returns a time in whole minutes and seconds.
func span(ns int64) string {
	d := time.Duration(ns).Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
}

// spread returns the standard deviation, within a round, of the log ratio between two equal
// servers, in throughput and in CPU per request, over the rounds that a run would count, and the
// number of these rounds. With fewer than four such rounds it uses all. As in a run's own estimate
// it is the median over the pairs of servers; a known cost shifts a pair, but does not spread it.
func spread(n *record.Noise) (throughput, cpu float64, valid int) {
	for i := range n.Rounds {
		if !spoilt(&n.Rounds[i]) {
			valid++
		}
	}
	var t, c []float64
	for a := range n.Servers {
		for b := range a {
			var dt, dc []float64
			for i := range n.Rounds {
				if r := &n.Rounds[i]; valid < leastRounds || !spoilt(r) {
					dt = append(dt, math.Log(r.RatePerSec[a]/r.RatePerSec[b]))
					dc = append(dc, math.Log(r.CPUPerRequestNS[a]/r.CPUPerRequestNS[b]))
				}
			}
			t, c = append(t, stats.MAD(dt)), append(c, stats.MAD(dc))
		}
	}
	return stats.Median(t), stats.Median(c), valid
}

const leastRounds = 4

// spoilt reports whether a run would have discarded the round.
func spoilt(r *record.NoiseRound) bool { return judge.Disturbed([]*record.Trial{{Causes: r.Causes}}) }

// expectations returns the smallest differences that a run can detect between 2, 6 and 10 contestants; nil if
// the noise was not measured.
//
// An epoch's value is the median over its rounds, whose standard error is √(π/2) times the mean's.
// Differences between epochs are ignored.
func expectations(n *record.Noise) []expectation {
	if n == nil || len(n.Rounds) < leastRounds {
		return nil
	}
	sigma, _, _ := spread(n)
	var all []expectation
	for _, k := range []int{2, 6, 10} {
		if e, ok := expect(k, sigma); ok {
			all = append(all, e)
		}
	}
	return all
}

// expect estimates one plan. If the usual budget reaches no verdict, it uses the smallest budget that does.
func expect(k int, sigma float64) (expectation, bool) {
	r := plan.Request{Profile: plan.Standard, Primary: "throughput"}
	for i := range k {
		r.Contestants = append(r.Contestants, fmt.Sprintf("c%d", i))
	}
	p, err := plan.New(r, plan.World{})
	if err != nil {
		return expectation{}, false
	}
	own := p.BudgetNS
	cost, err := plan.Estimate(&p)
	for err != nil && p.BudgetNS < int64(2*time.Hour) {
		p.BudgetNS += int64(30 * time.Second)
		cost, err = plan.Estimate(&p)
	}
	if err != nil || len(cost.Analyses) == 0 {
		return expectation{}, false
	}
	last := cost.Analyses[len(cost.Analyses)-1]
	epoch := sigma * math.Sqrt(math.Pi/2/float64(p.Rounds))
	between, _ := judge.KnownSessions().Between(judge.Programs, machine.CPU())
	if _, se := judge.LongError(nil, epoch); p.Long.Contestants >= k { // long loads show a part of the bias
		between.Bias *= se / math.Hypot(between.Bias, se)
	}
	return expectation{
		Contestants: k,
		MDE:         document.Number(math.Expm1(stats.Detectable(epoch, last.N, cost.Pairs, last.Alpha))),
		Elsewhere:   document.Number(math.Expm1(between.Detectable(epoch, last.N, k, last.Alpha))),
		Epochs:      cost.Epochs,
		WholeNS:     int64(cost.Whole), BudgetNS: p.BudgetNS, More: p.BudgetNS > own,
	}, true
}
