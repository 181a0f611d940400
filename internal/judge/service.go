package judge

import (
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Alone is the service's throughput in the pilots, when the generator loaded it directly. It is an
// upper bound for contestants that call it.
type Alone struct {
	At          record.Level // the requests and the load, without a scenario
	PerSec      float64      // median over its loads
	Least, Most float64
	Loads       int
}

// Serves reports whether contestants send the service the same requests at a level.
func (a *Alone) Serves(l record.Level) bool { return a.At == l.AtSource() }

// alone returns the service's own figures from the pilots, in which the generator loaded it
// directly. Each is the median over all loads with one shape, whichever scenario uses it.
func alone(run *record.Run, pilot []*record.Trial) (out []Alone) {
	p := &run.Plan
	if p.Source() == "" {
		return nil
	}
	throughput, _ := MetricNamed("throughput")
	rates := map[record.Level][]float64{}
	for _, l := range p.Levels {
		l = l.AtSource()
		if rates[l] != nil {
			continue
		}
		for _, t := range pilot {
			at := p.LevelOf(t).AtSource()
			if x, ok := throughput.Of(t); ok && t.Contestant == p.Source() && at == l {
				rates[l] = append(rates[l], x)
			}
		}
		if rates[l] != nil {
			out = append(out, Alone{At: l, PerSec: stats.Median(rates[l]), Least: slices.Min(rates[l]),
				Most: slices.Max(rates[l]), Loads: len(rates[l])})
		}
	}
	slices.SortStableFunc(out, func(a, b Alone) int { return a.At.Records - b.At.Records })
	return out
}

// sharesOfService adds shares of the ceiling at a level where the pilots did not load the
// reference: the rate over the service's own rate with as many records.
func sharesOfService(l *Level, contestants []string, service []Alone) {
	i := slices.IndexFunc(service, func(a Alone) bool { return a.Serves(l.At) })
	if i < 0 {
		return
	}
	for _, name := range contestants {
		c := l.Analysis.Cell(name, "throughput")
		if _, known := l.Analysis.Shares[name]; !known && c != nil && c.Level.N > 0 && c.Absent == "" {
			l.Analysis.Shares[name] = c.Level.Value / service[i].PerSec
		}
	}
}
