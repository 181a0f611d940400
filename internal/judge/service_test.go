package judge

import (
	"testing"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// Without a reference in the pilots, the share is the rate over the service's own rate.
func TestSharesWithoutTheReference(t *testing.T) {
	rate := func(name string, perSec float64, absent string) Cell {
		return Cell{Contestant: name, Metric: "throughput", Absent: absent,
			Level: Estimate{Value: perSec, N: 6}}
	}
	l := Level{At: record.Level{Connections: 125, Pipeline: 1, Records: 10, Scenario: "other"},
		Analysis: &Analysis{Shares: map[string]float64{"known": .3},
			Cells: []Cell{rate("a", 17_000, ""), rate("known", 5000, ""), rate("gone", 5000, "it failed")}}}
	service := []Alone{{At: record.Level{Connections: 125, Pipeline: 1, Records: 500}, PerSec: 1},
		{At: record.Level{Connections: 125, Pipeline: 1, Records: 10}, PerSec: 20_000}}
	l.At.HTTP = wire.H2 // which is between the generator and the contestants
	sharesOfService(&l, []string{"a", "known", "gone", "nobody"}, service)
	if got := l.Analysis.Shares; len(got) != 2 || got["a"] != .85 || got["known"] != .3 {
		t.Errorf("shares %v; want a at 0.85, and known as it was", got)
	}
}
