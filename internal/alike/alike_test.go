package alike

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
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

// seen is the result for servers that were asked.
type seen struct {
	Sides
	addrs    []string
	base     *scenario.Scenario
	contract *scenario.Scenario
	record.Alike
	err error
}

// ask asks a server for each handler, named a, b and so on.
func ask(t *testing.T, path string, differ []string, handlers ...http.HandlerFunc) *seen {
	t.Helper()
	s, _, err := (&scenario.AdHoc{}).Make(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s.Lenient = true
	out := &seen{base: s}
	if out.Allowed, err = ParseAllowed(differ); err != nil {
		t.Fatal(err)
	}
	for i, h := range handlers {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		out.addrs = append(out.addrs, server.Listener.Addr().String())
		if err := out.Ask(t.Context(), string(rune('a'+i)), s, from(t, s, out.addrs[i])); err != nil {
			t.Fatal(err)
		}
	}
	contract, found, err := out.Agree(s)
	if out.contract, out.err = contract, err; err == nil {
		out.Alike = *found
	}
	return out
}

const jsonType = "Content-Type: application/json"

// TestDifferences: each kind of difference is found in its place, named as --differ names it, and
// gone when --differ accepts it.
func TestDifferences(t *testing.T) {
	plain := answer(200, "one\ntwo\n")
	for name, c := range map[string]struct {
		a, b    http.HandlerFunc
		want    []string // in the message
		excuses string   // --differ value; "": none is needed
	}{
		"alike": {a: plain, b: plain},
		"status": {plain, answer(201, "one\ntwo\n"), []string{"differently: status\n", "a  200\n", "b  201\n"},
			"status"},
		"type": {answer(200, "{}", jsonType), answer(200, "{}", "Content-Type: text/html"),
			[]string{"Content-Type", "a  application/json", "b  text/html"}, "type"},
		"parameters of a type": {a: answer(200, "{}", jsonType), b: answer(200, "{}", jsonType+"; charset=utf-8")},
		"header": {plain, answer(200, "one\ntwo\n", "Content-Language: de"),
			[]string{"header content-language", "a  none", "b  de", "--differ header:content-language"},
			"header:Content-Language"},
		"own host in Location": {a: answer(301, "", "Location: http://a/x"),
			b: answer(301, "", "Location: http://b:1/x")},
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
		"JSON surrogate": {answer(200, `{"a":"\ud83d"}`, jsonType), answer(200, `{"a":"�"}`, jsonType),
			[]string{"body\n", `a  {"a":"\ud83d"}`, `b  {"a":"�"}`}, "body"},
		"JSON surrogates": {answer(200, `{"a":"\ud83d"}`, jsonType), answer(200, `{"a":"\ud83e"}`, jsonType),
			[]string{"body at line 1\n", `a  {"a":"\ud83d"}`, `b  {"a":"\ud83e"}`}, "body"},
		"JSON name twice": {answer(200, `{"a":1,"a":2}`, jsonType), answer(200, `{"a":2}`, jsonType),
			[]string{"body\n", `a  {"a":1,"a":2}`, `b  {"a":2}`}, "body"},
		"other bytes of JSON": {answer(200, `{"a":1,"b":2}`, jsonType), answer(200, `{"b": 2.0, "a": 1}`, jsonType), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := ask(t, "/", nil, c.a, c.b, c.b)
			var d *Difference
			if errors.As(seen.err, &d) != (c.want != nil) || len(seen.Varies) > 0 {
				t.Fatalf("%v, varying %q", seen.err, seen.Varies)
			}
			if c.want == nil {
				return
			}
			if !strings.Contains(seen.err.Error(), "\na and c respond") {
				t.Errorf("the third side is not named in\n%v", seen.err)
			}
			for _, want := range c.want {
				if !strings.Contains(d.Error(), want) {
					t.Errorf("no %q in\n%v", want, d)
				}
			}
			if seen = ask(t, "/", []string{c.excuses}, c.a, c.b); seen.err != nil || len(seen.Excused) == 0 {
				t.Errorf("with --differ %s: %v, excused %q", c.excuses, seen.err, seen.Excused)
			}
		})
	}
}

// from returns a function that sends the requests in s to a server.
func from(t *testing.T, s *scenario.Scenario, addr string) func() ([]scenario.Answer, error) {
	return func() ([]scenario.Answer, error) { return s.Answers(t.Context(), wire.TCP(addr)) }
}

