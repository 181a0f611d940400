package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/summary"
)

// TestLoad runs testdata/load: dyno load against a server of this process, at $ADDR and at the socket $SOCK. Nothing there depends on how
// fast or quiet the machine is.
func TestLoad(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/load",
		Setup: func(env *testscript.Env) error {
			s := &testServer{seen: map[string]int{}}
			tcp := httptest.NewServer(s)
			env.Defer(tcp.Close)
			dir, err := os.MkdirTemp("", "dyno") // the path of a socket is short
			if err != nil {
				return err
			}
			env.Defer(func() { os.RemoveAll(dir) })
			sock := filepath.Join(dir, "s")
			ln, err := net.Listen("unix", sock)
			if err != nil {
				return err
			}
			unix := &http.Server{Handler: s}
			go unix.Serve(ln)
			env.Defer(func() { unix.Close() })
			addr := tcp.Listener.Addr().String()
			_, port, _ := net.SplitHostPort(addr)
			heads, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			env.Defer(func() { heads.Close() })
			go echoHeads(heads)
			for k, v := range map[string]string{"ADDR": addr, "HEADS": heads.Addr().String(), "PORT": port, "SOCK": sock, "NO_COLOR": "1"} {
				env.Setenv(k, v)
			}
			env.Values["server"] = s
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"served": served, "code": code},
	})
}

// echoHeads answers each request with its head as it came, without the carriage returns, and closes where that says so.
func echoHeads(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			in := bufio.NewScanner(c)
			for head := ""; in.Scan(); {
				if head += in.Text() + "\n"; in.Text() != "" {
					continue
				}
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(head), head)
				if strings.Contains(head, "\nConnection: close\n") {
					return
				}
				head = ""
			}
		}()
	}
}

// served checks how many requests the server has had: served COUNT METHOD PATH [WORD…], each word being in headers or body.
func served(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value("server").(*testServer)
	s.Lock()
	defer s.Unlock()
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got, wanted := 0, args[1]+" "+args[2]
	for request, n := range s.seen {
		line, rest, _ := strings.Cut(request, "\n")
		ok := line == wanted
		for _, word := range args[3:] {
			ok = ok && strings.Contains(rest, word)
		}
		if ok {
			got += n
		}
	}
	if (got == want) == neg {
		ts.Fatalf("served %d of %q; all: %v", got, args[1:], s.seen)
	}
}

// code runs a command and checks its exit code: code N dyno …
func code(ts *testscript.TestScript, _ bool, args []string) {
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s; want %s", got, args[0])
	}
}

// testServer answers by path and remembers what it was asked.
type testServer struct {
	sync.Mutex
	seen map[string]int // "METHOD path\nHost: …\nheaders\n\nbody"
}

func (s *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nHost: %s\n", r.Method, r.URL.RequestURI(), r.Host)
	r.Header.Write(&b)
	fmt.Fprintf(&b, "\n%s", body)
	s.Lock()
	s.seen[b.String()]++
	s.Unlock()
	verb, arg, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "status":
		w.WriteHeader(n)
	case "echo":
		w.Write(body)
	case "hang":
		time.Sleep(time.Duration(n) * time.Millisecond)
	case "drop":
		panic(http.ErrAbortHandler)
	case "bye":
		w.Header().Set("Connection", "close")
	case "header":
		w.Header().Set("X-Test", arg)
	case "seen": // 200 once another request was for /arg
		s.Lock()
		found := false
		for request := range s.seen {
			found = found || strings.HasPrefix(request, "GET /"+arg+"\n")
		}
		s.Unlock()
		if !found {
			w.WriteHeader(404)
		}
	case "cookie":
		http.SetCookie(w, &http.Cookie{Name: "n", Value: "v"})
	default:
		io.WriteString(w, "value")
	}
}

