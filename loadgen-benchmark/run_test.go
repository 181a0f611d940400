//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestParse parses each peer's output of one second against `dyno refserver null`.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		peer              peer
		requests, seconds float64
	}{
		{wrk, 122_715, 1.0045}, {bombardier, 96_674, 1.0011}, {oha, 85_800, 1.0039}, {h2load, 60_411, 1},
		{hey, 12_313, 1.0175}, {ab, 122_807, 1.001}, {zrk, 13_406, 1.121},
		{epollLoop, 55_325, 1}, {dyno, 145_853, 1.0002},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.peer.name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.peer.parse(text)
		if err != nil || got.requests != c.requests || math.Abs(got.seconds-c.seconds) > 5e-4 || got.errors != 0 {
			t.Errorf("%s: %+v, %v", c.peer.name, got, err)
		}
		if got, err := c.peer.parse([]byte("connection refused\n")); !errors.Is(err, errNoFigures) {
			t.Errorf("%s: %+v, %v from what holds no figures", c.peer.name, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		peer peer
		text string
		want float64
	}{
		{wrk, read("wrk") + "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 5\n",
			15},
		{bombardier, strings.Replace(read("bombardier"), `"req5xx":0,"others":0`, `"req5xx":3,"others":4`, 1), 7},
		{oha, strings.Replace(read("oha"), `"errorDistribution": {`, `"errorDistribution": {"connection refused": 7,`,
			1), 7},
		{h2load, strings.Replace(read("h2load"), "0 failed, 0 errored, 0 timeout", "1 failed, 2 errored, 4 timeout", 1),
			7},
		{hey, read("hey") + "  [500]\t3 responses\n\nError distribution:\n  [4]\tGet \"http://127.0.0.1:1/\": EOF\n",
			7},
		{zrk, strings.Replace(read("zrk"), `"connect": 0, "read": 0`, `"connect": 3, "read": 4`, 1), 7},
		{ab, strings.Replace(read("ab"), "Failed requests:        0", "Failed requests:        7", 1), 7},
		{dyno, strings.Replace(read("dyno"), `"errored": 0`, `"errored": 7`, 1), 7},
	} {
		if got, err := c.peer.parse([]byte(c.text)); err != nil || got.errors != c.want || got.requests == 0 {
			t.Errorf("%s: %+v, %v, want %v errors", c.peer.name, got, err, c.want)
		}
	}
}

func TestHandshakes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "dyno.txt"))
	if err != nil {
		t.Fatal(err)
	}
	renewed := strings.Replace(string(text), `"wall_ns": 1001615052`, `"handshakes": 4000, "wall_ns": 2000000000`, 1)
	got, err := full.parse([]byte(renewed))
	if err != nil || got.requests != 4000 || got.seconds != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	secure := shape{connections: 125, depth: 1, protocol: https}
	for p, want := range map[*peer]string{
		&full:       "dyno load .* --insecure .*--no-keepalive --no-resume https://a/$",
		&resumed:    "dyno load .* --insecure .*--no-keepalive https://a/$",
		&h2loadFull: "^dyno --h1 -t1 -c 4000 -n 4000 --groups X25519 https://a/$",
	} {
		argv := strings.Join(p.command("dyno", "https://a/", secure, time.Second), " ")
		if !regexp.MustCompile(want).MatchString(argv) {
			t.Errorf("%s; want %s", argv, want)
		}
	}
}

// TestNginx: nginx speaks each protocol, and counts its responses.
func TestNginx(t *testing.T) {
	for _, program := range []string{"nginx", "taskset"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	b := &rig{temp: t.TempDir(), log: io.Discard, have: map[string]installed{}, servers: map[int]bool{}}
	for p, want := range map[protocol]string{https: "HTTP/1.1", h2c: "HTTP/2.0", h2: "HTTP/2.0"} {
		s, err := b.serveNginx(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var speaks http.Protocols
		speaks.SetHTTP1(p == https)
		speaks.SetHTTP2(p == h2)
		speaks.SetUnencryptedHTTP2(p == h2c)
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			Protocols: &speaks}}
		for range 5 {
			r, err := client.Get(s.url())
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			if r.Proto != want || string(body) != "value" || err != nil {
				t.Errorf("%s: %s, %q, %v", p, r.Proto, body, err)
			}
		}
		if tally, err := s.stop(); err != nil || tally.Requests != 6 { // including the status request
			t.Errorf("%s: %+v, %v", p, tally, err)
		}
	}
}

