package stats

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Judged is the test result for one pair in a family, in logs.
type Judged struct {
	Log       float64 // estimated location
	SE        float64 // standard error, factor included; +Inf for fewer than two epochs
	Mean      float64 // plain mean over epochs
	MeanSE    float64 // standard error of Mean, factor included
	DF        float64 // degrees of freedom in the pair's own variance
	P         float64 // two-sided, adjusted for the family
	Crit      float64 // simultaneous critical value of |t|: the interval is Log ± Crit·SE
	Side      float64 // simultaneous one-sided critical value of t
	Different bool    // P <= alpha
}

// Interval returns the simultaneous interval Log ± Crit·SE. It ends at 0, included, if only
// step-down shows a difference, and includes 0 if no difference is shown.
func (j Judged) Interval() (lo, hi float64) {
	if !(j.Crit*j.SE < math.Inf(1)) {
		return math.Inf(-1), math.Inf(1)
	}
	lo, hi = j.Log-j.Crit*j.SE, j.Log+j.Crit*j.SE
	switch {
	case !j.Different:
		lo, hi = min(lo, 0), max(hi, 0)
	case j.Log > 0:
		lo = max(lo, 0)
	default:
		hi = min(hi, 0)
	}
	return lo, hi
}

// Equivalent reports whether the pair is shown to lie within the margin: two one-sided tests
// (Schuirmann 1987) at the critical value Side, which holds for all pairs in the family at once.
// For one pair this is the full level alpha on each side; for a family it is single-step. Both the
// location and the plain mean must be that far inside ±log(1+margin), because if some starts are
// much slower than others, one of the two may be within the margin and the other not.
func (j Judged) Equivalent(margin float64) bool {
	return max(math.Abs(j.Log)+j.Side*j.SE, math.Abs(j.Mean)+j.Side*j.MeanSE) < math.Log1p(margin)
}

// flipsAll is the largest number of epochs for which all sign flips are made; for more epochs,
// flipsDrawn flips are drawn.
const (
	flipsAll   = 12
	flipsDrawn = 4095
)

// leastSD replaces smaller standard errors: differences up to this size are rounding.
const leastSD = 1e-12

// Joint tests together whether the pairs in a family differ. d[i][e] is the log ratio of pair i in
// epoch e, NaN if the pair has no value there, and never infinite; n is the pair's number of values.
// factor, at least 1, widens the standard errors for serial correlation (Serial.Spread). Rejecting
// pairs with P <= alpha keeps the chance of any false rejection at about alpha, and all intervals
// hold together with probability 1 − alpha, however the pairs depend on each other.
//
// With m_i the median of pair i, and c three times the median MAD over the pairs:
//
//	pseudo-values u_ie = m_i + (d_ie − m_i, clipped at ±c) / max(1/2, share not clipped)
//	location      l_i  = mean of u_ie
//	variance      v_i  = s²_i/4 + 3/4 of the median s² over the pairs, s² of u_ie with n − 1
//	statistic     t_i  = l_i / (factor · √(v_i/n))
//
// The location is one Newton step from the median to Huber's M-estimate, and the variance of the
// pseudo-values is the estimate's (Huber, Robust Statistics, 1981, §6.5). The reference for max |t|
// comes from the centred values u_ie − l_i: each flip changes the signs of whole epochs, in all
// pairs at once, and mean, variances and their median are computed anew. (Flips of values that are
// not centred would include other pairs' effects in the median variance.) Up to 12 epochs all
// 2^(n−1) flips are made, for more epochs 4,095 are drawn from a fixed seed; the observed values
// count as one more flip, so that P is never 0. P is step-down: a pair's reference is the maximum
// over those pairs whose |t| is no larger (Westfall and Young, Resampling-Based Multiple Testing,
// 1993, algorithm 2.8; Romano and Wolf, JASA 100 (2005)).
//
// Note: simulated (go run ./validation cases), plain values in place of pseudo-values find less if
// some starts are slow, and err more if starts are bimodal.
//
// A pair with fewer than two values tells nothing: SE is infinite and P is 1. Such a pair must not
// be among others.
func Joint(d [][]float64, alpha, factor float64) []Judged {
	if len(d) == 0 || len(d[0]) < 2 {
		return unknown(d)
	}
	js, c := locate(d)
	m := len(d)
	n, squares, own := make([]float64, m), make([]float64, m), make([]float64, m)
	for i, x := range d {
		x = known(x)
		n[i] = float64(len(x))
		js[i].MeanSE = factor * math.Sqrt(variance(x)/n[i])
		for _, v := range c[i] {
			squares[i] += v * v
		}
		own[i] = squares[i] / (n[i] - 1)
	}
	scratch, t := make([]float64, m), make([]float64, m)
	typical := medianOf(own, scratch)
	for i := range js {
		js[i].SE = factor * math.Sqrt(squaredError(own[i], typical, n[i]))
		js[i].DF = n[i] - 1
		if v := math.Abs(js[i].Log); v > leastSD {
			t[i] = v / js[i].SE
		}
	}
	order := make([]int, m)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t[a], t[b]) }) // the clearest last
	rows, pairs := make([][]float64, m), make([]flippedPair, m)
	for o, i := range order {
		for e := range c[i] {
			c[i][e] = math.Copysign(1, js[i].Log) * c[i][e] // a sum above 0 is on the pair's side
		}
		rows[o] = c[i]
		pairs[o] = flippedPair{squares[i] / (n[i] - 1), 1 / n[i] / (n[i] - 1), leastSD * leastSD * n[i] * n[i], n[i] / 4,
			int64(math.Float64bits(t[i] * t[i] * (1 - 1e-9))), 0}
	}
	x, sums := flipsOf(rows), make([]float64, m)
	largest, sided := make([]float64, 0, x.n), make([]float64, 0, 2*x.n)
	for f := 1; f < x.n; f++ { // flip 0 is the observed values
		x.sum(f, sums)
		for o, s := range sums {
			own[o] = pairs[o].base - s*s*pairs[o].less
		}
		others := 3 * medianOf(own, scratch)
		var most, up, down int64 // bit patterns of squared t, which sort alike: integers need no branch
		for o, s := range sums {
			p := &pairs[o]
			under := (own[o] + others) * p.quarter
			if under < p.floor {
				under = p.floor
			}
			v := int64(math.Float64bits(s * math.Abs(s) / under)) // negative: on the other side
			up, down = max(up, v), max(down, v^math.MinInt64)
			most = max(up, down)
			if most >= p.seen {
				p.reached++
			}
		}
		largest = append(largest, math.Float64frombits(uint64(most)))
		sided = append(sided, math.Float64frombits(uint64(up)), math.Float64frombits(uint64(down)))
	}
	crit, side := critical(largest, alpha, x.n), critical(sided, alpha, 2*x.n)
	floor := 0.
	for o, i := range slices.Backward(order) {
		floor = max(floor, float64(1+pairs[o].reached)/float64(x.n))
		js[i].P, js[i].Crit, js[i].Side = floor, crit, side
		js[i].Different = js[i].P <= alpha
	}
	return js
}

