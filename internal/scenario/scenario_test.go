package scenario

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func file(body string) fstest.MapFS {
	return fstest.MapFS{"scenarios/x.toml": {Data: []byte(body)}}
}

const good = `name = "x"
title = "one"
[[request]]
method = "GET"
path = "/v/{id}"
headers = { Accept = "text/plain" }
[request.with]
id = { int = [1, 9] }
[request.expect]
status = 200
body = "value {id}"
headers = { "Content-Type" = "text/plain" }
[[request]]
weight = 0
method = "GET"
path = "/none"
[request.expect]
status = 404
`

func compile(t testing.TB, s *Scenario, o Options) *Mix {
	t.Helper()
	m, err := s.Compile("h:1", o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// source1 returns the source for the only connection, with seed 1.
func source1(t testing.TB, o Options, requests ...Request) *Source {
	t.Helper()
	return compile(t, &Scenario{Name: "x", Requests: requests}, o).NewSource(1, 0, 1)
}

func TestReadAndDraw(t *testing.T) {
	s, err := Read(file(good), "x")
	if err != nil {
		t.Fatal(err)
	}
	mix := compile(t, s, Options{})
	one, two, other := mix.NewSource(5, 0, 1), mix.NewSource(5, 0, 1), mix.NewSource(6, 0, 1)
	form := regexp.MustCompile(`^GET /v/([1-9]) HTTP/1\.1\r\nHost: h:1\r\nAccept: text/plain\r\n\r\n$`)
	differs := false
	ids := map[string]bool{}
	var w, w2, w3 Want
	for range 200 {
		a, b, c := one.Next(nil, &w), two.Next(nil, &w2), other.Next(nil, &w3)
		if !bytes.Equal(a, b) || !bytes.Equal(w.Body, w2.Body) {
			t.Fatal("the same seed gives other bytes")
		}
		differs = differs || !bytes.Equal(a, c)
		m := form.FindSubmatch(a)
		if m == nil {
			t.Fatalf("request %q", a)
		}
		ids[string(m[1])] = true
		if want := "value " + string(m[1]); string(w.Body) != want || !w.CheckBody || w.Status != 200 {
			t.Fatalf("want %+v for %q", w, a)
		}
	}
	if !differs || len(ids) != 9 {
		t.Errorf("another seed differs: %v; drawn %v", differs, ids)
	}
	buf := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { buf = one.Next(buf[:0], &w) }); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}

func TestWeights(t *testing.T) {
	ok := Expect{Status: 200}
	src := source1(t, Options{}, Request{Method: "GET", Path: "/a", Weight: 3, Expect: ok}, Request{Method: "GET",
		Path: "/b", Weight: 1, Expect: ok},
		Request{Method: "GET", Path: "/c", Expect: ok})
	var n [3]int
	var w Want
	for range 40_000 {
		src.Next(nil, &w)
		n[w.Index]++
	}
	if n[2] != 0 || n[0] < 29_000 || n[0] > 31_000 {
		t.Errorf("drawn %v; want 3 : 1 : 0", n)
	}
}

func TestHeaderMatch(t *testing.T) {
	if any := (Header{Name: []byte("etag")}); !any.Match([]byte("x")) || !any.Match(nil) {
		t.Error("no value wanted, and some not taken")
	}
	h := Header{Name: []byte("content-type"), Value: []byte("text/plain")}
	for value, want := range map[string]bool{"text/plain": true, "text/plain; charset=utf-8": true,
		"Text/Plain ;x": true, "text/plainer": false, "text/html": false} {
		if h.Match([]byte(value)) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`name = "x"`, `name = "y"`, "x.toml:1:"},
		{`method = "GET"`, `method = "FETCH"`, "x.toml:4:"},
		{`method = "GET"`, `metod = "GET"`, `did you mean "method"`},
		{`path = "/v/{id}"`, `path = "v"`, "x.toml:5:"},
		{`int = [1, 9]`, `int = [9, 1]`, "x.toml:8:"},
		{`id = { int`, `di = { int`, "no placeholder {di}"},
		{`status = 200`, `status = 20`, "status 20"},
		{"[[request]]\nweight = 0", "[[request]]\nweight = -1", "-1: want 0 or more"},
	} {
		_, err := Read(file(strings.Replace(good, c.from, c.to, 1)), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: error %v; want %q", c.from, c.to, err, c.want)
		}
	}
}

