package stats_test

import (
	"fmt"
	"math"

	"dyno/internal/stats"
)

// Two servers were measured in twelve epochs. Each value is the log ratio of their speeds in one.
func Example() {
	d := []float64{.051, .047, .058, .044, .049, .062, .038, .055, .050, .046, .053, .041}
	ratio, lo, hi := stats.HodgesLehmann(d, 0.95)
	fmt.Printf("ratio %.3f (%.3f–%.3f)\n", math.Exp(ratio), math.Exp(lo), math.Exp(hi))
	fmt.Printf("p = %.5f\n", stats.SignedRank(d))
	fmt.Println("within 3 %:", stats.Equivalent(d, 0.03, 0.05))
	// Output:
	// ratio 1.051 (1.046–1.055)
	// p = 0.00049
	// within 3 %: false
}
