package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// RandomEffects combines several runs' estimates for one effect, which itself varies from run to
// run.
type RandomEffects struct {
	Mean, Lo, Hi float64 // effect over all runs that might be made
	Between      float64 // standard deviation of the effect between runs
	// NextLo and NextHi bound the effect in one more run (prediction interval).
	NextLo, NextHi float64
}

// CombineRuns returns the random-effects estimate from y, one value per run, with their standard
// errors se. Between follows Paule and Mandel (J. Res. Natl. Bur. Stand. 87 (1982)). The interval at
// confidence conf follows Hartung and Knapp (Stat. Med. 20 (2001)) and Sidik and Jonkman (Stat. Med.
// 21 (2002)), by Student's t with one degree of freedom less than there are runs:
//
//	Mean = Σwy/Σw,  w = 1/(se² + Between²)
//	Mean ± t · √(max(1, q)/Σw),  q = Σw(y−Mean)²/(k−1)
//
// q below 1 is raised to 1, lest runs that agree by chance give an interval narrower than their own
// errors allow (Röver, Knapp and Friede, BMC Med. Res. Methodol. 15 (2015)). The prediction interval
// follows Higgins, Thompson and Spiegelhalter (J. R. Stat. Soc. A 172 (2009)), with k−2 degrees of
// freedom; it is unbounded for fewer than three runs, the interval for fewer than two. All results
// are NaN without runs, and if a value is NaN or an error is not positive and finite. CombineRuns
// panics if the lengths differ.
func CombineRuns(y, se []float64, conf float64) RandomEffects {
	if len(y) != len(se) {
		panic("stats: CombineRuns on slices of different lengths")
	}
	nan := math.NaN()
	for i := range y {
		if math.IsNaN(y[i]) || !(se[i] > 0) || math.IsInf(se[i], 0) {
			y = nil
			break
		}
	}
	if len(y) == 0 {
		return RandomEffects{nan, nan, nan, nan, nan, nan}
	}
	k := float64(len(y))
	r := RandomEffects{NextLo: math.Inf(-1), NextHi: math.Inf(1)}
	variance := betweenRuns(y, se)
	mean, weight, q := weighted(y, se, variance)
	r.Mean, r.Between = mean, math.Sqrt(variance)
	if len(y) < 2 {
		r.Lo, r.Hi = r.NextLo, r.NextHi
		return r
	}
	squared := max(1, q/(k-1)) / weight
	half := distuv.StudentsT{Sigma: 1, Nu: k - 1}.Quantile((1+conf)/2) * math.Sqrt(squared)
	r.Lo, r.Hi = mean-half, mean+half
	if len(y) > 2 {
		next := distuv.StudentsT{Sigma: 1, Nu: k - 2}.Quantile((1+conf)/2) * math.Sqrt(squared+variance)
		r.NextLo, r.NextHi = mean-next, mean+next
	}
	return r
}

// weighted returns the weighted mean of y for a variance between runs, the sum of the weights, and
// the weighted squares about the mean.
func weighted(y, se []float64, between float64) (mean, weight, squares float64) {
	for i := range y {
		w := 1 / (se[i]*se[i] + between)
		weight += w
		mean += w * y[i]
	}
	mean /= weight
	for i := range y {
		squares += (y[i] - mean) * (y[i] - mean) / (se[i]*se[i] + between)
	}
	return mean, weight, squares
}

// betweenRuns returns the variance between runs for which the weighted squares are k−1; they fall
// as the variance grows. It returns 0 if they are smaller without it.
func betweenRuns(y, se []float64) float64 {
	over := func(variance float64) bool {
		_, _, squares := weighted(y, se, variance)
		return squares > float64(len(y)-1)
	}
	if !over(0) {
		return 0
	}
	lo, hi := 0., 1.
	for over(hi) {
		lo, hi = hi, 2*hi
	}
	for range 100 {
		if mid := (lo + hi) / 2; over(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
