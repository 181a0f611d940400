package summary

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"dyno/internal/hist"
	"dyno/internal/result"
)

// Metrics are the counts of a load until now, for Prometheus. They may be read while the load adds
// to them.
type Metrics struct {
	mu                          sync.Mutex
	started, succeeded, in, out int64
	failures, errors            map[string]int64
	latency                     *hist.Histogram // that counts, of right responses and what was held
}

// Add adds an interval.
func (m *Metrics) Add(i result.Interval) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latency == nil {
		m.failures, m.errors, m.latency = map[string]int64{}, map[string]int64{}, hist.New()
	}
	l := &i.Load
	m.started += l.Started
	m.succeeded += l.Succeeded
	m.in += l.BytesRead
	m.out += l.BytesWritten
	for kind, n := range l.Failures {
		m.failures[kind] += n
	}
	for kind, n := range l.Errors {
		m.errors[kind] += n
	}
	if h := primary(&i.Detail); h != nil {
		m.latency.Merge(h)
	}
}

// bounds are the upper bounds of the buckets, in ns: 1, 2.5 and 5 in each decade from 100 µs to 10 s.
var bounds = []int64{1e5, 25e4, 5e5, 1e6, 25e5, 5e6, 1e7, 25e6, 5e7, 1e8, 25e7, 5e8, 1e9, 25e8, 5e9, 1e10}

// Write writes the metrics in the text format of Prometheus, version 0.0.4. Add does not wait for it.
func (m *Metrics) Write(w io.Writer) error {
	_, err := io.WriteString(w, m.text())
	return err
}

// text returns what Write writes.
func (m *Metrics) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	say := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP dyno_%s %s\n# TYPE dyno_%s %s\n", name, help, name, kind)
	}
	say("requests_total", "counter", "Requests started.")
	fmt.Fprintf(&b, "dyno_requests_total %d\n", m.started)
	say("responses_total", "counter", "Responses, by what was wrong with them.")
	fmt.Fprintf(&b, "dyno_responses_total{wrong=\"\"} %d\n", m.succeeded)
	for _, t := range sorted(m.failures) {
		fmt.Fprintf(&b, "dyno_responses_total{wrong=%q} %d\n", t.kind, t.n)
	}
	say("errors_total", "counter", "Requests without a response, by the reason.")
	for _, t := range sorted(m.errors) {
		fmt.Fprintf(&b, "dyno_errors_total{reason=%q} %d\n", t.kind, t.n)
	}
	say("bytes_read_total", "counter", "Bytes read.")
	fmt.Fprintf(&b, "dyno_bytes_read_total %d\n", m.in)
	say("bytes_written_total", "counter", "Bytes written.")
	fmt.Fprintf(&b, "dyno_bytes_written_total %d\n", m.out)
	say("latency_seconds", "histogram", "Latency: response time in an open loop, service time in a closed one.")
	h := m.latency
	if h == nil {
		h = hist.New()
	}
	all := h.Count() + h.Over()
	for i, n := range h.AtMost(bounds) {
		fmt.Fprintf(&b, "dyno_latency_seconds_bucket{le=\"%g\"} %d\n", float64(bounds[i])/1e9, n)
	}
	fmt.Fprintf(&b, "dyno_latency_seconds_bucket{le=\"+Inf\"} %d\n", all)
	fmt.Fprintf(&b, "dyno_latency_seconds_sum %g\n", h.Mean()*float64(h.Count())/1e9)
	fmt.Fprintf(&b, "dyno_latency_seconds_count %d\n", all)
	return b.String()
}
