package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shapesServer answers as the server did that the external tools loaded for testdata/imitate. It is
// there in the clear and over TLS.
func shapesServer(t *testing.T) (clear, secure string) {
	var n atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if n.Add(1)%5 != 0 {
			path = strings.TrimSuffix(strings.TrimSuffix(path, "close"), "reset")
		}
		switch path {
		case "/404":
			w.WriteHeader(404)
			io.WriteString(w, "none")
		case "/len":
			io.WriteString(w, strings.Repeat("x", int(1+n.Load()%7)))
		case "/slow":
			time.Sleep(3 * time.Second)
		case "/close", "/reset":
			c, _, _ := w.(http.Hijacker).Hijack()
			if r.URL.Path == "/reset" {
				c.(*net.TCPConn).SetLinger(0)
			}
			c.Close()
		default:
			w.Header().Set("Server", "test")
			io.WriteString(w, "value")
		}
	})
	one, other := httptest.NewServer(h), httptest.NewUnstartedServer(h)
	other.Config.ErrorLog = log.New(io.Discard, "", 0)
	other.StartTLS()
	t.Cleanup(one.Close)
	t.Cleanup(other.Close)
	return one.URL, other.URL
}

var (
	// figure is a number with its unit.
	figure = regexp.MustCompile(`(?:\b[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?|-nan)(?:us|ms|s|m|k|K|M|B|KB|MB)?(?:\b|%)`)
	blanks = regexp.MustCompile(`[ \t]+`)
	// doubts are lines that ab prints where mean and median are far apart.
	doubts = regexp.MustCompile(`(?m)^(ERROR|WARNING): The median and mean .*\n +.*\n`)
	// drawn is what a bar of progress draws before its end.
	drawn    = regexp.MustCompile(`(?m)^.*\r`)
	duration = regexp.MustCompile(`-d ?[0-9]+s`)
)

// shape returns an output without its figures.
func shape(text string) string {
	text = drawn.ReplaceAllString(doubts.ReplaceAllString(text, ""), "")
	var lines []string
	for line := range strings.Lines(text) {
		line = blanks.ReplaceAllString(figure.ReplaceAllString(line, " N "), " ")
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}

// TestImitatedShapes: dyno prints the lines that the installed wrk, ab and bombardier 1.2.6 printed for
// the same command line, each with its figures in the same places.
func TestImitatedShapes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/imitate/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dir := t.TempDir()
	body := filepath.Join(dir, "body")
	if err := os.WriteFile(body, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			command, want, _ := strings.Cut(strings.TrimPrefix(string(text), "$ "), "\n")
			clear, secure := shapesServer(t)
			command = strings.ReplaceAll(command, "http://127.0.0.1:8080", clear)
			command = strings.ReplaceAll(command, "https://127.0.0.1:8443", secure)
			command = strings.Replace(duration.ReplaceAllString(command, "-d1s"), "-p body", "-p "+body, 1)
			var stdout, stderr bytes.Buffer
			if code := dyno(strings.Fields(command), &stdout, &stderr); code != exitDone {
				t.Fatalf("%s: exit code %d: %s", command, code, &stderr)
			}
			if got := shape(stdout.String()); got != shape(want) {
				t.Errorf("%s prints\n%s\nin the shape\n%s\nwant\n%s", command, &stdout, got, shape(want))
			}
		})
	}
}

// TestImitatedTLS: what a tool does with TLS, dyno does, or says that it does not.
func TestImitatedTLS(t *testing.T) {
	_, url := shapesServer(t)
	for command, want := range map[string]string{
		"ab -n 20 -c 1 " + url + "/":                     `TLS Protocol: +TLSv1\.3,TLS_\w+\nServer Temp Key: +\w+\n\n`,
		"ab -k -n 20 -c 1 " + localhost(url) + "/":       `(?m)^TLS Server Name:        localhost$`,
		"ab -Z AES128 -n 20 -c 1 " + url + "/":           "-Z is not supported with https; omit it",
		"ab -f TLS1.2 -I -n 1 http://127.0.0.1:1/":       "connection refused",
		"ab -E nowhere.pem -n 1 " + url + "/":            "nowhere.pem: no such file",
		"wrk -t1 -c1 -d1s " + url + "/":                  "encrypted, with handshakes; wrk counts them decrypted",
		"bombardier -c 1 -n 20 " + url + "/":             "was refused: certificate signed by unknown authority",
		"bombardier -k -c 1 -n 20 " + url + "/":          "2xx - 20,",
		"bombardier --cert nowhere.pem -c 1 -n 1 " + url: "nowhere.pem: no such file",
		"ab -n 20 -c 2 " + url + "/":                     "without the TLS handshakes, whose median is ",
	} {
		var out bytes.Buffer
		dyno(strings.Fields(command), &out, &out)
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("%s: no %q in\n%s", command, want, &out)
		}
	}
}

