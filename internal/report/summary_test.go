package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// spread records n latencies evenly from lo to hi.
func evenly(h *record.Histogram, n int, lo, hi time.Duration) *record.Histogram {
	if h == nil {
		h = record.NewHistogram()
	}
	for i := range n {
		h.Record(int64(lo) + int64(hi-lo)*int64(i)/int64(max(n-1, 1)))
	}
	return h
}

// closed is a faultless closed loop, second by second: 10 s at 12,000/s.
func closed() *Summary {
	s := &Summary{
		Dyno: "0.1.0-test", Command: "dyno load --seed 1 http://127.0.0.1:9200/", Target: "http://127.0.0.1:9200/",
		Did: "10 s over 125 connections, closed loop, 1 thread", Seed: 1}
	s.OneLoad = judge.OneLoad{For: 10 * time.Second, Wall: 10004 * time.Millisecond,
		Load: record.Load{
			Planned: 120_000, Started: 120_000, Succeeded: 120_000, WindowNS: 10_003e6, Connections: 125,
			Established: 125, Workers: 1,
			LoopCPUNS: 6_200e6, RunQueueNS: 30e6, BytesRead: 15_600_000, BytesWritten: 7_800_000,
			RateAnswers: 119_880.25, RateNS: 9_990e6, RateFromNS: 10e6, WallNS: 10_004e6, ServiceP50NS: 6e6,
		},
		Detail: record.Detail{
			Service: evenly(evenly(nil, 119_000, time.Millisecond, 12*time.Millisecond), 1000, 12*time.Millisecond,
				115*time.Millisecond),
			Connect:   evenly(nil, 125, 40*time.Microsecond, 400*time.Microsecond),
			FirstByte: evenly(nil, 120_000, time.Millisecond, 11*time.Millisecond),
			Status:    map[int]int64{200: 120_000},
		},
	}
	for k := range 11 {
		n := int64(11_000 + 200*k)
		if k == 10 {
			n = 400 // the drain
		}
		s.Seconds = append(s.Seconds, Second{StartNS: int64(k) * 1e9, LengthNS: 1e9, Started: n, Succeeded: n,
			BytesRead: 130 * n, RunQueueNS: 3e6,
			P50NS: 6_500_000, P99NS: 11_900_000, MaxNS: 115_000_000})
	}
	return s
}

// open is a schedule of 1,000/s against a server that stalls and lets 54 requests time out.
func open() *Summary {
	s := &Summary{
		Dyno: "0.1.0-test", Command: "dyno load --rate 1000 --seed 1 http://h/", Target: "http://h/",
		Did: "10 s at 1,000/s over 125 connections, open loop, 1 thread", Seed: 1,
		Timeout: 2 * time.Second}
	s.OneLoad = judge.OneLoad{Open: true, For: 10 * time.Second, Wall: 12 * time.Second,
		Load: record.Load{
			Planned: 10_000, Started: 9_990, NeverStarted: 10, Succeeded: 9_931, Failed: 3,
			Errors:   map[string]int64{"timeout": 54, "reset": 2},
			Failures: map[string]int64{"status": 3}, WindowNS: 11_999e6, Connections: 125, Established: 125, Workers: 1,
			LoopCPUNS: 400e6, SpunNS: 600e6, Spin: new(true), RunQueueNS: 5e6, BytesRead: 1_290_000,
			BytesWritten: 650_000,
		},
		Detail: record.Detail{
			Response: evenly(evenly(nil, 9_934, 2*time.Millisecond, 3*time.Millisecond), 66, 2*time.Second,
				2500*time.Millisecond),
			Service: evenly(evenly(nil, 9_931, 2*time.Millisecond, 3*time.Millisecond), 56, 2*time.Second,
				2*time.Second),
			Wrong:    evenly(nil, 3, 2*time.Millisecond, 3*time.Millisecond),
			Lag:      evenly(nil, 9_990, 5*time.Microsecond, 50*time.Microsecond),
			Censored: 69, CensoredFromNS: 2e6, Unanswered: 56, UnansweredFromNS: 2e9,
			Status: map[int]int64{200: 9_931, 503: 3},
			Texts:  map[string]string{"timeout": "no complete answer within 2s", "reset": "connection reset by peer"},
			First: "GET /: wrong status: status 503, body of 4 bytes; read last: \"HTTP/1.1 503 Service " +
				"Unavailable\\r\\n\"",
		},
	}
	for k := range 10 {
		s.Seconds = append(s.Seconds, Second{StartNS: int64(k) * 1e9, LengthNS: 1e9, Started: 999, Succeeded: 993,
			P50NS: 2_500_000, P99NS: 2_990_000, MaxNS: 3e6,
			LagP50NS: 27_000, LagP99NS: 50_000})
	}
	s.Seconds[4] = Second{StartNS: 4e9, LengthNS: 1e9} // no response came
	return s
}

