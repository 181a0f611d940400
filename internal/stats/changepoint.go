package stats

import (
	"math"
	"slices"
)

// Segments splits x where its mean changes: it returns the index at which each segment begins, 0
// the first, of the segmentation that has the least
//
//	Σ over segments of Σ (x - the segment's mean)² + penalty·(segments-1)
//
// by PELT: optimal partitioning that forgets a last changepoint once it can never be the best again
// (Killick, Fearnhead and Eckley, "Optimal detection of changepoints with a linear computational
// cost", JASA 107 (2012) 1590–1598, §3; K = 0 for this cost). Of segmentations that cost the same
// it takes the one whose last segment is the longest. x with a NaN is one segment; an empty x has
// none.
func Segments(x []float64, penalty float64) []int {
	n := len(x)
	if n == 0 {
		return nil
	}
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, v := range x {
		v -= x[0] // keeps the squares small, and those of a constant 0
		sums[i+1], squares[i+1] = sums[i]+v, squares[i]+v*v
	}
	best, last := make([]float64, n+1), make([]int, n+1) // of x[:i]: its least cost, and where its last segment begins
	best[0] = -penalty
	open := []int{0}
	for end := 1; end <= n; end++ {
		upTo := func(from int) float64 {
			s := sums[end] - sums[from]
			return best[from] + max(0, squares[end]-squares[from]-s*s/float64(end-from))
		}
		best[end] = math.Inf(1)
		for _, from := range open {
			if cost := upTo(from) + penalty; cost < best[end] {
				best[end], last[end] = cost, from
			}
		}
		open = slices.DeleteFunc(open, func(from int) bool { return upTo(from) > best[end] })
		open = append(open, end)
	}
	var starts []int
	for end := n; end > 0; end = last[end] {
		starts = append(starts, last[end])
	}
	slices.Reverse(starts)
	return starts
}

// Jitter estimates the standard deviation of x about a mean that seldom changes: MAD of the first
// differences, over √2. It is NaN for fewer than two values and if x holds a NaN.
func Jitter(x []float64) float64 {
	var d []float64
	for i := 1; i < len(x); i++ {
		d = append(d, x[i]-x[i-1])
	}
	return MAD(d) / math.Sqrt2
}

// Despike returns x with each value that is further than limit from the median of the five around
// it replaced by that median (Hampel's filter); towards the ends of the three around it, the first
// and the last value stay. A step stays where it was.
func Despike(x []float64, limit float64) []float64 {
	out := slices.Clone(x)
	for i := range x {
		side := min(2, i, len(x)-1-i)
		if m := Median(x[i-side : i+side+1]); math.Abs(x[i]-m) > limit {
			out[i] = m
		}
	}
	return out
}
