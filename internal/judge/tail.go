package judge

import (
	"math"

	"dyno/internal/record"
)

// mergeTails reads each contestant's 99th percentile from the merged histogram over its trials, if
// all have one: the percentile over all its requests. Otherwise the cell keeps the median over the
// trials.
func mergeTails(a *Analysis, trials []*record.Trial) {
	m := ClassicNamed("p99")
	merged, n, lacks := map[string]*record.Histogram{}, map[string]int{}, map[string]bool{}
	for i := range trials {
		l, name := &trials[i].Load, trials[i].Contestant
		if lacks[name] = lacks[name] || l.Service == ""; lacks[name] {
			continue
		}
		if n[name]++; merged[name] == nil {
			merged[name] = record.NewHistogram()
		}
		all, err := merged[name].Add(l.Service)
		lacks[name] = err != nil || all < l.Succeeded
	}
	for name, h := range merged {
		if lacks[name] || h.Over() > 0 || !Bears(h.Count(), .99) {
			continue
		}
		c := a.Cell(name, m.Name)
		if c == nil {
			a.Cells = append(a.Cells, Cell{Contestant: name, Metric: m.Name})
			c = &a.Cells[len(a.Cells)-1]
		}
		if c.Absent == "" {
			c.Merged = true
			c.Level = Estimate{Value: float64(h.Quantile(.99)), Lo: math.Inf(-1), Hi: math.Inf(1), N: n[name]}
		}
	}
}
