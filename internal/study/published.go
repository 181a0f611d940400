package study

import (
	"dyno/internal/judge"
	"dyno/internal/record"
)

// published returns the published figures beside the measured ones.
func (e *evidence) published() []published {
	var out []published
	for _, f := range e.study.Figures {
		p := published{Figure: f}
		metric := f.Metric.Name
		switch {
		case f.Metric.Ours != "":
			p.Absent = "not counted"
			out = append(out, p)
			continue
		case f.Level == idle:
			m, _ := judge.MetricNamed(metric)
			p.Ours, _, _ = judge.Unloaded(e.run, f.Contestant, m)
			out = append(out, p)
			continue
		case f.Metric.Computed != "":
			metric = "throughput"
		}
		v, why := e.lacks(f.Cell, metric)
		if v == "" && f.To.Contestant != "" {
			v, why = e.lacks(f.To, metric)
		}
		if v != "" {
			p.Absent = string(v) + ": " + why
		} else if e.run.Plan.Processes == record.PerLoad && f.N > 0 && f.N == e.run.Plan.Load.Requests {
			p.Metric.Computed = "" // it was measured
			p.Ours = e.ofLoads(f.Cell, func(t *record.Trial) (float64, bool) {
				return float64(t.Load.WindowNS), t.Load.WindowNS > 0
			})
		} else {
			p.Ours = e.figure(f)
		}
		out = append(out, p)
	}
	return out
}

// figure returns the measured counterpart of a published figure. If it was not measured directly,
// figure computes it from the measured rate, or from the ratio of two rates.
func (e *evidence) figure(f Figure) judge.Estimate {
	switch {
	case f.Metric.Computed == "":
		return e.measured(f.Cell, f.Metric.Name)
	case e.measured(f.Cell, "throughput").N == 0:
		return judge.Estimate{}
	case f.To.Contestant != "":
		return e.computed(f, e.Compare(f.Cell, f.To, "throughput").Ratio)
	}
	return e.computed(f, e.measured(f.Cell, "throughput"))
}

// computed converts a rate, or for a figure with two cells the ratio of their rates, to the
// figure's metric.
func (e *evidence) computed(f Figure, rate judge.Estimate) judge.Estimate {
	at, ok := e.cell(f.Cell)
	if !ok {
		return judge.Estimate{}
	}
	if f.To.Contestant != "" {
		if !f.Metric.More {
			return dropOf(rate)
		}
		return through(rate, func(x float64) float64 { return 100 * (x - 1) })
	}
	l, each := &e.run.Plan.Levels[at.Level], 0.
	if f.Metric.Bytes {
		each = e.exchange(at, f.Metric.Name).Value
	}
	return through(rate, func(x float64) float64 {
		switch f.Metric.Name {
		case "time":
			return float64(f.N) * 1e9 / max(x, 0)
		case "latency_mean":
			return float64(l.Connections*max(1, l.Pipeline)) * 1e9 / max(x, 0)
		}
		return x * each
	})
}

// through converts an estimate by a function that only rises or only falls.
func through(e judge.Estimate, of func(float64) float64) judge.Estimate {
	lo, hi := of(e.Lo), of(e.Hi)
	return judge.Estimate{Value: of(e.Value), Lo: min(lo, hi), Hi: max(lo, hi), N: e.N}
}
