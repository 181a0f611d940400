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

func TestReadAndDraw(t *testing.T) {
	s, err := Read(file(good), "x")
	if err != nil {
		t.Fatal(err)
	}
	one, _ := s.NewSource(5, "h:1")
	two, _ := s.NewSource(5, "h:1")
	other, _ := s.NewSource(6, "h:1")
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
	s := &Scenario{Requests: []Request{{Method: "GET", Path: "/a", Weight: 3}, {Method: "GET", Path: "/b", Weight: 1}, {Method: "GET", Path: "/c"}}}
	src, err := s.NewSource(1, "h")
	if err != nil {
		t.Fatal(err)
	}
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
	h := Header{[]byte("content-type"), []byte("text/plain")}
	for value, want := range map[string]bool{"text/plain": true, "text/plain; charset=utf-8": true, "Text/Plain ;x": true, "text/plainer": false, "text/html": false} {
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

func TestShippedScenariosAreRead(t *testing.T) {
	project := os.DirFS("../..")
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
