package report

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/result"
)

// panel is one plot: levels of one delay, or all.
type panel struct {
	title  string
	levels []int // indices
	xs     []float64
	ticks  []string
	name   string // of the x axis
}

// panels are small multiples by delay; open loops and other scenarios stand apart, for no line should join them to the rest. One panel where all delays
// are equal, or where each has one level only. A panel of one level that has a name is called by it.
func (s *sweep) panels() (list []panel) {
	type kind struct {
		result.LaunchPart
		open     bool
		scenario string
	}
	at := map[kind]int{}
	apart := false
	for i, l := range s.Levels {
		of := kind{l.At.Launch(), l.At.Open(), l.At.Scenario}
		k, seen := at[of]
		if !seen {
			k = len(list)
			at[of] = k
			title := "no delay"
			switch {
			case of.DelayNS > 0 && of.Work != "":
				title = "delay " + planned(of.DelayNS) + ", " + WorkName(of.Work)
			case of.DelayNS > 0:
				title = "delay " + planned(of.DelayNS)
			case of.Work != "":
				title = WorkName(of.Work)
			}
			if of.scenario != "" {
				title = Clean(of.scenario) + ", " + title
			}
			if of.open {
				title += ", open loop"
			}
			list = append(list, panel{title: title})
		}
		list[k].levels = append(list[k].levels, i)
		apart = apart || of.open || of.scenario != "" || of.Work != ""
	}
	if len(list) > 1 && len(list) == len(s.Levels) && !apart {
		one := panel{}
		for _, p := range list {
			one.levels = append(one.levels, p.levels...)
		}
		list = []panel{one}
	}
	for i := range list {
		if only := list[i].levels; len(only) == 1 && s.Levels[only[0]].Name != "" {
			list[i].title = s.Levels[only[0]].Title()
		}
		if len(list) == 1 {
			list[i].title = ""
		}
		s.place(&list[i])
	}
	return list
}

// place puts levels that differ in their connections alone on a logarithmic axis of these, others side by side.
func (s *sweep) place(p *panel) {
	slices.SortStableFunc(p.levels, func(a, b int) int { return cmp.Compare(s.Levels[a].At.Connections, s.Levels[b].At.Connections) })
	first := s.Levels[p.levels[0]].At
	lo, hi := first.Connections, s.Levels[p.levels[len(p.levels)-1]].At.Connections
	alike := true
	for k, i := range p.levels {
		l := s.Levels[i].At
		alike = alike && (k == 0 || l.Connections > s.Levels[p.levels[k-1]].At.Connections)
		l.Connections = first.Connections
		alike = alike && l == first
	}
	p.name = "connections, log scale"
	for k, i := range p.levels {
		if alike && hi > lo {
			p.xs = append(p.xs, math.Log(float64(s.Levels[i].At.Connections)/float64(lo))/math.Log(float64(hi)/float64(lo)))
			p.ticks = append(p.ticks, grouped(float64(s.Levels[i].At.Connections), 0))
			continue
		}
		p.xs, p.name = append(p.xs, (float64(k)+0.5)/float64(len(p.levels))), "level"
		l := s.Levels[i].At
		l.Scenario = "" // which the panel's title says
		p.ticks = append(p.ticks, levelName(l))
	}
}

// valueAxis is the y axis of a panel: from 0, or logarithmic where values span more than tenfold.
//
// Note: one axis for all panels was tried. A delay moves figures by more than contestants differ, whose lines then fall together.
type valueAxis struct {
	lo, hi float64
	log    bool
}

func newValueAxis(values []float64) valueAxis {
	a := valueAxis{lo: math.Inf(1)}
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	switch {
	case a.hi == 0:
		return valueAxis{hi: 1}
	case a.hi > 10*a.lo:
		return valueAxis{lo: a.lo / 1.25, hi: a.hi * 1.25, log: true}
	}
	return valueAxis{hi: a.hi * 1.06}
}

// at is where v lies, from 0 at the bottom to 1 at the top; what is beyond lies at the end.
func (a valueAxis) at(v float64) float64 {
	x := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		x = math.Log(max(v, a.lo)/a.lo) / math.Log(a.hi/a.lo)
	}
	return min(max(x, 0), 1)
}

// marks are round values on the axis, at most about n.
func (a valueAxis) marks(scale float64, n int) (list []float64) {
	if a.log {
		for _, steps := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
			list = nil
			for decade := math.Pow(10, math.Floor(math.Log10(a.lo/scale))); decade < a.hi/scale; decade *= 10 {
				for _, step := range steps {
					if v := step * decade * scale; v >= a.lo && v <= a.hi {
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
	step := math.Pow(10, math.Floor(math.Log10(a.hi/scale/float64(n))))
	for _, k := range []float64{1, 2, 5, 10} {
		if a.hi/scale/(step*k) <= float64(n) {
			step *= k
			break
		}
	}
	for v := 0.0; v <= a.hi/scale; v += step {
		list = append(list, v*scale)
	}
	return list
}

// tickValue prints a round value with the decimals that it has; from a million on in millions, for the room beside a plot holds seven characters.
func tickValue(v float64) string {
	if math.Abs(v) >= 1e6 {
		return tickValue(v/1e6) + " M"
	}
	n := 0
	for n < 6 && math.Abs(v*math.Pow10(n)-math.Round(v*math.Pow10(n))) > 1e-6 {
		n++
	}
	return grouped(v, n)
}
