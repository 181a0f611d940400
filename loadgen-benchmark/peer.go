//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peer is a load generator that dyno races. Its reported figures are trusted, except that both sides'
// requests must not exceed the server's count.
type peer struct {
	name    string
	install func(context.Context, *rig) (program, version string, err error)
	command func(program, url string, s shape, window time.Duration) []string
	parse   func(stdout []byte) (count, error)

	source func(context.Context, *rig) (dir string, err error) // source of a dyno that is raced in several layouts
}

// shape says how a server is loaded, always in a closed loop.
type shape struct {
	connections int
	depth       int // requests in flight per connection: pipelined, or streams
	protocol    protocol
}

// protocol is a form of HTTP.
type protocol string

const (
	http1 protocol = "" // in the clear
	https protocol = "https"
	h2c   protocol = "h2c" // HTTP/2 in the clear, by prior knowledge
	h2    protocol = "h2"
)

func (p protocol) tls() bool   { return p == https || p == h2 }
func (p protocol) http2() bool { return p == h2c || p == h2 }

func (p protocol) scheme() string {
	if p.tls() {
		return "https"
	}
	return "http"
}

func (p protocol) title() string {
	return map[protocol]string{http1: "HTTP/1.1", https: "HTTP/1.1 over TLS 1.3", h2c: "HTTP/2 in the clear",
		h2: "HTTP/2 over TLS 1.3"}[p]
}

// flags returns the flags of `dyno load` for p.
func (p protocol) flags() (flags []string) {
	if p.http2() {
		flags = []string{"--http", string(p)}
	}
	if p.tls() {
		flags = append(flags, "--insecure")
	}
	return flags
}

// count is the result of one window. Errors are failed requests, without those that the window's end cut off.
type count struct {
	requests, seconds, errors float64
}

var errNoFigures = errors.New("no figures in its output")

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }

// asJSON returns the flags with which program prints a load as JSON. Older commits have others.
func asJSON(program string) []string {
	if help, _ := exec.Command(program, "load", "--help").Output(); strings.Contains(string(help), " --json ") {
		return []string{"--json"}
	}
	return []string{"--format", "json"}
}

var dyno = peer{
	name:    "dyno",
	install: func(_ context.Context, b *rig) (string, string, error) { return b.dyno, b.commit, nil },
	command: func(program, url string, s shape, window time.Duration) []string {
		argv := append([]string{program, "load", "--quiet", "--threads", "1", "--slo", "errors<100%"}, asJSON(program)...)
		argv = append(argv, "-c", strconv.Itoa(s.connections), "-d", window.String())
		switch depth := strconv.Itoa(s.depth); {
		case s.protocol.http2():
			argv = append(argv, "--streams", depth)
		case s.depth > 1:
			argv = append(argv, "--pipeline", depth)
		}
		return append(append(argv, s.protocol.flags()...), url)
	},
	parse: func(out []byte) (count, error) {
		r, err := parseLoad(out)
		if err != nil {
			return count{}, err
		}
		if r.Established != r.Connections {
			return count{}, fmt.Errorf("only %d of %d connections", r.Established, r.Connections)
		}
		return count{requests: float64(r.Succeeded), seconds: float64(r.WindowNS) / 1e9,
			errors: float64(r.Failed + r.Errored)}, nil
	},
}

// full and resumed are dyno with one connection per request. They count handshakes.
var full, resumed = handshakes("--no-resume"), handshakes()

func handshakes(flags ...string) peer {
	return peer{
		name:    dyno.name,
		install: dyno.install,
		command: func(program, url string, s shape, window time.Duration) []string {
			argv := dyno.command(program, url, s, window)
			return slices.Concat(argv[:len(argv)-1], []string{"--no-keepalive"}, flags, []string{url})
		},
		parse: func(out []byte) (count, error) {
			c, err := dyno.parse(out)
			if err != nil {
				return c, err
			}
			r, err := parseLoad(out)
			c.requests, c.seconds = float64(r.Handshakes), float64(r.WallNS)/1e9
			return c, err
		},
	}
}

