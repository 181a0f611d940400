package judge

import "dyno/internal/record"

// Latencies is a histogram that includes interrupted requests: they count with the time that they had
// waited, at least from.
type Latencies struct {
	H        *record.Histogram
	Censored int64
	From     int64
}

// Figure is a time in ns. It may be unknown, or known only as a lower bound.
type Figure struct {
	NS      float64
	Known   bool
	AtLeast bool
}

// Response returns the response times, which users experience. In a plain closed loop they are not
// measured, because they equal the service times.
func (o *OneLoad) Response() Latencies {
	return Latencies{o.Detail.Response, o.Detail.Censored, o.Detail.CensoredFromNS}
}

// Service returns the service times. Requests cut short count if they were sent and not answered.
func (o *OneLoad) Service() Latencies {
	return Latencies{o.Detail.Service, o.Detail.Unanswered, o.Detail.UnansweredFromNS}
}

// Wrong returns the service times of responses that broke their contract.
func (o *OneLoad) Wrong() Latencies { return Latencies{H: o.Detail.Wrong} }

// Handshake returns the TLS handshake times in the load or, if there was none, before it.
func (o *OneLoad) Handshake() Latencies { return Latencies{H: o.Detail.Handshake} }

func (o *OneLoad) Lag() Latencies { return Latencies{H: o.Detail.Lag} }

// Primary returns response times if they were measured, else service times.
func (o *OneLoad) Primary() Latencies {
	if o.Detail.Response != nil {
		return o.Response()
	}
	return o.Service()
}

func (l Latencies) Count() int64 {
	if l.H == nil {
		return 0
	}
	return l.H.Count() + l.H.Over()
}

// Bears reports whether enough requests lie beyond quantile q to report it.
func (l Latencies) Bears(q float64) bool { return Bears(l.Count(), q) }

// Quantile returns a quantile. It is unknown if too few requests lie beyond it, and a lower bound
// if the interrupted requests could raise it by more than 1 %.
//
// Interrupted requests at or below the quantile may really lie above it, so the true value may be
// the quantile at a rank higher by their share. If the two hardly differ, the value is known: a few
// requests in flight at the end do not change the median of a million.
func (l Latencies) Quantile(q float64) Figure {
	if !l.Bears(q) {
		return Figure{}
	}
	v, inside := l.at(q)
	f := Figure{NS: v, Known: true, AtLeast: !inside}
	if l.Censored > 0 && v >= float64(l.From) {
		upper, inside := l.at(q + float64(l.Censored)/float64(l.Count()))
		f.AtLeast = f.AtLeast || !inside || upper > v*(1+record.Raised)
	}
	return f
}

// at returns the latency at a share of all requests, including those beyond the histogram's range.
// inside is false if the latency is beyond the range.
func (l Latencies) at(q float64) (ns float64, inside bool) {
	rank := q * float64(l.Count()) / float64(max(l.H.Count(), 1))
	if rank > 1+1e-12 {
		if l.H.Over() > 0 {
			return record.Highest, false
		}
		return float64(l.H.Max()), false
	}
	return float64(l.H.Quantile(rank)), true
}

func (l Latencies) Mean() Figure {
	if l.Count() == 0 {
		return Figure{}
	}
	return Figure{l.H.Mean(), true, l.Censored > 0 || l.H.Over() > 0}
}

// StdDev returns the standard deviation. It is unknown below two values, and if values exceeded the
// range.
func (l Latencies) StdDev() Figure {
	if l.Count() < 2 || l.H.Over() > 0 {
		return Figure{}
	}
	return Figure{l.H.StdDev(), true, false}
}

func (l Latencies) Max() Figure {
	switch {
	case l.Count() == 0:
		return Figure{}
	case l.H.Over() > 0:
		return Figure{record.Highest, true, true}
	}
	return Figure{float64(l.H.Max()), true, l.Censored > 0 && l.H.Max() >= l.From}
}

// Percentile is a reported percentile, with its names in text and JSON.
type Percentile struct {
	Q         float64
	Name, Key string
}

// Percentiles are those that reports of a load show.
var Percentiles = []Percentile{
	{.5, "50%", "p50_ns"}, {.75, "75%", "p75_ns"}, {.9, "90%", "p90_ns"}, {.95, "95%", "p95_ns"},
	{.99, "99%", "p99_ns"},
	{.999, "99.9%", "p999_ns"}, {.9999, "99.99%", "p9999_ns"},
}
