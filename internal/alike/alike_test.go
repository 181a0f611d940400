package alike

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/adhoc"
	"dyno/internal/scenario"
)

// answer is a handler that answers with a body and headers, each "Name: value".
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// ask asks a server of each handler, named a, b and so on.
func ask(t *testing.T, r adhoc.Request, path string, differ []string, handlers ...http.HandlerFunc) (*Seen, error) {
	t.Helper()
	s, _, err := r.Make(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := ParseAllowed(differ)
	if err != nil {
		t.Fatal(err)
	}
	var sides []Side
	for i, h := range handlers {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		sides = append(sides, Side{Name: string(rune('a' + i)), Network: "tcp", Addr: server.Listener.Addr().String(),
			Scenario: s})
	}
	return Ask(t.Context(), sides, allowed, 0)
}

const jsonType = "Content-Type: application/json"

// TestDifferences: each kind of difference is found where it is, named as --differ has it, and gone
// when that is said.
func TestDifferences(t *testing.T) {
	plain := answer(200, "one\ntwo\n")
	for name, c := range map[string]struct {
		a, b    http.HandlerFunc
		want    []string // of the message
		excuses string   // value of --differ; "": none is needed
	}{
		"alike":  {a: plain, b: plain},
		"status": {plain, answer(201, "one\ntwo\n"), []string{"differently: status\n", "a  200\n", "b  201\n"}, "status"},
		"type": {answer(200, "{}", jsonType), answer(200, "{}", "Content-Type: text/html"),
			[]string{"Content-Type", "a  application/json", "b  text/html"}, "type"},
		"parameters of a type": {a: answer(200, "{}", jsonType), b: answer(200, "{}", jsonType+"; charset=utf-8")},
		"header": {plain, answer(200, "one\ntwo\n", "Content-Language: de"),
			[]string{"header content-language", "a  none", "b  de", "--differ header:content-language"},
			"header:Content-Language"},
		"own host in Location": {a: answer(301, "", "Location: http://a/x"), b: answer(301, "", "Location: http://b:1/x")},
		"closed": {plain, answer(200, "one\ntwo\n", "Connection: close"),
			[]string{"header connection", "a  kept open", "b  closed"}, "header:connection"},
		"cookie": {plain, answer(200, "one\ntwo\n", "Set-Cookie: id=1"),
			[]string{"set-cookie", "b  id"}, "header:set-cookie"},
		"line": {plain, answer(200, "one\ntow\n"),
			[]string{"body at line 2\n", "a  two\n", "b  tow\n", "--differ body"}, "body"},
		"lines": {plain, answer(200, "one\ntwo\nthree"), []string{"line 3", "b  three"}, "body"},
		"bytes": {answer(200, "\x00\xff1"), answer(200, "\x00\xff2"), []string{"body at byte 2", "31", "32"}, "body"},
		"JSON": {answer(200, `{"a":[{"b":1},{"b":2}]}`, jsonType), answer(200, `{"a":[{"b":1.0},{"b":3}]}`, jsonType),
			[]string{"body at .a[1].b\n", "a  2\n", "b  3\n", "--differ 'json:.a[*].b'"}, "json:.a[*].b"},
		"JSON name": {answer(200, `{"a":1,"x y":true}`), answer(200, `{"a":1}`),
			[]string{`body at ."x y"`, "a  true", "b  not there"}, `json:"x y"`},
		"JSON elements": {answer(200, `[1,2]`), answer(200, `[1]`), []string{"body at .\n", "a  2 elements"}, "json:."},
		"JSON length": {answer(200, `{"a":1,"b":2}`, jsonType), answer(200, `{"b": 2, "a": 1}`, jsonType),
			[]string{"differently: length", "13 bytes", "16 bytes, the same JSON"}, "length"},
		"body excuses length": {answer(200, `{"a":1}`), answer(200, `{"a": 1}`), []string{"length"}, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen, err := ask(t, adhoc.Request{}, "/", nil, c.a, c.b)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range seen.Differences() {
				got = append(got, d.Error())
			}
			if len(got) != min(len(c.want), 1) || len(seen.Varies) > 0 {
				t.Fatalf("%q, varying %q", got, seen.Varies)
			}
			for _, want := range c.want {
				if !strings.Contains(got[0], want) {
					t.Errorf("no %q in\n%s", want, got[0])
				}
			}
			if c.want == nil {
				return
			}
			if seen, err = ask(t, adhoc.Request{}, "/", []string{c.excuses}, c.a, c.b); err != nil {
				t.Fatal(err)
			}
			if left := seen.Differences(); len(left) > 0 || len(seen.Excused) == 0 {
				t.Errorf("with --differ %s: %v, excused %q", c.excuses, left, seen.Excused)
			}
		})
	}
}

