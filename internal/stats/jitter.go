package stats

import "math"

// Jitter estimates the standard deviation of x about a mean that seldom changes: the first
// differences' MAD, over √2. It is NaN for fewer than two values and if x holds a NaN.
func Jitter(x []float64) float64 {
	var d []float64
	for i := 1; i < len(x); i++ {
		d = append(d, x[i]-x[i-1])
	}
	return MAD(d) / math.Sqrt2
}
