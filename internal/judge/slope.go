package judge

import "dyno/internal/stats"

// slopeOf returns the Theil–Sen slope of y over x: the median of the slopes between all pairs of
// points that differ in x (Sen, JASA 1968). A few outliers hardly change it. ok is false if all x
// are equal.
func slopeOf(x, y []float64) (slope float64, ok bool) {
	var slopes []float64
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	if len(slopes) == 0 {
		return 0, false
	}
	return stats.Median(slopes), true
}