// cases are loads by name, each with a different problem.
func cases() map[string]*Summary {
	all := map[string]*Summary{"closed": closed(), "open": open()}
	addFailures(all)
	addDelays(all)
	addMixes(all)
	return all
}

// addFailures adds loads that partly did not take place.
func addFailures(all map[string]*Summary) {
	busy := closed()
	busy.Load.LoopCPUNS, busy.Load.RunQueueNS = 9_600e6, 300e6
	all["generator"] = busy

	short := closed()
	short.For, short.Load.ServiceP50NS = 3*time.Second, 700e6
	short.Load.RateAnswers, short.Load.RateNS, short.Load.RateFromNS, short.Load.WallNS = 119_000, 3_000e6, 0, 3_650e6
	short.Load.LoopCPUNS = 1_100e6
	all["short"] = short

	stood := closed()
	stood.Load.SilentNS, stood.Load.ServiceP50NS = 4_000e6, 425_000
	all["stopped"] = stood

	mute := closed()
	mute.Depth = 1
	mute.For, mute.Load.RateAnswers, mute.Load.RateNS, mute.Load.RateFromNS, mute.Load.WallNS = 20*time.Second, 120_000,
		20_000e6, 0, 22_000e6
	all["mute"] = mute

	fewer := closed()
	fewer.Load.Established, fewer.Load.Errors = 96, map[string]int64{"dial": 145}
	fewer.Load.Succeeded -= 145
	fewer.Detail.Texts = map[string]string{"dial": "dial: connection\x1b[2J refused"}
	all["fewer"] = fewer

	gone := closed()
	gone.For, gone.Load.Planned, gone.Load.NeverStarted, gone.Load.Errors = 0, 5_000_000, 4_879_500,
		map[string]int64{"dial": 500}
	gone.Load.Started, gone.Load.UnreachableNS = 120_500, 10_020e6
	gone.Detail.Texts = map[string]string{"dial": "dial: connection refused"}
	all["gone"] = gone
}

