package document

import "math"

// within returns the bound that determines the axis range; it limits the effect that a single wide
// interval has, and ignores open ones.
func within(bound, value float64) float64 {
	if bound == 0 || value <= 0 || math.IsInf(bound, 0) {
		return value
	}
	return min(max(bound, value/4), value*4)
}

// valueAxis is an axis: from 0, logarithmic, or linear with space for negative values.
type valueAxis struct {
	lo, hi float64
	log    bool
}

// newValueAxis returns an axis for values. It is logarithmic if they span more than a factor of ten, unless
// linear is set.
func newValueAxis(values []float64, linear bool) valueAxis {
	a := valueAxis{lo: math.Inf(1)}
	below := 0.0
	for _, v := range values {
		switch {
		case v > 0 && !math.IsInf(v, 0):
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		case linear && !math.IsInf(v, 0):
			below = min(below, v)
		}
	}
	switch {
	case below < 0:
		return valueAxis{lo: below * 1.06, hi: a.hi * 1.06}
	case a.hi == 0:
		return valueAxis{hi: 1}
	case !linear && a.hi > 10*a.lo:
		return valueAxis{lo: a.lo / 1.25, hi: a.hi * 1.25, log: true}
	}
	return valueAxis{hi: a.hi * 1.06}
}

// at returns the position for v, from 0 at the bottom to 1 at the top; values beyond the axis are
// at its end.
func (a valueAxis) at(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	x := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		x = math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(x, 0), 1)
}

// marks returns round values on the axis, at most about n.
func (a valueAxis) marks(per float64, n int) (list []float64) {
	if a.log {
		for _, steps := range [][]float64{{1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}, {1}} {
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
	return Grouped(v, n)
}
