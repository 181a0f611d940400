package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const routed = `name = "x"
[[request]]
routes = "routes/set.routes"
headers = { Host = "set" }
values = { int = [1, 999] }
[request.expect]
status = 200
headers = { "Content-Type" = "text/plain" }
`

// routedFiles returns a scenario file and a route file.
func routedFiles(text, set string) fstest.MapFS {
	return fstest.MapFS{"scenarios/x.toml": {Data: []byte(text)}, "scenarios/routes/set.routes": {Data: []byte(set)}}
}

func TestReadRoutes(t *testing.T) {
	s, err := Read(routedFiles(routed, "# two\nGET /\n\n  DELETE /repos/:owner/:repo/keys/:id  \n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Requests) != 2 || !slices.Equal(s.Routes, []string{"scenarios/routes/set.routes"}) {
		t.Fatalf("%d requests, routes %q", len(s.Requests), s.Routes)
	}
	src := compile(t, s, Options{}).NewSource(1, 0, 1)
	var w Want
	var owner, repo, id, drawn int
	for range 100 {
		raw := string(src.Next(nil, &w))
		if w.Index == 0 {
			if want := "GET / HTTP/1.1\r\nHost: set\r\n\r\n"; raw != want || string(w.Body) != "GET /" {
				t.Fatalf("%q, to be answered with %q", raw, w.Body)
			}
			continue
		}
		drawn++
		if _, err := fmt.Sscanf(raw, "DELETE /repos/%d/%d/keys/%d HTTP/1.1\r\nHost: set\r\n\r\n", &owner, &repo,
			&id); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if want := fmt.Sprintf("DELETE /repos/:owner/:repo/keys/:id %d %d %d", owner, repo,
			id); string(w.Body) != want {
			t.Fatalf("%q is to be answered with %q; want %q", raw, w.Body, want)
		}
	}
	if drawn < 30 || drawn > 70 || owner == repo && repo == id {
		t.Errorf("%d of 100 of the second route; last %d %d %d", drawn, owner, repo, id)
	}
}

func TestReadRoutesErrors(t *testing.T) {
	for _, c := range []struct{ from, to, set, want string }{
		{"", "", "GET /a\nFETCH /b", "x.toml:3:"},
		{"", "", "GET /a\nFETCH /b", "scenarios/routes/set.routes:2: "},
		{"", "", "/a", "want a method and a path, such as GET"},
		{"", "", "GET a", "want a method and a path"},
		{"", "", "GET /a b", "want a method and a path"},
		{"", "", "GET /{a}", "want a method and a path"},
		{"", "", "GET /:a/:a", ":a is given twice"},
		{"", "", "GET /:a-b", "not a valid parameter"},
		{"", "", "GET /:", "not a valid parameter"},
		{"", "", "# none", "set.routes has no route"},
		{"values = { int = [1, 999] }", "", "GET /:a", "no value for :a; set"},
		{"int = [1, 999]", "int = [9, 1]", "GET /:a", "x.toml:5:"},
		{"int = [1, 999]", "", "GET /a", "want one of int, pick, uuid and seq"},
		{"set.routes", "other.routes", "GET /a", "read scenarios/routes/other.routes"},
		{"headers", "method = \"GET\"\nheaders", "GET /a", "x.toml:4:"},
		{"status = 200", "status = 200\nbody = \"a\"", "GET /a", "takes this from each route"},
		{`routes = "routes/set.routes"`, "method = \"GET\"\npath = \"/\"", "", "parameters without routes"},
	} {
		_, err := Read(routedFiles(strings.Replace(routed, c.from, c.to, 1), c.set), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s with %q: error %v; want %q", c.from, c.to, c.set, err, c.want)
		}
	}
}

// Each set has as many routes as in the published benchmark, and each route is requested.
func TestShippedRoutes(t *testing.T) {
	for name, n := range map[string]int{"one": 1, "static": 157, "github": 203, "gplus": 13, "parse": 26} {
		s, err := Read(project, "routes-"+name)
		if err != nil {
			t.Fatal(err)
		}
		loaded := 0
		for i := range s.Requests {
			if s.Requests[i].Weight > 0 {
				loaded++
			}
		}
		if loaded != n {
			t.Errorf("%s: %d routes; want %d", name, loaded, n)
		}
		src := compile(t, s, Options{}).NewSource(1, 0, 1)
		var w Want
		buf := make([]byte, 0, 512)
		seen := map[int]bool{}
		for range 50 * n {
			buf = src.Next(buf[:0], &w)
			seen[w.Index] = true
			if !bytes.Contains(buf, []byte("\r\nHost: "+name+"\r\n")) {
				t.Fatalf("%q does not name its set", buf)
			}
		}
		if len(seen) != n {
			t.Errorf("%s: %d routes in %d requests; want %d", name, len(seen), 50*n, n)
		}
		if a := testing.AllocsPerRun(100, func() { buf = src.Next(buf[:0], &w) }); a != 0 {
			t.Errorf("%s: %v allocations a request", name, a)
		}
	}
}

// BenchmarkNextOf measures the generator's cost of drawing and rendering a request from a shipped scenario.
func BenchmarkNextOf(b *testing.B) {
	for _, name := range []string{"hello", "values", "routes-one", "routes-gplus", "routes-static", "routes-github"} {
		b.Run(name, func(b *testing.B) {
			s, err := Read(project, name)
			if err != nil {
				b.Fatal(err)
			}
			src := compile(b, s, Options{}).NewSource(1, 0, 1)
			var w Want
			buf := make([]byte, 0, 4096)
			for b.Loop() {
				buf = src.Next(buf[:0], &w)
			}
		})
	}
}
