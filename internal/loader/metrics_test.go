package loader

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dyno/internal/result"
	"dyno/internal/summary"
)

// TestServeMetrics: what was added can be read until the end, and the address is free after it.
func TestServeMetrics(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	var m summary.Metrics
	if _, err := serveMetrics(addr, &m); err == nil || !strings.Contains(err.Error(), "--metrics: ") {
		t.Errorf("a taken address: %v", err)
	}
	free.Close()
	stop, err := serveMetrics(addr, &m)
	if err != nil {
		t.Skipf("somebody took the port: %v", err)
	}
	m.Add(result.Interval{Load: result.Load{Started: 7}})
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(body), "dyno_requests_total 7\n") ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%v, %v: %s", err, resp.Header, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get("http://" + addr + "/metrics"); err == nil {
		t.Error("still served")
	}
}

func TestMetricsOfALoad(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p, err := New(t.Context(), Request{URL: served(t), Requests: 5, Metrics: taken.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), &Files{}, nil); err == nil || !strings.Contains(err.Error(), "--metrics") {
		t.Errorf("%v", err)
	}
	p.Metrics = "127.0.0.1:0"
	if s, err := p.Run(t.Context(), &Files{}, nil); err != nil || s.Load.Succeeded != 5 {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = New(t.Context(), Request{URL: served(t), Find: objectives("p50<1s"), Metrics: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), "--metrics") {
		t.Errorf("%v", err)
	}
}