// flippedPair holds the constants that a pair's flips need, and their result.
type flippedPair struct {
	base, less float64 // a sum s has the variance base − s²·less
	floor      float64 // lower limit for the divisor of s²
	quarter    float64 // a quarter of the number of values
	seen       int64   // bits of the observed squared t, less rounding
	reached    int     // flips in which the pairs up to this one reach seen
}

// Early judges the pairs in a family after few epochs, by their means and Student's t, with
// Bonferroni over the pairs. s0 is the expected standard deviation within a pair; it counts as much
// as four epochs:
//
//	t_i = mean_i / √(v_i/n), v_i = (4·s0² + (n−1)·s²_i) / (n+3), on n + 3 degrees of freedom
//
// This is the posterior from a scaled inverse χ² prior, as in moderated t tests (Smyth, Stat. Appl.
// Genet. Mol. Biol. 3 (2004)).
func Early(d [][]float64, alpha, s0 float64) []Judged {
	if len(d) == 0 || len(d[0]) < 2 {
		return unknown(d)
	}
	n, m := float64(len(d[0])), float64(len(d))
	t := distuv.StudentsT{Sigma: 1, Nu: n + 3}
	crit, side := t.Quantile(1-alpha/2/m), t.Quantile(1-alpha/m)
	js := make([]Judged, len(d))
	for i, x := range d {
		mean := sum(x) / n
		se := math.Sqrt((4*s0*s0 + (n-1)*variance(x)) / (n + 3) / n)
		p := min(1, 2*m*t.Survival(math.Abs(mean)/max(se, leastSD)))
		js[i] = Judged{Log: mean, SE: se, Mean: mean, MeanSE: se, DF: n + 3, P: p, Crit: crit, Side: side,
			Different: p <= alpha}
	}
	return js
}

// unknown returns the pairs as not judged.
func unknown(d [][]float64) []Judged {
	js := make([]Judged, len(d))
	for i, x := range d {
		mean := sum(x) / float64(len(x))
		js[i] = Judged{Log: mean, SE: math.Inf(1), Mean: mean, MeanSE: math.Inf(1), P: 1, Crit: math.Inf(1),
			Side: math.Inf(1)}
	}
	return js
}

// known returns the values that are not NaN.
func known(x []float64) []float64 { return slices.DeleteFunc(slices.Clone(x), math.IsNaN) }