// TestCommands: each peer gets flags for the protocol and the streams.
func TestCommands(t *testing.T) {
	for want, c := range map[string]struct {
		peer  peer
		shape shape
	}{
		"p load .* -c 10 .* --streams 7 --http h2c http://a/$": {dyno, shape{connections: 10, depth: 7, protocol: h2c}},
		"p load .* -c 10 .* --streams 1 --http h2 --insecure http://a/$": {dyno,
			shape{connections: 10, depth: 1, protocol: h2}},
		"p load .* -c 10 -d 2s --pipeline 7 http://a/$":           {dyno, shape{connections: 10, depth: 7}},
		"p load .* -c 10 -d 2s http://a/$":                        {dyno, shape{connections: 10, depth: 1}},
		"p -t1 -c 10 -D 2 -m 7 http://a/$":                        {h2load, shape{connections: 10, depth: 7, protocol: h2c}},
		"p -t1 -c 10 -D 2 -m 1 --groups X25519 http://a/$":        {h2load, shape{connections: 10, depth: 1, protocol: h2}},
		"p -t1 -c 10 -D 2 --h1 http://a/$":                        {h2load, shape{connections: 10, depth: 1}},
		"p -z 2s -c 10 .* json --http2 -p 7 --insecure http://a/": {oha, shape{connections: 10, depth: 7, protocol: h2}},
		"p -z 2s -c 10 .* json http://a/":                         {oha, shape{connections: 10, depth: 1}},
	} {
		argv := strings.Join(c.peer.command("p", "http://a/", c.shape, 2*time.Second), " ")
		if !regexp.MustCompile("^" + want).MatchString(argv) {
			t.Errorf("%s\nwant %s", argv, want)
		}
	}
}

// TestServerBusy: the server limits a race if either generator keeps it busy in the median window.
func TestServerBusy(t *testing.T) {
	round := func(a, b float64) []outcome { return []outcome{{Server: a}, {Server: b}} }
	if got := serverBusy([][]outcome{round(.5, .97), round(.6, 1), round(1, .2)}); got != .97 {
		t.Errorf("%v", got)
	}
	done := make(chan struct{})
	close(done)
	if got := midway(time.Hour, done); got != 0 {
		t.Errorf("%v of a window that was over at once", got)
	}
	rows := rateOrCPU("a", "b", 1)
	lo, hi := .99, 1.01 // neither bar is met
	for busy, want := range map[float64][2]bool{.5: {false, true}, .96: {true, false}} {
		r := &result{Value: 1, Lo: &lo, Hi: &hi, ServerBusy: busy}
		if got := [2]bool{rows[0].met(r), rows[1].met(r)}; got != want {
			t.Errorf("server %v busy: met %v", busy, got)
		}
	}
}

func TestRowsAreNamedOnceAndNotesHaveRows(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range experiments() {
		for _, r := range e.rows {
			if r.name == "" || seen[r.name] {
				t.Errorf("%q is the name of two rows", r.name)
			}
			seen[r.name] = true
		}
	}
	for name := range notes {
		if !seen[name] {
			t.Errorf("the note on %s has no row", name)
		}
	}
}

// machineOf returns an account in which other programs took shares[k] of the two CPUs in window k.
func machineOf(shares ...float64) account {
	k, opened := 0, false
	var all time.Duration
	return func() (time.Duration, time.Duration) {
		if opened {
			all += time.Duration(shares[k%len(shares)] * float64(2*time.Hour)) // longer than any window
			k++
		}
		opened = !opened
		return all, 0
	}
}

func TestVoidRoundsAreRepeated(t *testing.T) {
	var order []string
	side := func(name string) contender {
		return contender{name, func(context.Context) (outcome, error) {
			order = append(order, name)
			return outcome{Rate: 1}, nil
		}}
	}
	cs := []contender{side("a"), side("b")}
	tell := func([]outcome, string) error { return nil }
	var p progress
	err := runRounds(t.Context(), 3, voids, cs, machineOf(0, 0, 1, 0, 0, 0, 0, 0), &p, tell)
	if err != nil || len(p.Valid) != 3 || p.All != 4 || len(order) != 8 {
		t.Errorf("%+v, %d windows, %v", p, len(order), err)
	}
	p = progress{}
	if err := runRounds(t.Context(), 3, voids, cs, machineOf(1), &p, tell); !errors.Is(err, errNoise) || p.All != 3*tries {
		t.Errorf("a machine that is never quiet: %+v, %v", p, err)
	}
	erring := contender{"c", func(context.Context) (outcome, error) { return outcome{erred: true}, nil }}
	if err := runRounds(t.Context(), 1, voids, []contender{erring}, machineOf(0), &progress{}, tell); !errors.Is(err,
		errNoise) {
		t.Errorf("a peer that errs: %v", err)
	}
	failing := contender{"c", func(context.Context) (outcome, error) { return outcome{}, errNoFigures }}
	if err := runRounds(t.Context(), 1, voids, []contender{failing}, machineOf(0), &progress{}, tell); !errors.Is(err,
		errNoFigures) {
		t.Errorf("a contender that fails: %v", err)
	}
	if err := runRounds(t.Context(), 1, voids, []contender{failing}, machineOf(1), &progress{}, tell); !errors.Is(err,
		errNoise) {
		t.Errorf("a contender that fails while others run: %v", err)
	}
}

