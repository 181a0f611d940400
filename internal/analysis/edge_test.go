package analysis

import (
	"testing"

	"dyno/internal/result"
)

// TestMarkOfEdges: what concerns one trial in twenty is no mark; of several the most frequent is.
func TestMarkOfEdges(t *testing.T) {
	for _, c := range []struct {
		n    Edges
		want result.Edge
	}{
		{Edges{}, result.Inside},
		{Edges{19, 1}, result.Inside},
		{Edges{18, 2}, result.Unsteady},
		{Edges{0, 0, 5, 7}, result.Low},
		{Edges{1, 0, 9, 7}, result.Estimated},
	} {
		if got := c.n.Mark(); got != c.want {
			t.Errorf("%v: %v, want %v", c.n, got, c.want)
		}
	}
	steady := result.Load{Succeeded: 9, WindowNS: 10, RateAnswers: 9, RateNS: 10, RateFromNS: 1, ServiceP50NS: 2}
	short := steady
	short.ServiceP50NS = 3
	old := result.Load{Succeeded: 9, WindowNS: 10, AtEdge: result.Estimated}
	if n := EdgesOf([]*result.Trial{{Load: steady}, {Load: short}, {Load: old}, {Load: old},
		{External: "wrk"}}); n != (Edges{1, 1, 2, 0}) {
		t.Errorf("%v", n)
	}
}

// TestRatiosOfUnlikeEdges: of two rates in a round, one estimated and one low, both are taken with their edges.
func TestRatiosOfUnlikeEdges(t *testing.T) {
	m, _ := MetricNamed("throughput")
	load := result.Load{Succeeded: 2000, WindowNS: 21e8, ServiceP50NS: 1e8, AtEdge: result.Estimated}
	low := load
	low.AtEdge = result.Low
	trials := []*result.Trial{{Contestant: "a", Load: load}, {Contestant: "b", Load: low}, {Contestant: "c", Load: load}}
	table := Tabulate(trials, nil)
	for _, c := range []struct{ a, b string }{{"a", "b"}, {"a", "c"}} {
		if r := table.Compare(m, at(c.a), at(c.b), .95); r.Value != 1 {
			t.Errorf("%s ÷ %s: %v", c.a, c.b, r.Value)
		}
	}
	if a, b := table.Level(m, at("a")).Value, table.Level(m, at("b")).Value; a != 1000 || b >= 960 {
		t.Errorf("%v, %v", a, b)
	}
}
