package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/stats"
)

// Misled is how often the pairs of a ranking err, all that a report says of them together.
type Misled struct {
	Noise, Truth, Ranking string
	K, Epochs             int

	Error      Rate // comparisons in which equal servers were called different, or others the wrong way round
	Equivalent Rate // in which servers more than the margin apart were called equivalent
	Near, One  Rate // in which the intervals of all neighbours, or of all against the first, hold
}

// familyServers is the number of servers whose rankings are tried, and familyFits how many epochs the
// budget has for them.
const (
	familyServers = 7
	familyFits    = 24
)

// familyTruths are the speeds of familyServers servers, as logs.
var familyTruths = []struct {
	Name string
	log  []float64
}{
	{"all equal", make([]float64, familyServers)},
	{"groups of equals, 2 % apart", []float64{0, 0, -.02, -.02, -.02, -.04, -.04}},
	{"groups of equals, 10 % apart", []float64{0, 0, -.1, -.1, -.1, -.2, -.2}},
	{"each 1 % slower than the one before", []float64{0, -.01, -.02, -.03, -.04, -.05, -.06}},
}

// familyRankings are what the servers are ranked by before; of is nil for a pilot.
var familyRankings = []struct {
	Name string
	of   func(*rand.Rand) []int
}{
	{"of a pilot", nil},
	{"upside down", func(*rand.Rand) []int { return []int{6, 5, 4, 3, 2, 1, 0} }},
	{"equals far apart", func(*rand.Rand) []int { return []int{0, 2, 5, 3, 4, 6, 1} }},
	{"drawn", func(r *rand.Rand) []int { return r.Perm(familyServers) }},
}

// familyNoises are the noise of the traps, and two that break what the statistics rest on, for all
// servers alike.
func familyNoises() []Noise {
	slow, alike := trapNoise, dependent(.6).noise
	slow.Name, slow.Off, slow.OffBy = "30 % of starts slower, by 6 % in the mean", .3, .06
	alike.Name = "epochs resemble the one before, ρ = 0.6"
	return []Noise{trapNoise, slow, alike}
}

// rankedAnalyses is the one analysis of a ranked run for whose k servers so many epochs fit; all is
// that of all pairs by themselves.
func rankedAnalyses(k, fits int) (ranked, all []stats.Interim) {
	one := stats.Interim{N: fits, Alpha: .9 * Alpha, Simultaneous: true, Strict: true}
	all = []stats.Interim{one}
	one.N, one.Alpha, one.Ranked = plan.RankedEpochs(fits, stats.RankedTests(k), Alpha), Alpha, true
	return []stats.Interim{one}, all
}

// misled tries all truths, rankings and noises.
func misled(ctx context.Context, o *Options) (out []Misled) {
	analyses, _ := rankedAnalyses(familyServers, familyFits)
	for _, noise := range familyNoises() {
		for _, truth := range familyTruths {
			for _, by := range familyRankings {
				o.tell("family: %s, %s, ranking %s", noise.Name, truth.Name, by.Name)
				type outcome struct{ err, equivalent, near, one bool }
				all := repeat(ctx, o.Reps, func(rep int) (x outcome) {
					rng := source(o.Seed, "family/"+noise.Name+truth.Name+by.Name, rep)
					logs := append(slices.Clone(truth.log), make([]float64, Standard.Riders)...)
					c := &comparison{k: familyServers, analyses: analyses, next: newField(noise, logs, Standard.Rounds, rng).epoch}
					if by.of != nil {
						c.ranking = make([]float64, c.k)
						for place, server := range by.of(rng) {
							c.ranking[server] = -float64(place)
						}
					}
					c.play()
					x.near, x.one = true, true
					place := places(c.ranking)
					for i, pair := range stats.Couples(c.k) {
						j, log := c.end()[i], logs[pair[0]]-logs[pair[1]]
						x.err = x.err || different(j.Verdict) && (math.Abs(log) < 1e-9 || j.Up != (log > 0))
						x.equivalent = x.equivalent || j.Verdict == analysis.Equivalent && math.Abs(log) > math.Log1p(Margin)+1e-9
						at, to := place[pair[0]], place[pair[1]]
						if holds := math.Log(j.Ratio.Lo) <= log+1e-9 && log <= math.Log(j.Ratio.Hi)+1e-9; !holds {
							x.near = x.near && at-to != 1 && to-at != 1
							x.one = x.one && at != 0 && to != 0
						}
					}
					return x
				})
				out = append(out, Misled{Noise: noise.Name, Truth: truth.Name, Ranking: by.Name, K: familyServers,
					Epochs:     analyses[0].N,
					Error:      count(all, func(x outcome) bool { return x.err }),
					Equivalent: count(all, func(x outcome) bool { return x.equivalent }),
					Near:       count(all, func(x outcome) bool { return x.near }),
					One:        count(all, func(x outcome) bool { return x.one }),
				})
			}
		}
	}
	return out
}

