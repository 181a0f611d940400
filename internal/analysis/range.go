package analysis

import (
	"math"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// EpochRange returns the minimum and the maximum of a contestant's epochs, each the median of its
// trials, of latencies those in quiet rounds; +Inf and -Inf if there are none.
func EpochRange(trials []*result.Trial, contestant string, m Metric) (least, most float64) {
	if m.Kind&Latency != 0 {
		trials = InQuiet(trials)
	}
	epochs := map[int][]float64{}
	for i := range trials {
		if t := trials[i]; t.Contestant == contestant {
			if v, ok := m.Of(t); ok {
				epochs[t.Epoch] = append(epochs[t.Epoch], v)
			}
		}
	}
	least, most = math.Inf(1), math.Inf(-1)
	for _, v := range epochs {
		x := stats.Median(v)
		least, most = min(least, x), max(most, x)
	}
	return least, most
}