// TestGoesOn: an interrupted row continues with its rounds, if the programs are the same.
func TestGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	n := 0
	goOn := func(program string, stop int) ([][]outcome, int, error) {
		kept, err := openResults(file)
		if err != nil {
			t.Fatal(err)
		}
		dyno := filepath.Join(t.TempDir(), "dyno")
		if err := os.WriteFile(dyno, []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
		b := &rig{opts: options{results: file, window: time.Hour}, kept: kept, dyno: dyno, log: io.Discard}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return b.rounds(ctx, "row", 5, math.Inf(1), []contender{{"a", func(context.Context) (outcome, error) {
			if n++; n == stop {
				cancel()
			}
			return outcome{Rate: float64(n), CPU: .5}, nil
		}}})
	}
	if _, _, err := goOn("one", 4); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	valid, all, err := goOn("one", 0) // the fourth was interrupted
	if err != nil || all != 5 || len(valid) != 5 || valid[2][0] != (outcome{Rate: 3, CPU: .5}) || valid[3][0].Rate != 5 {
		t.Errorf("%v of %d, %v", valid, all, err)
	}
	if valid, all, err = goOn("other", 0); err != nil || all != 5 || valid[0][0].Rate != 7 {
		t.Errorf("another program: %v of %d, %v", valid, all, err)
	}
}

func TestMet(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		bar  bar
		res  result
		want bool
	}{
		{bar{kind: atLeast, value: 1.2}, result{Value: 1.3, Lo: at(1.2), Hi: at(1.4)}, true},
		{bar{kind: atLeast, value: 1.2}, result{Value: 1.3, Lo: at(1.19), Hi: at(1.4)}, false},
		{bar{kind: atLeast, value: 1.2}, result{Value: 1.3, Hi: at(1.4)}, false},
		{bar{kind: atMost, value: .8}, result{Value: .7, Lo: at(.6), Hi: at(.8)}, true},
		{bar{kind: atMost, value: .8}, result{Value: .7, Lo: at(.6), Hi: at(.81)}, false},
		{bar{kind: atMost, value: .8}, result{Value: .7, Lo: at(.6)}, false},
		{bar{kind: within, value: 5, slack: 1}, result{Value: 5, Lo: at(4), Hi: at(6)}, true},
		{bar{kind: within, value: 5, slack: 1}, result{Value: 5, Lo: at(3), Hi: at(6)}, false},
		{bar{kind: within}, result{Value: 0, Lo: at(0), Hi: at(0)}, true},
		{bar{kind: atMost, value: 1}, result{Reason: "no compiler"}, false},
		{bar{}, result{Value: 3}, true},
	} {
		if got := (row{bar: c.bar, unit: ratio}).met(&c.res); got != c.want {
			t.Errorf("%+v of %+v: %v", c.bar, c.res, got)
		}
	}
}

func TestNoiseKeepsTheEarlierResult(t *testing.T) {
	var r results
	r.put(result{Name: "a", Value: 1})
	r.put(result{Name: "a", Reason: "noise", noise: true})
	r.put(result{Name: "b", Reason: "noise", noise: true})
	r.put(result{Name: "b", Value: 2})
	if r.get("a").Value != 1 || r.get("b").Value != 2 {
		t.Errorf("%+v", r.Rows)
	}
	if r.put(result{Name: "a", Reason: "7 errors"}); r.get("a").Reason == "" {
		t.Error("a failure of dyno's must be seen")
	}
}