// locate estimates the pairs' locations, and returns their pseudo-values less the location, 0 for
// missing values.
func locate(d [][]float64) (js []Judged, centred [][]float64) {
	js, centred = make([]Judged, len(d)), make([][]float64, len(d))
	medians, mads := make([]float64, len(d)), make([]float64, len(d))
	for i, x := range d {
		x = known(x)
		medians[i], mads[i] = Median(x), MAD(x)
	}
	limit := 3 * Median(mads)
	for i, x := range d {
		values := known(x)
		n, inside := float64(len(values)), 0.
		u := make([]float64, len(x))
		for e, v := range x {
			if math.IsNaN(v) {
				continue
			}
			v -= medians[i]
			if u[e] = min(limit, max(-limit, v)); u[e] == v {
				inside++
			}
		}
		shift := sum(u) / max(n/2, inside)
		for e := range u {
			if !math.IsNaN(x[e]) {
				u[e] = u[e]*n/max(n/2, inside) - shift
			}
		}
		js[i].Log, js[i].Mean, centred[i] = medians[i]+shift, sum(values)/n, u
	}
	return js, centred
}

// squaredError returns the squared standard error of a mean over n values, from the pair's own
// variance and the family's typical one.
func squaredError(own, typical, n float64) float64 { return max(leastSD*leastSD, (own+3*typical)/4/n) }

// variance returns the sample variance of x.
func variance(x []float64) float64 {
	mean, squares := sum(x)/float64(len(x)), 0.
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return squares / float64(len(x)-1)
}

// flips are sign flips by column. Flip 0 flips none. Up to flipsAll columns there are all flips
// that leave the last column, because flipping all signs changes no |t|.
type flips struct {
	n     int
	masks [][]uint8   // flipped columns, by block of columns and by flip
	sums  [][]float64 // each row's sum, by block of columns and by mask
}

// flipSums limits the number of sums that blocks of eight columns may hold in total; beyond it the
// blocks are smaller.
const flipSums = 1 << 22

func flipsOf(c [][]float64) *flips {
	n, m := len(c[0]), len(c)
	x := &flips{n: flipsDrawn + 1}
	if n <= flipsAll {
		x.n = 1 << (n - 1)
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	width := 8
	for width > 2 && n*m<<width/width > flipSums {
		width--
	}
	for from := 0; from < n; from += width {
		columns := min(width, n-from)
		masks, sums := make([]uint8, x.n), make([]float64, m<<columns)
		for f := range masks {
			if masks[f] = uint8(f >> from); n > flipsAll && f > 0 {
				masks[f] = uint8(rng.Uint32())
			}
			masks[f] &= 1<<columns - 1
		}
		for i := range c {
			part := c[i][from : from+columns]
			sums[i] = sum(part)
			for b := 1; b < 1<<columns; b++ {
				sums[b*m+i] = sums[b&(b-1)*m+i] - 2*part[bits.TrailingZeros(uint(b))]
			}
		}
		x.masks, x.sums = append(x.masks, masks), append(x.sums, sums)
	}
	return x
}

// sum stores each row's sum in flip f.
func (x *flips) sum(f int, sums []float64) {
	for b, masks := range x.masks {
		part := x.sums[b][int(masks[f])*len(sums):][:len(sums)]
		if b == 0 {
			copy(sums, part)
			continue
		}
		for i, v := range part {
			sums[i] += v
		}
	}
}

// critical returns the root of the value that squared statistics reach in at most a share alpha of
// the flips. The observed values, which reference lacks, count as one flip that does. critical
// reorders reference.
func critical(reference []float64, alpha float64, flips int) float64 {
	over := int(alpha*float64(flips)*(1+1e-12)) - 1
	if over < 0 {
		return math.Inf(1)
	}
	return math.Sqrt(nth(reference, max(0, len(reference)-1-over)))
}

// medianOf returns the median of x. scratch must have x's length.
func medianOf(x, scratch []float64) float64 {
	copy(scratch, x)
	k := len(x) / 2
	above := nth(scratch, k)
	if len(x)%2 == 1 {
		return above
	}
	return (slices.Max(scratch[:k]) + above) / 2
}

// nth returns the k-th smallest value in x, counted from 0, and moves the smaller ones before it.
func nth(x []float64, k int) float64 {
	for {
		pivot, less := x[len(x)/2], 0
		for i, v := range x {
			x[i], x[less] = x[less], v
			if v < pivot {
				less++ // without a branch, which would be mispredicted half of the time
			}
		}
		if k < less {
			x = x[:less]
			continue
		}
		x, k = x[less:], k-less
		same := 0
		for i, v := range x {
			x[i], x[same] = x[same], v
			if v == pivot {
				same++
			}
		}
		if k < same || math.IsNaN(pivot) { // NaN is equal to nothing
			return pivot
		}
		x, k = x[same:], k-same
	}
}
