package validate

import (
	"context"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/stats"
)

// Part is one way to decide, dyno's own or one that lacks a part of it.
type Part struct {
	Name, What string
	find       func(f *field, k int) (different []int) // of each pair: 1 the first is faster, -1 slower, 0 not found different
}

// ablationLooks are those of every part that looks more than once; the others decide at the last.
var ablationLooks = func(k int) []stats.Look { return stats.Looks([]int{12, 16, 24}, 24, k*(k-1)/2, Alpha) }

const ablationEpochs = 24

// Parts are what the ablation compares, dyno first.
var Parts = []Part{
	{Name: "dyno", What: "rounds in random order, compared within the round; void rounds repeated; Wilcoxon and Holm at planned looks", find: inTurns(byWilcoxon)},
	{Name: "no gate", What: "void rounds count", find: func(f *field, k int) []int { f.gated = false; return inTurns(byWilcoxon)(f, k) }},
	{Name: "no pairing", What: "each server's median of an epoch, compared as independent samples (Mann-Whitney)", find: inTurns(unpaired)},
	{Name: "no interleaving in the epoch", What: "all rounds of one server, then all of the next; else as dyno", find: func(f *field, k int) []int { f.blocks = true; return inTurns(byWilcoxon)(f, k) }},
	{Name: "one after the other", What: "all epochs of one server, then all of the next, as benchmarks are usually run (Mann-Whitney)", find: inSequence},
	{Name: "trials as units", What: "every round counts as an independent value (Wilcoxon, once)", find: pooled},
	{Name: "peeking", What: "a test at 5 % after each epoch from the sixth on, until something is found", find: inTurns(peeking)},
	{Name: "t instead of Wilcoxon", What: "paired t-test at the same looks", find: inTurns(byT)},
}

// AblationNoises are where the parts are left out, each where it should matter.
var AblationNoises = []struct {
	Noise Noise
	Foe   *Foe
	What  string
}{
	{Noise{Name: "hog", Drift: .25, Trial: .03, Start: .005}, &Foe{Name: "hog", act: func(f *field, m moment) (float64, float64) { return f.hog(m, .2, 2, .5) }},
		"throughput on this machine, and something else takes half of the CPU for 2 s, a fifth of the time, seen"},
	{Noise{Name: "felt twice", Drift: .03, Trial: .02, Start: .005}, &Foe{Name: "felt twice", act: func(f *field, m moment) (float64, float64) {
		by, seen := f.hog(m, .33, 2, .5)
		return by * (1 + when(m.server == 0, 1)), seen
	}}, "a hog, a third of the time, from which the first server suffers twice as much"},
	{Noises[4], nil, "a runtime whose speed differs from start to start by 2 %"},
	{Noise{Name: "bad starts", Drift: .03, Trial: .02, Start: .005, Off: .08, OffBy: .3}, nil, "8 % of fresh processes are slower for their whole epoch, by a quarter in the mean"},
}

// Ablated is what became of one part in one noise.
type Ablated struct {
	Part  string
	Noise string
	K     int
	False Rate // of duels of equal servers, in which a pair was called different
	Found Rate // of duels with one server 5 % faster, in which it was found faster than the second
	Wrong Rate // of the same, in which it was found slower
}

// ablation lets each part decide on the same noise, dyno's own beside those that lack something.
func ablation(ctx context.Context, o *Options) []Ablated {
	var out []Ablated
	for _, n := range AblationNoises {
		for i := range Parts {
			for _, k := range []int{2, 4} {
				o.tell("ablation: %s, %d servers, %s", Parts[i].Name, k, n.Noise.Name)
				a := Ablated{Part: Parts[i].Name, Noise: n.Noise.Name, K: k}
				duels := func(truth string) [][]int {
					return repeat(ctx, o.Reps, func(rep int) []int {
						log := make([]float64, k)
						log[0] = truths[truth]
						f := newField(n.Noise, log, Quick.Rounds, source(o.Seed, "ablation/"+n.Noise.Name+truth, rep))
						f.foe = n.Foe
						return Parts[i].find(f, k)
					})
				}
				a.False = count(duels("A/A"), func(d []int) bool { return slices.ContainsFunc(d, func(v int) bool { return v != 0 }) })
				faster := duels("5 %")
				a.Found = count(faster, func(d []int) bool { return len(d) > 0 && d[0] > 0 })
				a.Wrong = count(faster, func(d []int) bool { return len(d) > 0 && d[0] < 0 })
				out = append(out, a)
			}
		}
	}
	return out
}

