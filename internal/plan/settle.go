package plan

import (
	"math"

	"dyno/internal/analysis"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// settleAlpha is the probability that the pilots drop rounds although all contestants are steady.
// Such an error costs trials, and nothing else.
const settleAlpha = 0.02

// settleLeast is the smallest difference between the first rounds and the others for which a round
// is dropped, as a share.
const settleLeast = 0.02

// droppedRounds returns the number of first rounds of each epoch that do not count, at most the plan's
// DropRounds. The pilots determine it: after that many rounds, no contestant is faster or slower in
// the next ones than in the rest. It is the same for all contestants and epochs. The counted epochs
// have no influence on it.
func droppedRounds(run *result.Run) int {
	p := &run.Plan
	if p.DropRounds == 0 || !pilotsOver(run) {
		return 0
	}
	m, ok := analysis.MetricNamed(p.Primary)
	if !ok || !m.Settles {
		m = analysis.Metrics[0]
	}
	levels := map[int][]*result.Trial{}
	for _, t := range Pilot(run) {
		at := p.At(t)
		levels[at] = append(levels[at], t)
	}
	var series [][]float64
	var left []float64
	for at := range p.Points() {
		byName := map[string][][]float64{} // by round
		for _, r := range analysis.Residuals(levels[at], m) {
			rounds := byName[r.Contestant]
			if rounds == nil {
				rounds = make([][]float64, p.Rounds)
				byName[r.Contestant] = rounds
			}
			rounds[r.Round] = append(rounds[r.Round], r.FromOthers)
		}
		for _, name := range p.Contestants {
			var x []float64
			for _, values := range byName[name] {
				x = append(x, stats.Median(values)) // NaN where the round is discarded
			}
			if known := present(x); len(known) > 1 {
				series = append(series, x)
				for _, v := range known {
					left = append(left, v-stats.Median(known))
				}
			}
		}
	}
	sigma := stats.MAD(left)
	if !(sigma > 0) {
		return 0
	}
	most, squares := min(p.DropRounds, p.Rounds-2), 0.
	for _, v := range left { // what is cut off below is cut off here
		v = max(-3*sigma, min(3*sigma, v))
		squares += v * v / float64(len(left))
	}
	sigma = max(sigma, math.Sqrt(squares))
	limit := stats.NormalLimit(settleAlpha / float64(len(series)*p.DropRounds))
	dropped := 0
	for _, x := range series {
		dropped = max(dropped, settled(x, most, sigma, limit))
	}
	return dropped
}

// settled returns the number of first values of x, at most most, that differ from the rest: those
// that differ most clearly, and then again among the remaining values. No single value counts for
// more than three standard deviations.
func settled(x []float64, most int, sigma, limit float64) (from int) {
	middle := stats.Median(present(x))
	cut := func(v float64) float64 { return max(middle-3*sigma, min(middle+3*sigma, v)) }
	for {
		best, clearest := 0, limit
		for d := 1; from+d <= most; d++ {
			early, late := present(x[from:from+d]), present(x[from+d:])
			if len(early) == 0 || len(late) < 2 {
				continue
			}
			var a, b float64
			for _, v := range early {
				a += cut(v) / float64(len(early))
			}
			for _, v := range late {
				b += cut(v) / float64(len(late))
			}
			z := math.Abs(a-b) / sigma / math.Sqrt(1/float64(len(early))+1/float64(len(late)))
			if z > clearest && math.Abs(a-b) > settleLeast {
				best, clearest = d, z
			}
		}
		if best == 0 {
			return from
		}
		from += best
	}
}

// present returns the values that are known.
func present(x []float64) (known []float64) {
	for _, v := range x {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	return known
}
