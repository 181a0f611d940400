package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLoad runs testdata/load: dyno load against a server in this process, at $ADDR and at the
// socket $SOCK. Nothing there depends on how fast or quiet the machine is.
func TestLoad(t *testing.T) {
	t.Parallel()
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
			for k, v := range map[string]string{"ADDR": addr, "HEADS": heads.Addr().String(), "PORT": port,
				"SOCK": sock, "NO_COLOR": "1"} {
				env.Setenv(k, v)
			}
			env.Values["server"] = s
			return serveTLS(env, s)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"served": served, "code": code},
	})
}

// echoHeads answers each request with its head as received, without the carriage returns, and
// closes if the head says so.
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

// served checks how many requests the server has had: served COUNT METHOD PATH [WORD…], each word
// being in headers or body.
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

// testServer answers by path and remembers its requests.
type testServer struct {
	sync.Mutex
	seen map[string]int // "METHOD path\nHost: …\nheaders\n\nbody"
}

func (s *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nHost: %s\nProto: %s\n", r.Method, r.URL.RequestURI(), r.Host, r.Proto)
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
	case "moved":
		http.Redirect(w, r, "/"+arg, http.StatusFound)
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
	default:
		io.WriteString(w, "value")
	}
}

func TestQuoted(t *testing.T) {
	for s, want := range map[string]string{"a": "a", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "-H=A:b": "-H=A:b",
		"{x}": "'{x}'", "$HOME": "'$HOME'"} {
		if got := quoted(s); got != want {
			t.Errorf("%q: %s; want %s", s, got, want)
		}
	}
}
