package main

import (
	"fmt"

	"dyno/internal/stats"
)

// Rate counts hits among a number of cases.
type Rate struct {
	Hits int `json:"n"`
	Of   int `json:"of"`
}

// count returns the rate of elements that satisfy f.
func count[T any](all []T, f func(T) bool) Rate {
	r := Rate{Of: len(all)}
	for _, x := range all {
		if f(x) {
			r.Hits++
		}
	}
	return r
}

// Share returns the rate from 0 to 1; 0 without cases.
func (r Rate) Share() float64 { return float64(r.Hits) / float64(max(1, r.Of)) }

// Interval returns the exact 95 % interval (Clopper and Pearson).
func (r Rate) Interval() (lo, hi float64) { return stats.ClopperPearson(r.Hits, r.Of, 0.95) }

// String prints the rate in per cent with its 95 % interval.
func (r Rate) String() string {
	if r.Of == 0 {
		return "–"
	}
	lo, hi := r.Interval()
	return fmt.Sprintf("%s (%s–%s)", perCent(r.Share()), perCent(lo), perCent(hi))
}

// perCent formats a share, with more digits near 0 and 100 % to distinguish it from them.
func perCent(x float64) string {
	p, digits := 100*x, 0
	switch {
	case p == 0 || p == 100:
	case p < .095 || p > 99.905:
		digits = 2
	case p < 9.95 || p > 90.05:
		digits = 1
	}
	return fmt.Sprintf("%.*f", digits, p)
}