func TestFailed(t *testing.T) {
	good := result.Load{Planned: 1000, Started: 1000, Succeeded: 1000, WindowNS: 1e9, Connections: 5, Established: 5, Workers: 1, LoopCPUNS: 5e8}
	for name, c := range map[string]struct {
		change    func(*summary.Summary)
		maxErrors float64
		strict    bool
		want      bool
	}{
		"good":             {func(*summary.Summary) {}, 0, true, false},
		"one error":        {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0, false, true},
		"one is allowed":   {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0.001, false, false},
		"never started":    {func(s *summary.Summary) { s.Load.Planned, s.Load.NeverStarted = 1001, 1 }, 0, false, true},
		"connections":      {func(s *summary.Summary) { s.Load.Established = 4 }, 1, false, true},
		"ended early":      {func(s *summary.Summary) { s.Load.UnreachableNS = 1 }, 1, false, true},
		"interrupted":      {func(s *summary.Summary) { s.Interrupted = true }, 1, false, true},
		"the books":        {func(s *summary.Summary) { s.Load.Succeeded = 1 }, 1, false, true},
		"at its limit":     {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, false, false},
		"at it and strict": {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, true, true},
	} {
		s := &summary.Summary{Load: good}
		c.change(s)
		p := loadPlan{loadFlags: &loadFlags{maxErrors: c.maxErrors, strict: c.strict}}
		if got := p.failed(s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReadTarget(t *testing.T) {
	for in, want := range map[string]target{
		"http://127.0.0.1:8080/":                  {url: "http://127.0.0.1:8080/", addr: "127.0.0.1:8080", host: "127.0.0.1:8080", path: "/", here: true},
		"HTTP://127.0.0.1":                        {url: "http://127.0.0.1/", addr: "127.0.0.1:80", host: "127.0.0.1", path: "/", here: true},
		"127.0.0.1:80/a?b=c#d":                    {url: "http://127.0.0.1/a?b=c", addr: "127.0.0.1:80", host: "127.0.0.1", path: "/a?b=c", here: true},
		"127.0.0.1:81?q":                          {url: "http://127.0.0.1:81/?q", addr: "127.0.0.1:81", host: "127.0.0.1:81", path: "/?q", here: true},
		"[::1]:8080/x":                            {url: "http://[::1]:8080/x", addr: "[::1]:8080", host: "[::1]:8080", path: "/x", here: true},
		"http://192.0.2.7:9/{int:1..9}/ü?a={x,y}": {url: "http://192.0.2.7:9/{int:1..9}/ü?a={x,y}", addr: "192.0.2.7:9", host: "192.0.2.7:9", path: "/{int:1..9}/%C3%BC?a={x,y}"},
	} {
		want.network = "tcp"
		got, err := readTarget(t.Context(), in, "", nil)
		if err != nil || *got != want {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
	}
	got, err := readTarget(t.Context(), "http://example.com:8080/x", "/tmp/s", nil)
	if want := (target{"http://example.com:8080/x at /tmp/s", "unix", "/tmp/s", "example.com:8080", "/x", true}); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = readTarget(t.Context(), "http://example.com/x", "", []string{"other:80:10.0.0.1", "Example.com:80:[::1]"})
	if want := (target{"http://example.com/x", "tcp", "[::1]:80", "example.com", "/x", true}); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReadTargetHeedsItsContext, though the name server says nothing.
func TestReadTargetHeedsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	over, before := make(chan struct{}), net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		cancel()
		<-over
		return nil, io.EOF
	}}
	defer func() { net.DefaultResolver = before }()
	defer close(over)
	if _, err := readTarget(ctx, "http://two.test/", "", nil); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("%v", err)
	}
}

func TestReadHeaders(t *testing.T) {
	all := []string{"Accept: text/plain", "host: a", "X-A:1", "x-a: 2", "Cookie: a=b", "cookie: c=d", "Empty:", "Connection: keep-alive", "A: {uuid}"}
	got, host, err := readHeaders(all, true)
	want := []scenario.HeaderLine{{Name: "Accept", Value: "text/plain"}, {Name: "host", Value: "a"}, {Name: "X-A", Value: "1"}, {Name: "x-a", Value: "2"},
		{Name: "Cookie", Value: "a=b"}, {Name: "cookie", Value: "c=d"}, {Name: "Empty"}, {Name: "Connection", Value: "keep-alive"}, {Name: "A", Value: "{uuid}"}}
	for i := range want {
		want[i].Verbatim = true
	}
	if err != nil || host != "a" || !slices.Equal(got, want) {
		t.Errorf("%+v, %q, %v", got, host, err)
	}
	for _, bad := range []string{"", "X", ": v", "A B: c", "A: b\r\nC: d", "Content-Length: 5", "Transfer-Encoding: chunked"} {
		if _, _, err := readHeaders([]string{bad}, true); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if _, _, err := readHeaders([]string{"Host: a", "host: b"}, true); err == nil {
		t.Error("two hosts: no error")
	}
}

func TestQuoted(t *testing.T) {
	for s, want := range map[string]string{"a": "a", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "-H=A:b": "-H=A:b", "{x}": "'{x}'", "$HOME": "'$HOME'"} {
		if got := quoted(s); got != want {
			t.Errorf("%q: %s; want %s", s, got, want)
		}
	}
}

// TestReadFile: a body is held once.
func TestReadFile(t *testing.T) {
	const size = 8 << 20
	name := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body, err := readFile("-f", name)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || len(body) != size || n > size*3/2 {
		t.Errorf("%d bytes allocated to read %d of %d: %v", n, len(body), size, err)
	}
	if _, err := readFile("-f", t.TempDir()); err == nil {
		t.Error("read a folder")
	}
}
