package loader

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dyno/internal/result"
	"dyno/internal/scenario"
	"dyno/internal/summary"
)

func TestFailed(t *testing.T) {
	good := result.Load{Planned: 1000, Started: 1000, Succeeded: 1000, WindowNS: 1e9, Connections: 5, Established: 5,
		Workers: 1, LoopCPUNS: 5e8}
	for name, c := range map[string]struct {
		change    func(*summary.Summary)
		maxErrors float64
		strict    bool
		want      bool
	}{
		"good":      {func(*summary.Summary) {}, 0, true, false},
		"one error": {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0, false, true},
		"one is allowed": {func(s *summary.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, 0.001, false,
			false},
		"never started": {func(s *summary.Summary) { s.Load.Planned, s.Load.NeverStarted = 1001, 1 }, 0, false,
			true},
		"connections":      {func(s *summary.Summary) { s.Load.Established = 4 }, 1, false, true},
		"ended early":      {func(s *summary.Summary) { s.Load.UnreachableNS = 1 }, 1, false, true},
		"interrupted":      {func(s *summary.Summary) { s.Interrupted = true }, 1, false, true},
		"the books":        {func(s *summary.Summary) { s.Load.Succeeded = 1 }, 1, false, true},
		"at its limit":     {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, false, false},
		"at it and strict": {func(s *summary.Summary) { s.Load.LoopCPUNS = 95e7 }, 0, true, true},
	} {
		s := &summary.Summary{Load: good}
		c.change(s)
		p := Request{MaxErrors: c.maxErrors, Strict: c.strict}
		if got := p.Failed(s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReadTarget(t *testing.T) {
	for in, want := range map[string]target{
		"http://127.0.0.1:8080/": {url: "http://127.0.0.1:8080/", addr: "127.0.0.1:8080",
			host: "127.0.0.1:8080", path: "/", here: true},
		"HTTP://127.0.0.1": {url: "http://127.0.0.1/", addr: "127.0.0.1:80", host: "127.0.0.1",
			path: "/", here: true},
		"127.0.0.1:80/a?b=c#d": {url: "http://127.0.0.1/a?b=c", addr: "127.0.0.1:80",
			host: "127.0.0.1", path: "/a?b=c", here: true},
		"127.0.0.1:81?q": {url: "http://127.0.0.1:81/?q", addr: "127.0.0.1:81",
			host: "127.0.0.1:81", path: "/?q", here: true},
		"[::1]:8080/x": {url: "http://[::1]:8080/x", addr: "[::1]:8080", host: "[::1]:8080",
			path: "/x", here: true},
		"http://192.0.2.7:9/{int:1..9}/ü?a={x,y}": {url: "http://192.0.2.7:9/{int:1..9}/ü?a={x,y}", addr: "192.0.2.7:9",
			host: "192.0.2.7:9", path: "/{int:1..9}/%C3%BC?a={x,y}"},
	} {
		want.network = "tcp"
		got, err := readTarget(t.Context(), in, "", nil)
		if err != nil || *got != want {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
	}
	got, err := readTarget(t.Context(), "http://example.com:8080/x", "/tmp/s", nil)
	if want := (target{"http://example.com:8080/x at /tmp/s", "unix", "/tmp/s", "example.com:8080", "/x",
		true}); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = readTarget(t.Context(), "http://example.com/x", "", []string{"other:80:10.0.0.1",
		"Example.com:80:[::1]"})
	if want := (target{"http://example.com/x", "tcp", "[::1]:80", "example.com", "/x", true}); err != nil ||
		*got != want {
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
	if _, err := readTarget(ctx, "http://two.test/", "", nil); err == nil || !strings.Contains(err.Error(),
		"interrupted") {
		t.Errorf("%v", err)
	}
}

func TestReadHeaders(t *testing.T) {
	all := []string{"Accept: text/plain", "host: a", "X-A:1", "x-a: 2", "Cookie: a=b", "cookie: c=d", "Empty:",
		"Connection: keep-alive", "A: {uuid}"}
	got, host, err := readHeaders(all, true)
	want := []scenario.HeaderLine{{Name: "Accept", Value: "text/plain"}, {Name: "host", Value: "a"}, {Name: "X-A",
		Value: "1"}, {Name: "x-a", Value: "2"},
		{Name: "Cookie", Value: "a=b"}, {Name: "cookie", Value: "c=d"}, {Name: "Empty"}, {Name: "Connection",
			Value: "keep-alive"}, {Name: "A", Value: "{uuid}"}}
	for i := range want {
		want[i].Verbatim = true
	}
	if err != nil || host != "a" || !slices.Equal(got, want) {
		t.Errorf("%+v, %q, %v", got, host, err)
	}
	for _, bad := range []string{"", "X", ": v", "A B: c", "A: b\r\nC: d", "Content-Length: 5",
		"Transfer-Encoding: chunked"} {
		if _, _, err := readHeaders([]string{bad}, true); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	if _, _, err := readHeaders([]string{"Host: a", "host: b"}, true); err == nil {
		t.Error("two hosts: no error")
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
