package report

import (
	"math"
	"strconv"
)

// axis is a logarithmic axis of ratios: lo..hi is drawn from x0 to x1 px.
type axis struct {
	lo, hi float64
	x0, x1 float64
}

// leastSpan keeps near ties from looking like differences: an axis goes at least from 1/leastSpan to leastSpan.
const leastSpan = 1.12

// newAxis spans all finite values, 1 among them, and leaves some room at both ends.
func newAxis(x0, x1 float64, values ...float64) axis {
	a := axis{lo: 1 / leastSpan, hi: leastSpan, x0: x0, x1: x1}
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	room := math.Pow(a.hi/a.lo, 0.04)
	a.lo, a.hi = a.lo/room, a.hi*room
	return a
}

// at is where v is drawn; values beyond the axis, and open bounds, are drawn at its end.
func (a axis) at(v float64) float64 {
	if math.IsNaN(v) {
		return a.x0
	}
	share := math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	return a.x0 + (a.x1-a.x0)*min(share, 1)
}

// ticks are round ratios on the axis, 1 always among them, at least apart px from each other.
func (a axis) ticks(apart float64) []float64 {
	ticks := []float64{1}
	for _, list := range tickLists {
		for _, v := range list {
			if v <= a.lo || v >= a.hi {
				continue
			}
			free := true
			for _, t := range ticks {
				if math.Abs(a.at(v)-a.at(t)) < apart {
					free = false
				}
			}
			if free {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// tickLists go from the roundest to the less round; each fills what room the ones before it left.
var tickLists = [][]float64{
	{0.001, 0.01, 0.1, 10, 100, 1000},
	{0.5, 2, 0.2, 5, 0.05, 20, 0.02, 50, 0.005, 200, 0.002, 500},
	{0.8, 1.25, 0.6, 1.5, 0.7, 3, 0.3, 0.9, 1.1, 0.4, 4, 1.75, 2.5, 7},
	{0.95, 1.05, 1.2, 0.85},
}

func tickText(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
}
