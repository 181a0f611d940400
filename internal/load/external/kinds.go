package external

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dyno/internal/load"
)

// kind describes how a tool differs from the others.
type kind struct {
	ask       string // the flag that makes the tool print its version
	hint      string // how to install it
	pipelines bool
	streams   bool // the tool speaks HTTP/2
	closes    bool // can open a connection for each request
	methods   bool // can send other than GET
	argv      func(*errand) ([]string, error)
}

// errand is one load for a tool to make.
type errand struct {
	*http.Request
	job     *load.Job
	window  *load.Window
	folder  string // folder for files that the tool reads
	threads int
}

// kinds are the supported tools. argv renders one load's command line; each knows its tool's flags.
var kinds = map[string]kind{
	"wrk": {ask: "-v", hint: "install it: apt-get install wrk", closes: true, methods: true, argv: wrk},
	"ab": {ask: "-V", hint: "install it: apt-get install apache2-utils", closes: true,
		methods: true, argv: ab},
	"h2load": {ask: "--version", hint: "install it: apt-get install nghttp2-client",
		pipelines: true, streams: true, argv: h2load},
	"bombardier": {ask: "--version", hint: "install it: go install github.com/codesenberg/bombardier@latest",
		methods: true, argv: bombardier},
}

// address returns the request's URL.
func (e *errand) address() string { return e.job.Scheme() + "://" + e.job.Addr + e.RequestURI }

// seconds rounds d up to whole seconds, at least one: no tool takes less.
func seconds(d time.Duration) int { return int(math.Ceil(max(d, time.Second).Seconds())) }

// with appends flag with each header to argv.
func (e *errand) with(argv []string, flag string) []string {
	for _, h := range headers(e.Request) {
		argv = append(argv, flag, h)
	}
	if e.Host != "" && e.Host != e.job.Addr {
		argv = append(argv, flag, "Host: "+e.Host)
	}
	return argv
}

// payload writes the request's body into a file and returns its name; "" without a body.
func (e *errand) payload() (string, error) {
	b, err := io.ReadAll(e.Body)
	if err != nil || len(b) == 0 {
		return "", err
	}
	name := filepath.Join(e.folder, "body")
	return name, os.WriteFile(name, b, 0o644)
}

// wrk renders wrk's arguments. A script sets what the flags cannot. By default wrk drops answers
// that take more than two seconds, so it gets dyno's timeout.
func wrk(e *errand) ([]string, error) {
	argv := []string{"-t", strconv.Itoa(e.threads), "-c", strconv.Itoa(e.job.Connections),
		"-d", fmt.Sprintf("%ds", seconds(e.window.For)),
		"--timeout", fmt.Sprintf("%ds", seconds(timeout(e.job))), "--latency"}
	argv = e.with(argv, "-H")
	if e.job.PerConnection == 1 {
		argv = append(argv, "-H", "Connection: close")
	}
	body, err := io.ReadAll(e.Body)
	if err != nil {
		return nil, err
	}
	if e.Method != http.MethodGet || len(body) > 0 {
		script := filepath.Join(e.folder, "request.lua")
		text := fmt.Sprintf("wrk.method = %s\nwrk.body = %s\n", lua(e.Method), lua(string(body)))
		if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
			return nil, err
		}
		argv = append(argv, "-s", script)
	}
	return append(argv, e.address()), nil
}

// lua returns s as a Lua string literal, each byte escaped (Lua 5.1 manual, 2.1).
func lua(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, `\%03d`, c)
	}
	return b.String() + `"`
}

// mostPerSecond is more than ab can make in a second. ab needs a number of requests even for a
// timed load, and allocates for all of them at the start.
const mostPerSecond = 200_000

func ab(e *errand) ([]string, error) {
	argv := []string{"-q", "-c", strconv.Itoa(e.job.Connections), "-s", strconv.Itoa(seconds(timeout(e.job)))}
	if e.job.PerConnection != 1 {
		argv = append(argv, "-k")
	}
	if n := e.window.Requests; n > 0 {
		argv = append(argv, "-n", strconv.FormatInt(n, 10))
	} else { // -t sets -n to 50,000, so -n follows
		s := seconds(e.window.For)
		argv = append(argv, "-t", strconv.Itoa(s), "-n", strconv.Itoa(s*mostPerSecond))
	}
	name, err := e.payload()
	switch {
	case err != nil:
		return nil, err
	case name != "" && e.Method == http.MethodPut:
		argv = append(argv, "-u", name)
	case name != "":
		argv = append(argv, "-p", name)
	}
	if name == "" || e.Method != http.MethodPost && e.Method != http.MethodPut {
		argv = append(argv, "-m", e.Method)
	}
	if t := e.Header.Get("Content-Type"); t != "" && name != "" {
		argv = append(argv, "-T", t)
		e.Header.Del("Content-Type")
	}
	return append(e.with(argv, "-H"), e.address()), nil
}

func h2load(e *errand) ([]string, error) {
	argv := []string{"-t", strconv.Itoa(e.threads), "-c", strconv.Itoa(e.job.Connections),
		"-m", strconv.Itoa(max(1, e.job.Pipeline)),
		"-N", strconv.Itoa(seconds(timeout(e.job)))}
	if !e.job.HTTP2 {
		argv = append([]string{"--h1"}, argv...)
	}
	if n := e.window.Requests; n > 0 {
		argv = append(argv, "-n", strconv.FormatInt(n, 10))
	} else {
		argv = append(argv, "-D", strconv.Itoa(seconds(e.window.For)))
	}
	return append(e.with(argv, "-H"), e.address()), nil
}

func bombardier(e *errand) ([]string, error) {
	argv := []string{"-c", strconv.Itoa(e.job.Connections), "-t", fmt.Sprintf("%ds", seconds(timeout(e.job))),
		"-l", "-p", "r", "-o", "json", "-m", e.Method}
	if n := e.window.Requests; n > 0 {
		argv = append(argv, "-n", strconv.FormatInt(n, 10))
	} else {
		argv = append(argv, "-d", fmt.Sprintf("%ds", seconds(e.window.For)))
	}
	name, err := e.payload()
	if err != nil {
		return nil, err
	}
	if name != "" {
		argv = append(argv, "-f", name)
	}
	return append(e.with(argv, "-H"), e.address()), nil
}
