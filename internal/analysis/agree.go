package analysis

import (
	"cmp"
	"slices"
)

// BestFirst sorts names by over, the log ratio of one to another: first the one that no other is ahead of,
// or else the one with the best mean over all, then the others by their ratio to it.
func BestFirst(names []string, over func(x, y string) float64) {
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

// derive sets the levels of the contestants after the first, and of the reference, to that of the first
// by their ratio to it: what a reader divides agrees with the ratios beside it. Ratios are of loads
// seconds apart; levels have the machine's drift in them. An interval keeps its width.
func (a *Analysis) derive(in Input) {
	if in.Family != nil || len(in.Analyses) == 0 || len(a.Places) == 0 || a.Places[0].Excluded != "" {
		return // levels are not shown beside ratios
	}
	best := a.Places[0].Contestant
	for _, m := range Metrics {
		first := a.Cell(best, m.Name)
		if first == nil || first.Absent != "" {
			continue
		}
		set := func(name string, e Estimate) {
			if c := a.Cell(name, m.Name); e.N > 0 && c != nil && c.Absent == "" && c.Level.Value > 0 {
				factor := e.Value * first.Level.Value / c.Level.Value
				c.Level.Value, c.Level.Lo, c.Level.Hi = c.Level.Value*factor, c.Level.Lo*factor, c.Level.Hi*factor
			}
		}
		for _, name := range in.Contestants {
			if p, ok := a.Pair(name, best, m.Name); ok {
				set(name, p.Ratio)
			}
		}
		if len(in.Controls) > 0 && first.Ratio.N > 0 {
			set(in.Controls[0], first.Ratio.inverse())
		}
	}
}
