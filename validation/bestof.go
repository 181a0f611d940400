package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"dyno/internal/judge"
	"dyno/internal/stats"
)

// BestOf compares two equal servers as published benchmarks do: one server after the other, three loads each
// by an external tool, and the best load counts. It is a line in best_of_three.jsonl.
type BestOf struct {
	Number  int          `json:"number"` // position in the order, from 0
	Hog     bool         `json:"hog"`    // a program took CPU in bursts meanwhile
	Tool    string       `json:"tool"`   // name and version
	PerSec  [2][]float64 `json:"per_sec"`
	Seconds float64      `json:"seconds"` // per load
	Started string       `json:"started"` // RFC 3339, UTC
	Commit  string       `json:"commit"`
	Machine string       `json:"machine"`
}

// bestOfAll counts the comparisons; every second one has background load. Each server gets BestOfLoads loads.
const (
	bestOfAll   = 40
	BestOfLoads = 3
)

// ratio returns the first server's best rate over the second's.
func (b *BestOf) ratio() float64 { return slices.Max(b.PerSec[0]) / slices.Max(b.PerSec[1]) }

// wins reports whether one server is better by more than the margin.
func (b *BestOf) wins() bool { return math.Abs(math.Log(b.ratio())) > math.Log1p(Margin) }

// ReadBestOf reads the lines of a best_of_three.jsonl; name is for errors.
func ReadBestOf(r io.Reader, name string) ([]BestOf, error) {
	return readLines(r, name, func(b *BestOf) error {
		for _, rates := range b.PerSec {
			if len(rates) != BestOfLoads || !(slices.Min(rates) > 0) {
				return fmt.Errorf("per_sec %v; want %d rates above 0 of each server", b.PerSec, BestOfLoads)
			}
		}
		return nil
	})
}

// BestOfOptions configures RunBestOf.
type BestOfOptions struct {
	Done []BestOf // comparisons already made
	More int      // comparisons to make; 0: all missing ones
	Play func(ctx context.Context, number int, hog bool) (*BestOf, error)
	Keep func(BestOf) error // called after each comparison
}

// RunBestOf makes the missing comparisons in order.
func RunBestOf(ctx context.Context, o *BestOfOptions) error {
	made := func(n int) bool { return slices.ContainsFunc(o.Done, func(b BestOf) bool { return b.Number == n }) }
	for n, left := 0, o.More; o.More == 0 && n < bestOfAll || left > 0; n++ {
		if made(n) {
			continue
		}
		left--
		b, err := o.Play(ctx, n, n%2 == 1)
		if err != nil {
			return fmt.Errorf("best of three, comparison %d: %w", n, err)
		}
		if err := o.Keep(*b); err != nil {
			return fmt.Errorf("store comparison %d: %w", n, err)
		}
	}
	return nil
}

// BestOfTool returns the tool that generated the loads.
func (g page) BestOfTool() string { return g.BestOf[0].Tool }

// BestOfSeconds returns the duration of one load.
func (g page) BestOfSeconds() float64 { return g.BestOf[0].Seconds }

// outcome is the result of one comparison between equal servers.
type outcome struct {
	apart float64 // |log ratio|
	wins  bool    // one of the two came out better
}

// BestOfTable shows how often equal servers are found different: by the best of three loads, and by paired
// comparisons between a program and itself.
func (g page) BestOfTable() table {
	t := table{words("|hog|comparisons|with a winner, %|typical difference|largest")}
	for _, hog := range []bool{false, true} {
		hogText := map[bool]string{true: "yes"}[hog]
		var best []outcome
		for i := range g.BestOf {
			if b := &g.BestOf[i]; b.Hog == hog {
				best = append(best, outcome{math.Abs(math.Log(b.ratio())), b.wins()})
			}
		}
		t = append(t, bestOfRow("best of three", hogText, best))
		var paired []outcome
		for _, c := range g.liveCouples(LiveSame, 0, false) {
			if c.run.Hog == hog {
				wins := c.different() || different(judge.Verdict(c.Throughput.Verdict))
				paired = append(paired, outcome{math.Abs(math.Log(c.Throughput.Ratio)), wins})
			}
		}
		t = append(t, bestOfRow("dyno", hogText, paired))
	}
	return t
}

func bestOfRow(name, hog string, all []outcome) []string {
	if len(all) == 0 {
		return []string{name, hog, "0", "–", "–", "–"}
	}
	var apart []float64
	for _, o := range all {
		apart = append(apart, o.apart)
	}
	size := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*math.Expm1(x)) }
	return []string{name, hog, fmt.Sprint(len(all)), count(all, func(o outcome) bool { return o.wins }).String(),
		size(stats.Median(apart)), size(slices.Max(apart))}
}