// TestOwnPaths: a difference names the request that each server got.
func TestOwnPaths(t *testing.T) {
	var s Sides
	var base *scenario.Scenario
	for name, path := range map[string]string{"a": "/one", "b": "/two"} {
		server := httptest.NewServer(answer(map[string]int{"a": 200, "b": 404}[name], ""))
		t.Cleanup(server.Close)
		sc, _, err := (&scenario.AdHoc{}).Make(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ask(t.Context(), name, sc, from(t, sc, server.Listener.Addr().String())); err != nil {
			t.Fatal(err)
		}
		base = sc
	}
	_, _, err := s.Agree(base)
	if err == nil {
		t.Fatal("they agree")
	}
	for _, want := range []string{"a to GET /one", "b to GET /two", "respond differently: status\n"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

// TestConnectionIsTold, and stops nobody.
func TestConnectionIsTold(t *testing.T) {
	seen := ask(t, "/", nil, answer(200, ""), answer(200, "", "Connection: close"))
	if want := "the connection: kept open of a, closed after each response of b"; seen.err != nil ||
		!slices.Contains(seen.Excused, want) {
		t.Errorf("%v, %q", seen.err, seen.Excused)
	}
}

// TestWhatVaries: values that a side changes each time are no difference between sides, and are
// recorded; constant ones still are a difference.
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
		seen := ask(t, "/", nil, counting(c.format, "x"), counting(c.format, "x"))
		if seen.err != nil || !slices.Contains(seen.Varies, c.varies) {
			t.Fatalf("%s: %v, varying %q", c.format, seen.err, seen.Varies)
		}
		if e := seen.contract.Requests[0].Expect; e.Body != nil || e.Status != 200 || e.Shape == nil ||
			seen.Constant != 0 {
			t.Errorf("%+v, %d constant", e, seen.Constant)
		}
		seen = ask(t, "/", nil, counting(c.format, "x"), counting(c.format, "y"))
		if d, ok := errors.AsType[*Difference](seen.err); !ok || d.Place != c.path {
			t.Errorf("%s: %v", c.format, seen.err)
		}
	}
}

// TestWhatVariesIsThere: a value that varies on one side must be present on the other.
func TestWhatVariesIsThere(t *testing.T) {
	var n atomic.Int64
	counting := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"id":%d,"a":1}`, n.Add(1)) }
	seen := ask(t, "/", nil, answer(200, `{"a":1}`), counting)
	if d, ok := errors.AsType[*Difference](seen.err); !ok || d.Place != ".id" || d.SaysA != "not there" {
		t.Errorf("%v", seen.err)
	}
}

// TestWhatVariesExcuses: variation on one side alone excuses nothing, a number excuses no null, and
// a varying word excuses no other.
func TestWhatVariesExcuses(t *testing.T) {
	var n atomic.Int64
	counting := func(format string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			i := n.Add(1)
			if !strings.Contains(format, "%") {
				fmt.Fprint(w, format)
				return
			}
			fmt.Fprintf(w, format, i)
		}
	}
	for name, c := range map[string]struct{ a, b, place, says string }{
		"both vary":             {a: `{"id":%d}`, b: `{"id":%d}`},
		"constant":              {`{"id":0}`, `{"id":%d}`, ".id", "0 (constant)"},
		"the other is constant": {`{"id":%d}`, `{"id":7000000}`, ".id", "(varies)"},
		"constant line":         {"x\nxxxxxxxxxxx\n", "x\n%d\n", "line 2", "xxxxxxxxxxx (constant)"},
		"null":                  {`{"id":%d}`, `{"id":null}`, ".id", ""},
		"another type":          {`{"id":%d}`, `{"id":"%d"}`, ".id", ""},
		"a word beside it":      {"at %d by ann", "at %d by bob", "line 1", ""},
		"a word in a string":    {`{"at":"%d by ann"}`, `{"at":"%d by bob"}`, ".at", "by ann"},
		"bytes beside it":       {"\x00\xff%d\xfe", "\x00\xff%d\xfd", "byte", ""},
	} {
		n.Store(1000)
		seen := ask(t, "/", nil, counting(c.a), counting(c.b))
		d, _ := errors.AsType[*Difference](seen.err)
		switch {
		case c.place == "":
			if seen.err != nil {
				t.Errorf("%s: %v", name, seen.err)
			}
		case d == nil || !strings.Contains(d.Place, c.place) || !strings.Contains(d.SaysA, c.says):
			t.Errorf("%s: %v", name, seen.err)
		}
	}
}

// TestDateless: a side without Date is recorded.
func TestDateless(t *testing.T) {
	seen := ask(t, "/", nil, answer(200, "x"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		fmt.Fprint(w, "x")
	})
	if seen.err != nil || !slices.Equal(seen.Dateless, []string{"b"}) {
		t.Errorf("%v, %q", seen.err, seen.Dateless)
	}
}

// TestContract: the load is checked for the properties that every answer had in common.
func TestContract(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }
	for name, c := range map[string]struct {
		path     string
		a, b     http.HandlerFunc
		differ   []string
		body     string // in the contract; "": none
		json     string
		constant int
	}{
		"constant": {"/", answer(200, "value"), answer(200, "value"), nil, "value", "", 1},
		"drawn, constant": {"/{int:1..9}", answer(200, "value"), answer(200, "value"), nil, "value", "",
			1},
		"drawn": {"/{int:1..1000}", echo, echo, nil, "", "", 0},
		"other bytes": {"/", answer(200, `{"a":1}`, jsonType), answer(200, `{"a": 1}`, jsonType), nil, "",
			`{"a":1}`, 1},
		"excused": {"/", answer(200, "a"), answer(200, "b"), []string{"body"}, "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := ask(t, c.path, c.differ, c.a, c.b)
			if seen.err != nil {
				t.Fatal(seen.err)
			}
			s := seen.contract
			e := s.Requests[0].Expect
			got := func(p *string) string {
				if p == nil {
					return ""
				}
				return *p
			}
			if got(e.Body) != c.body || got(e.JSON) != c.json || e.Status != 200 ||
				seen.Constant != c.constant || (e.Shape == nil) != (c.constant == 1) {
				t.Errorf("%+v, %d constant", e, seen.Constant)
			}
			if seen.base.Requests[0].Expect.Body != nil || !s.Lenient {
				t.Error("the base is changed, or the contract is not lenient")
			}
			for _, addr := range seen.addrs {
				if _, err := scenario.Verify(t.Context(), s, wire.TCP(addr), nil, 0); err != nil {
					t.Errorf("%s: %v", addr, err)
				}
			}
		})
	}
}

// TestStatusesInTurn: a status that the scenario allows is part of the contract if any answer in
// turn has it.
func TestStatusesInTurn(t *testing.T) {
	for got, want := range map[int]bool{200: false, 412: true, 500: false} {
		j := judged("PUT /", map[string][]string{"a": {"", ""}, "b": {"", ""}}, nil)
		j.contract.Requests[0].Expect.Statuses, _ = scenario.ParseStatuses("200,412")
		j.sides.all[1].inTurn = []scenario.Answer{{Response: &wire.Response{Status: got}}}
		e := &j.sides.contract(j.contract).Requests[0].Expect
		if e.Statuses.Has(412) != want || e.Statuses.Has(500) || e.Status != 200 {
			t.Errorf("of answers with 200 and %d: %d, %+v", got, e.Status, e.Statuses)
		}
	}
}

// TestBytes: the length of answers in turn is their mean.
func TestBytes(t *testing.T) {
	one := &side{name: "a", inTurn: []scenario.Answer{{Response: &wire.Response{HeadBytes: 100, Body: make([]byte, 10)}},
		{Response: &wire.Response{HeadBytes: 200}}}}
	s := &Sides{all: []*side{one, {name: "b"}}}
	if all, bodies, none := s.Bytes("a", false), s.Bytes("a", true), s.Bytes("b", false); all != 155 ||
		bodies != 5 || none != 0 {
		t.Error(all, bodies, none)
	}
}

// TestAskFails: a side that refuses, and a status that no side may answer with.
func TestAskFails(t *testing.T) {
	s, _, err := (&scenario.AdHoc{}).Make(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(answer(200, ""))
	addr := server.Listener.Addr().String()
	server.Close()
	if err := new(Sides).Ask(t.Context(), "b", s, from(t, s, addr)); err == nil ||
		!strings.Contains(err.Error(), "GET /: dial tcp") {
		t.Errorf("%v", err)
	}
	missing := answer(404, "")
	if err := ask(t, "/", nil, missing, missing).err; err == nil || !strings.Contains(err.Error(),
		"a responds to GET / with status 404; check the request") {
		t.Errorf("%v", err)
	}
	if d, ok := errors.AsType[*Difference](ask(t, "/", nil, missing, answer(200, "")).err); !ok || d.What != "status" {
		t.Errorf("%v", d)
	}
}

func TestParseAllowed(t *testing.T) {
	for _, bad := range []string{"", "bodies", "body:x", "header", "header:", "json", "json:a[", "json:a[x]",
		"json:a..b",
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
