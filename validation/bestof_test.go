package main

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// Only the best load per server counts, and finished comparisons are not repeated.
func TestBestOf(t *testing.T) {
	var made []BestOf
	play := func(_ context.Context, n int, hog bool) (*BestOf, error) {
		b := BestOf{Number: n, Hog: hog, Tool: "wrk 4", Seconds: 5}
		b.PerSec = [2][]float64{{90, 100, 80}, {99, 98, 70}}
		if hog {
			b.PerSec[1] = []float64{50, 60, 80}
		}
		return &b, nil
	}
	o := BestOfOptions{Done: []BestOf{{Number: 2}}, More: 4, Play: play,
		Keep: func(b BestOf) error { made = append(made, b); return nil }}
	if err := RunBestOf(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, b := range made {
		numbers = append(numbers, b.Number)
		if want := b.Number%2 == 1; b.wins() != want || b.Hog != want {
			t.Errorf("%+v: ratio %v", b, b.ratio())
		}
	}
	if !slices.Equal(numbers, []int{0, 1, 3, 4}) {
		t.Errorf("made %v", numbers)
	}
	g := page{Results: &Results{BestOf: made, Live: []Live{{Kind: LiveSame, Judge: liveJudge, Analyses: 1,
		Couple: &Couple{Throughput: Side{Ratio: 1.02, Verdict: "tie"}}}}}}
	got := g.BestOfTable().String()
	for _, want := range []string{"best of three", "25.0 %", "1.0 %", "| dyno |", "2.0 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{`{"per_sec":[[1,2,3],[1,2]]}`, `{"per_sec":[[1,2,3],[1,2,0]]}`, `{"per":1}`} {
		if _, err := ReadBestOf(strings.NewReader(bad), "f"); err == nil || !strings.Contains(err.Error(), "f:1") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
