package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
)

const (
	latencyRows = 8  // maximum rows in a live histogram
	latencyBar  = 30 // columns in its longest bar
)

// latencyEdges are the rows' upper bounds in ns: 1, 2 and 5 in each decade.
var latencyEdges = func() (edges []int64) {
	for e := int64(10_000); e <= record.Highest; e *= 10 {
		edges = append(edges, e, 2*e, 5*e)
	}
	return edges
}()

// latencyLines draws a histogram of all latencies so far: a row for each bound, from the lowest
// bound that is not below all latencies. If there are too many rows, the lowest are combined. Any
// count above 0 shows.
func latencyLines(h *record.Histogram, style func(...string) string) (lines []string) {
	atMost := h.AtMost(latencyEdges)
	last := slices.Index(atMost, h.Count())
	first := slices.IndexFunc(atMost, func(n int64) bool { return n > 0 })
	if last < 0 || first < 0 {
		return nil
	}
	first = max(first, last-latencyRows+1)
	counts, most, before := atMost[first:last+1], int64(0), int64(0)
	for i, n := range counts {
		counts[i], before = n-before, n
		most = max(most, counts[i])
	}
	for i, n := range counts {
		drawn := strings.TrimRight(bar(int(n), int(most), latencyBar), "░")
		if drawn == "" && n > 0 {
			drawn = "▏"
		}
		lines = append(lines, fmt.Sprintf("%s≤ %7s %9s  %s", gutter, Duration(float64(latencyEdges[first+i])),
			document.Whole(n), style(drawn)))
	}
	return lines
}
