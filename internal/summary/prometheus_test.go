package summary

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/result"
)

func TestMetrics(t *testing.T) {
	var m Metrics
	var empty strings.Builder
	if err := m.Write(&empty); err != nil || !strings.Contains(empty.String(), "dyno_requests_total 0\n") {
		t.Errorf("%v: %s", err, empty.String())
	}
	for range 2 {
		m.Add(result.Interval{Load: result.Load{Started: 14, Succeeded: 10, BytesRead: 100, BytesWritten: 50,
			Failures: map[string]int64{"status": 1}, Errors: map[string]int64{"reset": 3}},
			Detail: result.Detail{Service: spread(nil, 10, time.Millisecond, 10*time.Millisecond)}})
	}
	var b strings.Builder
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dyno_requests_total 28", `dyno_responses_total{wrong=""} 20`,
		`dyno_responses_total{wrong="status"} 2`, `dyno_errors_total{reason="reset"} 6`, "dyno_bytes_read_total 200",
		"dyno_bytes_written_total 100", `dyno_latency_seconds_bucket{le="0.0005"} 0`,
		`dyno_latency_seconds_bucket{le="0.005"} 10`, `dyno_latency_seconds_bucket{le="+Inf"} 20`,
		"dyno_latency_seconds_count 20", "# TYPE dyno_latency_seconds histogram"} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// lockWatch is a writer that notes whether the metrics are locked while it is written to.
type lockWatch struct {
	m      *Metrics
	locked bool
}

func (l *lockWatch) Write(p []byte) (int, error) {
	if l.locked = !l.m.mu.TryLock(); !l.locked {
		l.m.mu.Unlock()
	}
	return len(p), nil
}

// TestMetricsOfASlowReader: a reader that does not read does not hold up the load, which adds.
func TestMetricsOfASlowReader(t *testing.T) {
	var m Metrics
	l := lockWatch{m: &m}
	if err := m.Write(&l); err != nil || l.locked {
		t.Errorf("%v, locked: %v", err, l.locked)
	}
}