// addDelays adds loads that were delayed or interrupted.
func addDelays(all map[string]*Summary) {
	starved := open()
	starved.Load = record.Load{Planned: 10_000, Started: 8_120, NeverStarted: 1_880, Succeeded: 8_120,
		WindowNS: 10_010e6, Connections: 8, Established: 8, Workers: 1,
		LoopCPUNS: 300e6, StarvedNS: 9_000e6, BacklogPeak: 1_900}
	starved.Detail = record.Detail{Response: evenly(evenly(nil, 8_120, 10*time.Millisecond, 1800*time.Millisecond),
		1_880, time.Millisecond, 1880*time.Millisecond),
		Service:  evenly(nil, 8_120, 8*time.Millisecond, 9*time.Millisecond),
		Lag:      evenly(nil, 8_120, time.Millisecond, 1800*time.Millisecond),
		Censored: 1_880, CensoredFromNS: 1e6, Status: map[int]int64{200: 8_120}}
	all["starved"] = starved

	uneven := open()
	uneven.Load, uneven.Detail = starved.Load, starved.Detail
	uneven.Load.Workers, uneven.Load.UnevenNS = 8, 8_000e6
	all["uneven"] = uneven

	paused := closed()
	paused.Load.GapNS = 1_350e6
	all["paused"] = paused

	suspended := open()
	suspended.Suspended = 3 * time.Second
	all["suspended"] = suspended

	late := open()
	late.Load = record.Load{Planned: 10_000, Started: 10_000, Succeeded: 10_000, WindowNS: 10_002e6, Connections: 125,
		Established: 125, Workers: 1,
		LoopCPUNS: 5_000e6, RunQueueNS: 5_100e6}
	late.Detail = record.Detail{Response: evenly(nil, 10_000, time.Millisecond, 12*time.Millisecond),
		Service: evenly(nil, 10_000, time.Millisecond, 3*time.Millisecond),
		Lag:     evenly(nil, 10_000, time.Microsecond, 9*time.Millisecond), Status: map[int]int64{200: 10_000}}
	all["late"] = late

	cut := closed()
	cut.Interrupted, cut.For, cut.Wall = true, 0, 3_401*time.Millisecond
	cut.Load.WindowNS, cut.Load.Planned, cut.Load.InFlight, cut.Load.NeverStarted = 3_400e6, 500_000, 125, 465_875
	cut.Load.Started, cut.Load.Succeeded, cut.Load.LoopCPUNS = 34_125, 34_000, 2_100e6
	cut.Load.RateAnswers, cut.Load.RateNS, cut.Load.RateFromNS, cut.Load.WallNS = 33_900, 3_390e6, 10e6, 3_401e6
	cut.Detail.Service = evenly(evenly(nil, 34_000, time.Millisecond, 12*time.Millisecond), 125, 100*time.Microsecond,
		9*time.Millisecond)
	cut.Detail.Unanswered, cut.Detail.UnansweredFromNS = 125, 100_000
	cut.Seconds = cut.Seconds[:4]
	all["interrupted"] = cut
}

// addMixes adds loads with unusual requests, responses and numbers of them.
func addMixes(all map[string]*Summary) {
	churn := closed()
	churn.Detail.Connect = evenly(nil, 120_000, 40*time.Microsecond, 400*time.Microsecond)
	all["churn"] = churn

	encrypted := closed()
	encrypted.Target, encrypted.Unverified = "https://127.0.0.1:9200/", true
	encrypted.Load.Handshakes, encrypted.Load.Unnotified = 120_000, 1
	session := record.TLSSession{Version: "TLS 1.3", Suite: "TLS_AES_128_GCM_SHA256", Group: "X25519MLKEM768",
		ALPN: "http/1.1", Resumed: true, Connections: 120_000}
	full := session
	full.Resumed, full.Connections = false, 125
	encrypted.Load.TLS = []record.TLSSession{session, full}
	encrypted.Load.Succeeded, encrypted.Load.Errors = 119_990, map[string]int64{"handshake": 10}
	encrypted.Renewing = true
	encrypted.Detail.Connect = evenly(nil, 120_125, 40*time.Microsecond, 400*time.Microsecond)
	encrypted.Detail.Handshake = evenly(nil, 120_125, 400*time.Microsecond, 3*time.Millisecond)
	encrypted.Detail.Texts = map[string]string{"handshake": "TLS handshake: the server closed the connection"}
	all["encrypted"] = encrypted

	mix := closed()
	mix.Names = []string{"GET /users", "POST /users", "GET /users/{int:1..100}", "verified only"}
	mix.Load.Succeeded, mix.Load.Failed, mix.Load.Errors = 119_900, 60, map[string]int64{"timeout": 40}
	mix.Detail.Each = []record.Each{
		{Succeeded: 80_000, Latency: evenly(nil, 80_000, time.Millisecond, 3*time.Millisecond)},
		{Succeeded: 39_000, Failed: 60, Unanswered: 40, Censored: 40, CensoredFromNS: 2e9, Latency: evenly(
			evenly(nil, 39_000, 5*time.Millisecond, 115*time.Millisecond), 40, 2*time.Second, 2*time.Second)},
		{Succeeded: 900, Latency: evenly(nil, 900, time.Millisecond, 3*time.Millisecond)},
		{},
	}
	mix.Objectives, _ = judge.ParseObjectives("p99<20ms, p99.99<1s, p50<100ms, errors<0.1%")
	all["mix"] = mix

	moved := closed()
	moved.AnyStatus, moved.Detail.Status = true, map[int]int64{301: 100_000, 302: 20_000}
	all["redirects"] = moved

	// An engine that measures little, a load with few requests and no whole second.
	all["few"] = &Summary{Target: "http://h/", Did: "12 requests over 1 connection", OneLoad: judge.OneLoad{
		Load: record.Load{Planned: 12, Started: 12, Succeeded: 12, WindowNS: 30e6, Connections: 1, Established: 1},
		Detail: record.Detail{Service: evenly(nil, 12, time.Millisecond, 3*time.Millisecond),
			Status: map[int]int64{204: 12}}}}
	all["no-figures"] = &Summary{Target: "http://h/", Did: "1 s over 1 connection",
		OneLoad: judge.OneLoad{For: time.Second, Load: record.Load{Connections: 1, Established: 1}}}
}

