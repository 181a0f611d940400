package judge_test

import (
	"fmt"
	"math"

	"dyno/internal/judge"
	"dyno/internal/stats"
)

// Two pairs of contestants are judged together after ten epochs: each epoch gives each pair one
// value, its log ratio. Differences within 3 % count as none.
func ExampleDecide() {
	var faster, alike []float64
	for epoch := range 10 {
		noise := .01 * math.Sin(float64(3*epoch))
		faster = append(faster, math.Log(1.2)+noise)
		alike = append(alike, math.Log(1.001)-noise)
	}
	decisions := judge.Decide([][]float64{faster, alike}, nil, 10, []stats.Interim{{N: 10, Alpha: .04}}, .05, .03, 12)
	for _, d := range decisions {
		fmt.Printf("%.2f (%.2f–%.2f): %s\n", d.Ratio.Value, d.Ratio.Lo, d.Ratio.Hi, d.Verdict)
	}
	// Output:
	// 1.20 (1.19–1.21): different
	// 1.00 (1.00–1.01): equivalent
}

// The first of three contestants beats the others, which are not separated: they share the ranks 2
// to 3.
func ExampleRanks() {
	lo, hi := judge.Ranks(3, func(i, j int) bool { return i == 0 && j > 0 })
	fmt.Println(lo, hi)
	// Output: [1 2 2] [1 3 3]
}