// h2loadHandshakes is the number of connections, each with one request: h2load has no other way to renew
// connections.
const h2loadHandshakes = "4000"

var h2loadFull = peer{
	name:    h2load.name,
	install: h2load.install,
	command: func(program, url string, s shape, window time.Duration) []string {
		return []string{program, "--h1", "-t1", "-c", h2loadHandshakes, "-n", h2loadHandshakes,
			"--groups", "X25519", url}
	},
	parse: h2load.parse,
}

// before is dyno at the commit in --base, and now is this checkout's dyno. Both get flags that either
// supports, and requests are divided by the same time, window_ns. Both are linked in the same number of
// layouts.
var (
	before = peer{
		name:    "before",
		install: installBefore,
		command: dyno.command,
		parse:   dyno.parse,
		source:  func(_ context.Context, b *rig) (string, error) { return b.baseFolder(), nil },
	}
	now = peer{
		name:    "now",
		install: dyno.install,
		command: dyno.command,
		parse:   dyno.parse,
		source:  func(_ context.Context, b *rig) (string, error) { return b.root, nil },
	}
)

func (b *rig) baseFolder() string { return filepath.Join(b.temp, "base") }

// installBefore builds dyno at --base, from a copy of the commit.
func installBefore(ctx context.Context, b *rig) (program, version string, err error) {
	dir := b.baseFolder()
	if err := b.step(ctx, "", "git", "clone", "-q", "--shared", "--no-checkout", b.root, dir); err != nil {
		return "", "", err
	}
	if err := b.step(ctx, "", "git", "-C", dir, "checkout", "-q", b.opts.base); err != nil {
		return "", "", err
	}
	program = filepath.Join(b.temp, "before")
	return program, b.opts.base, b.step(ctx, dir, "go", "build", "-buildvcs=false", "-o", program, "./cmd/dyno")
}

// loadReport is the part of `dyno load --format json` that is needed here.
type loadReport struct {
	Started, Succeeded, Failed, Errored int64
	NeverStarted                        int64 `json:"never_started"`
	Connections, Established            int
	WindowNS                            int64 `json:"window_ns"`
	WallNS                              int64 `json:"wall_ns"`
	Handshakes                          int64
	Errors                              map[string]int64
	Response, Service, Lag              times
}

// times are quantiles in ns. dyno omits quantiles for which there are too few requests.
type times map[string]*float64

func (t times) get(name string) (float64, error) {
	if t[name] == nil {
		return 0, fmt.Errorf("dyno told no %s", name)
	}
	return *t[name], nil
}

func parseLoad(out []byte) (*loadReport, error) {
	var r loadReport
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFigures, err)
	}
	if r.WindowNS <= 0 {
		return nil, errNoFigures
	}
	return &r, nil
}

var wrk = peer{
	name:    "wrk",
	install: debian("wrk", "wrk", "-v"),
	command: func(program, url string, s shape, window time.Duration) []string {
		argv := []string{program, "-t1", "-c" + strconv.Itoa(s.connections), "-d" + seconds(window) + "s"}
		if s.depth > 1 {
			return append(argv, "-s", "loadgen-benchmark/pipeline.lua", url, "--", strconv.Itoa(s.depth))
		}
		return append(argv, url)
	},
	parse: func(out []byte) (count, error) {
		n, rate, ok := twoNumbers(out, `(\d+) requests in`, `Requests/sec:\s+([0-9.]+)`)
		if !ok || rate == 0 {
			return count{}, errNoFigures
		}
		errors := sum(out, `Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`) +
			sum(out, `Non-2xx or 3xx responses: (\d+)`)
		return count{n, n / rate, errors}, nil
	},
}

