package judge

import (
	"math"

	"dyno/internal/record"
)

// settled is the share of a load after which growth counts. By then the connections, their buffers
// and the runtime's first heap exist.
const settled = 0.1

// leastPace is the shortest time, in ns, between the first and the last memory reading for a growth
// rate: memory that a runtime takes in its first seconds says nothing about growth per minute. A
// load of one minute reaches it, with readings every two seconds.
const leastPace = 58e9

// Growth describes how a server's memory changed under one load, in bytes.
type Growth struct {
	Start, End, Most float64
	NS               int64 // time from the first reading to the last
	// growth per minute and per 1,000 right answers, after the memory settled; NaN below leastPace
	PerMinute, PerThousand float64
}

// GrowthOf returns the growth under a load with at least two memory readings.
func GrowthOf(t *record.Trial) Growth {
	first, last := t.Memory[0], t.Memory[len(t.Memory)-1]
	g := Growth{Start: first.Bytes(), End: last.Bytes(), NS: last.AtNS - first.AtNS,
		PerMinute: math.NaN(), PerThousand: math.NaN()}
	from := first
	for _, at := range t.Memory[:len(t.Memory)-1] {
		g.Most = max(g.Most, at.Bytes())
		if from == first && float64(at.AtNS-first.AtNS) >= settled*float64(g.NS) {
			from = at
		}
	}
	g.Most = max(g.Most, g.End)
	if g.NS < leastPace {
		return g
	}
	more, ns := g.End-from.Bytes(), float64(last.AtNS-from.AtNS)
	g.PerMinute = more / ns * 60e9
	if t.Load.Succeeded > 0 { // at an even rate
		g.PerThousand = more / (float64(t.Load.Succeeded) * ns / float64(g.NS)) * 1000
	}
	return g
}
