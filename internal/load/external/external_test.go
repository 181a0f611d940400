package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// values is a scenario with one loaded request with a drawn input.
func values(method, body string) *scenario.Scenario {
	answer := "value"
	return &scenario.Scenario{Name: "values", Requests: []scenario.Request{
		{Name: "get", Method: method, Path: "/api/values/{id}", Body: body, Weight: 1,
			Headers: []scenario.HeaderLine{{Name: "X-Kind", Value: "a b"}},
			With:    map[string]scenario.Input{"id": {Int: [2]int64{1, 9}}}, Expect: scenario.Expect{Status: 200,
				Body: &answer}},
		{Name: "no-route", Method: "GET", Path: "/nowhere", Expect: scenario.Expect{Status: 404}},
	}}
}

func TestWhatToolsPrint(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	f := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		file string
		want record.Reported
	}{
		"h2load": {"h2load.txt", record.Reported{RatePerSec: f(1102.13), WindowNS: n(1.81e9), Answered: n(2000),
			MeanNS: n(16.97e6), SDNS: n(32.58e6), MaxNS: n(324.96e6), BytesRead: n(270000),
			Failed: map[string]int64{"status": 0}, Errors: map[string]int64{"timeout": 0, "unanswered": 0}}},
		"bombardier": {"bombardier.json", record.Reported{RatePerSec: f(1712 / 1.029898159), WindowNS: n(1029898159),
			Answered: n(1712), MeanNS: n(14830286), SDNS: n(8127399), MaxNS: n(51941e3), RateMeanPerSec: f(1954.428406267665),
			RateSDPerSec: f(1044.9285505787934), RateMaxPerSec: f(5083.585800443416), QuantilesNS: map[string]int64{
				"50": 10921e3, "75": 16045e3, "90": 21837e3, "95": 38651e3, "99": 51353e3},
			P50NS: n(10921e3), P99NS: n(51353e3), BytesRead: n(231120), BytesWritten: n(107856),
			Failed: map[string]int64{"status": 0}, Errors: map[string]int64{"unanswered": 0}}},
		"ab": {"ab.txt", record.Reported{RatePerSec: f(5356.30), WindowNS: n(933e6), Answered: n(5000), MeanNS: n(4e6),
			SDNS: n(7.3e6), MaxNS: n(96e6), P50NS: n(2e6), BytesRead: n(530000),
			QuantilesNS: map[string]int64{"50": 2e6, "66": 2e6, "75": 3e6, "80": 4e6, "90": 7e6, "95": 11e6, "98": 20e6,
				"99": 32e6, "100": 96e6},
			Parts: map[string]record.Times{"connect": {MeanNS: 1e6, SDNS: 1.4e6, MaxNS: 31e6},
				"processing": {MeanNS: 3e6, SDNS: 7.2e6, MedianNS: 1e6, MaxNS: 96e6},
				"waiting":    {MeanNS: 2e6, SDNS: 7e6, MedianNS: 1e6, MaxNS: 95e6},
				"total":      {MeanNS: 4e6, SDNS: 7.3e6, MedianNS: 2e6, MaxNS: 96e6}},
			Failed: map[string]int64{"status": 0, "length": 0}, Errors: map[string]int64{"dial": 0, "read": 0,
				"unanswered": 0}}},
	} {
		out, err := os.ReadFile(filepath.Join("../../importer/testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		var reported record.Reported
		(&Tool{Name: name}).read(out, &reported)
		reported.P99NS, c.want.P99NS = nil, nil // ab's depends on the machine
		if reported.RatePerSec == nil || c.want.RatePerSec == nil || *reported.RatePerSec/(*c.want.RatePerSec) < 0.999 ||
			*reported.RatePerSec/(*c.want.RatePerSec) > 1.001 {
			t.Errorf("%s: rate %v", name, reported.RatePerSec)
		}
		reported.RatePerSec, c.want.RatePerSec = nil, nil
		if !reflect.DeepEqual(reported, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, show(reported), show(c.want))
		}
	}
}

// show prints values in place of pointers.
func show(t record.Reported) string {
	b, err := json.Marshal(t)
	return fmt.Sprint(string(b), err)
}

