package loader

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"dyno/internal/result"
	"dyno/internal/summary"
)

// TestServeMetrics: what was added can be read until the end.
func TestServeMetrics(t *testing.T) {
	var m summary.Metrics
	addr, stop, err := serveMetrics("127.0.0.1:0", &m)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := serveMetrics(addr, &m); err == nil || !strings.Contains(err.Error(), "--metrics: ") {
		t.Errorf("a taken address: %v", err)
	}
	m.Add(result.Interval{Load: result.Load{Started: 7}})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "dyno_requests_total 7\n") ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("%v, %v: %s", err, resp.Header, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if b, err := in.ReadByte(); err == nil {
		t.Errorf("the connection goes on after the end: %q", b)
	}
}

// TestMetricsOfALoad: an address that is taken is found before the server is loaded, or even asked.
func TestMetricsOfALoad(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p, err := New(t.Context(), Request{URL: "http://127.0.0.1:1/", Requests: 5, Metrics: taken.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), &Files{}, nil); err == nil || !strings.Contains(err.Error(), "--metrics") {
		t.Errorf("%v", err)
	}
	p, err = New(t.Context(), Request{URL: served(t), Requests: 5, Metrics: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := p.Run(t.Context(), &Files{}, nil); err != nil || s.Load.Succeeded != 5 {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = New(t.Context(), Request{URL: served(t), Find: objectives("p50<1s"), Metrics: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), "--metrics") {
		t.Errorf("%v", err)
	}
}
