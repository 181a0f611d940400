package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Replay is one cell of the replay: comparisons of k recorded servers whose true ratio is known.
type Replay struct {
	Metric   string
	K        int
	Effect   float64 // share by which the first is faster
	Analyses []int
	False    Rate   // an equal pair was called different
	Found    []Rate // by interim analysis, the first was found faster than the second
	Covered  Rate   // the interval at the end holds the true ratio
}

// Recorded describes the recording of one metric.
type Recorded struct {
	Metric      string
	Epochs      int
	RoundSD     float64 // of the in-round log ratio of the two identical servers, within their epochs
	RoundMAD    float64 // the same by MAD: less than RoundSD where tails are heavy
	PairSD      float64 // of their values, one an epoch
	Ratio       float64 // of the two, over all epochs, with its 95 % interval
	Lo, Hi      float64
	Contestants []string
	Halves      []Half // of throughput alone
}

// Half is how a contestant changed within the recorded epochs, all together.
type Half struct {
	Contestant string
	Effect     analysis.Effect
	P          float64 // Holm over the contestants
}

// replayAnalyses are the candidates of Standard; the recorded epochs have its rounds.
var replayAnalyses = []int{8, 12, 16, 24}

// replay resamples recorded epochs with replacement. It permutes the servers at random in each
// epoch, so that they are equal; then it makes the first faster by a known share. Comparisons of
// two use the reference and its copy, which are one program. Larger ones use all contestants, each
// divided by its own median ratio in its run.
func replay(ctx context.Context, o *Options) ([]Recorded, []Replay, error) {
	rec, err := recordings()
	if err != nil {
		return nil, nil, err
	}
	var facts []Recorded
	var cells []Replay
	for _, metric := range replayed {
		twins, all := rec.twins(metric), rec.alike(metric)
		facts = append(facts, rec.describe(metric))
		for _, k := range []int{2, 4, 8} {
			pool := all
			if k == 2 {
				pool = twins
			}
			for _, share := range []float64{0, .02, .05, .10} {
				o.tell("replay: %s, %d servers, %.0f %%", metric, k, 100*share)
				cells = append(cells, replayCell(ctx, o, metric, pool, k, share))
			}
		}
	}
	return facts, cells, nil
}

// replayCell compares k servers drawn from pool, the first faster by share.
func replayCell(ctx context.Context, o *Options, metric string, pool [][][]float64, k int, share float64) Replay {
	analyses := strict(stats.Interims(replayAnalyses, slices.Max(replayAnalyses), k*(k-1)/2, Alpha))
	log := math.Log1p(share)
	purpose := fmt.Sprintf("replay/%s/%d/%g", metric, k, share)
	all := compare(ctx, o.Reps, k, analyses, log, func(rep int) func(int) [][]float64 {
		rng := source(o.Seed, purpose, rep)
		return func(int) [][]float64 { return shuffledEpoch(rng, pool, k, log) }
	})
	return Replay{
		Metric: metric, K: k, Effect: share, Analyses: epochsOf(analyses), Found: foundBy(all, analyses),
		False:   count(all, func(p played) bool { return p.false }),
		Covered: count(all, func(p played) bool { return p.covered }),
	}
}

// shuffledEpoch draws an epoch and k of its servers in random order. The first is made faster by log.
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

// twins returns the epochs of the reference and its copy alone, the last two of each run.
func (rec *Recording) twins(metric string) [][][]float64 {
	all := rec.epochs(metric)
	for e := range all {
		for r, row := range all[e] {
			all[e][r] = row[len(row)-2:]
		}
	}
	return all
}

// alike returns the epochs of all contestants. It subtracts from each its median log ratio to the
// reference in its run, and leaves the reference unchanged.
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

// describe measures the noise in the recordings of the two identical servers.
func (rec *Recording) describe(metric string) Recorded {
	f := Recorded{Metric: metric, Contestants: rec.Runs[0].Contestants}
	if metric == "throughput" {
		f.Halves = rec.halves()
	}
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
	hl, lo, hi := stats.HodgesLehmann(d, 0.95)
	f.Ratio, f.Lo, f.Hi = math.Exp(hl), math.Exp(lo), math.Exp(hi)
	return f
}

// halves returns the changes within epochs that check V16 tests, over all recorded epochs.
func (rec *Recording) halves() (out []Half) {
	names := rec.Runs[0].Contestants
	var trials []*result.Trial
	m, _ := analysis.MetricNamed("throughput")
	for e, rows := range rec.epochs(m.Name) {
		for r, row := range rows {
			for c, log := range row {
				if !math.IsNaN(log) {
					// The order within a round is not recorded, and plays no part here.
					o := plan.Order{Key: result.Key{Epoch: e, Round: r, Position: c}, Contestant: names[c]}
					trials = append(trials, trialOf(o, log-math.Log(rate), 0, 0, 0))
				}
			}
		}
	}
	rs := analysis.Residuals(trials, m)
	var ps []float64
	for _, name := range names {
		out = append(out, Half{Contestant: name, Effect: analysis.HalfRatio(rs, name)})
		ps = append(ps, out[len(out)-1].Effect.P)
	}
	for i, p := range stats.Holm(ps) {
		out[i].P = p
	}
	return out
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
