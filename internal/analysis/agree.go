package analysis

import (
	"cmp"
	"math"
	"slices"
)

// bestFirst sorts names by over, the log ratio of one to another: first the one that no other is ahead of,
// or else the one with the best mean over all, then the others by their ratio to it.
func bestFirst(names []string, over func(x, y string) float64) {
	mean, behind := map[string]float64{}, map[string]bool{}
	for _, x := range names {
		for _, y := range names {
			d := over(x, y)
			mean[x] += d
			behind[x] = behind[x] || d < 0
		}
	}
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(mean[y], mean[x]) })
	best := names[max(0, slices.IndexFunc(names, func(x string) bool { return !behind[x] }))]
	slices.SortStableFunc(names, func(x, y string) int {
		if x == best || y == best {
			return map[bool]int{true: -1, false: 1}[x == best]
		}
		return cmp.Compare(over(y, best), over(x, best))
	})
}

// derive moves the levels of the contestants and of the reference, so that those of any one and of the first divide to their
// ratio: what a reader divides agrees with the ratios beside it. The geometric mean of the levels stays.
// Ratios are of loads seconds apart and surer than levels, which have the machine's drift in them.
func (a *Analysis) derive(in Input) {
	if len(a.Places) == 0 || a.Places[0].Excluded != "" {
		return
	}
	best := a.Places[0].Contestant
	for _, m := range Metrics {
		var cells []*Cell
		var logs []float64
		shift := 0.
		add := func(name string, e Estimate) {
			c := a.Cell(name, m.Name)
			if e.N > 0 && e.Value > 0 && c != nil && c.Absent == "" && c.Level.Value > 0 {
				cells, logs = append(cells, c), append(logs, math.Log(e.Value))
				shift += math.Log(c.Level.Value) - math.Log(e.Value)
			}
		}
		for _, name := range in.Contestants {
			if p, _ := a.Pair(name, best, m.Name); name != best {
				add(name, p.Ratio)
				continue
			}
			add(best, Estimate{Value: 1, N: 1})
			if c := a.Cell(best, m.Name); c != nil && len(in.Controls) > 0 {
				add(in.Controls[0], c.Ratio.inverse())
			}
		}
		for i, c := range cells {
			factor := math.Exp(shift/float64(len(cells))+logs[i]) / c.Level.Value
			if math.Abs(factor-1) > 1e-9 {
				c.Level.Value, c.Level.Lo, c.Level.Hi = c.Level.Value*factor, c.Level.Lo*factor, c.Level.Hi*factor
			}
		}
	}
}
