package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/stats"
)

// BestOf is a comparison of two equal servers in the way of published benchmarks: one server after
// the other, each loaded three times by an external tool, the best load counts. It is a line of
// best_of_three.jsonl.
type BestOf struct {
	Number  int          `json:"number"` // its place in the order, from 0
	Hog     bool         `json:"hog"`    // a program took CPU in bursts meanwhile
	Tool    string       `json:"tool"`   // with its version
	PerSec  [2][]float64 `json:"per_sec"`
	Seconds float64      `json:"seconds"` // of each load
	Started string       `json:"started"` // RFC 3339, UTC
	Commit  string       `json:"commit"`
	Machine string       `json:"machine"`
}

// The number of comparisons, every second of them with background load, and the number of loads of
// each server.
const (
	bestOfAll   = 40
	BestOfLoads = 3
)

// ratio returns the best rate of the first server over that of the second.
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

// BestOfOptions are the options of RunBestOf.
type BestOfOptions struct {
	Done []BestOf // made before
	More int      // how many more; 0: until there are all
	Play func(ctx context.Context, number int, hog bool) (*BestOf, error)
	Keep func(BestOf) error // called as soon as a comparison is over
}

// RunBestOf makes the comparisons that are missing, in their order.
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

// BestOfTool returns the tool that made the loads.
func (g page) BestOfTool() string { return g.BestOf[0].Tool }

// BestOfSeconds returns how long each load was.
func (g page) BestOfSeconds() float64 { return g.BestOf[0].Seconds }

// outcome is the result of a comparison of equal servers.
type outcome struct {
	apart float64 // |log ratio|
	wins  bool    // one of the two came out better
}

// BestOfTable shows how often equal servers are found different: by the best of three loads, and by
// paired comparisons of a program with itself.
func (g page) BestOfTable() table {
	t := table{words("|hog|comparisons|with a winner, %|typical difference|largest")}
	for _, hog := range []bool{false, true} {
		beside := map[bool]string{true: "yes"}[hog]
		var best []outcome
		for i := range g.BestOf {
			if b := &g.BestOf[i]; b.Hog == hog {
				best = append(best, outcome{math.Abs(math.Log(b.ratio())), b.wins()})
			}
		}
		t = append(t, bestOfRow("best of three", beside, best))
		for _, old := range []bool{true, false} {
			var paired []outcome
			for _, c := range g.liveCouples(LiveSame, 0, old) {
				if c.run.Hog == hog {
					wins := c.different() || different(analysis.Verdict(c.Throughput.Verdict))
					paired = append(paired, outcome{math.Abs(math.Log(c.Throughput.Ratio)), wins})
				}
			}
			if title := map[bool]string{true: "dyno, by signed ranks", false: "dyno"}[old]; paired != nil {
				t = append(t, bestOfRow(title, beside, paired))
			}
		}
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