// A figure that wrk does not print stays unknown, except error counts, which wrk omits if they are
// 0.
func TestWrkTellsErrors(t *testing.T) {
	const head = "Running 1s test @ http://127.0.0.1:1/\n  1 threads and 4 connections\n" +
		"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n" +
		"    Latency     5.39ms   12.62ms  86.85ms   88.37%\n    Req/Sec    22.06k    21.28k   60.00k    70.00%\n" +
		"  44482 requests in 1.07s, 4.50MB read\n"
	var reported record.Reported
	w := &Tool{Name: "wrk"}
	w.read([]byte(head+"  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 5\n"+
		"Requests/sec:  41606.34\nTransfer/sec:      4.21MB\n"), &reported)
	if want := map[string]int64{"dial": 1, "read": 2, "write": 3, "timeout": 4}; !reflect.DeepEqual(reported.Errors,
		want) || reported.Failed["status"] != 5 {
		t.Errorf("errors %v, failed %v", reported.Errors, reported.Failed)
	}
	if reported.P50NS != nil || reported.P99NS != nil || reported.BytesWritten != nil || reported.KeptAlive != nil {
		t.Errorf("%+v tells what was not printed", reported)
	}
	reported = record.Reported{}
	w.read([]byte("unable to connect to 127.0.0.1:1 Connection refused\n"), &reported)
	if reported.Trouble == "" || reported.RatePerSec != nil || reported.Answered != nil || reported.Errors != nil {
		t.Errorf("nothing was printed, yet %+v", reported)
	}
}

func TestCommands(t *testing.T) {
	job := load.Job{Endpoint: wire.TCP("127.0.0.1:9"), Scenario: values("POST", "a=1"), Connections: 6,
		CPUs: []int{1, 2, 3, 4}, Timeout: 1500 * time.Millisecond}
	for _, c := range []struct {
		tool   string
		window load.Window
		close  int
		want   string
	}{
		{"wrk", load.Window{For: 1500 * time.Millisecond}, 0,
			"-t 3 -c 6 -d 2s --timeout 2s --latency -H X-Kind: a b -s DIR/request.lua URL"},
		{"wrk", load.Window{For: time.Second}, 1,
			"-t 3 -c 6 -d 1s --timeout 2s --latency -H X-Kind: a b -H Connection: close -s DIR/request.lua URL"},
		{"wrk", load.Window{Requests: 500, For: 2100 * time.Millisecond}, 0,
			"-t 3 -c 6 -d 3s --timeout 2s --latency -H X-Kind: a b -s DIR/request.lua URL"},
		{"ab", load.Window{Requests: 500, For: time.Second}, 0, "-q -c 6 -s 2 -k -n 500 -p DIR/body -H X-Kind: a b URL"},
		{"ab", load.Window{For: 2 * time.Second}, 1, "-q -c 6 -s 2 -t 2 -n 400000 -p DIR/body -H X-Kind: a b URL"},
		{"bombardier", load.Window{Requests: 500}, 0,
			"-c 6 -t 2s -l -p r -o json -m POST -n 500 -f DIR/body -H X-Kind: a b URL"},
	} {
		dir := t.TempDir()
		tool := &Tool{Name: c.tool, kind: kinds[c.tool]}
		r, err := tool.request(&job)
		if err != nil {
			t.Fatal(err)
		}
		job.PerConnection = c.close
		argv, err := tool.kind.argv(&errand{Request: r, job: &job, window: &c.window, folder: dir,
			threads: threads(&job)})
		got := strings.ReplaceAll(strings.Join(argv, " "), dir, "DIR")
		if at := strings.LastIndex(got, "http://127.0.0.1:9/api/values/"); at >= 0 &&
			len(got)-at == len("http://127.0.0.1:9/api/values/")+1 {
			got = got[:at] + "URL"
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.tool, err, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	many := values("GET", "")
	many.Requests[1].Weight = 1
	cookies := values("GET", "")
	cookies.Cookies = true
	sessions := values("GET", "") // no tool, nor dyno, sends a cookie back
	sessions.Session = "id"
	loose := values("GET", "") // a run makes it exact by the first responses
	page := "value"
	loose.Requests[0] = scenario.Request{Name: "get", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &page, Collapse: true}}
	for _, c := range []struct {
		tool  string
		s     *scenario.Scenario
		level record.Level
		want  string
	}{
		{"wrk", values("GET", ""), record.Level{}, ""},
		{"ab", values("GET", ""), record.Level{PerConnection: 1}, ""},
		{"ab", loose, record.Level{}, ""},
		{"ab", sessions, record.Level{}, ""},
		{"ab", many, record.Level{}, "repeats one request; the scenario values loads 2"},
		{"ab", cookies, record.Level{}, "keeps no cookies"},
		{"ab", values("GET", ""), record.Level{Pipeline: 16}, "use h2load"},
		{"h2load", values("GET", ""), record.Level{Pipeline: 16}, ""},
		{"h2load", values("POST", "x"), record.Level{}, "for GET only"},
		{"h2load", values("GET", ""), record.Level{PerConnection: 1}, "cannot open a new connection"},
		{"wrk", values("GET", ""), record.Level{PerConnection: 7}, "after 7 requests"},
		{"wrk", values("GET", ""), record.Level{RatePerSec: 7}, "has a rate"},
	} {
		err := Check(c.tool, c.s, c.level)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s at %+v: %v; want %q", c.tool, c.level, err, c.want)
		}
	}
}

