package judge

import (
	"cmp"
	"slices"
)

// BestFirst sorts names by over, the log ratio between two: first the name that no other beats, or
// else the name with the best mean, then the others by their ratio to the first.
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

// derive replaces the levels for the later contestants and the reference by the first contestant's
// level times their ratio to it, so that dividing two levels gives the ratio shown. Ratios compare
// loads seconds apart, while levels include the machine's drift. Intervals and ranges keep their
// relative width.
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
				for _, x := range []*float64{&c.Level.Value, &c.Level.Lo, &c.Level.Hi, &c.Least, &c.Most} {
					*x *= factor
				}
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