func TestLagsOfQuietSeconds(t *testing.T) {
	const text = "second,requests_per_sec,lag_p99_ns,run_queue_share\n0,2000,31000,0.002\n1,2000,90000,0.04\n2,2000,29000,0\n3,1,1,0\n"
	lags, err := lagsOf(strings.NewReader(text), 3)
	if err != nil || !slices.Equal(lags, []float64{31_000, 29_000}) {
		t.Errorf("%v, %v", lags, err)
	}
	for _, bad := range []string{"", "second\n1\n", "lag_p99_ns,run_queue_share\nx,0\n"} {
		if _, err := lagsOf(strings.NewReader(bad), 3); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestMachineLike(t *testing.T) {
	one := hostFacts{OS: "Debian", Kernel: "Linux 6.18.44-v595", CPU: "EPYC", CPUs: 2}
	build, series, cpus := one, one, one
	build.Kernel, series.Kernel, cpus.CPUs = "Linux 6.18.45-v1", "Linux 6.19.1", 4
	if !one.like(build) || one.like(series) || one.like(cpus) {
		t.Errorf("like: build %v, series %v, CPUs %v", one.like(build), one.like(series), one.like(cpus))
	}
}

func TestPage(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	kept := &results{Machine: hostFacts{OS: "Debian", Kernel: "Linux 6", CPU: "EPYC", CPUs: 2, Go: "goOn.26"},
		Rows: []result{
			{Name: "wrk-125", At: day, Commit: "abc", Peer: "wrk 4.1", Value: 1.3, Lo: at(1.28), Hi: at(1.32),
				Valid: 15,
				All:   17, Detail: "seen"},
			{Name: "wrk-125-cpu", At: day, Commit: "abc", Peer: "wrk 4.1", Value: .82, Lo: at(.81), Hi: at(.83),
				Valid: 15,
				All:   17},
			{Name: "oha", At: day, Commit: "abc", Reason: "install oha: cargo: no such thing\nmore"},
			{Name: "lag-2000", At: day, Commit: "abc", Value: 41_000, Lo: at(40_000), Valid: 30, All: 40},
			{Name: "ab", At: day, Kernel: "Linux 6.1", Commit: "abc", Value: 2, Lo: at(1.9), Hi: at(2.1), Valid: 15, All: 15},
			{Name: "tls-wrk", At: day, Commit: "abc", Value: 1, Lo: at(1), Hi: at(1), Valid: 15, All: 15, ServerBusy: .99},
		}}
	text := string(page(experiments(), kept))
	for _, want := range []string{
		"Machine: EPYC, 2 CPUs; Debian, Linux 6 and Linux 6.1; goOn.26.\nCompared with: wrk 4.1.\n",
		"| wrk-125 | requests/s, dyno ÷ wrk, 125 connections | ≥ 1.27 × | 1.30 × (1.28 to 1.32) | 15 of 17 | yes | " +
			"abc, 2026-11-21 |\n",
		"| 0.82 × (0.81 to 0.83) | 15 of 17 | **no** |",
		"| ≥ 1.60 × | none: install oha: cargo: no such thing |  | not shown |",
		"| ≤ 60.0 µs | 41.0 µs (40.0 to ?) | 30 of 40 | **no** |",
		"| – | 2.00 × (1.90 to 2.10) | 15 of 15 | – |",
		"| 180.0 ± 9.0 ms | not measured |",
		"| ≥ 1.10 × | 1.00 × (1.00 to 1.00) | 15 of 15 | not judged |",
		"- oha: its own rate",
		"- wrk-125: seen\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// All pairs with one layout count once, because they share the layout's effect on the program.
func TestPerLayout(t *testing.T) {
	rate := func(o outcome) float64 { return o.Rate }
	pair := func(a, b float64, layout int) []outcome {
		return []outcome{{Rate: a, Layout: layout}, {Rate: b, Layout: layout}}
	}
	for _, c := range []struct {
		valid [][]outcome
		want  []float64
	}{
		{[][]outcome{pair(5, 3, 0), pair(4, 3, 0)}, []float64{2, 1}},
		{[][]outcome{pair(5, 3, 2), pair(9, 3, 1), pair(4, 3, 2), pair(9, 2, 2)}, []float64{6, 2}},
	} {
		if got := perLayout(c.valid, rate); !slices.Equal(got, c.want) {
			t.Errorf("perLayout(%v) = %v, want %v", c.valid, got, c.want)
		}
	}
	i := installed{program: "p", relinked: []string{"a", "b"}}
	if program, layout := i.linked(3); program != "b" || layout != 2 {
		t.Errorf("the program of round 3 is %s in layout %d", program, layout)
	}
}
