package main

import (
	"context"
	"math"
	"slices"

	"dyno/internal/stats"
)

// Part is a decision procedure: dyno's own, or one that leaves out a part of it.
type Part struct {
	Name, What string
	find       func(f *field, k int) (marks []int) // of each pair: 1 the first is faster, -1 slower, 0 not different
}

// ablationEpochs is the number of epochs after which every procedure stops; those with several
// interim analyses make them at ablationLooks.
const ablationEpochs = 24

// ablationAnalyses returns the interim analyses for k servers. Parts with one analysis make it at ablationEpochs.
func ablationAnalyses(k int) []stats.Interim {
	return strict(stats.Interims([]int{12, 16, ablationEpochs}, ablationEpochs, k*(k-1)/2, Alpha))
}

// Parts are what the ablation compares, dyno first.
var Parts = []Part{
	{Name: "dyno", find: inTurns(byWilcoxon),
		What: "rounds in random order, compared within the round; discarded rounds repeated; " +
			"Wilcoxon and Holm at planned interim analyses"},
	{Name: "no gate", What: "disturbed rounds count",
		find: func(f *field, k int) []int { f.gated = false; return inTurns(byWilcoxon)(f, k) }},
	{Name: "fixed order", What: "each round loads the servers in the same order",
		find: func(f *field, k int) []int { f.fixed = true; return inTurns(byWilcoxon)(f, k) }},
	{Name: "no fresh processes", What: "the servers are started once, and all epochs load these processes",
		find: func(f *field, k int) []int { f.resident = true; return inTurns(byWilcoxon)(f, k) }},
	{Name: "mean for median", What: "the value of an epoch is the mean over its rounds, not the median",
		find: inTurns(byMean)},
	{Name: "no pairing", find: inTurns(unpaired),
		What: "each server's median of an epoch, compared as independent samples (Mann-Whitney)"},
	{Name: "no interleaving in the epoch", What: "all rounds of one server, then all of the next; else as dyno",
		find: func(f *field, k int) []int { f.blocks = true; return inTurns(byWilcoxon)(f, k) }},
	{Name: "one after the other", find: inSequence,
		What: "all epochs of one server, then all of the next, as benchmarks are usually run (Mann-Whitney)"},
	{Name: "trials as units", What: "every round counts as an independent value (Wilcoxon, once)",
		find: pooled},
	{Name: "peeking", What: "a test at 5 % after each epoch from the sixth on, until something is found",
		find: inTurns(peeking)},
	{Name: "t instead of Wilcoxon", What: "paired t-test at the same looks", find: inTurns(byT)},
}

// AblationNoise is a noise that should show the effect of a part that is left out.
type AblationNoise struct {
	Noise Noise
	Foe   *Foe
	What  string
}

// AblationNoises are the noises of the ablation.
var AblationNoises = []AblationNoise{
	{Noise: Noise{Name: "hog", Drift: .25, Trial: .03, Start: .005},
		Foe: &Foe{act: func(f *field, m moment) (float64, float64) { return f.hog(m, .2, 2, .5) }},
		What: "throughput on this machine, and something else takes half of the CPU for 2 s, " +
			"a fifth of the time, seen"},
	{Noise: Noise{Name: "felt twice", Drift: .03, Trial: .02, Start: .005},
		Foe: &Foe{act: func(f *field, m moment) (float64, float64) {
			by, seen := f.hog(m, .33, 2, .5)
			return by * (1 + when(m.server == 0, 1)), seen
		}},
		What: "a hog, a third of the time, from which the first server suffers twice as much"},
	{Noise: Noise{Name: "position", Drift: .03, Trial: .02, Start: .005},
		Foe: &Foe{act: unseen(func(f *field, m moment) float64 {
			return math.Log(.98) * float64(m.position) / float64(len(f.truth)-1)
		})},
		What: "a machine that slows down by 2 % in each round"},
	{Noise: Noise{Name: "hits", Drift: .03, Trial: .02, Start: .005, Hits: .1, Hit: .5},
		What: "a tenth of the trials is slowed down, by a half in the mean, unseen"},
	{Noise: Noises[4], What: "a runtime whose speed differs from start to start by 2 %"},
	{Noise: Noise{Name: "bad starts", Drift: .03, Trial: .02, Start: .005, Off: .08, OffBy: .3},
		What: "8 % of fresh processes are slower for their whole epoch, by a quarter in the mean"},
}

// Ablated is the result of one procedure in one noise.
type Ablated struct {
	Part  string
	Noise string
	K     int
	False Rate // of comparisons of equal servers, in which a pair was called different
	Found Rate // of comparisons with one server 5 % faster, in which it was found faster than the second
	Wrong Rate // of the same, in which it was found slower
}

// ablation lets each procedure decide the same simulated comparisons.
func ablation(ctx context.Context, o *Options) []Ablated {
	var out []Ablated
	for _, n := range AblationNoises {
		for _, part := range Parts {
			for _, k := range []int{2, 4} {
				o.tell("ablation: %s, %d servers, %s", part.Name, k, n.Noise.Name)
				marks := func(truth string) [][]int {
					return repeat(ctx, o.Reps, func(rep int) []int {
						rng := source(o.Seed, "ablation/"+n.Noise.Name+truth, rep)
						f := newField(n.Noise, speeds(k, truth), Standard.Rounds, rng)
						f.foe = n.Foe
						return part.find(f, k)
					})
				}
				faster := marks("5 %")
				out = append(out, Ablated{
					Part: part.Name, Noise: n.Noise.Name, K: k,
					False: count(marks("A/A"), func(m []int) bool { return slices.Contains(m, 1) || slices.Contains(m, -1) }),
					Found: count(faster, func(m []int) bool { return len(m) > 0 && m[0] > 0 }),
					Wrong: count(faster, func(m []int) bool { return len(m) > 0 && m[0] < 0 }),
				})
			}
		}
	}
	return out
}

