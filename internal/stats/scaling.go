package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Scaling is the universal scalability law (Gunther, Guerrilla Capacity Planning, 2007, chapters 4 to 6):
// the throughput of n CPUs, or of n of whatever else works side by side, is
//
//	X(n) = Lambda n / (1 + Sigma (n-1) + Kappa n (n-1))
//
// Its parameters are NaN where they could not be fitted.
type Scaling struct {
	Lambda float64 // throughput of one, in the unit of the throughputs
	Sigma  float64 // contention: the share of the work that is done one at a time; 0 or more
	Kappa  float64 // coherency: what each pair costs, as a share of the work; 0 or more
}

// At returns the throughput of n.
func (s Scaling) At(n float64) float64 { return s.Lambda * n / (1 + s.Sigma*(n-1) + s.Kappa*n*(n-1)) }

// Peak returns the n at which the throughput is highest, +Inf if it rises without end: less than 1 where
// each one more lowers it.
func (s Scaling) Peak() float64 {
	switch {
	case s.Kappa > 0:
		return math.Sqrt(max(1-s.Sigma, 0) / s.Kappa)
	case s.Sigma > 1:
		return 0
	case math.IsNaN(s.Kappa):
		return math.NaN()
	}
	return math.Inf(1)
}

// FitScaling fits the law to the throughputs x[i] of n[i], by least squares of the relative differences of
// n/x, in which it is linear, under Sigma >= 0 and Kappa >= 0. It is NaN with fewer than three different n,
// which cannot tell contention from coherency, and where an n is below 1 or a throughput not above 0.
func FitScaling(n, x []float64) Scaling { return fitScaling(n, x, true) }

// fitScaling is FitScaling, or without bounded a fit whose Sigma and Kappa may be below 0.
func fitScaling(n, x []float64, bounded bool) Scaling {
	none := Scaling{math.NaN(), math.NaN(), math.NaN()}
	if len(n) != len(x) {
		return none
	}
	levels := slices.Clone(n)
	slices.Sort(levels)
	if levels = slices.Compact(levels); len(levels) < 3 {
		return none
	}
	// Rows of 1 = (a + b (n-1) + c n (n-1)) x/n with a = 1/Lambda, b = Sigma a, c = Kappa a.
	columns := make([][]float64, 3)
	for i := range n {
		if !(n[i] >= 1 && x[i] > 0) || math.IsInf(n[i], 0) || math.IsInf(x[i], 0) {
			return none
		}
		w := x[i] / n[i]
		for k, v := range []float64{w, w * (n[i] - 1), w * n[i] * (n[i] - 1)} {
			columns[k] = append(columns[k], v)
		}
	}
	best, least := none, math.Inf(1)
	for _, free := range [][]int{{0, 1, 2}, {0, 1}, {0, 2}, {0}} {
		p, residual := solve(columns, free)
		if p[0] > 0 && (p[1] >= 0 && p[2] >= 0 || !bounded) && residual < least {
			best, least = Scaling{1 / p[0], p[1] / p[0], p[2] / p[0]}, residual
		}
		if len(free) == 3 && least < math.Inf(1) { // no bound is in its way
			break
		}
	}
	return best
}