// TestWhatVaries: what a side answers differently each time is no difference between sides, and is
// told; what it says the same way each time still is one.
func TestWhatVaries(t *testing.T) {
	var n atomic.Int64
	counting := func(format, name string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, format, n.Add(1), name) }
	}
	for _, c := range []struct {
		format, path, varies string
	}{
		{`{"now":%d,"users":[{"name":"%s"}]}`, ".users[0].name", "body of a at .now"},
		{"now %d\nname %s\n", "line 2", "body of b at line 1"},
		{`{"users":[{"id":%d},{"name":"%s"}]}`, ".users[1].name", "body of a at .users[*].id"},
	} {
		seen, err := ask(t, adhoc.Request{}, "/", nil, counting(c.format, "x"), counting(c.format, "x"))
		if err != nil {
			t.Fatal(err)
		}
		if d := seen.Differences(); len(d) > 0 || !slices.Contains(seen.Varies, c.varies) {
			t.Errorf("%s: %v, varying %q", c.format, d, seen.Varies)
		}
		if s, checked := seen.Contract(seen.sides[0].Scenario); s.Requests[0].Expect.Body != nil ||
			s.Requests[0].Expect.Status != 200 || !strings.Contains(checked, "bodies vary") {
			t.Errorf("%+v, %s", s.Requests[0].Expect, checked)
		}
		seen, err = ask(t, adhoc.Request{}, "/", nil, counting(c.format, "x"), counting(c.format, "y"))
		if err != nil {
			t.Fatal(err)
		}
		if d := seen.Differences(); len(d) != 1 || d[0].Place != c.path {
			t.Errorf("%s: %v", c.format, d)
		}
	}
}

// TestContract: the load is checked for what every answer had in common.
func TestContract(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }
	for name, c := range map[string]struct {
		path    string
		a, b    http.HandlerFunc
		differ  []string
		body    string // of the contract; "": none
		json    string
		checked string
	}{
		"constant": {"/", answer(200, "value"), answer(200, "value"), nil, "value", "", "status and body of every"},
		"drawn, constant": {"/{int:1..9}", answer(200, "value"), answer(200, "value"), nil, "value", "",
			"status and body of every"},
		"drawn": {"/{int:1..1000}", echo, echo, nil, "", "", "bodies vary"},
		"other bytes": {"/", answer(200, `{"a":1}`, jsonType), answer(200, `{"a": 1}`, jsonType), []string{"length"}, "",
			`{"a":1}`, "status and body of every"},
		"excused": {"/", answer(200, "a"), answer(200, "b"), []string{"body"}, "", "", "bodies vary"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen, err := ask(t, adhoc.Request{}, c.path, c.differ, c.a, c.b)
			if err != nil {
				t.Fatal(err)
			}
			if d := seen.Differences(); len(d) > 0 {
				t.Fatal(d)
			}
			base := seen.sides[0].Scenario
			s, checked := seen.Contract(base)
			e := s.Requests[0].Expect
			got := func(p *string) string {
				if p == nil {
					return ""
				}
				return *p
			}
			if got(e.Body) != c.body || got(e.JSON) != c.json || e.Status != 200 || !strings.Contains(checked, c.checked) {
				t.Errorf("%+v, %s", e, checked)
			}
			if base.Requests[0].Expect.Body != nil || !s.Lenient {
				t.Error("the base is changed, or the contract is not lenient")
			}
			for _, side := range seen.sides {
				if _, err := scenario.Verify(t.Context(), s, "tcp", side.Addr, nil, 0); err != nil {
					t.Errorf("%s: %v", side.Name, err)
				}
			}
		})
	}
}

// TestAskFails: a side that refuses, and a status that no side may answer with.
func TestAskFails(t *testing.T) {
	s, _, err := (&adhoc.Request{}).Make(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(answer(200, ""))
	gone := Side{Name: "b", Network: "tcp", Addr: server.Listener.Addr().String(), Scenario: s}
	server.Close()
	if _, err := Ask(t.Context(), []Side{gone, gone}, Allowed{}, 0); err == nil || !strings.Contains(err.Error(),
		"b: GET /: dial tcp") {
		t.Errorf("%v", err)
	}
	missing := answer(404, "")
	if _, err := ask(t, adhoc.Request{}, "/", nil, missing, missing); err == nil || !strings.Contains(err.Error(),
		"GET /: every side answers with status 404: is the request right?") {
		t.Errorf("%v", err)
	}
	if seen, err := ask(t, adhoc.Request{}, "/", nil, missing, answer(200, "")); err != nil ||
		seen.Differences()[0].What != "status" {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestParseAllowed(t *testing.T) {
	for _, bad := range []string{"", "bodies", "body:x", "header", "header:", "json", "json:a[", "json:a[x]", "json:a..b",
		`json:"a`} {
		if _, err := ParseAllowed([]string{bad}); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	for text, want := range map[string]string{
		"": ".", ".": ".", "$.a": ".a", "a[].b": ".a[*].b",
		".a[3]": ".a[3]", `a."x y"[0]`: `.a."x y"[0]`, "[*].id": ".[*].id",
	} {
		if p, err := parsePath(text); err != nil || p.String() != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}