func TestSummaryText(t *testing.T) {
	for name, s := range cases() {
		golden(t, name+".txt", write(t, SummaryText, s))
	}
}

func TestJSONGoldens(t *testing.T) {
	all := cases()
	for _, name := range []string{"closed", "open", "few", "mix", "encrypted"} {
		golden(t, name+".json", write(t, SummaryJSON, all[name]))
	}
}

func TestCSVGoldens(t *testing.T) {
	all := cases()
	for _, name := range []string{"closed", "open", "mix"} {
		golden(t, name+".csv", write(t, SummaryCSV, all[name]))
	}
}

func write(t *testing.T, f func(io.Writer, *Summary) error, s *Summary) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A load that should redial gets no warning about it, nor a load whose errors account for its
// dials.
func TestChurn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Summary)
		want   bool
	}{
		"closed by the server": {func(*Summary) {}, true},
		"as asked":             {func(s *Summary) { s.Renewing = true }, false},
		"a few":                {func(s *Summary) { s.Detail.Connect = evenly(nil, 3*125, 40, 400) }, false},
		"more than a few":      {func(s *Summary) { s.Detail.Connect = evenly(nil, 3*125+1, 40, 400) }, true},
		"errors":               {func(s *Summary) { s.Load.Errors = map[string]int64{"closed": 119_900} }, false},
		"not counted":          {func(s *Summary) { s.Detail.Connect = nil }, false},
	} {
		s := cases()["churn"]
		c.change(s)
		if got := (judge.TextOf(s.Findings(), judge.Churn) != ""); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Every form must be complete and readable for every load.
func TestFormsHold(t *testing.T) {
	for name, s := range cases() {
		text := write(t, SummaryText, s)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if !strings.HasPrefix(lines[len(lines)-1], "Requests/sec: ") || strings.Contains(text, "\x1b") ||
			strings.Contains(text, "NaN") {
			t.Errorf("%s:\n%s", name, text)
		}
		if wrong := len(s.Findings()) > 0; wrong != strings.HasPrefix(text, "WARNING: ") {
			t.Errorf("%s: warned %v, begins %q", name, wrong, lines[0])
		}
		var doc map[string]any
		if err := json.Unmarshal([]byte(write(t, SummaryJSON, s)), &doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rows, err := csv.NewReader(strings.NewReader(write(t, SummaryCSV, s))).ReadAll()
		if err != nil || len(rows) != len(s.Seconds)+1 {
			t.Errorf("%s: %d rows for %d seconds, %v", name, len(rows), len(s.Seconds), err)
		}
	}
}

func TestWarnings(t *testing.T) {
	want := map[string]string{
		"closed": "", "open": "errors", "generator": "generator", "fewer": "connections errors",
		"starved": "errors rate starved", "late": "generator",
		"interrupted": "interrupted", "gone": "ended_early errors", "few": "", "no-figures": "", "churn": "churn",
		"short": "unsteady", "mute": "unsteady", "uneven": "errors rate starved", "paused": "paused",
		"suspended": "errors paused",
		"stopped":   "stopped", "mix": "errors", "redirects": "redirects", "encrypted": "errors",
	}
	for name, s := range cases() {
		var ids []string
		for _, w := range s.warnings() {
			ids = append(ids, w.ID)
		}
		if got := strings.Join(ids, " "); got != want[name] {
			t.Errorf("%s: %q; want %q", name, got, want[name])
		}
	}
	s := closed()
	s.Load.Succeeded--
	if judge.TextOf(s.Findings(), judge.Ledger) == "" {
		t.Error("a ledger that does not close is not noticed")
	}
}

// TestRedirects: a warning appears only if all answers were redirects and nobody expected them.
func TestRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Summary)
		want   bool
	}{
		"all":        {func(*Summary) {}, true},
		"asked for":  {func(s *Summary) { s.AnyStatus = false }, false},
		"one is not": {func(s *Summary) { s.Detail.Status[200] = 1 }, false},
		"no answer":  {func(s *Summary) { s.Detail.Status = nil }, false},
		"up to date": {func(s *Summary) { s.Detail.Status = map[int]int64{304: 9} }, false},
	} {
		s := cases()["redirects"]
		if c.change(s); (judge.TextOf(s.Findings(), judge.Redirected) != "") != c.want {
			t.Errorf("%s: %v", name, s.Findings())
		}
	}
}