var bombardier = peer{
	name:    "bombardier",
	install: goModule("github.com/codesenberg/bombardier", "v1.2.6"),
	command: func(program, url string, s shape, window time.Duration) []string {
		return []string{program, "-c", strconv.Itoa(s.connections), "-d", window.String(), "-o", "json", "-p", "r", url}
	},
	parse: func(out []byte) (count, error) {
		var r struct {
			Result struct {
				Seconds float64 `json:"timeTakenSeconds"`
				R1      float64 `json:"req1xx"`
				R2      float64 `json:"req2xx"`
				R3      float64 `json:"req3xx"`
				R4      float64 `json:"req4xx"`
				R5      float64 `json:"req5xx"`
				Others  float64 `json:"others"`
			}
		}
		if err := json.Unmarshal(out, &r); err != nil || r.Result.Seconds == 0 {
			return count{}, errNoFigures
		}
		x := r.Result
		return count{x.R2, x.Seconds, x.R1 + x.R3 + x.R4 + x.R5 + x.Others}, nil
	},
}

// oha's own rate includes the requests that the deadline aborted; count only those with a response.
var oha = peer{
	name:    "oha",
	install: crate("oha", "1.16.0"),
	command: func(program, url string, s shape, window time.Duration) []string {
		argv := []string{program, "-z", window.String(), "-c", strconv.Itoa(s.connections), "--no-tui", "--output-format",
			"json"}
		if s.protocol.http2() {
			argv = append(argv, "--http2", "-p", strconv.Itoa(s.depth))
		}
		if s.protocol.tls() {
			argv = append(argv, "--insecure")
		}
		return append(argv, url)
	},
	parse: func(out []byte) (count, error) {
		var r struct {
			Summary struct{ Total float64 }
			Codes   map[string]float64 `json:"statusCodeDistribution"`
			Errors  map[string]float64 `json:"errorDistribution"`
		}
		if err := json.Unmarshal(out, &r); err != nil || r.Summary.Total == 0 {
			return count{}, errNoFigures
		}
		c := count{requests: r.Codes["200"], seconds: r.Summary.Total}
		for code, n := range r.Codes {
			if code != "200" {
				c.errors += n
			}
		}
		for kind, n := range r.Errors {
			if kind != "aborted due to deadline" {
				c.errors += n
			}
		}
		return c, nil
	},
}

var h2load = peer{
	name:    "h2load",
	install: debian("h2load", "nghttp2-client", "--version"),
	command: func(program, url string, s shape, window time.Duration) []string {
		argv := []string{program, "-t1", "-c", strconv.Itoa(s.connections), "-D", seconds(window)}
		if s.protocol.http2() {
			argv = append(argv, "-m", strconv.Itoa(s.depth))
		} else {
			argv = append(argv, "--h1")
		}
		if s.protocol.tls() {
			argv = append(argv, "--groups", "X25519")
		}
		return append(argv, url)
	},
	parse: func(out []byte) (count, error) {
		n, rate, ok := twoNumbers(out, `requests: .* (\d+) succeeded`, `finished in .*, ([0-9.]+) req/s`)
		if !ok || rate == 0 {
			return count{}, errNoFigures
		}
		return count{n, n / rate, sum(out, `(\d+) failed, (\d+) errored, (\d+) timeout`)}, nil
	},
}

