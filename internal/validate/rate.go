package validate

import (
	"fmt"

	"dyno/internal/stats"
)

// Rate is how often something happened.
type Rate struct{ Hits, Of int }

// count is the rate of those that satisfy f.
func count[T any](all []T, f func(T) bool) Rate {
	r := Rate{Of: len(all)}
	for _, x := range all {
		if f(x) {
			r.Hits++
		}
	}
	return r
}

// Share is the rate from 0 to 1.
func (r Rate) Share() float64 { return float64(r.Hits) / float64(max(1, r.Of)) }

// Interval is the exact 95 % interval (Clopper and Pearson).
func (r Rate) Interval() (lo, hi float64) { return stats.ClopperPearson(r.Hits, r.Of, 0.95) }

// Upper is the exact one-sided 95 % upper bound.
func (r Rate) Upper() float64 {
	_, hi := stats.ClopperPearson(r.Hits, r.Of, 0.90)
	return hi
}

// String prints the rate in per cent with its 95 % interval.
func (r Rate) String() string {
	if r.Of == 0 {
		return "–"
	}
	lo, hi := r.Interval()
	return fmt.Sprintf("%s (%s–%s)", perCent(r.Share()), perCent(lo), perCent(hi))
}

// perCent prints a share with so many digits that what stands near 0 and near 100 % can be told from it.
func perCent(x float64) string {
	switch p := 100 * x; {
	case p == 0 || p == 100:
		return fmt.Sprintf("%.0f", p)
	case p < .095 || p > 99.905:
		return fmt.Sprintf("%.2f", p)
	case p < 9.95 || p > 90.05:
		return fmt.Sprintf("%.1f", p)
	default:
		return fmt.Sprintf("%.0f", p)
	}
}