// rich has the keys that good lacks.
const rich = `name = "x"
[[request]]
method = "POST"
path = "/v/{key}/{int:1..9}"
headers = { "X-Who" = "{who}", "X-Seq" = "{seq}" }
body = '{"n":{n},"key":"{key}"}'
[request.with]
key = { uuid = true }
who = { pick = ["a", "b c"] }
n = { seq = true }
[request.expect]
statuses = "2xx,304"
headers = { "ETag" = "" }
[[request]]
method = "GET"
path = "/{key}"
[request.with]
key = { int = [-9, 9] }
[request.expect]
status = 200
body = "{key}"
`

func TestReadRich(t *testing.T) {
	s, err := Read(file(rich), "x")
	if err != nil {
		t.Fatal(err)
	}
	r := s.Requests[0]
	if !r.With["key"].UUID || !r.With["n"].Seq || !slices.Equal(r.With["who"].Pick, []string{"a", "b c"}) ||
		s.Requests[1].With["key"].Int != [2]int64{-9, 9} {
		t.Errorf("inputs %+v, %+v", r.With, s.Requests[1].With)
	}
	if e := r.Expect; e.Status != 0 || e.Statuses.String() != "2xx,304" || e.Body != nil {
		t.Errorf("expects %+v", e)
	}
}

func TestReadRichErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`{int:1..9}`, `{int:1}`, "x.toml:4:1: {int:1}: want two integers, the smaller first, such as {int:1..1000}"},
		{`{seq}`, `{seq:1}`, `x.toml:5:32: {seq:1}: no text allowed after the name; want {seq}`},
		{`"X-Seq"`, `"Content-Length"`, "x.toml:5:32: Content-Length is set automatically"},
		{`{n}`, `{pick:}`, "x.toml:6:1: {pick:}: want a list of texts"},
		{`key = { uuid = true }`, `key = { uuid = false }`, "x.toml:8:1: want one of int, pick, uuid and seq"},
		{`n = { seq = true }`, `n = { seq = false }`, "x.toml:10:1: want one of int, pick, uuid and seq"},
		{`key = { uuid = true }`, `key = { uuid = true, int = [1, 2] }`,
			"x.toml:8:1: want one of int, pick, uuid and seq"},
		{`key = { uuid = true }`, `key = { }`, "x.toml:8:1: want one of int, pick, uuid and seq"},
		{`key = { uuid = true }`, `key = { uid = true }`, `x.toml:8:9: unknown key "uid"; did you mean "uuid"?`},
		{`["a", "b c"]`, `[]`, "x.toml:9:"},
		{`["a", "b c"]`, `["a", "b\u0000"]`, "x.toml:5:13: \"b\\x00\" is not allowed here"},
		{`statuses = "2xx,304"`, ``, "x.toml:11:10: no status: want status"},
		{`statuses = "2xx,304"`, `status = 600`, "x.toml:12:1: status 600: want one from 100 to 599"},
		{`statuses = "2xx,304"`, `statuses = "7xx"`, `x.toml:12:1: "7xx": want statuses`},
		{`statuses = "2xx,304"`, `statuses = ""`, `x.toml:12:1: "": want statuses`},
		{`headers = { "ETag"`, "status = 200\nheaders = { \"ETag\"", "x.toml:12:1: status and statuses exclude " +
			"each other; remove one"},
		{`"ETag" = ""`, `"E Tag" = ""`, "x.toml:13:13: \"E Tag: \" is not a valid header"},
		{`body = "{key}"`, `body = "{seq}"`, "x.toml:21:1: an inline placeholder gets a new value"},
	} {
		_, err := Read(file(strings.Replace(rich, c.from, c.to, 1)), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: error %v; want %q", c.from, c.to, err, c.want)
		}
	}
}

