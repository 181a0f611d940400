package report

import (
	"fmt"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// latency is a histogram that includes interrupted requests: they count with the time that they had
// waited, at least from.
type latency struct {
	h        *record.Histogram
	censored int64
	from     int64
}

// figure is a time in ns. It may be unknown, or known only as a lower bound.
type figure struct {
	ns      float64
	known   bool
	atLeast bool
}

// text formats the figure.
func (f figure) text() string {
	switch {
	case !f.known:
		return "-"
	case f.atLeast:
		return ">= " + Duration(f.ns)
	case f.ns < record.LowestTime: // the histogram cannot tell such times apart
		return fmt.Sprintf("< %d µs", record.LowestTime/1000)
	}
	return Duration(f.ns)
}

// response returns the response times, which users experience. In a plain closed loop they are not
// measured, because they equal the service times.
func (s *Summary) response() latency {
	return latency{s.Detail.Response, s.Detail.Censored, s.Detail.CensoredFromNS}
}

// service returns the service times. Requests cut short count if they were sent and not answered.
func (s *Summary) service() latency {
	return latency{s.Detail.Service, s.Detail.Unanswered, s.Detail.UnansweredFromNS}
}

// wrong returns the service times of responses that broke their contract.
func (s *Summary) wrong() latency { return latency{h: s.Detail.Wrong} }

// handshake returns the TLS handshake times in the load or, if there was none, before it.
func (s *Summary) handshake() latency { return latency{h: s.Detail.Handshake} }

func (s *Summary) lag() latency { return latency{h: s.Detail.Lag} }

// primary returns response times if they were measured, else service times.
func (s *Summary) primary() latency {
	if s.Detail.Response != nil {
		return s.response()
	}
	return s.service()
}

func (l latency) count() int64 {
	if l.h == nil {
		return 0
	}
	return l.h.Count() + l.h.Over()
}

// bears reports whether enough requests lie beyond quantile q to report it.
func (l latency) bears(q float64) bool { return judge.Bears(l.count(), q) }

// quantile returns a quantile. It is unknown if too few requests lie beyond it, and a lower bound
// if the interrupted requests could raise it by more than 1 %.
//
// Interrupted requests at or below the quantile may really lie above it, so the true value may be
// the quantile at a rank higher by their share. If the two hardly differ, the value is known: a few
// requests in flight at the end do not change the median of a million.
func (l latency) quantile(q float64) figure {
	if !l.bears(q) {
		return figure{}
	}
	v, inside := l.at(q)
	f := figure{ns: v, known: true, atLeast: !inside}
	if l.censored > 0 && v >= float64(l.from) {
		upper, inside := l.at(q + float64(l.censored)/float64(l.count()))
		f.atLeast = f.atLeast || !inside || upper > v*(1+record.Raised)
	}
	return f
}

// at returns the latency at a share of all requests, including those beyond the histogram's range.
// inside is false if the latency is beyond the range.
func (l latency) at(q float64) (ns float64, inside bool) {
	rank := q * float64(l.count()) / float64(max(l.h.Count(), 1))
	if rank > 1+1e-12 {
		if l.h.Over() > 0 {
			return record.Highest, false
		}
		return float64(l.h.Max()), false
	}
	return float64(l.h.Quantile(rank)), true
}

func (l latency) mean() figure {
	if l.count() == 0 {
		return figure{}
	}
	return figure{l.h.Mean(), true, l.censored > 0 || l.h.Over() > 0}
}

// stdev returns the standard deviation. It is unknown below two values, and if values exceeded the
// range.
func (l latency) stdev() figure {
	if l.count() < 2 || l.h.Over() > 0 {
		return figure{}
	}
	return figure{l.h.StdDev(), true, false}
}

func (l latency) max() figure {
	switch {
	case l.count() == 0:
		return figure{}
	case l.h.Over() > 0:
		return figure{record.Highest, true, true}
	}
	return figure{float64(l.h.Max()), true, l.censored > 0 && l.h.Max() >= l.from}
}

// percentile is a reported percentile, with its names in Text and JSON.
type percentile struct {
	q         float64
	name, key string
}

var percentiles = []percentile{
	{.5, "50%", "p50_ns"}, {.75, "75%", "p75_ns"}, {.9, "90%", "p90_ns"}, {.95, "95%", "p95_ns"},
	{.99, "99%", "p99_ns"},
	{.999, "99.9%", "p999_ns"}, {.9999, "99.99%", "p9999_ns"},
}