// TestLateNeedsPercentile: with too few requests for a 99th percentile the generator is not
// mentioned, however late the latest request was.
func TestLateNeedsPercentile(t *testing.T) {
	for n, want := range map[int]bool{999: false, 1000: true} {
		s := open()
		s.Load = record.Load{Planned: int64(n), Started: int64(n), Succeeded: int64(n), WindowNS: 10_002e6,
			Connections: 1,
			Established: 1, Workers: 1, LoopCPUNS: 1_000e6}
		h := evenly(nil, n, 100*time.Millisecond, 200*time.Millisecond)
		s.Detail = record.Detail{Response: h, Service: h, Lag: h, Status: map[int]int64{200: int64(n)}}
		if (judge.TextOf(s.Findings(), judge.GeneratorShare) != "") != want {
			t.Errorf("%d requests: %v", n, s.Findings())
		}
	}
}

func TestParseObjectives(t *testing.T) {
	got, err := judge.ParseObjectives("p99<20ms,errors<0.1%, p99.9<1s,p9999<2s")
	want := []judge.Objective{{Text: "p99<20ms", Key: "p99_ns", Below: 20e6}, {Text: "errors<0.1%", Below: 0.001},
		{Text: "p99.9<1s", Key: "p999_ns", Below: 1e9}, {Text: "p9999<2s", Key: "p9999_ns", Below: 2e9}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"p99": "want NAME<LIMIT", "p98<1ms": "want p50, p75", "p99<20": "want a limit above 0",
		"errors<2": "want a limit",
		"errors<0": "want a limit", "p99<-1s": "want a limit", "p99<1s,p99<2s": "second limit for p99",
		"": "want NAME<LIMIT", "p9.9<1s": "want p50", "p7.5<1s": "want p50", "p99.<1s": "want p50", "p.99<1s": "want p50",
		"p9.99<1s": "want p50, p75, p90, p95, p99, p99.9, p99.99 or errors",
	} {
		if _, err := judge.ParseObjectives(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestVerdicts: an objective that cannot be determined is neither kept nor missed, and a lower
// bound never proves a value below a limit.
func TestVerdicts(t *testing.T) {
	of := func(s *Summary, text string) string {
		s.Objectives, _ = judge.ParseObjectives(text)
		return objectiveText(&s.Results()[0])
	}
	for got, want := range map[string]string{
		of(closed(), "p50<20ms"):         "kept",
		of(closed(), "p50<1ms"):          "MISSED",
		of(closed(), "p99.99<1s"):        "cannot tell (too few requests",
		of(open(), "p90<1s"):             "kept",
		of(open(), "p99.9<3s"):           "cannot tell (too few requests",
		of(open(), "errors<1%"):          "kept",
		of(open(), "errors<0.1%"):        "MISSED",
		of(cases()["starved"], "p95<5s"): "cannot tell (only a lower bound is known",
		of(cases()["starved"], "p95<1s"): "MISSED",
		of(closed(), "errors<0.1%"):      "kept (none)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

func TestErrorShare(t *testing.T) {
	s := open()
	if got := s.ErrorShare(); math.Abs(got-69.0/10_000) > 1e-12 {
		t.Errorf("share %v", got)
	}
	s.Interrupted = true
	if got := s.ErrorShare(); math.Abs(got-59.0/10_000) > 1e-12 {
		t.Errorf("interrupted: share %v", got)
	}
	if got := (&Summary{}).ErrorShare(); got != 0 {
		t.Errorf("nothing: share %v", got)
	}
}

func TestQuantileNeedsRequestsBeyond(t *testing.T) {
	for _, c := range []struct {
		n     int
		q     float64
		known bool
	}{{20, .5, true}, {19, .5, false}, {100, .9, true}, {99, .9, false}, {1000, .99, true}, {999, .99, false},
		{100_000, .999, true}, {99_999, .999, false}, {100_000, .9999, false}, {0, .5, false}} {
		l := judge.Latencies{H: evenly(nil, c.n, time.Millisecond, time.Second)}
		if got := l.Quantile(c.q).Known; got != c.known {
			t.Errorf("%v of %d: %v", c.q, c.n, got)
		}
	}
	if none := (judge.Latencies{}); none.Quantile(.5).Known || none.Mean().Known || none.Max().Known {
		t.Error("what was not measured has a figure")
	}
}

func TestQuantileOfCensored(t *testing.T) {
	// 900 answers at 1 ms, 100 requests given up after 2 s: 90 % are known, the others take at
	// least 2 s.
	l := judge.Latencies{H: evenly(evenly(nil, 900, time.Millisecond, time.Millisecond), 100, 2*time.Second,
		2*time.Second),
		Censored: 100, From: 2e9}
	if f := l.Quantile(.5); f.AtLeast || timeText(f) != "1.00 ms" {
		t.Errorf("median %s", timeText(f))
	}
	if f := l.Quantile(.99); !f.AtLeast || timeText(f) != ">= 2.00 s" {
		t.Errorf("p99 %s", timeText(f))
	}
	if f := l.Max(); timeText(f) != ">= 2.00 s" {
		t.Errorf("max %s", timeText(f))
	}
	// Three in flight at the end, after 0.1 ms: they cannot move the median of 100,000, but they
	// can move the maximum.
	l = judge.Latencies{H: evenly(evenly(nil, 100_000, time.Millisecond, time.Millisecond), 3, 100*time.Microsecond,
		100*time.Microsecond), Censored: 3, From: 100_000}
	if f := l.Quantile(.5); f.AtLeast {
		t.Errorf("median %s", timeText(f))
	}
	if f := l.Max(); !f.AtLeast {
		t.Errorf("max %s", timeText(f))
	}
	// Beyond the histogram's range.
	l = judge.Latencies{H: evenly(evenly(nil, 500, time.Millisecond, time.Millisecond), 500, 2*time.Minute, 2*time.Minute)}
	for _, f := range []judge.Figure{l.Quantile(.9), l.Max()} {
		if timeText(f) != ">= 60.0 s" {
			t.Errorf("beyond the range: %s", timeText(f))
		}
	}
	if f := l.Quantile(.25); timeText(f) != "1.00 ms" {
		t.Errorf("p25 %s", timeText(f))
	}
}

func TestRateCountsWholeSecondsOnly(t *testing.T) {
	s := open()
	x := s.whole()
	if len(x) != 10 || x[4] != 0 || math.Abs(x[0]-993) > 1e-9 {
		t.Errorf("rates %v", x)
	}
	two := open()
	if two.Seconds = two.Seconds[:2]; two.statistics().Rows[0].Cells[2].Value != "-" {
		t.Error("a standard deviation of two")
	}
	c := closed() // the drain is not a second
	if x := c.whole(); len(x) != 10 {
		t.Errorf("%d whole seconds", len(x))
	}
	c.Load.WindowNS, c.Load.WallNS = 12_000e6, 12_000e6 // nor is the wait for the last answers
	if x := c.whole(); len(x) != 10 {
		t.Errorf("%d whole seconds with a long drain", len(x))
	}
	c.Interrupted, c.Load.RateFromNS, c.Load.RateNS = true, 1, 3_400e6
	if x := c.whole(); len(x) != 3 {
		t.Errorf("interrupted: %d whole seconds", len(x))
	}
	if c.Load.RateNS = 6_500e6; len(c.whole()) != 6 {
		t.Errorf("interrupted after a stall: %d whole seconds", len(c.whole()))
	}
}

// TestShortLoadsArePausedToo: a stopped generator or machine spoils a load of any length.
func TestShortLoadsArePausedToo(t *testing.T) {
	s := closed()
	s.Load.WindowNS, s.Load.WallNS, s.Load.GapNS = 80e6, 81e6, 9e6
	if judge.TextOf(s.Findings(), judge.Pauses) != "" {
		t.Errorf("after a gap of 9 ms: %v", s.Findings())
	}
	if s.Load.GapNS = 60e6; judge.TextOf(s.Findings(), judge.Pauses) == "" {
		t.Errorf("after a gap of 60 ms: %v", s.Findings())
	}
	s = closed()
	s.Load.WindowNS, s.Suspended = 5e6, time.Hour
	if judge.TextOf(s.Findings(), judge.Pauses) == "" {
		t.Errorf("suspended: %v", s.Findings())
	}
}

func TestOf(t *testing.T) {
	h := evenly(nil, 1000, time.Millisecond, 5*time.Millisecond)
	s := Of(record.Interval{StartNS: 2e9, LengthNS: 1e9, Load: record.Load{Started: 9, Succeeded: 5, Failed: 1,
		Errors: map[string]int64{"reset": 1, "dial": 2}},
		Detail: record.Detail{Service: evenly(nil, 10, 1, 2), Response: h,
			Lag: evenly(nil, 999, time.Microsecond, 2*time.Microsecond)}})
	if s.Errored != 3 || s.P50NS != h.Quantile(.5) || s.P99NS != h.Quantile(.99) || s.MaxNS != h.Max() ||
		s.LagP50NS == 0 || s.LagP99NS != 0 || s.second() != 2 {
		t.Errorf("%+v", s)
	}
}

// TestSentAgain: the number of repeated requests is in the text, the JSON and each CSV row.
func TestSentAgain(t *testing.T) {
	s := closed()
	var out strings.Builder
	if err := errors.Join(SummaryText(&out, s), SummaryJSON(&out, s)); err != nil ||
		strings.Contains(out.String(), "ent again") ||
		strings.Contains(out.String(), "sent_again") {
		t.Errorf("where none was: %v, %s", err, &out)
	}
	s.Load.SentAgain = 0
	for i := range s.Seconds {
		s.Seconds[i] = Of(record.Interval{LengthNS: 1e9, Load: record.Load{SentAgain: int64(i + 1001)}})
		s.Load.SentAgain += int64(i + 1001)
	}
	out.Reset()
	if err := SummaryText(&out, s); err != nil || !strings.Contains(out.String(), document.Whole(s.Load.SentAgain)+
		" times a request") {
		t.Errorf("%v, %s", err, &out)
	}
	out.Reset()
	if err := SummaryJSON(&out, s); err != nil || !strings.Contains(out.String(),
		fmt.Sprintf(`"sent_again": %d,`, s.Load.SentAgain)) {
		t.Errorf("%v, %s", err, &out)
	}
	out.Reset()
	err := SummaryCSV(&out, s)
	rows, bad := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || bad != nil || len(rows) < 3 {
		t.Fatal(err, bad, rows)
	}
	at := slices.Index(rows[0], "sent_again")
	for i, row := range rows[1:] {
		if want := strconv.Itoa(i + 1001); at < 0 || row[at] != want {
			t.Errorf("second %d: %q; want %s", i, row, want)
		}
	}
}
