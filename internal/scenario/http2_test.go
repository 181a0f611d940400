package scenario

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// ask2 renders the next request from src for HTTP/2, and parses it with x/net: the fields as lines, and the
// body.
func ask2(t *testing.T, src *Source, w *Want) (fields []string, body string) {
	t.Helper()
	var d Draw
	src.Draw(&d, w)
	block, _, body := d.HTTP2(nil, nil)
	all, err := hpack.NewDecoder(0, nil).DecodeFull(block)
	if err != nil {
		t.Fatalf("%x: %v", block, err)
	}
	for _, f := range all {
		fields = append(fields, f.Name+": "+f.Value)
	}
	return fields, body
}

// TestRenderingHTTP2 checks the requests that a server reads.
func TestRenderingHTTP2(t *testing.T) {
	first := func(more ...string) []string {
		return append([]string{":method: GET", ":scheme: http", ":path: /", ":authority: h:1"}, more...)
	}
	posted := post("value")
	long := strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		r    Request
		o    Options
		want []string
		body string
	}{
		"get": {get("/", "B", "2", "A", " 1"), Options{}, first("b: 2", "a: 1"), ""},
		"post": {posted, Options{Scheme: "https"}, []string{":method: POST", ":scheme: https", ":path: /",
			":authority: h:1", "content-length: 5"}, "value"},
		"drawn body": {post("{int:7..7} {pick:" + long + "}"), Options{}, []string{":method: POST", ":scheme: http",
			":path: /", ":authority: h:1", "content-length: 302"}, "7 " + long},
		"drawn path": {get("/{int:7..7}?x={pick:" + long + "}"), Options{}, []string{":method: GET", ":scheme: http",
			":path: /7?x=" + long, ":authority: h:1"}, ""},
		"own host": {get("/", "A", "1", "host", "other.example"), Options{}, []string{":method: GET", ":scheme: http",
			":path: /", ":authority: other.example", "a: 1"}, ""},
		"of the connection": {get("/", "Connection", "close", "Keep-Alive", "1", "TE", "gzip", "Upgrade", "h2c"),
			Options{Close: true}, first(), ""},
		"trailers":   {get("/", "TE", "trailers"), Options{}, first("te: trailers"), ""},
		"own cookie": {get("/", "Cookie", "a=1", "X", "1"), Options{Cookies: true}, first("cookie: a=1", "x: 1"), ""},
	} {
		c.o.HTTP2 = true
		var w Want
		if got, body := ask2(t, source1(t, c.o, c.r), &w); !slices.Equal(got, c.want) || body != c.body {
			t.Errorf("%s: %q, %q; want %q, %q", name, got, body, c.want, c.body)
		}
	}
}

func TestCompileErrorsHTTP2(t *testing.T) {
	for want, r := range map[string]Request{
		"must be the first header": get("/", "A", "1", "Host", "{pick:a,b}"),
		"headers.X: {int:a}":       get("/", "X", "{int:a}"),
	} {
		_, err := (&Scenario{Requests: []Request{r}}).Compile("h", Options{HTTP2: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestCookiesHTTP2(t *testing.T) {
	for want, r := range map[string]Request{
		"cookie: s=1": get("/{int:7..7}?a=/"),
		"cookie: a=1": get("/", "Cookie", "a={int:1..1}"),
	} {
		src := source1(t, Options{HTTP2: true, Cookies: true}, r)
		var w Want
		ask2(t, src, &w)
		src.Learn([]byte("set-cookie: s=1\r\n"), 1, &w)
		if fields, _ := ask2(t, src, &w); !slices.Contains(fields, want) {
			t.Errorf("%q; want %q", fields, want)
		}
	}
}

func TestHTTP2DoesNotAllocate(t *testing.T) {
	r := post(`{"id":{int:1..1000},"name":"{uuid}"}`)
	r.Path, r.Headers = "/api/{id}?{seq}", []HeaderLine{{Name: "X-Y", Value: "{pick:a,bb}"}}
	r.With = map[string]Input{"id": {Int: [2]int64{1, 1000}}}
	src := source1(t, Options{HTTP2: true}, r)
	var w Want
	var b, memory []byte
	draw := func() {
		var d Draw
		src.Draw(&d, &w)
		b, memory, _ = d.HTTP2(b[:0], memory)
	}
	for range 10 {
		draw()
	}
	if n := testing.AllocsPerRun(100, draw); n != 0 {
		t.Errorf("%v allocations per request", n)
	}
}

// FuzzHTTP2: both protocols send the same request with the same values.
func FuzzHTTP2(f *testing.F) {
	f.Add("GET", "/api/values/{id}", "Accept", "text/{uuid}", "", "1,2", uint8(0))
	f.Add("POST", "/{uuid}?n={seq}", "X-{", "{pick:a,b} {int:-5..5}", `{"id":{int:1..1000}}`, "a,bbbbbbbbbbbb", uint8(1))
	f.Add("PUT", "/{pick:a,b}", "Cookie", "a={id}", "{id}{id}{uuid}{seq}{pick:,}", "", uint8(2))
	f.Add("OPTIONS", "/", "Host", "{id}{uuid}", "{{pick:x}}", "x", uint8(3))
	f.Fuzz(func(t *testing.T, method, path, name, value, body, picks string, options uint8) {
		r := Request{Method: method, Path: path, Headers: []HeaderLine{{Name: name, Value: value}}, Body: body,
			Weight: 1, Expect: ok200, With: map[string]Input{"id": {Pick: strings.Split(picks, ",")}}}
		mix, err := (&Scenario{Requests: []Request{r}}).Compile("h:1", Options{HTTP2: true, Cookies: options&1 != 0})
		if err != nil {
			return
		}
		one, two := mix.NewSource(1, 0, 1), mix.NewSource(1, 0, 1)
		var w Want
		for range 3 {
			fields, got := ask2(t, two, &w)
			raw := one.Next(nil, &w)
			q, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
			if err != nil {
				return // FuzzCompile covers this
			}
			want, _ := io.ReadAll(q.Body)
			if got != string(want) {
				t.Fatalf("body %q; HTTP/1.1 sends %q", got, want)
			}
			if len(fields) < 4 || fields[0] != ":method: "+method || fields[2] != ":path: "+q.RequestURI ||
				fields[3] != ":authority: "+q.Host && !strings.EqualFold(name, "host") {
				t.Fatalf("%q; HTTP/1.1 sends %q", fields, raw)
			}
			for _, field := range fields[4:] {
				name, value, _ := strings.Cut(field, ": ")
				if name != "content-length" && q.Header.Get(name) != value {
					t.Fatalf("%q; HTTP/1.1 sends %q", field, raw)
				}
			}
		}
	})
}
