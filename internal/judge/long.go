package judge

import (
	"math"
	"slices"

	"dyno/internal/record"
)

// Middle is the median over some loads, with their range. For an even number it is the worse value
// in the middle, because percentiles must not be averaged, and so that time and rate agree. N is 0
// if no load has the figure.
type Middle struct {
	Value, Least, Most float64
	N                  int
}

// MiddleOf returns a metric's Middle over loads.
func MiddleOf(loads []*record.Trial, m Metric) Middle {
	var values []float64
	for i := range loads {
		if v, ok := m.Of(loads[i]); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Middle{}
	}
	slices.Sort(values)
	n := len(values)
	middle := n / 2
	if m.More {
		middle = (n - 1) / 2
	}
	return Middle{Value: values[middle], Least: values[0], Most: values[n-1], N: n}
}

// CellOf returns the figure of a contestant's loads without an interval.
func CellOf(name string, m Metric, loads []*record.Trial) Cell {
	x := MiddleOf(loads, m)
	return Cell{Contestant: name, Metric: m.Name, Least: x.Least, Most: x.Most,
		Level: Estimate{Value: x.Value, Lo: math.Inf(-1), Hi: math.Inf(1), N: x.N}}
}
