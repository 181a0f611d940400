package judge

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// Each table entry is complete, its phrases have room for a figure, and doc/format.md has a line
// for it.
func TestMetricTable(t *testing.T) {
	format, err := os.ReadFile("../../doc/format.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, m := range slices.Concat(Metrics, LoadMetrics) {
		if m.Name == "" || m.Title == "" || m.About == "" || m.Of == nil || m.Kind == 0 || m.Kind&(m.Kind-1) != 0 {
			t.Errorf("%s is incomplete: %+v", m.Name, m)
		}
		if i < len(Metrics) && seen[m.Name] {
			t.Errorf("two metrics are called %s", m.Name)
		}
		seen[m.Name] = true
		if line := fmt.Sprintf("\n| `%s` | %s | ", m.Name, m.Unit); !strings.Contains(string(format), line) {
			t.Errorf("doc/format.md has no line %q", line)
		}
		says := m.Says()
		if text := fmt.Sprintf(says.Factor, "X"); !strings.Contains(text, "X") || strings.Contains(text, "%!") {
			t.Errorf("%s: %q", m.Name, text)
		}
		if says.Best == "" || strings.Contains(says.Best, "%s") {
			t.Errorf("%s: %q", m.Name, says.Best)
		}
		if head := m.HeadIn("kilo"); head == "" || strings.Contains(head, "%s") {
			t.Errorf("%s: head %q", m.Name, head)
		}
	}
}

func TestMetricFacts(t *testing.T) {
	heap := named("heap_inuse")
	if got := heap.Says(); got.Factor != "has %s the Heap in use of" || got.Best != "is ahead on heap in use" {
		t.Errorf("made of the title: %+v", got)
	}
	if got := heap.HeadIn("MiB"); got != "Heap in use MiB" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string][2]bool{"throughput": {true, false}, "response_p99": {true, true},
		"cpu_per_request": {false, false}, "memory": {false, false}} {
		if m := named(name); m.Wall() != want[0] || m.Open() != want[1] {
			t.Errorf("%s: of the wall clock %t, of open loops %t", name, m.Wall(), m.Open())
		}
	}
	for _, name := range []string{"", "time", "rps"} {
		if _, ok := MetricNamed(name); ok {
			t.Errorf("a metric is called %q", name)
		}
	}
}

func TestNoSuchMetricPanics(t *testing.T) {
	for _, get := range []func(string) Metric{named, ClassicNamed} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a metric without a name")
				}
			}()
			get("rps")
		}()
	}
}

// Each metric has its value from a full trial, and none from a trial that lacks the necessary data.
func TestValues(t *testing.T) {
	n := func(x int64) *int64 { return &x }
	full := &record.Trial{
		Load: record.Load{Succeeded: 2_000_000, WindowNS: 1e9, BytesRead: 3e6,
			ServiceP50NS: 10, ServiceP99NS: 20, ServiceMaxNS: 30, ServiceMeanNS: 15, ServiceSDNS: 11,
			ResponseP50NS: 40, ResponseP99NS: 50,
			RateSamples: 5, RateSDPerSec: 12, RateMaxPerSec: 13,
			Handshakes: 2000},
		Server: record.Usage{CPUNS: n(4e8), PrivateBytes: n(5), HeapInuseBytes: n(6), AllocBytes: n(14e6),
			GoroutinesStarted: n(30e6),
			Instructions:      n(16e6),
			CPUUserTotalNS:    n(7), CPUSystemTotalNS: n(2), Threads: n(8), OpenSockets: n(9), FileBytes: n(19), SwapPSSBytes: n(0)},
		Generator: record.Usage{CPUNS: n(5e8)}, Services: []record.Usage{{CPUNS: n(1e8), PrivateBytes: n(19)}},
		Causes: record.Causes{WallNS: 1e9, ServerCPUs: 1, GeneratorCPUs: 2},
	}
	full.Load.WallNS, full.ClocksNS = 1e9, 1e9
	wall := float64(full.ClocksNS)
	want := map[string]float64{
		"throughput": 2e6, "cpu_per_request": 200, "p50": 10, "memory": 5, "response_p50": 40, "response_p99": 50,
		"file_memory": 19,
		"heap_inuse":  6, "alloc_per_request": 7, "goroutines_per_request": 15,
		"instructions_per_request": 8, "cpu_time": 4e8, "cpu_since_start": 9, "threads": 8, "sockets": 9, "swap_pss": 0,
		"server_cpu_share": 4e8 / wall, "service_cpu_share": 1e8 / wall / 2, "generator_cpu_share": 5e8 / wall / 2,
		"service_cpu": 50, "service_ceiling": 2e6 / (1e8 / wall / 2), "service_memory": 19,
		"rate_sd": 12, "rate_max": 13, "service_mean": 15, "service_sd": 11, "service_max": 30,
		"time": 1e9, "p99": 20, "max": 30, "read": 3e6,
	}
	for _, m := range slices.Concat(Metrics, LoadMetrics) {
		if x, known := want[m.Name]; m.Name == "response_p999" { // it is read from merged histograms alone
		} else if !known {
			t.Errorf("%s: no value to expect", m.Name)
		} else if got, ok := m.Of(full); !ok || got != x {
			t.Errorf("%s is %v, %t; want %v", m.Name, got, ok, x)
		}
		if got, ok := m.Of(&record.Trial{}); ok {
			t.Errorf("%s of nothing is %v", m.Name, got)
		}
		if m.Idle != nil {
			if _, ok := m.Idle(&record.Usage{}); ok {
				t.Errorf("%s of an idle process that was not read", m.Name)
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for _, m := range slices.Concat(Metrics, LoadMetrics) {
		if u := UnitNamed(m.Unit); u.Name != m.Unit || u.Key == "" {
			t.Errorf("%s: %+v", m.Name, u)
		}
	}
	for _, u := range units {
		least := 0.
		for _, s := range u.Scales {
			if s.Per <= least || s.Name == "" {
				t.Errorf("%s: scales go up: %v", u.Name, u.Scales)
			}
			least = s.Per
		}
	}
	if u := UnitNamed("cats"); u.Key != "cats" || u.Scales != nil {
		t.Errorf("%+v", u)
	}
}