// inTurns takes the epochs as dyno does and leaves the decision to decide, which may ask for one more at a time.
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

// byWilcoxon is dyno's own way: analysis.Judge at planned looks, until all is decided.
func byWilcoxon(epochs func(int) [][][]float64, k int) []int {
	d := &duel{k: k, looks: ablationLooks(k), next: func(e int) [][]float64 { return epochs(e + 1)[e] }}
	d.play()
	return directions(d.end())
}

func directions(js []analysis.Judgement) []int {
	out := make([]int, len(js))
	for i, j := range js {
		switch {
		case j.Verdict != analysis.Different && j.Verdict != analysis.Negligible:
		case j.Up:
			out[i] = 1
		default:
			out[i] = -1
		}
	}
	return out
}

// differencesOf are the d of each pair over epochs.
func differencesOf(epochs [][][]float64, k int) [][]float64 {
	var out [][]float64
	for _, c := range couples(k) {
		var d []float64
		for _, rows := range epochs {
			d = append(d, difference(rows, c[0], c[1]))
		}
		out = append(out, d)
	}
	return out
}

// holm marks the pairs whose p stands at level alpha, by the sign of their medians; pairs that are marked stay so.
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

// testedBy tests the differences at each look, Holm over the pairs.
func testedBy(test func([]float64) float64, epochs func(int) [][][]float64, k int, looks []stats.Look) []int {
	marked := make([]int, len(couples(k)))
	for _, l := range looks {
		d := differencesOf(epochs(l.N), k)
		ps := make([]float64, len(d))
		for i := range d {
			ps[i] = test(d[i])
		}
		holm(marked, ps, d, l.Alpha)
	}
	return marked
}

func byT(epochs func(int) [][][]float64, k int) []int {
	return testedBy(stats.PairedT, epochs, k, ablationLooks(k))
}

func peeking(epochs func(int) [][][]float64, k int) []int {
	var looks []stats.Look
	for n := 6; n <= ablationEpochs; n++ {
		looks = append(looks, stats.Look{N: n, Alpha: Alpha})
	}
	return testedBy(stats.SignedRank, epochs, k, looks)
}

// unpaired compares each server's medians of its epochs as if they had nothing to do with the others'.
func unpaired(epochs func(int) [][][]float64, k int) []int {
	marked := make([]int, len(couples(k)))
	for _, l := range ablationLooks(k) {
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

// apart marks the pairs of samples that Mann and Whitney tell apart.
func apart(marked []int, levels [][]float64, alpha float64) {
	var ps []float64
	var d [][]float64
	for _, c := range couples(len(levels)) {
		ps = append(ps, stats.RankSum(levels[c[0]], levels[c[1]]))
		d = append(d, []float64{stats.Median(levels[c[0]]) - stats.Median(levels[c[1]])})
	}
	holm(marked, ps, d, alpha)
}

// level is the median of a server over the rounds of an epoch.
func level(rows [][]float64, server int) float64 {
	var x []float64
	for _, row := range rows {
		if !math.IsNaN(row[server]) {
			x = append(x, row[server])
		}
	}
	return stats.Median(x)
}

// pooled makes every round of all epochs a value of its own.
func pooled(f *field, k int) []int {
	var rounds [][][]float64 // an epoch each
	for e := range ablationEpochs {
		for _, row := range f.epoch(e) {
			rounds = append(rounds, [][]float64{row})
		}
	}
	all := func(int) [][][]float64 { return rounds }
	return testedBy(stats.SignedRank, all, k, []stats.Look{{N: len(rounds), Alpha: Alpha}})
}

// inSequence takes all epochs of the first server, then all of the second, and so on; a void trial is taken again.
func inSequence(f *field, k int) []int {
	levels := make([][]float64, k)
	for i := range k {
		for e := range ablationEpochs {
			f.begin()
			levels[i] = append(levels[i], stats.Median(f.block(e, i)))
		}
	}
	marked := make([]int, len(couples(k)))
	apart(marked, levels, Alpha)
	return marked
}
