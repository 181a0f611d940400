package document

import (
	"math"
	"strconv"
	"strings"
)

// ratioAxis is a logarithmic ratio axis: lo..hi is drawn from x0 to x1 px.
type ratioAxis struct {
	lo, hi float64
	x0, x1 float64
}

// leastSpan makes the smallest axis range 1/leastSpan to leastSpan, so that small differences do
// not look large.
const leastSpan = 1.12

// newRatioAxis returns an axis that contains 1 and all finite positive values, with some margin at
// both ends.
func newRatioAxis(x0, x1 float64, values ...float64) ratioAxis {
	a := ratioAxis{lo: 1 / leastSpan, hi: leastSpan, x0: x0, x1: x1}
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	room := math.Pow(a.hi/a.lo, 0.04)
	a.lo, a.hi = a.lo/room, a.hi*room
	return a
}

// at returns the position for v in px; values beyond the axis, and open bounds, are at its end.
func (a ratioAxis) at(v float64) float64 {
	if math.IsNaN(v) {
		return a.x0
	}
	share := math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	return a.x0 + (a.x1-a.x0)*min(share, 1)
}

// ticks returns round ratios on the axis, always with 1, at least apart px from each other.
func (a ratioAxis) ticks(apart float64) []float64 {
	ticks := []float64{1}
	for _, list := range tickLists {
		for _, v := range list {
			free := v > a.lo && v < a.hi
			for _, t := range ticks {
				free = free && math.Abs(a.at(v)-a.at(t)) >= apart
			}
			if free {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// tickLists are lists of ratios from the roundest to the least round; each fills the space that the
// previous lists leave.
var tickLists = [][]float64{
	{0.001, 0.01, 0.1, 10, 100, 1000},
	{0.5, 2, 0.2, 5, 0.05, 20, 0.02, 50, 0.005, 200, 0.002, 500},
	{0.8, 1.25, 0.6, 1.5, 0.7, 3, 0.3, 0.9, 1.1, 0.4, 4, 1.75, 2.5, 7},
	{0.95, 1.05, 1.2, 0.85},
}

// within returns the bound that determines the axis range; it limits the effect that a single wide
// interval has, and ignores open ones.
func within(bound, value float64) float64 {
	if bound == 0 || value <= 0 || math.IsInf(bound, 0) {
		return value
	}
	return min(max(bound, value/4), value*4)
}

// valueAxis is a plot's y axis: from 0, logarithmic, or linear with space for negative values.
type valueAxis struct {
	lo, hi float64
	log    bool
}

func newValueAxis(values []float64, scaling Scaling) valueAxis {
	a := valueAxis{lo: math.Inf(1)}
	below := 0.0
	for _, v := range values {
		switch {
		case v > 0 && !math.IsInf(v, 0):
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		case scaling == LinearAxis && !math.IsInf(v, 0):
			below = min(below, v)
		}
	}
	switch {
	case below < 0:
		return valueAxis{lo: below * 1.06, hi: a.hi * 1.06}
	case a.hi == 0:
		return valueAxis{hi: 1}
	case scaling == LogAxis || scaling == AutoAxis && a.hi > 10*a.lo:
		return valueAxis{lo: a.lo / 1.25, hi: a.hi * 1.25, log: true}
	}
	return valueAxis{hi: a.hi * 1.06}
}

// at returns the position for v, from 0 at the bottom to 1 at the top; values beyond the axis are
// at its end.
func (a valueAxis) at(v float64) float64 {
	x := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		x = math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(x, 0), 1)
}

// marks returns round values on the axis, at most about n.
func (a valueAxis) marks(per float64, n int) (list []float64) {
	if a.log {
		for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
			list = nil
			for decade := math.Pow(10, math.Floor(math.Log10(a.lo/per))); decade < a.hi/per; decade *= 10 {
				for _, step := range steps {
					if v := step * decade * per; v >= a.lo && v <= a.hi {
						list = append(list, v)
					}
				}
			}
			if len(list) <= n+2 {
				break
			}
		}
		return list
	}
	span := (a.hi - a.lo) / per
	step := math.Pow(10, math.Floor(math.Log10(span/float64(n))))
	for _, k := range []float64{1, 2, 5, 10} {
		if span/(step*k) <= float64(n) {
			step *= k
			break
		}
	}
	for i := int(math.Ceil(a.lo / per / step)); float64(i)*step <= a.hi/per; i++ {
		list = append(list, float64(i)*step*per)
	}
	return list
}

// tickValue formats a round value with the decimals that it needs; from a million on in millions,
// because the space beside a plot holds seven characters.
func tickValue(v float64) string {
	if math.Abs(v) >= 1e6 {
		return tickValue(v/1e6) + " M"
	}
	n := 0
	for n < 6 && math.Abs(v*math.Pow10(n)-math.Round(v*math.Pow10(n))) > 1e-6 {
		n++
	}
	integer, frac, _ := strings.Cut(strconv.FormatFloat(v, 'f', n, 64), ".")
	if len(integer) > 3 && integer[0] != '-' {
		integer = integer[:len(integer)-3] + "," + integer[len(integer)-3:]
	}
	if frac != "" {
		frac = "." + frac
	}
	return integer + frac
}
