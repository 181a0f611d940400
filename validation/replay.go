package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dyno/internal/stats"
)

// Replay is one cell: comparisons of k recorded servers with a known true ratio.
type Replay struct {
	Metric   string
	K        int
	Effect   float64 // share by which the first is faster
	Analyses []int
	Error    Rate   // comparisons that called an equal pair different
	Found    []Rate // by analysis: pairs with the first server that were found
	Holds    Rate   // comparisons whose final intervals all hold
}

// Recorded describes the recording for one metric.
type Recorded struct {
	Metric      string
	Epochs      int
	RoundSD     float64 // log ratio between the identical servers in a round, within epochs
	RoundMAD    float64 // the same by MAD: less than RoundSD where tails are heavy
	PairSD      float64 // log ratio between them, one value per epoch
	Ratio       float64 // ratio between them over all epochs, with the 95 % interval
	Lo, Hi      float64
	Contestants []string
}

// Unshuffled is the error rate for pairs of recorded contestants that are not permuted: the values keep their
// recorded distribution, and only their location is moved to 0.
type Unshuffled struct {
	Metric string
	Error  Rate
}

// replayEpochs is how many epochs the replayed runs have room for.
const replayEpochs = 24

// replay resamples recorded epochs with replacement. It permutes the servers at random in each epoch, so that
// they are equal; then it makes the first faster by a known share. Comparisons between two use the reference
// and its copy, which are one program. Larger ones use all contestants, each divided by its median ratio to
// the reference in its run.
func (p *Results) replay(ctx context.Context, o *Options) error {
	rec, err := recordings()
	if err != nil {
		return err
	}
	for _, metric := range replayed {
		twins, all := rec.twins(metric), rec.alike(metric)
		p.Recorded = append(p.Recorded, rec.describe(metric))
		for _, k := range []int{2, 4, 8} {
			pool := all
			if k == 2 {
				pool = twins
			}
			for _, share := range []float64{0, .02, .05, .10} {
				o.tell("replay: %s, %d servers, %.0f %%", metric, k, 100*share)
				p.Replays = append(p.Replays, replayCell(ctx, o, metric, pool, k, share))
			}
		}
		o.tell("replay: %s, pairs as they are", metric)
		p.Unshuffled = append(p.Unshuffled, Unshuffled{metric, unshuffled(ctx, o, metric, centred(all))})
	}
	return nil
}

// replayCell compares k servers drawn from pool, with the first faster by share.
func replayCell(ctx context.Context, o *Options, metric string, pool [][][]float64, k int, share float64) Replay {
	truth := make([]float64, k)
	truth[0] = math.Log1p(share)
	purpose := fmt.Sprintf("replay/%s/%d/%g", metric, k, share)
	analyses := analysesOf(k, replayEpochs)
	all := compare(ctx, o.Reps, truth, analyses, func(rep int) func(int) [][]float64 {
		rng := source(o.Seed, purpose, rep)
		return func(int) [][]float64 { return shuffledEpoch(rng, pool, k, truth[0]) }
	})
	c := Replay{Metric: metric, K: k, Effect: share, Error: all.False(), Holds: all.Holds()}
	c.Analyses, c.Found = foundBy(all, analyses)
	return c
}

// centred returns the values of each pair of contestants by epoch, minus their location.
func centred(epochs [][][]float64) (pairs [][]float64) {
	for _, c := range couples(len(epochs[0][0])) {
		var d []float64
		for _, rows := range epochs {
			if v := difference(rows, c[0], c[1]); !math.IsNaN(v) {
				d = append(d, v)
			}
		}
		centre := stats.Joint([][]float64{d}, Alpha, 1)[0].Log
		for i := range d {
			d[i] -= centre
		}
		pairs = append(pairs, d)
	}
	return pairs
}

// unshuffled compares two servers with values drawn, with replacement, from one recorded pair.
func unshuffled(ctx context.Context, o *Options, metric string, pairs [][]float64) Rate {
	return compare(ctx, o.Reps, make([]float64, 2), analysesOf(2, replayEpochs), func(rep int) func(int) [][]float64 {
		rng := source(o.Seed, "unshuffled/"+metric, rep)
		d := pairs[rng.IntN(len(pairs))]
		return func(int) [][]float64 { return [][]float64{{d[rng.IntN(len(d))], 0}} }
	}).False()
}

// shuffledEpoch draws an epoch and k servers from it in random order. It adds log to the first server's
// values.
func shuffledEpoch(rng *rand.Rand, pool [][][]float64, k int, log float64) [][]float64 {
	epoch := pool[rng.IntN(len(pool))]
	order := rng.Perm(len(epoch[0]))[:k]
	rows := make([][]float64, len(epoch))
	for r := range epoch {
		rows[r] = make([]float64, k)
		for i, c := range order {
			rows[r][i] = epoch[r][c]
		}
		rows[r][0] += log
	}
	return rows
}

// twins returns the epochs with the reference and its copy alone, the last two in each run.
func (rec *Recording) twins(metric string) [][][]float64 {
	all := rec.epochs(metric)
	for e := range all {
		for r, row := range all[e] {
			all[e][r] = row[len(row)-2:]
		}
	}
	return all
}

// alike returns the epochs with all contestants. From each contestant it subtracts the median log ratio to
// the reference in that run; the reference stays unchanged.
func (rec *Recording) alike(metric string) [][][]float64 {
	all := rec.epochs(metric)
	from := 0
	for _, run := range rec.Runs {
		rows := slices.Concat(all[from : from+len(run.Values[metric])]...)
		from += len(run.Values[metric])
		ref := len(run.Contestants) - 2
		for c := range run.Contestants {
			var ratios []float64
			for _, row := range rows {
				if v := row[c] - row[ref]; !math.IsNaN(v) && c != ref {
					ratios = append(ratios, v)
				}
			}
			if level := stats.Median(ratios); c != ref {
				for _, row := range rows {
					row[c] -= level
				}
			}
		}
	}
	return all
}

// describe measures the noise between the two identical servers in the recordings.
func (rec *Recording) describe(metric string) Recorded {
	f := Recorded{Metric: metric, Contestants: rec.Runs[0].Contestants}
	var within, d []float64
	for _, rows := range rec.twins(metric) {
		mid := difference(rows, 0, 1)
		d = append(d, mid)
		for _, row := range rows {
			if v := row[0] - row[1] - mid; !math.IsNaN(v) {
				within = append(within, v)
			}
		}
	}
	f.Epochs = len(d)
	f.RoundSD, f.RoundMAD, f.PairSD = sd(within), stats.MAD(within), sd(d)
	j := stats.Joint([][]float64{d}, Alpha, 1)[0]
	lo, hi := j.Interval()
	f.Ratio, f.Lo, f.Hi = math.Exp(j.Log), math.Exp(lo), math.Exp(hi)
	return f
}

// sd returns the sample standard deviation of x.
func sd(x []float64) float64 {
	var mean, squares float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(x)-1))
}
