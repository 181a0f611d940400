package main

import (
	"strings"
	"testing"
)

// The picture has a point for each comparison, and none without today's live runs.
func TestPicture(t *testing.T) {
	p := &Results{BestOf: []BestOf{{Tool: "wrk 4", PerSec: [2][]float64{{90, 100, 80}, {70, 60, 50}}},
		{Tool: "wrk 4", PerSec: [2][]float64{{90, 100, 80}, {100, 60, 50}}}}}
	var b strings.Builder
	if err := Picture(&b, p); err == nil {
		t.Error("drawn without live runs")
	}
	p.Live = []Live{{Kind: LiveSame, Judge: liveJudge, Analyses: 1,
		Couple: &Couple{Throughput: Side{1.01, .98, 1.03, .5, "tie"}}}}
	if err := Picture(&b, p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<circle") + strings.Count(b.String(), "<rect"); n < 3 {
		t.Errorf("%d marks in\n%s", n, b.String())
	}
	for _, want := range []string{"2 comparisons", "1 comparison", "The true difference is 0"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
