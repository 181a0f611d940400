package judge

import (
	"dyno/internal/record"
)

// ExternalMetrics are the metrics that both dyno and an external load generator may report for a
// long load, and each side's CPU cost per request.
var ExternalMetrics = []Metric{
	asReported("throughput", reportedRate),
	asReported("p50", reportedOr(func(t *record.Reported) *int64 { return t.P50NS }, ClassicNamed("p50").Of)),
	asReported("p99", reportedOr(func(t *record.Reported) *int64 { return t.P99NS }, ClassicNamed("p99").Of)),
	asReported("max", reportedOr(func(t *record.Reported) *int64 { return t.MaxNS }, ClassicNamed("max").Of)),
	costOf("cpu_per_request", "server", func(t *record.Trial) *int64 { return t.Server.CPUNS }),
	costOf("generator_cpu_per_request", "generator", func(t *record.Trial) *int64 { return t.Generator.CPUNS }),
}

// asReported returns a classic metric that reads loads from either generator.
func asReported(name string, of func(*record.Trial) (float64, bool)) Metric {
	m := ClassicNamed(name)
	m.Of = of
	return m
}

// costOf returns the metric for CPU time per response, on the server or the generator.
func costOf(name, side string, used func(*record.Trial) *int64) Metric {
	m := asReported("cpu_per_request", func(t *record.Trial) (float64, bool) { return perAnswer(t, used(t)) })
	m.Name, m.Head = name, side+" "+m.Head
	return m
}

// reportedOr returns a function that reads a figure as an external generator reports it, or from
// dyno's own load.
func reportedOr[N int64 | float64](reported func(*record.Reported) *N, own func(*record.Trial) (float64, bool),
) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) {
		if t.Reported == nil {
			return own(t)
		}
		n := reported(t.Reported)
		if n == nil {
			return 0, false
		}
		return float64(*n), true
	}
}

var reportedRate = reportedOr(func(t *record.Reported) *float64 { return t.RatePerSec }, throughput)

// Answered returns how many answers a load had, as its generator counts them, or nil if it does not
// report one.
func Answered(t *record.Trial) *int64 {
	if t.Reported != nil {
		return t.Reported.Answered
	}
	n := t.Load.Succeeded + t.Load.Failed
	return &n
}

func perAnswer(t *record.Trial, used *int64) (float64, bool) {
	n := Answered(t)
	if used == nil || n == nil || *n == 0 {
		return 0, false
	}
	return float64(*used) / float64(*n), true
}
