package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/internal/judge"
	"dyno/internal/stats"
)

// Margin is the margin of equivalence and Alpha the error level in every comparison.
const (
	Margin = 0.03
	Alpha  = 0.05
)

// difference returns a pair's value for an epoch as analysis defines it: the median log ratio over the
// rounds, without rounds in which either value is NaN.
func difference(rows [][]float64, i, j int) float64 {
	d := make([]float64, 0, len(rows))
	for _, row := range rows {
		if v := row[i] - row[j]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return stats.Median(d)
}

// comparison compares servers with known speeds. After each interim analysis it stops if all pairs are
// decided. judge.Decide decides.
type comparison struct {
	truth    []float64 // log speeds of the compared servers, which come first in a row
	analyses []stats.Interim
	next     func(epoch int) [][]float64 // one row per round with all servers' log speeds, controls last

	between *sessionEffects // nil: nothing varies from session to session

	d              [][]float64        // by pair and epoch
	againstControl [][]float64        // each server, then the second control, against the first control; by epoch
	at             [][]judge.Decision // by analysis made so far
}

// play adds epochs until the comparison stops.
func (c *comparison) play() {
	for _, a := range c.analyses {
		c.extend(a.N)
		js := judge.Decide(c.d, c.againstControl, a.N, c.analyses, Alpha, Margin, 12)
		c.at = append(c.at, js)
		if !slices.ContainsFunc(js, func(j judge.Decision) bool { return j.Verdict == judge.Inconclusive }) {
			return
		}
	}
}

// extend adds epochs until there are n.
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
		if c.againstControl == nil {
			c.againstControl = make([][]float64, k+1)
		}
		for p := range k {
			c.againstControl[p] = append(c.againstControl[p], difference(rows, p, k))
		}
		c.againstControl[k] = append(c.againstControl[k], difference(rows, k+1, k))
	}
}

// different reports whether a verdict claims a difference, however small.
func different(v judge.Verdict) bool { return v == judge.Different || v == judge.Negligible }

// played is the result of one comparison.
type played struct {
	false           bool  // the last analysis calls an equal pair different, however little
	early           bool  // an early analysis does
	wrong           bool  // it calls an unequal pair different, the wrong way round
	equivalent      bool  // it calls a pair equivalent that differs by the margin or more
	holds           bool  // all intervals hold at once
	differing       int   // pairs that differ
	equal           int   // pairs that are equal
	equivalentPairs int   // equal pairs called equivalent
	found           []int // by analysis: pairs called different the right way round
	epochs          int
	sd              float64 // standard deviation of the first pair's values, by MAD
	elsewhere       elsewhere
}

// exact is the tolerance for equal logs.
const exact = 1e-9

// see summarizes a comparison.
func (c *comparison) see() played {
	p := played{holds: true, found: make([]int, len(c.analyses)), epochs: c.analyses[len(c.at)-1].N}
	for i, pair := range couples(len(c.truth)) {
		truth := c.truth[pair[0]] - c.truth[pair[1]]
		equal := math.Abs(truth) < exact
		for a := range c.analyses {
			j := &c.at[min(a, len(c.at)-1)][i]
			if right := j.Up() == (truth > 0); !equal && right && j.Verdict == judge.Different {
				p.found[a]++
			}
			p.early = p.early || equal && c.analyses[a].Early && different(j.Verdict)
		}
		j := &c.at[len(c.at)-1][i]
		switch {
		case !equal:
			p.differing++
		case j.Verdict == judge.Equivalent:
			p.equal, p.equivalentPairs = p.equal+1, p.equivalentPairs+1
		default:
			p.equal++
		}
		p.false = p.false || equal && different(j.Verdict)
		p.wrong = p.wrong || !equal && different(j.Verdict) && j.Up() != (truth > 0)
		p.equivalent = p.equivalent || j.Verdict == judge.Equivalent && math.Abs(truth) > math.Log1p(Margin)-exact
		p.holds = p.holds && math.Log(j.Ratio.Lo) <= truth+exact && truth-exact <= math.Log(j.Ratio.Hi)
	}
	p.sd = stats.MAD(c.d[0])
	if c.between != nil {
		p.elsewhere = c.seeElsewhere()
	}
	return p
}

// compare makes reps comparisons between servers with known speeds. epochs returns the source of epochs for
// one repetition.
func compare(ctx context.Context, reps int, truth []float64, analyses []stats.Interim,
	epochs func(rep int) func(epoch int) [][]float64,
) outcomes {
	return repeat(ctx, reps, func(rep int) played {
		c := &comparison{truth: truth, analyses: analyses, next: epochs(rep)}
		c.play()
		return c.see()
	})
}

// outcomes are the results of many comparisons under the same conditions.
type outcomes []played

func (all outcomes) rate(f func(p *played) bool) Rate {
	return count(all, func(p played) bool { return f(&p) })
}

func (all outcomes) False() Rate { return all.rate(func(p *played) bool { return p.false }) }
func (all outcomes) Holds() Rate { return all.rate(func(p *played) bool { return p.holds }) }

// Found returns the rate of differing pairs that were found, the right way round, by n epochs.
func (all outcomes) Found(analyses []stats.Interim, n int) (r Rate) {
	for _, p := range all {
		r.Of += p.differing
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

// Epochs returns the mean number of epochs per comparison.
func (all outcomes) Epochs() (mean float64) {
	for _, p := range all {
		mean += float64(p.epochs) / float64(len(all))
	}
	return mean
}

// repeat calls one reps times on all CPUs and returns the results in order. When ctx ends, the remaining
// results are zero.
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

// couples returns all pairs of indices below k.
func couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}