// zrk 1.4 always paces its requests: at a rate beyond any server it sends the next with each response.
var zrk = peer{
	name:    "zrk",
	install: zigProgram("https://github.com/zoxy-io/zrk", "v1.4.2", "0.16.0"),
	command: func(program, url string, s shape, window time.Duration) []string {
		argv := []string{program, "-t1", "-c" + strconv.Itoa(s.connections), "-d" + seconds(window) + "s", "-R10000000",
			"--plain", "--format", "json"}
		if s.protocol.tls() {
			argv = append(argv, "-k")
		}
		return append(argv, url)
	},
	parse: func(out []byte) (count, error) {
		var r struct {
			Requests float64
			Seconds  float64            `json:"duration_s"`
			Codes    map[string]float64 `json:"status_codes"`
			Errors   map[string]float64
		}
		if err := json.Unmarshal(out, &r); err != nil || r.Seconds == 0 {
			return count{}, errNoFigures
		}
		c := count{requests: r.Codes["2xx"], seconds: r.Seconds}
		for kind, n := range r.Errors {
			if kind != "non_2xx_3xx" {
				c.errors += n
			}
		}
		c.errors += r.Requests - r.Codes["2xx"]
		return c, nil
	},
}

var hey = peer{
	name:    "hey",
	install: goModule("github.com/rakyll/hey", "v0.1.5"),
	command: func(program, url string, s shape, window time.Duration) []string {
		return []string{program, "-z", window.String(), "-c", strconv.Itoa(s.connections), url}
	},
	parse: func(out []byte) (count, error) {
		n, total, ok := twoNumbers(out, `\[200\]\t(\d+) responses`, `Total:\t([0-9.]+) secs`)
		if !ok || total == 0 {
			return count{}, errNoFigures
		}
		_, others, _ := bytes.Cut(out, []byte("Error distribution:"))
		return count{n, total, sum(out, `\[[1345]\d\d\]\t(\d+) responses`) + sum(others, `(?m)^\s*\[(\d+)\]\t`)}, nil
	},
}

var ab = peer{
	name:    "ab",
	install: debian("ab", "apache2-utils", "-V"),
	command: func(program, url string, s shape, window time.Duration) []string {
		return []string{program, "-q", "-k", "-t", seconds(window), "-n", "100000000", "-c", strconv.Itoa(s.connections), url}
	},
	parse: func(out []byte) (count, error) {
		n, total, ok := twoNumbers(out, `Complete requests:\s+(\d+)`, `Time taken for tests:\s+([0-9.]+) seconds`)
		if !ok || total == 0 {
			return count{}, errNoFigures
		}
		return count{n, total, sum(out, `Failed requests:\s+(\d+)`) + sum(out, `Non-2xx responses:\s+(\d+)`)}, nil
	},
}

var epollLoop, uringLoop = bareLoop("epoll-loop"), bareLoop("uring-loop")

// bareLoop is a program in this checkout that only sends, reads and counts.
func bareLoop(name string) peer {
	return peer{
		name:    name,
		install: cProgram("loadgen-benchmark/" + name + "/loop.c"),
		command: func(program, to string, s shape, window time.Duration) []string {
			u, err := url.Parse(to)
			if err != nil {
				return nil
			}
			return []string{program, u.Hostname(), u.Port(), strconv.Itoa(s.connections), seconds(window)}
		},
		parse: func(out []byte) (count, error) {
			n, total, ok := twoNumbers(out, `(\d+) requests in`, `in ([0-9.]+) s`)
			if !ok || total == 0 {
				return count{}, errNoFigures
			}
			return count{requests: n, seconds: total}, nil
		},
	}
}

// twoNumbers finds one number by each expression.
func twoNumbers(text []byte, first, second string) (a, b float64, ok bool) {
	m, n := regexp.MustCompile(first).FindSubmatch(text), regexp.MustCompile(second).FindSubmatch(text)
	if m == nil || n == nil {
		return 0, 0, false
	}
	a, err := strconv.ParseFloat(string(m[1]), 64)
	b, err2 := strconv.ParseFloat(string(n[1]), 64)
	return a, b, err == nil && err2 == nil
}

// sum adds up all numbers in all matches.
func sum(text []byte, expression string) (total float64) {
	for _, m := range regexp.MustCompile(expression).FindAllSubmatch(text, -1) {
		for _, number := range m[1:] {
			n, _ := strconv.ParseFloat(string(number), 64)
			total += n
		}
	}
	return total
}