// TestHTTP2: only h2load speaks it.
func TestHTTP2(t *testing.T) {
	for _, two := range []bool{false, true} {
		j := &load.Job{Endpoint: wire.TCP("127.0.0.1:80"), Scenario: values("GET", ""), Connections: 1,
			Pipeline: 10}
		j.HTTP2 = two
		if _, err := (&Tool{Name: "wrk", kind: kinds["wrk"]}).request(j); (err != nil) != two {
			t.Errorf("wrk, HTTP/2: %v: %v", two, err)
		}
		r, err := (&Tool{Name: "h2load", kind: kinds["h2load"]}).request(j)
		if err != nil {
			t.Fatal(err)
		}
		argv, err := h2load(&errand{Request: r, job: j, window: &load.Window{Requests: 5}, threads: 1})
		if err != nil || slices.Contains(argv, "--h1") == two {
			t.Errorf("h2load, HTTP/2: %v: %q, %v", two, argv, err)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var missing *Missing
	for _, name := range names() {
		if _, err := Find(t.Context(), name); !errors.As(err, &missing) ||
			!strings.Contains(err.Error(), "install it: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Find(t.Context(), "siege"); err == nil ||
		!strings.Contains(err.Error(), "want one of wrk, bombardier, ab, h2load") {
		t.Error(err)
	}
}

// The installed tools really load a server, and report no more answers than it gave.
func TestInstalledTools(t *testing.T) {
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			tool, err := Find(t.Context(), name)
			var missing *Missing
			if errors.As(err, &missing) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			var right, wrong atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/api/values/") && r.Header.Get("X-Kind") == "a b" {
					right.Add(1)
				} else {
					wrong.Add(1)
				}
				if strings.HasPrefix(r.Proto, "HTTP/1.0") {
					w.Header().Set("Content-Length", "5")
				}
				w.Write([]byte("value"))
			}))
			defer s.Close()
			window := load.Window{Requests: 400, For: time.Second} // wrk cannot count
			job := load.Job{Endpoint: wire.TCP(s.Listener.Addr().String()), Scenario: values("GET", ""),
				Connections: 4}
			reported, used, err := tool.Load(t.Context(), job, window, filepath.Join(t.TempDir(), "logs", "out"))
			switch {
			case err != nil:
				t.Fatal(err)
			case reported.Trouble != "" || reported.Exit != "" || reported.RatePerSec == nil || reported.Answered == nil ||
				reported.WindowNS == nil || used <= 0:
				t.Errorf("%s, CPU %v: %s", name, used, show(reported))
			case wrong.Load() > 1: // wrk asks once before
				t.Errorf("%d requests of another kind", wrong.Load())
			case *reported.Answered < 1 || *reported.Answered > right.Load() || name != "wrk" &&
				*reported.Answered != window.Requests:
				t.Errorf("told %d answers; %d were given", *reported.Answered, right.Load())
			case reported.Errors == nil || reported.Version == "" || reported.Command[0] != name:
				t.Errorf("%s", show(reported))
			}
		})
	}
}

// An interrupted load leaves no process, and is no load.
func TestCancelled(t *testing.T) {
	tool, err := Find(t.Context(), "wrk")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { cancel() }))
	defer s.Close()
	job := load.Job{Endpoint: wire.TCP(s.Listener.Addr().String()), Scenario: values("GET", ""), Connections: 1}
	if _, _, err := tool.Load(ctx, job, load.Window{For: time.Hour},
		filepath.Join(t.TempDir(), "out")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFindRefusesDyno: dyno under a tool's name is not that tool.
func TestFindRefusesDyno(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "wrk"), []byte("#!/bin/sh\necho dyno 0.1.0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if _, err := Find(t.Context(), "wrk"); err == nil || !strings.Contains(err.Error(), "is dyno under that name") {
		t.Errorf("%v", err)
	}
}