// places returns the place of each server by the scores that rank them, from 0.
func places(scores []float64) []int {
	place := make([]int, len(scores))
	for i, s := range scores {
		for j, t := range scores {
			if t > s || t == s && j < i {
				place[i]++
			}
		}
	}
	return place
}

// Saved compares a ranked run with one that tests all pairs by themselves in all epochs that fit, on
// the same epochs.
type Saved struct {
	Source, Metric string
	K              int
	Fits, Takes    int    // epochs
	Kept           Rate   // of the neighbours that all pairs decide: decided by the ranking too, and alike
	Near, All      [2]int // neighbours, and pairs, that are decided: by all pairs, by the ranking
}

// The sources of recorded epochs: the contestants as fast as they are, or made alike with speeds that
// are drawn.
const (
	asRecorded  = "as recorded"
	speedsDrawn = "speeds drawn"
)

// savedFits are the numbers of epochs that fit, of runs whose cost is compared.
var savedFits = []int{12, 16, 24}

// saved replays recorded epochs. Of speeds that are drawn a quarter of the neighbours are equal, and
// the others 5 % apart in the mean (exponential).
func saved(ctx context.Context, o *Options) (out []Saved, err error) {
	rec, err := recordings()
	if err != nil {
		return nil, err
	}
	for _, metric := range replayed {
		for _, source := range []string{asRecorded, speedsDrawn} {
			pool := rec.epochs(metric)
			if source == speedsDrawn {
				pool = rec.alike(metric)
			}
			for _, k := range []int{4, 8} {
				for _, fits := range savedFits {
					o.tell("family: %s, %s, %d servers, %d epochs", metric, source, k, fits)
					out = append(out, savedOf(ctx, o, Saved{Source: source, Metric: metric, K: k, Fits: fits}, pool))
				}
			}
		}
	}
	return out, nil
}

// savedOf makes both runs of each repetition.
func savedOf(ctx context.Context, o *Options, s Saved, pool [][][]float64) Saved {
	ranking, all := rankedAnalyses(s.K, s.Fits)
	s.Takes = ranking[0].N
	type outcome struct {
		kept      Rate
		near, all [2]int
	}
	for _, x := range repeat(ctx, o.Reps, func(rep int) (x outcome) {
		rng := source(o.Seed, fmt.Sprintf("saved/%s/%s/%d/%d", s.Source, s.Metric, s.K, s.Fits), rep)
		epochs := drawn(rng, pool, s.K, s.Fits+1, s.Source == speedsDrawn)
		next := func(e int) [][]float64 { return epochs[e] }
		long := &comparison{k: s.K, analyses: all, next: next}
		short := &comparison{k: s.K, analyses: ranking, next: next, ranking: ranked(epochs[s.Fits], s.K)}
		long.play()
		short.play()
		place := places(short.ranking)
		for i, pair := range stats.Couples(s.K) {
			a, b := long.end()[i], short.end()[i]
			apart := place[pair[0]] - place[pair[1]]
			for which, j := range []analysis.Decision{a, b} {
				if j.Verdict != analysis.Inconclusive {
					x.all[which]++
					if apart == 1 || apart == -1 {
						x.near[which]++
					}
				}
			}
			if (apart == 1 || apart == -1) && a.Verdict != analysis.Inconclusive {
				x.kept.Of++
				if b.Verdict != analysis.Inconclusive && different(a.Verdict) == different(b.Verdict) && a.Up == b.Up {
					x.kept.Hits++
				}
			}
		}
		return x
	}) {
		s.Kept.Hits, s.Kept.Of = s.Kept.Hits+x.kept.Hits, s.Kept.Of+x.kept.Of
		for i := range 2 {
			s.Near[i], s.All[i] = s.Near[i]+x.near[i], s.All[i]+x.all[i]
		}
	}
	return s
}

// drawn returns n epochs of k recorded servers, drawn with replacement: always the same servers or, if
// they are alike, others in each epoch, with speeds of their own.
func drawn(rng *rand.Rand, pool [][][]float64, k, n int, alike bool) (epochs [][][]float64) {
	logs := make([]float64, k)
	for i := 1; i < k && alike; i++ {
		logs[i] = logs[i-1] - when(rng.Float64() < .75, .05*rng.ExpFloat64())
	}
	order := rng.Perm(len(pool[0][0]))[:k]
	for range n {
		epoch := pool[rng.IntN(len(pool))]
		if alike {
			order = rng.Perm(len(epoch[0]))[:k]
		}
		rows := make([][]float64, len(epoch))
		for r := range epoch {
			rows[r] = make([]float64, k)
			for i, c := range order {
				rows[r][i] = epoch[r][c] + logs[i]
			}
		}
		epochs = append(epochs, rows)
	}
	return epochs
}
