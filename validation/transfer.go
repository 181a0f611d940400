package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dyno/internal/stats"
)

// Transfer is the error of pairs of recorded contestants, by a level that was set on one half of the
// recorded epochs and is tested on the other. Nothing is permuted: the values of a pair have the shape
// that they were recorded with, and only their pseudomedian is 0.
type Transfer struct {
	Metric string
	From   string  // half on which the level was set
	Level  float64 // share of alpha, at most 1
	Set    Rate    // of comparisons on that half, in which the pair was called different
	Tested Rate    // the same on the other half
}

// transferLevels are the shares of alpha to choose from.
var transferLevels = []float64{1, .9, .8, .7, .6, .5, .4, .3, .2, .1}

// transfer sets a level on each half of the recorded epochs and tests it on the other.
func transfer(ctx context.Context, o *Options) ([]Transfer, error) {
	rec, err := recordings()
	if err != nil {
		return nil, err
	}
	var out []Transfer
	for _, metric := range replayed {
		epochs := rec.alike(metric)
		halves := [2][][]float64{centred(epochs[:len(epochs)/2]), centred(epochs[len(epochs)/2:])}
		for i, from := range []string{"first", "second"} {
			o.tell("replay: %s, level set on the %s half", metric, from)
			t := Transfer{Metric: metric, From: from}
			for _, t.Level = range transferLevels {
				if t.Set = errorOf(ctx, o, metric+" set", halves[i], t.Level); t.Set.Share() <= Alpha {
					break
				}
			}
			t.Tested = errorOf(ctx, o, metric+" tested", halves[1-i], t.Level)
			out = append(out, t)
		}
	}
	return out, nil
}

// centred returns the values of each pair of contestants by epoch, less their pseudomedian.
func centred(epochs [][][]float64) (pairs [][]float64) {
	for _, c := range stats.Couples(len(epochs[0][0])) {
		var d []float64
		for _, rows := range epochs {
			if v := difference(rows, c[0], c[1]); !math.IsNaN(v) {
				d = append(d, v)
			}
		}
		centre, _, _ := stats.HodgesLehmann(d, 0.95)
		for i := range d {
			d[i] -= centre
		}
		pairs = append(pairs, d)
	}
	return pairs
}

// errorOf compares pairs by epochs drawn with replacement, at a share of alpha.
func errorOf(ctx context.Context, o *Options, purpose string, pairs [][]float64, level float64) Rate {
	analyses := strict(stats.Interims(replayAnalyses, slices.Max(replayAnalyses), 1, Alpha*level))
	all := compare(ctx, o.Reps, 2, analyses, 0, func(rep int) func(int) [][]float64 {
		rng := source(o.Seed, fmt.Sprintf("transfer/%s/%g", purpose, level), rep)
		d := pairs[rng.IntN(len(pairs))]
		return func(int) [][]float64 { return [][]float64{{d[rng.IntN(len(d))], 0}} }
	})
	return count(all, func(p played) bool { return p.false })
}
