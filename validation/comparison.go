package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/internal/analysis"
	"dyno/internal/stats"
)

// Margin and Alpha are the margin of equivalence and the error level of every comparison.
const (
	Margin = 0.03
	Alpha  = 0.05
)

// difference returns a pair's value of an epoch, as analysis defines it: the median over the rounds
// of the log ratio. Rounds in which either is NaN do not count.
func difference(rows [][]float64, i, j int) float64 {
	d := make([]float64, 0, len(rows))
	for _, row := range rows {
		if v := row[i] - row[j]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return stats.Median(d)
}

// comparison compares servers of known speed, analysis by analysis, until all pairs are decided or no
// analysis is left. analysis.Decide decides.
type comparison struct {
	truth    []float64 // logs of the speeds of the servers that are compared: the first of a row
	analyses []stats.Interim
	next     func(epoch int) [][]float64 // one row a round, in it the log speed of each server, controls last

	d      [][]float64           // of each pair, by epoch
	beside [][]float64           // of each server, and the second control, against the first control
	at     [][]analysis.Decision // of each analysis that was made
}

// play takes epochs until the comparison stops.
func (c *comparison) play() {
	for _, a := range c.analyses {
		c.extend(a.N)
		js := analysis.Decide(c.d, c.beside, a.N, c.analyses, Alpha, Margin, 12)
		c.at = append(c.at, js)
		if !slices.ContainsFunc(js, func(j analysis.Decision) bool { return j.Verdict == analysis.Inconclusive }) {
			return
		}
	}
}

// extend takes epochs until there are n.
func (c *comparison) extend(n int) {
	k := len(c.truth)
	if c.d == nil {
		c.d = make([][]float64, len(couples(k)))
	}
	for e := len(c.d[0]); e < n; e++ {
		rows := c.next(e)
		for p, pair := range couples(k) {
			c.d[p] = append(c.d[p], difference(rows, pair[0], pair[1]))
		}
		if len(rows[0]) < k+2 {
			continue
		}
		if c.beside == nil {
			c.beside = make([][]float64, k+1)
		}
		for p := range k {
			c.beside[p] = append(c.beside[p], difference(rows, p, k))
		}
		c.beside[k] = append(c.beside[k], difference(rows, k+1, k))
	}
}

// different reports whether a verdict claims a difference, however small.
func different(v analysis.Verdict) bool { return v == analysis.Different || v == analysis.Negligible }

// played is the result of one comparison.
type played struct {
	false      bool  // at its end an equal pair is called different, however little
	early      bool  // the same of any analysis before the first late one
	wrong      bool  // an unequal one is, the wrong way round
	equivalent bool  // a pair that differs by the margin or more is called equivalent
	holds      bool  // all intervals hold at once
	apart      int   // pairs that differ
	same       int   // pairs that are equal
	alike      int   // of these called equivalent
	found      []int // of these by analysis: called different the right way round
	epochs     int
	sd         float64 // of the first pair's values, by MAD
}

// exact is by how much logs may differ that are the same.
const exact = 1e-9

// see summarizes a comparison.
func (c *comparison) see() played {
	p := played{holds: true, found: make([]int, len(c.analyses)), epochs: c.analyses[len(c.at)-1].N}
	for i, pair := range couples(len(c.truth)) {
		truth := c.truth[pair[0]] - c.truth[pair[1]]
		equal := math.Abs(truth) < exact
		for a := range c.analyses {
			j := &c.at[min(a, len(c.at)-1)][i]
			if right := j.Up() == (truth > 0); !equal && right && j.Verdict == analysis.Different {
				p.found[a]++
			}
			p.early = p.early || equal && c.analyses[a].N < stats.Least && different(j.Verdict)
		}
		j := &c.at[len(c.at)-1][i]
		switch {
		case !equal:
			p.apart++
		case j.Verdict == analysis.Equivalent:
			p.same, p.alike = p.same+1, p.alike+1
		default:
			p.same++
		}
		p.false = p.false || equal && different(j.Verdict)
		p.wrong = p.wrong || !equal && different(j.Verdict) && j.Up() != (truth > 0)
		p.equivalent = p.equivalent || j.Verdict == analysis.Equivalent && math.Abs(truth) > math.Log1p(Margin)-exact
		p.holds = p.holds && math.Log(j.Ratio.Lo) <= truth+exact && truth-exact <= math.Log(j.Ratio.Hi)
	}
	p.sd = stats.MAD(c.d[0])
	return p
}

// compare makes reps comparisons of servers of a truth. epochs returns the source of epochs of one
// repetition.
func compare(ctx context.Context, reps int, truth []float64, analyses []stats.Interim,
	epochs func(rep int) func(epoch int) [][]float64,
) outcomes {
	return repeat(ctx, reps, func(rep int) played {
		c := &comparison{truth: truth, analyses: analyses, next: epochs(rep)}
		c.play()
		return c.see()
	})
}

// outcomes are the results of many comparisons of one kind.
type outcomes []played

func (all outcomes) rate(f func(p *played) bool) Rate {
	return count(all, func(p played) bool { return f(&p) })
}

func (all outcomes) False() Rate { return all.rate(func(p *played) bool { return p.false }) }
func (all outcomes) Holds() Rate { return all.rate(func(p *played) bool { return p.holds }) }

// Found returns how many of the pairs that differ were found, right way round, by n epochs.
func (all outcomes) Found(analyses []stats.Interim, n int) (r Rate) {
	for _, p := range all {
		r.Of += p.apart
		last := 0
		for a, found := range p.found {
			if analyses[a].N <= n {
				last = found
			}
		}
		r.Hits += last
	}
	return r
}

// Epochs returns the mean number of epochs that a comparison took.
func (all outcomes) Epochs() (mean float64) {
	for _, p := range all {
		mean += float64(p.epochs) / float64(len(all))
	}
	return mean
}

// repeat calls one reps times, on all CPUs, and returns the results in order. When ctx ends it
// leaves out the rest.
func repeat[T any](ctx context.Context, reps int, one func(rep int) T) []T {
	out := make([]T, reps)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for rep := int(next.Add(1)) - 1; rep < reps && ctx.Err() == nil; rep = int(next.Add(1)) - 1 {
				out[rep] = one(rep)
			}
		})
	}
	workers.Wait()
	return out
}

// couples returns all pairs of k things.
func couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