func localhost(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// articleCommands are command lines of the articles that no study.toml quotes.
var articleCommands = []string{
	"wrk -t16 -c100 -d30s http://127.0.0.1:8080/rest/hello",
	"wrk -c256 -d100s -t8 --timeout 5s --latency http://127.0.0.1:5001/test",
	"ab -n 6000 -c 100 http://127.0.0.1:8083/index",
	"bombardier -c 125 -n 1000000 -t 2s -m GET --format=json --print=result http://localhost:5000",
}

// TestArticleCommands: the command lines of the articles run as they are, but for the server, the time
// and the number of requests.
func TestArticleCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 5,000 connections")
	}
	commands := articleCommands
	studies, err := filepath.Glob("../../studies/*/study.toml")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`(?m)^command +=\s*"((?:wrk|ab|bombardier) [^"]*)"`)
	for _, file := range studies {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			commands = append(commands, m[1])
		}
	}
	if len(commands) < len(articleCommands)+6 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "value")
	}))
	defer s.Close()
	for _, command := range commands {
		short := regexp.MustCompile(`http://[^/ ]+`).ReplaceAllString(command, s.URL)
		short = regexp.MustCompile(`-d ?[0-9]+s`).ReplaceAllString(short, "-d 1s")
		short = regexp.MustCompile(`-n [0-9]+`).ReplaceAllString(short, "-n 600")
		if !strings.Contains(short, "http://") { // quoted without its URL
			short += " " + s.URL
		}
		var stdout, stderr bytes.Buffer
		code := dyno(strings.Fields(short), &stdout, &stderr)
		if strings.Contains(stderr.String(), "open files") {
			t.Skip(stderr.String())
		}
		right := strings.Contains(stdout.String(), "Failed requests:        0\n") ||
			regexp.MustCompile(`requests in|2xx - [1-9]|"req2xx":600`).MatchString(stdout.String())
		if code != exitDone || !right || strings.Contains(stdout.String(), "errors") {
			t.Errorf("%s: exit code %d\n%s%s", short, code, &stdout, &stderr)
		}
	}
}

// TestImitatedUsage: what a tool has and dyno has not is named.
func TestImitatedUsage(t *testing.T) {
	for command, want := range map[string]string{
		"wrk -s x.lua http://127.0.0.1:1/":          "not supported: dyno runs no Lua",
		"wrk -c ten http://127.0.0.1:1/":            "want a whole number from 1 to 1000000",
		"wrk --conections 1 http://127.0.0.1:1/":    "did you mean --connections?",
		"wrk ftp://127.0.0.1:1/":                    "want an http",
		"ab -g x http://127.0.0.1:1/":               "keeps no time of each request",
		"ab -n 10k http://127.0.0.1:1/":             "want a whole number",
		"ab http://127.0.0.1:1/ -n 5":               "given http://127.0.0.1:1/ -n 5",
		"ab -i -p imitate_test.go 127.0.0.1:1/":     "POST cannot be mixed with HEAD",
		"bombardier -o path:x http://127.0.0.1:1/":  "not supported: templates",
		"bombardier -d 10 http://127.0.0.1:1/":      "want a time with a unit",
		"bombardier --stream=x http://127.0.0.1:1/": "want no value",
		"bombardier": "argument missing",
	} {
		var stdout, stderr bytes.Buffer
		if code := dyno(strings.Fields(command), &stdout, &stderr); code != exitUsage ||
			!strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %s%s", command, code, &stdout, &stderr)
		}
	}
	for _, command := range []string{"wrk -v", "ab -V", "bombardier --version"} {
		var stdout, stderr bytes.Buffer
		if code := dyno(strings.Fields(command), &stdout, &stderr); code != exitDone ||
			stdout.String() != fmt.Sprintln(versionLine()) {
			t.Errorf("%s: exit code %d, %s%s", command, code, &stdout, &stderr)
		}
	}
}
