package analysis

import (
	"slices"

	"dyno/internal/result"
)

// Middle is the middle figure of some loads, and how far they go. Of an even number it is the worse
// of the middle two: percentiles are not averaged, and time and rate agree. N is 0 where none has
// the figure.
type Middle struct {
	Value, Least, Most float64
	N                  int
}

// MiddleOf returns that of a metric.
func MiddleOf(loads []result.Trial, m Metric) Middle {
	var values []float64
	for i := range loads {
		if v, ok := m.Of(&loads[i]); ok {
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
