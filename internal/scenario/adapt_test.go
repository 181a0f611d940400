package scenario

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/wire"
)

func TestPathsOfAContestant(t *testing.T) {
	var s Scenario
	for _, p := range []string{"/", "/about", "/about/us", "/public/css/a.css", "/public/lib/b.js", "/set?value={v}"} {
		s.Requests = append(s.Requests, Request{Path: p})
	}
	own := s.At(map[string]string{"/": "/Home", "/about": "/Home/About", "/public/": "/", "/public/lib/": "/packages/",
		"/set": "/Session/Set"})
	var got []string
	for _, r := range own.Requests {
		got = append(got, r.Path)
	}
	if want := "[/Home /Home/About /about/us /css/a.css /packages/b.js " +
		"/Session/Set?value={v}]"; fmt.Sprint(got) != want {
		t.Errorf("%v; want %v", got, want)
	}
	if s.Requests[0].Path != "/" || s.At(nil) != &s {
		t.Error("the scenario itself is changed")
	}
}

const sites = `name = "x"
service = [{ name = "records" }]
session = "id"
cookies = true
[map]
"/A" = "/a"
[[request]]
method = "GET"
path = "/"
[request.expect]
status = 200
body_file = "pages/home.html"
collapse = true
[[request]]
method = "GET"
path = "/json"
[request.expect]
status = 200
json_of = "/data"
[[request]]
method = "POST"
path = "/set?v={v}"
remembers = "{v}"
weight = 0
[request.with]
v = { seq = true }
[request.expect]
status = 200
body = ""
session = true
[[request]]
method = "GET"
path = "/get"
weight = 0
[request.expect]
status = 200
recalls = true
[[files]]
path = "/public/"
folder = "../shared/files"
`

func sitesFiles(text string) fstest.MapFS {
	fsys := file(text)
	fsys["scenarios/pages/home.html"] = &fstest.MapFile{Data: []byte("<p>{v} {uuid} /a</p>\n")}
	fsys["shared/files/css/a.css"] = &fstest.MapFile{Data: []byte("a { }")}
	fsys["shared/files/b.js"] = &fstest.MapFile{Data: []byte("{int:1..2}")}
	return fsys
}

