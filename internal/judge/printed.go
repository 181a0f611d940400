package judge

import (
	"strconv"

	"dyno/internal/record"
)

// Printed are the figures that published benchmarks print for a long load, under the names in a
// study's figures. They cover dyno's own loads and external load generators.
var Printed = []Metric{
	{Name: "time", Title: "Time", Unit: "ns", Of: reportedOr(func(t *record.Reported) *int64 { return t.WindowNS },
		timeToComplete)},
	{Name: "throughput", Title: "Requests/s, as printed", Unit: "1/s", More: true, Of: printedRate},
	{Name: "answers_per_time", Title: "Answers ÷ time", Unit: "1/s", More: true, Of: answersPerTime},
	{Name: "rate_sd", Title: "SD of the rate", Unit: "1/s", Of: reportedOr(
		func(t *record.Reported) *float64 { return t.RateSDPerSec }, rateSD)},
	{Name: "rate_max", Title: "Highest rate", Unit: "1/s", More: true, Of: reportedOr(
		func(t *record.Reported) *float64 { return t.RateMaxPerSec }, rateMax)},
	{Name: "latency_mean", Title: "Latency, mean", Unit: "ns", Of: reportedOr(
		func(t *record.Reported) *int64 { return t.MeanNS }, ownService((*record.Histogram).Mean))},
	{Name: "service_sd", Title: "Latency, SD", Unit: "ns", Of: reportedOr(
		func(t *record.Reported) *int64 { return t.SDNS }, serviceSD)},
	{Name: "service_max", Title: "Latency, longest", Unit: "ns", Of: reportedOr(
		func(t *record.Reported) *int64 { return t.MaxNS }, serviceMax)},
	{Name: "bytes_per_sec", Title: "Read and written", Unit: "B/s", More: true, Of: moved(true)},
	{Name: "read_per_sec", Title: "Read", Unit: "B/s", More: true, Of: moved(false)},
	{Name: "memory", Title: "Memory", Unit: "bytes", Of: ofServer(memory)},
}

// printedRate returns the rate that a generator prints. bombardier prints the mean over its
// samples.
func printedRate(t *record.Trial) (float64, bool) {
	if t.Reported != nil && t.Reported.RateMeanPerSec != nil {
		return *t.Reported.RateMeanPerSec, true
	}
	return reportedRate(t)
}

func answersPerTime(t *record.Trial) (float64, bool) {
	n, ns := Answered(t), t.Load.WindowNS
	if t.Reported != nil {
		if t.Reported.WindowNS == nil {
			return 0, false
		}
		ns = *t.Reported.WindowNS
	}
	if n == nil || ns <= 0 {
		return 0, false
	}
	return float64(*n) / float64(ns) * 1e9, true
}

// moved returns a function for a load's bytes per second: read, or read and written.
func moved(both bool) func(*record.Trial) (float64, bool) {
	return func(t *record.Trial) (float64, bool) {
		if t.Reported == nil && both {
			return t.Load.Along(t.Load.BytesRead + t.Load.BytesWritten)
		} else if t.Reported == nil {
			return bytesRead(t)
		}
		r, w, ns := t.Reported.BytesRead, t.Reported.BytesWritten, t.Reported.WindowNS
		switch {
		case r == nil || both && w == nil || ns == nil || *ns <= 0 || *r <= 0:
			return 0, false
		case both:
			return float64(*r+*w) / float64(*ns) * 1e9, true
		}
		return float64(*r) / float64(*ns) * 1e9, true
	}
}

// ownService returns a function that reads a figure from the service time histogram of dyno's own
// load.
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

// Quantiles are ab's percentiles.
var Quantiles = []int{50, 66, 75, 80, 90, 95, 98, 99, 100}

// QuantileOf returns a percentile of a load's latencies, from the generator's report or from dyno's
// own recording.
func QuantileOf(t *record.Trial, percent int) (float64, bool) {
	if t.Reported != nil {
		ns, ok := t.Reported.QuantilesNS[strconv.Itoa(percent)]
		return float64(ns), ok
	}
	if percent == 100 {
		return serviceMax(t)
	}
	return ownService(func(h *record.Histogram) float64 { return float64(h.Quantile(float64(percent) / 100)) })(t)
}

// Parts are the parts of a request that ab times.
var Parts = []string{"connect", "processing", "waiting", "total"}

// PartOf returns the times for a part of a request. For its own loads dyno knows the time from
// sending to the last byte, which ab calls processing.
func PartOf(t *record.Trial, part string) (times record.Times, ok bool) {
	if t.Reported != nil {
		times, ok = t.Reported.Parts[part]
		return times, ok
	}
	if part != "processing" {
		return times, false
	}
	median, ok := p50(t)
	ok = ok && t.Load.ServiceSDNS > 0
	for _, f := range []struct {
		into *int64
		of   func(*record.Histogram) float64
	}{
		{&times.MinNS, func(h *record.Histogram) float64 { return float64(h.Quantile(0)) }},
		{&times.MeanNS, (*record.Histogram).Mean},
	} {
		v, known := ownService(f.of)(t)
		*f.into, ok = int64(v), ok && known
	}
	times.SDNS, times.MedianNS, times.MaxNS = t.Load.ServiceSDNS, int64(median), t.Load.ServiceMaxNS
	return times, ok
}