var project = os.DirFS("../..")

func TestShippedScenariosAreRead(t *testing.T) {
	names, err := Names(project)
	if err != nil || !slices.Contains(names, "values") {
		t.Fatalf("scenarios %v, error %v", names, err)
	}
	for _, n := range names {
		if _, err := Read(project, n); err != nil {
			t.Error(err)
		}
	}
}

// TestReadHeaderOrder: a table has no order, so lines are sorted by name, Host before them.
func TestReadHeaderOrder(t *testing.T) {
	file := func(headers string) fstest.MapFS {
		return fstest.MapFS{"scenarios/s.toml": {Data: []byte("name = \"s\"\n[[request]]\nmethod = \"GET\"\npath = " +
			"\"/\"\nheaders = " + headers +
			"\nexpect = { status = 200 }\n")}}
	}
	s, err := Read(file(`{ b = "1", host = "h", A = "2" }`), "s")
	if err != nil {
		t.Fatal(err)
	}
	want := []HeaderLine{{Name: "host", Value: "h"}, {Name: "A", Value: "2"}, {Name: "b", Value: "1"}}
	if got := s.Requests[0].Headers; !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if _, err := Read(file(`{ A = "1", a = "2" }`), "s"); err == nil || !strings.Contains(err.Error(),
		"is given twice") {
		t.Errorf("one name twice: %v", err)
	}
}

// TestReadBodies: a body comes from a file, repeated, its hash is expected, and files are loaded by weight.
func TestReadBodies(t *testing.T) {
	const doc = `name = "x"
pipeline = 16
requests_per_connection = 10
[[files]]
path = "/f/"
folder = "f"
weight = 2
[[request]]
method = "POST"
path = "/up"
body_file = "f/b"
repeat = 2
[request.expect]
status = 200
sha256 = true
`
	read := func(from, to string) (*Scenario, error) {
		fsys := file(strings.Replace(doc, from, to, 1))
		fsys["scenarios/f/b"] = &fstest.MapFile{Data: []byte("a{b\xff")}
		return Read(fsys, "x")
	}
	s, err := read("", "")
	if err != nil {
		t.Fatal(err)
	}
	up, f := s.Requests[0], s.Requests[1]
	if s.Pipeline != 16 || s.PerConnection != 10 || up.Body != "a{b\xffa{b\xff" || f.Weight != 2 || *f.Expect.Body != "a{b\xff" ||
		*up.Expect.Body != "089860205ef247de444d4bb8fd6b323f4f0dcb5cc5e246e6fa17d2052fc17a0d" {
		t.Errorf("%+v, %s", s, *up.Expect.Body)
	}
	for _, c := range []struct{ from, to, want string }{
		{"repeat = 2", "repeat = -1", "x.toml:12:1: -1: want 1 or more"},
		{"repeat = 2", `body = "c"`, "x.toml:11:1: body also sets the body"},
		{`"f/b"`, `"f/c"`, "x.toml:11:1: read scenarios/f/c"},
		{`body_file = "f/b"`, `body = "c"`, "x.toml:15:1: the request's body must come from a body_file"},
		{"sha256 = true", "sha256 = true\nbody = \"c\"", "body also defines the body"},
		{"pipeline = 16", "pipeline = 1025", "x.toml:2:1: 1025: want 1 to 1024"},
		{"= 10", "= -1", "x.toml:3:1: -1: want 1 or more"},
	} {
		if _, err := read(c.from, c.to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.to, err, c.want)
		}
	}
}
