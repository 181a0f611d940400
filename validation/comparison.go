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
// of the log ratio.
func difference(rows [][]float64, i, j int) float64 { return stats.Median(inRounds(rows, i, j)) }

// inRounds returns the log ratios of a pair by round. Rounds in which either is NaN do not count.
func inRounds(rows [][]float64, i, j int) []float64 {
	d := make([]float64, 0, len(rows))
	for _, row := range rows {
		if v := row[i] - row[j]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return d
}

// comparison compares the first k servers of epochs that next makes, interim analysis by interim
// analysis, until all pairs are decided or none is left. analysis.DecideAt decides. Where the pairs are
// tested in the order of a ranking, a pilot makes it: the first epoch, which does not count.
type comparison struct {
	k        int
	analyses []stats.Interim
	next     func(epoch int) [][]float64              // one row a round, in it the log speed of each server
	value    func(rows [][]float64, i, j int) float64 // of a pair and an epoch; nil: difference

	ranking []float64             // nil: that of a pilot, if there is to be one
	d       [][]float64           // of each pair, by epoch
	beside  [][]float64           // of each server, and the second control, against the first control
	at      [][]analysis.Decision // after each interim analysis that was made
}

// play takes epochs until it stops.
func (c *comparison) play() {
	c.d = make([][]float64, len(stats.Couples(c.k)))
	if c.analyses[0].Ranked && c.ranking == nil {
		c.ranking = ranked(c.next(0), c.k)
	}
	var js []analysis.Decision
	for _, interim := range c.analyses {
		c.extend(interim.N)
		js = analysis.DecideAt(js, c.d, c.beside, c.ranking, interim, Margin)
		c.at = append(c.at, js)
		if !slices.ContainsFunc(js, func(j analysis.Decision) bool { return j.Verdict == analysis.Inconclusive }) {
			return
		}
	}
}

// ranked returns what an epoch ranks the first k servers by.
func ranked(rows [][]float64, k int) []float64 {
	return stats.Scores(k, func(i, j int) float64 { return difference(rows, i, j) })
}

// extend takes epochs until there are n.
func (c *comparison) extend(n int) {
	value := c.value
	if value == nil {
		value = difference
	}
	for e := len(c.d[0]); e < n; e++ {
		rows := c.next(e)
		for p, pair := range stats.Couples(c.k) {
			c.d[p] = append(c.d[p], value(rows, pair[0], pair[1]))
		}
		if len(rows[0]) < c.k+2 {
			continue
		}
		if c.beside == nil {
			c.beside = make([][]float64, c.k+1)
		}
		for p := range c.k {
			c.beside[p] = append(c.beside[p], value(rows, p, c.k))
		}
		c.beside[c.k] = append(c.beside[c.k], value(rows, c.k+1, c.k))
	}
}

// end returns the judgements of the last interim analysis.
func (c *comparison) end() []analysis.Decision { return c.at[len(c.at)-1] }

// found reports whether the first server was found faster than the second, at the latest after n
// epochs.
func (c *comparison) found(n int) bool {
	for i, js := range c.at {
		if c.analyses[i].N <= n && js[0].Verdict == analysis.Different && js[0].Up {
			return true
		}
	}
	return false
}

// different reports whether a verdict claims a difference, however small.
func different(v analysis.Verdict) bool { return v == analysis.Different || v == analysis.Negligible }

// played is the result of one comparison.
type played struct {
	false, wrong, equivalent, covered, ranks bool
	found, fixed                             []bool // by interim analysis; by number of epochs in fixedAt
	sd, epochs                               float64
}

// see summarizes a comparison in which the first server is faster by log and all others are equal.
func see(c *comparison, log float64) (p played) {
	end := c.end()
	for i, pair := range stats.Couples(c.k) {
		differs := different(end[i].Verdict)
		if pair[0] > 0 || log == 0 {
			p.false = p.false || differs
		} else {
			p.wrong = p.wrong || differs && !end[i].Up
		}
	}
	p.equivalent = end[0].Verdict == analysis.Equivalent
	p.covered = math.Log(end[0].Ratio.Lo) <= log && log <= math.Log(end[0].Ratio.Hi)
	p.ranks = ranksHold(c.k, end, log)
	for _, l := range c.analyses {
		p.found = append(p.found, c.found(l.N))
	}
	p.epochs = float64(c.analyses[len(c.at)-1].N)
	p.sd = stats.MAD(c.d[0])
	if c.k == 2 {
		c.extend(slices.Max(fixedAt))
		for _, n := range fixedAt {
			_, lo, hi := stats.HodgesLehmann(c.d[0][:n], 0.95)
			p.fixed = append(p.fixed, lo <= log && log <= hi)
		}
	}
	return p
}

// ranksHold reports whether every rank interval contains a true rank of its server; equal servers
// share their ranks.
func ranksHold(k int, js []analysis.Decision, log float64) bool {
	pairs := stats.Couples(k)
	lo, hi := analysis.Ranks(k, func(i, j int) bool {
		at := slices.Index(pairs, [2]int{min(i, j), max(i, j)})
		return js[at].Verdict == analysis.Different && js[at].Up == (i < j)
	})
	for i := range k {
		from, to := 1, k
		if log > 0 && i == 0 {
			to = 1
		} else if log > 0 {
			from = 2
		}
		if lo[i] > from || hi[i] < to {
			return false
		}
	}
	return true
}

// compare makes reps comparisons of k servers each, the first of which is faster by log. epochs
// returns the source of epochs of one repetition.
func compare(ctx context.Context, reps, k int, analyses []stats.Interim, log float64,
	epochs func(rep int) func(epoch int) [][]float64,
) []played {
	return repeat(ctx, reps, func(rep int) played {
		c := &comparison{k: k, analyses: analyses, next: epochs(rep)}
		c.play()
		return see(c, log)
	})
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