// solve returns the parameters of the least squares of 1 by the free columns, the others 0, and the sum of
// the squares: by Gram-Schmidt, twice for what the first leaves (Björck, Numerics of Gram-Schmidt
// orthogonalization, 1994).
func solve(columns [][]float64, free []int) (p [3]float64, residual float64) {
	rest := make([]float64, len(columns[0]))
	for i := range rest {
		rest[i] = 1
	}
	q := make([][]float64, 0, 3)
	var r [3][3]float64
	var y [3]float64
	for j, k := range free {
		v := slices.Clone(columns[k])
		for range 2 {
			for i := range q {
				d := dot(q[i], v)
				r[i][j] += d
				take(v, d, q[i])
			}
		}
		if r[j][j] = math.Sqrt(dot(v, v)); r[j][j] == 0 {
			return p, math.Inf(1)
		}
		for i := range v {
			v[i] /= r[j][j]
		}
		q = append(q, v)
		y[j] = dot(v, rest)
		take(rest, y[j], v)
	}
	for j := len(free) - 1; j >= 0; j-- {
		sum := y[j]
		for i := j + 1; i < len(free); i++ {
			sum -= r[j][i] * p[free[i]]
		}
		p[free[j]] = sum / r[j][j]
	}
	return p, dot(rest, rest)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// take subtracts d b from a.
func take(a []float64, d float64, b []float64) {
	for i := range a {
		a[i] -= d * b[i]
	}
}

// ScalingFit is a fit with the ends of the intervals of its parameters and of its peak, each by itself.
type ScalingFit struct {
	Scaling
	Low, High         Scaling // of Lambda, Sigma and Kappa
	PeakLow, PeakHigh float64
}

// scalingDraws is the number of bootstrap samples: the ends of 95 % then move by less than a tenth of the
// interval between seeds.
const scalingDraws = 2000

// FitScalingEpochs fits the law to the mean throughputs of n[i] over epochs, of which epochs[e][i] is one,
// with intervals of the given level (0.95) by a bootstrap of whole epochs: what an epoch has in common at
// all n is drawn together. Their ends are the percentiles that Hesterberg gives for small samples (What
// Teachers Should Know About the Bootstrap, The American Statistician 69, 2015, section 3.3: expanded by
// the t quantile and sqrt(n/(n-1))). An interval of Sigma or Kappa that begins at 0 does not tell it from
// 0. The samples are fitted without bounds, because those
// that a bound holds back would make the intervals of the others too short (seen by simulation: 89 % of six
// epochs; without bounds 91 to 98 %, where 95 are said). With fewer than five epochs, or where not all
// samples could be fitted, the intervals are unbounded.
func FitScalingEpochs(n []float64, epochs [][]float64, level float64, seed uint64) ScalingFit {
	least := Scaling{0, 0, 0}
	most := Scaling{math.Inf(1), math.Inf(1), math.Inf(1)}
	fit := ScalingFit{FitScaling(n, means(epochs, len(n), nil)), least, most, 0, math.Inf(1)}
	k := len(epochs)
	if k < 5 || math.IsNaN(fit.Lambda) || !(level > 0 && level < 1) {
		return fit
	}
	rng := rand.New(rand.NewPCG(seed, 0x736361))
	var all [4][]float64
	for range scalingDraws {
		drawn := make([]int, k)
		for i := range drawn {
			drawn[i] = rng.IntN(k)
		}
		s := fitScaling(n, means(epochs, len(n), drawn), false)
		if math.IsNaN(s.Lambda) {
			return fit
		}
		for i, v := range []float64{s.Lambda, s.Sigma, s.Kappa, s.Peak()} {
			all[i] = append(all[i], v)
		}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(k - 1)}.Quantile((1 - level) / 2)
	tail := distuv.UnitNormal.CDF(t * math.Sqrt(float64(k)/float64(k-1)))
	ends := func(x []float64) (lo, hi float64) { return quantile(x, tail), quantile(x, 1-tail) }
	around := func(x []float64, v float64) (lo, hi float64) { // which the bounds may have moved
		lo, hi = ends(x)
		return max(min(lo, v), 0), max(hi, v)
	}
	fit.Low.Lambda, fit.High.Lambda = around(all[0], fit.Lambda)
	fit.Low.Sigma, fit.High.Sigma = around(all[1], fit.Sigma)
	fit.Low.Kappa, fit.High.Kappa = around(all[2], fit.Kappa)
	fit.PeakLow, fit.PeakHigh = around(all[3], fit.Peak())
	return fit
}

// means returns the mean of each column over the epochs drawn; nil: each once. It is empty where an epoch
// lacks a column.
func means(epochs [][]float64, columns int, drawn []int) []float64 {
	if drawn == nil {
		for e := range epochs {
			drawn = append(drawn, e)
		}
	}
	sum := make([]float64, columns)
	for _, e := range drawn {
		if len(epochs[e]) != columns {
			return nil
		}
		for i, x := range epochs[e] {
			sum[i] += x / float64(len(drawn))
		}
	}
	return sum
}
