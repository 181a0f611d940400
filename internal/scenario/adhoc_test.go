package scenario

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dyno/internal/wire"
)

func TestReadTarget(t *testing.T) {
	at := func(addr, host string) wire.Endpoint {
		return wire.Endpoint{Network: "tcp", Addr: addr, Host: host}
	}
	for in, want := range map[string]Target{
		"http://127.0.0.1:8080/": {at("127.0.0.1:8080", "127.0.0.1:8080"), "http://127.0.0.1:8080/", "/", true},
		"HTTP://127.0.0.1":       {at("127.0.0.1:80", "127.0.0.1"), "http://127.0.0.1/", "/", true},
		"127.0.0.1:80/a?b=c#d":   {at("127.0.0.1:80", "127.0.0.1"), "http://127.0.0.1/a?b=c", "/a?b=c", true},
		"127.0.0.1:81?q":         {at("127.0.0.1:81", "127.0.0.1:81"), "http://127.0.0.1:81/?q", "/?q", true},
		"[::1]:8080/x":           {at("[::1]:8080", "[::1]:8080"), "http://[::1]:8080/x", "/x", true},
		"http://192.0.2.7:9/{int:1..9}/ü?a={x,y}": {at("192.0.2.7:9", "192.0.2.7:9"),
			"http://192.0.2.7:9/{int:1..9}/ü?a={x,y}", "/{int:1..9}/%C3%BC?a={x,y}", false},
	} {
		got, err := ReadTarget(t.Context(), in, Route{})
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
	}
	got, err := ReadTarget(t.Context(), "http://example.com:8080/x", Route{Unix: "/tmp/s"})
	socket := wire.Endpoint{Network: "unix", Addr: "/tmp/s", Host: "example.com:8080"}
	if want := (Target{socket, "http://example.com:8080/x at " +
		"/tmp/s", "/x", true}); err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadTargetOverTLS(t *testing.T) {
	for in, want := range map[string][3]string{
		"https://127.0.0.1/x":        {"127.0.0.1:443", "127.0.0.1", "127.0.0.1"},
		"HTTPS://localhost:8443":     {"127.0.0.1:8443", "localhost:8443", "localhost"},
		"https://[::1]:443/":         {"[::1]:443", "[::1]", "::1"},
		"https://127.0.0.1:80/a?b=c": {"127.0.0.1:80", "127.0.0.1:80", "127.0.0.1"},
	} {
		got, err := ReadTarget(t.Context(), in, Route{})
		if err != nil || got.TLS == nil {
			t.Errorf("%s: %+v, %v", in, got, err)
			continue
		}
		addr := got.Addr
		if strings.HasPrefix(addr, "localhost:") { // it may also have an IPv6 address
			addr = strings.Replace(addr, "localhost", "127.0.0.1", 1)
		}
		if is := [3]string{addr, got.Host, got.TLS.ServerName}; is != want {
			t.Errorf("%s: %q; want %q", in, is, want)
		}
		if !strings.HasPrefix(got.URL, "https://"+got.Host+"/") {
			t.Errorf("%s: %s", in, got.URL)
		}
	}
	for in, secure := range map[string]wire.TLS{"http://127.0.0.1/": {Insecure: true},
		"https://127.0.0.1:1/": {CA: "nowhere.pem"}, "ftp://127.0.0.1/": {}} {
		if _, err := ReadTarget(t.Context(), in, Route{TLS: secure}); err == nil {
			t.Errorf("%s with %+v: no error", in, secure)
		}
	}
}

// TestReadTargetHeedsItsContext: the look-up ends with its context even if the name server does not answer.
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
	if _, err := ReadTarget(ctx, "http://two.test/", Route{}); err == nil || !strings.Contains(err.Error(),
		"interrupted") {
		t.Errorf("%v", err)
	}
}

func TestReadHeaders(t *testing.T) {
	all := []string{"Accept: text/plain", "host: a", "X-A:1", "x-a: 2", "Cookie: a=b", "cookie: c=d", "Empty:",
		"Connection: keep-alive", "A: {uuid}"}
	got, host, err := readHeaders(all, true)
	want := []HeaderLine{{Name: "Accept", Value: "text/plain"}, {Name: "host", Value: "a"}, {Name: "X-A",
		Value: "1"}, {Name: "x-a", Value: "2"},
		{Name: "Cookie", Value: "a=b"}, {Name: "cookie", Value: "c=d"}, {Name: "Empty"}, {Name: "Connection",
			Value: "keep-alive"}, {Name: "A", Value: "{uuid}"}}
	for i := range want {
		want[i].Verbatim = true
	}
	if err != nil || host != "a" || !slices.Equal(got, want) {
		t.Errorf("%+v, %q, %v", got, host, err)
	}
	for _, bad := range []string{"", "X", ": v", "A B: c", "A: b\r\nC: d"} {
		if _, _, err := readHeaders([]string{bad}, true); err == nil {
			t.Errorf("%q: no error", bad)
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

func TestParsePath(t *testing.T) {
	for text, want := range map[string]struct {
		path   string
		weight int
	}{
		"/":               {"/", 1},
		"/a=3":            {"/a", 3},
		"/a =3":           {"/a", 3},
		"/a?b=3":          {"/a?b=3", 1},
		"/a?b=1 =3":       {"/a?b=1", 3},
		"/{int:1..9}/ü=1": {"/{int:1..9}/%C3%BC", 1},
		"/a=0":            {}, "/a=": {}, "/a=x": {}, "a=1": {}, "": {}, "/a 3": {}, "/a =": {}, "/a= 3": {},
		"/a?b=1 =3 =4": {}, "http://a/": {}, "/a=9999999": {},
	} {
		path, weight, err := parsePath(text)
		if path != want.path || weight != want.weight || (err == nil) != (want.path != "") {
			t.Errorf("%q: %q, %d, %v; want %+v", text, path, weight, err, want)
		}
	}
}

func TestMake(t *testing.T) {
	r := AdHoc{Paths: []string{"/a=3", "/b?c={int:1..9}"}, Headers: []string{"host: x"}}
	s, host, err := r.Make(t.Context(), "/")
	if err != nil || host != "x" || len(s.Requests) != 2 || s.Requests[0].Weight != 3 ||
		s.Requests[0].Method != "GET" ||
		s.Requests[1].Path != "/b?c={int:1..9}" || !s.Requests[1].Expect.Statuses.Has(302) {
		t.Errorf("%+v, %q, %v", s, host, err)
	}
	for want, r := range map[string]AdHoc{
		"--path replaces the URL's path": {Paths: []string{"/a"}},
		"want two integers":              {},
		"--scenario defines the paths":   {Scenario: "a.toml"},
	} {
		if _, _, err := r.Make(t.Context(), "/{int:9..1}"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
