package judge

import "dyno/internal/record"

// Printed are the figures that published benchmarks print for a long load, under the names in a
// study's figures.
var Printed = []Metric{
	{Name: "time", Title: "Time", Unit: "ns", Of: timeToComplete},
	{Name: "throughput", Title: "Requests/s, as printed", Unit: "1/s", More: true, Of: throughput},
	{Name: "answers_per_time", Title: "Answers ÷ time", Unit: "1/s", More: true, Of: answersPerTime},
	{Name: "rate_sd", Title: "SD of the rate", Unit: "1/s", Of: rateSD},
	{Name: "rate_max", Title: "Highest rate", Unit: "1/s", More: true, Of: rateMax},
	{Name: "latency_mean", Title: "Latency, mean", Unit: "ns", Of: ownService((*record.Histogram).Mean)},
	{Name: "service_sd", Title: "Latency, SD", Unit: "ns", Of: serviceSD},
	{Name: "service_max", Title: "Latency, longest", Unit: "ns", Of: serviceMax},
	{Name: "bytes_per_sec", Title: "Read and written", Unit: "B/s", More: true,
		Of: func(t *record.Trial) (float64, bool) { return t.Load.Along(t.Load.BytesRead + t.Load.BytesWritten) }},
	{Name: "read_per_sec", Title: "Read", Unit: "B/s", More: true, Of: bytesRead},
	{Name: "memory", Title: "Memory", Unit: "bytes", Of: ofServer(memory)},
}

func answersPerTime(t *record.Trial) (float64, bool) {
	n, ns := t.Load.Succeeded+t.Load.Failed, t.Load.WindowNS
	return float64(n) / float64(max(ns, 1)) * 1e9, ns > 0
}

// ownService returns a function that reads a figure from a load's service time histogram.
func ownService(of func(*record.Histogram) float64) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) {
		if t.Load.Service == "" {
			return 0, false
		}
		h, err := record.Decode(t.Load.Service)
		if err != nil || h.Count() == 0 {
			return 0, false
		}
		return of(h), true
	}
}