func TestReadSites(t *testing.T) {
	s, err := Read(sitesFiles(sites), "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Requests) != 6 || s.Requests[4].Path != "/public/b.js" || *s.Requests[4].Expect.Body != "{int:1..2}" ||
		s.Requests[5].Weight != 0 {
		t.Errorf("%+v", s.Requests)
	}
	if _, err := s.Compile("h", Options{}); err == nil || !strings.Contains(err.Error(), "not compared byte by byte") {
		t.Errorf("what is compared loosely is loaded: %v", err)
	}
	asked := 0
	s, err = s.Bind(func(path string) ([]byte, error) { asked++; return []byte("[1.0]"), nil })
	if err != nil || asked != 1 {
		t.Fatal(asked, err)
	}
	exact := s.Exact(&Observed{Bodies: map[int][]byte{0: []byte("<p>{v}</p>"), 1: []byte("[1]")}})
	m, err := exact.Compile("h", Options{})
	if err != nil || string(m.templates[0].want.Body) != "<p>{v}</p>" || string(m.templates[1].want.Body) != "[1]" ||
		!m.templates[1].want.CheckBody {
		t.Errorf("%+v, %v", m, err)
	}
	for _, bad := range []string{"[1,]", ""} {
		if _, err := s.Bind(func(string) ([]byte, error) { return []byte(bad), nil }); err == nil ||
			!strings.Contains(err.Error(), "service records") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadSitesErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`pages/home.html`, `pages/hom.html`, "x.toml:12:1: read scenarios/pages/hom.html: file does not exist"},
		{`pages/home.html`, `../../etc/passwd`, `x.toml:12:1: "../../etc/passwd" is not a file of the project`},
		{`body_file = "pages/home.html"`, ``, "x.toml:13:1: no page to compare with"},
		{`collapse = true`, `body = "a"`, "x.toml:12:1: body also defines the body"},
		{`json_of = "/data"`, `json_of = "data"`, `x.toml:19:1: "data": want a path that starts with /`},
		{`json_of = "/data"`, `json = "[1,]"`, "x.toml:19:1: not JSON: byte 4: invalid character ']'"},
		{`service = [{ name = "records" }]`, ``, "json_of: there is no [[service]]"},
		{`[{ name = "records" }]`, `[{ name = "" }]`, "a service needs a name"},
		{`[{ name = "records" }]`, `[{ name = "a" }, { name = "a" }]`, `the service "a" is named twice`},
		{`session = "id"`, ``, `session = "name" at the top`},
		{`session = "id"`, `session = "i d"`, `x.toml:3:1: "i d" is not a valid name of a cookie`},
		{"collapse = true\n", "", "x.toml:5:2: no request has collapse = true"},
		{"weight = 0\n[request.expect]", "[request.expect]", "requests with recalls can be verified but not " +
			"loaded; set weight = 0"},
		{`path = "/json"`, "path = \"/json/{v}\"\n[request.with]\nv = { seq = true }",
			"cannot contain random values"},
		{`path = "/public/"`, `path = "/public"`, "x.toml:39:1: \"/public\": want a path that starts and ends with /"},
		{`../shared/files`, `../shared/none`, "x.toml:40:1: read shared/none: open shared/none: file does not exist"},
		{`"/A" = "/a"`, `"" = "/a"`, "x.toml:5:2: cannot replace an empty text"},
	} {
		_, err := Read(sitesFiles(strings.Replace(sites, c.from, c.to, 1)), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: error %v; want %q", c.from, c.to, err, c.want)
		}
	}
}

// The shipped pages have the published sizes.
func TestShippedPagesHaveThePublishedSize(t *testing.T) {
	s, err := Read(project, "templates")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests {
		if want, ok := map[string]int{"/": 7360, "/about": 1815, "/contact": 2106, "/nowhere": 1825}[r.Path]; ok &&
			len(*r.Expect.Body) != want {
			t.Errorf("%s has %d bytes; want %d", r.Path, len(*r.Expect.Body), want)
		}
	}
}

// A page whose two responses differ cannot be required byte for byte under load.
func TestVerifyPinsBytes(t *testing.T) {
	page := "<p>a</p> <p>b</p>"
	s := &Scenario{Name: "x", Requests: []Request{{Name: "page", Method: "GET", Path: "/", Weight: 1,
		Expect: Expect{Status: 200, Body: &page, Collapse: true}}}}
	n := 0
	addr := raw(t, func(string) string {
		n++
		return answer("200 OK", "", "<p>a</p>"+strings.Repeat(" ", n)+"<p>b</p>")
	})
	if _, err := Verify(t.Context(), s, wire.TCP(addr), nil, 0); err == nil || !strings.Contains(err.Error(),
		"under load all must be identical") {
		t.Error(err)
	}
	addr = raw(t, func(string) string { return answer("200 OK", "", "<p>a</p><p>b</p>\n") })
	seen, err := Verify(t.Context(), s, wire.TCP(addr), nil, 0)
	if err != nil || string(seen.Bodies[0]) != "<p>a</p><p>b</p>\n" {
		t.Fatalf("%+v, %v", seen, err)
	}
	pinned, err := s.Pin(t.Context(), wire.Endpoint{Network: "tcp", Addr: addr, Host: "h"})
	if err != nil || *pinned.Requests[0].Expect.Body != "<p>a</p><p>b</p>\n" {
		t.Error(pinned, err)
	}
	addr = raw(t, func(string) string { return answer("200 OK", "", "<p>c</p>") })
	if _, err := s.Pin(t.Context(), wire.TCP(addr)); err == nil || !strings.Contains(err.Error(), "the page") {
		t.Error(err)
	}
}