// inTurns measures epochs as dyno does. decide may request the first n of them repeatedly.
func inTurns(decide func(epochs func(n int) [][][]float64, k int) []int) func(*field, int) []int {
	return func(f *field, k int) []int {
		var taken [][][]float64
		return decide(func(n int) [][][]float64 {
			for len(taken) < n {
				taken = append(taken, f.epoch(len(taken)))
			}
			return taken[:n]
		}, k)
	}
}

// byWilcoxon is dyno's own way: analysis.DecideAt at planned interim analyses, until all pairs are
// decided.
func byWilcoxon(epochs func(int) [][][]float64, k int) []int { return byValues(epochs, k, difference) }

// byMean is the same with the means of the epochs' log ratios.
func byMean(epochs func(int) [][][]float64, k int) []int {
	return byValues(epochs, k, func(rows [][]float64, i, j int) float64 {
		mean, _, _ := stats.MeanCI(inRounds(rows, i, j), 0.95)
		return mean
	})
}

// byValues decides as dyno does by a value of each pair and epoch.
func byValues(epochs func(int) [][][]float64, k int, value func(rows [][]float64, i, j int) float64) []int {
	c := &comparison{k: k, analyses: ablationAnalyses(k), value: value,
		next: func(e int) [][]float64 { return epochs(e + 1)[e] }}
	c.play()
	marks := make([]int, len(c.end()))
	for i, j := range c.end() {
		switch {
		case !different(j.Verdict):
		case j.Up:
			marks[i] = 1
		default:
			marks[i] = -1
		}
	}
	return marks
}

// differencesOf returns the values of each pair over epochs.
func differencesOf(epochs [][][]float64, k int) [][]float64 {
	var out [][]float64
	for _, c := range stats.Couples(k) {
		var d []float64
		for _, rows := range epochs {
			d = append(d, difference(rows, c[0], c[1]))
		}
		out = append(out, d)
	}
	return out
}

// holm marks the pairs that Holm's procedure rejects at level alpha, by the sign of their medians.
// It never unmarks a pair.
func holm(marked []int, ps []float64, d [][]float64, alpha float64) {
	for i, p := range stats.Holm(ps) {
		if p <= alpha && marked[i] == 0 {
			marked[i] = 1
			if stats.Median(d[i]) < 0 {
				marked[i] = -1
			}
		}
	}
}

// testedBy tests the values at each interim analysis, with Holm's procedure over the pairs.
func testedBy(test func([]float64) float64, epochs func(int) [][][]float64, k int, analyses []stats.Interim) []int {
	marked := make([]int, len(stats.Couples(k)))
	for _, l := range analyses {
		d := differencesOf(epochs(l.N), k)
		ps := make([]float64, len(d))
		for i := range d {
			ps[i] = test(d[i])
		}
		holm(marked, ps, d, l.Alpha)
	}
	return marked
}

// byT decides by Student's t-test.
func byT(epochs func(int) [][][]float64, k int) []int {
	return testedBy(stats.PairedT, epochs, k, ablationAnalyses(k))
}

// peeking tests after each epoch, without dividing alpha among the tests.
func peeking(epochs func(int) [][][]float64, k int) []int {
	var analyses []stats.Interim
	for n := 6; n <= ablationEpochs; n++ {
		analyses = append(analyses, stats.Interim{N: n, Alpha: Alpha})
	}
	return testedBy(stats.SignedRank, epochs, k, analyses)
}

// unpaired compares the servers' medians of their epochs as independent samples.
func unpaired(epochs func(int) [][][]float64, k int) []int {
	marked := make([]int, len(stats.Couples(k)))
	for _, l := range ablationAnalyses(k) {
		levels := make([][]float64, k)
		for _, rows := range epochs(l.N) {
			for i := range k {
				levels[i] = append(levels[i], level(rows, i))
			}
		}
		apart(marked, levels, l.Alpha)
	}
	return marked
}

// apart marks the pairs of samples that differ by the Mann-Whitney test.
func apart(marked []int, levels [][]float64, alpha float64) {
	var ps []float64
	var d [][]float64
	for _, c := range stats.Couples(len(levels)) {
		ps = append(ps, stats.RankSum(levels[c[0]], levels[c[1]]))
		d = append(d, []float64{stats.Median(levels[c[0]]) - stats.Median(levels[c[1]])})
	}
	holm(marked, ps, d, alpha)
}

// level returns the median of a server over the rounds of an epoch.
func level(rows [][]float64, server int) float64 {
	var x []float64
	for _, row := range rows {
		if !math.IsNaN(row[server]) {
			x = append(x, row[server])
		}
	}
	return stats.Median(x)
}

// pooled treats every round of all epochs as a value of its own.
func pooled(f *field, k int) []int {
	var rounds [][][]float64 // an epoch each
	for e := range ablationEpochs {
		for _, row := range f.epoch(e) {
			rounds = append(rounds, [][]float64{row})
		}
	}
	all := func(int) [][][]float64 { return rounds }
	return testedBy(stats.SignedRank, all, k, []stats.Interim{{N: len(rounds), Alpha: Alpha}})
}

// inSequence measures all epochs of the first server, then all of the second, and so on.
func inSequence(f *field, k int) []int {
	levels := make([][]float64, k)
	for i := range k {
		for range ablationEpochs {
			f.begin()
			levels[i] = append(levels[i], stats.Median(f.block(i)))
		}
	}
	marked := make([]int, len(stats.Couples(k)))
	apart(marked, levels, Alpha)
	return marked
}
