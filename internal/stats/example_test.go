package stats_test

import (
	"fmt"
	"math"

	"dyno/internal/stats"
)

// Two servers were measured in twelve epochs. Each value is the log ratio between their speeds in
// one epoch.
func Example() {
	d := []float64{.051, .047, .058, .044, .049, .062, .038, .055, .050, .046, .053, .041}
	j := stats.Joint([][]float64{d}, 0.05, 1)[0]
	lo, hi := j.Interval()
	fmt.Printf("ratio %.3f (%.3f–%.3f)\n", math.Exp(j.Log), math.Exp(lo), math.Exp(hi))
	fmt.Printf("p = %.5f\n", j.P)
	fmt.Println("within 3 %:", j.Equivalent(0.03))
	// Output:
	// ratio 1.051 (1.046–1.056)
	// p = 0.00049
	// within 3 %: false
}
