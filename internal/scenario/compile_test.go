package scenario

import (
	"strings"
	"testing"
)

// TestRendering checks the rendered bytes.
func TestRendering(t *testing.T) {
	put := Request{Method: "PUT", Path: "/", Weight: 1, Expect: ok200}
	patch := Request{Method: "PATCH", Path: "/", Weight: 1, Expect: ok200}
	for name, c := range map[string]struct {
		r    Request
		o    Options
		want string
	}{
		"get": {get("/a?b=c", "B", "2", "A", "1"), Options{},
			"GET /a?b=c HTTP/1.1\r\nHost: h:1\r\nB: 2\r\nA: 1\r\n\r\n"},
		"post":        {post("value"), Options{}, "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 5\r\n\r\nvalue"},
		"empty put":   {put, Options{}, "PUT / HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n"},
		"empty patch": {patch, Options{}, "PATCH / HTTP/1.1\r\nHost: h:1\r\n\r\n"},
		"drawn body": {post("{int:7..7}"), Options{}, "POST / HTTP/1.1\r\nHost: h:1\r\nContent-Length: " +
			"1\r\n\r\n7"},
		"close": {post("value"), Options{Close: true}, "POST / HTTP/1.1\r\nHost: h:1\r\nConnection: " +
			"close\r\nContent-Length: 5\r\n\r\nvalue"},
		"close, not ours": {get("/", "connection", "TE"), Options{Close: true},
			"GET / HTTP/1.1\r\nHost: h:1\r\nconnection: TE\r\n\r\n"},
		"own host": {get("/", "A", "1", "host", "other.example"), Options{},
			"GET / HTTP/1.1\r\nA: 1\r\nhost: other.example\r\n\r\n"},
		"twice": {get("/", "B", "1", "A", "2", "b", "3"), Options{},
			"GET / HTTP/1.1\r\nHost: h:1\r\nB: 1\r\nA: 2\r\nb: 3\r\n\r\n"},
		"own host alone": {get("/", "Host", "{pick:x.example}"), Options{},
			"GET / HTTP/1.1\r\nHost: x.example\r\n\r\n"},
		"own cookie": {get("/", "Cookie", "a=1", "X", "1"), Options{Cookies: true},
			"GET / HTTP/1.1\r\nHost: h:1\r\nCookie: a=1\r\nX: 1\r\n\r\n"},
	} {
		var w Want
		if got := source1(t, c.o, c.r).Next(nil, &w); string(got) != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// compileError is a request that cannot be compiled, and a part of the error.
type compileError struct {
	r    Request
	o    Options
	want string
}

// tooMany returns one named input more than a request may have.
func tooMany() map[string]Input {
	many := map[string]Input{}
	for i := range maxNamed + 1 {
		many[strings.Repeat("x", i+1)] = Input{}
	}
	return many
}

func compileErrors() map[string]compileError {
	change := func(f func(r *Request)) Request {
		r := post("")
		f(&r)
		return r
	}
	expect := func(e Expect) Request { return change(func(r *Request) { r.Expect = e }) }
	many := tooMany()
	all, _ := ParseStatuses("2xx")
	return map[string]compileError{
		"no weight":             {r: change(func(r *Request) { r.Weight = 0 }), want: "no request has a weight"},
		"negative weight":       {r: change(func(r *Request) { r.Weight = -1 }), want: "-1: want 0 or more"},
		"method":                {r: change(func(r *Request) { r.Method = "GET /" }), want: "not an HTTP method"},
		"path":                  {r: get("x"), want: "want a path that starts with /"},
		"path with a space":     {r: get("/a b"), want: "has no spaces"},
		"path by a placeholder": {r: get("{pick:/}"), want: "want a path that starts with /"},
		"int of one": {r: post("a {int:5} b"), want: "{int:5}: want two integers, the smaller first, such " +
			"as {int:1..1000}"},
		"int alone":            {r: post("{int}"), want: "{int}: want two integers"},
		"int turned":           {r: get("/{int:9..1}"), want: "path: {int:9..1}: want two integers, the smaller first"},
		"int of letters":       {r: get("/", "X", "{int:a..b}"), want: "headers.X: {int:a..b}: want two integers"},
		"int too large":        {r: post("{int:0..9223372036854775808}"), want: "want two integers"},
		"int spaced":           {r: post("{int: 1..5}"), want: "want two integers"},
		"pick of nothing":      {r: post("{pick:}"), want: "{pick:}: want a list of texts, such as {pick:a,b}"},
		"pick alone":           {r: post("{pick}"), want: "want a list of texts"},
		"pick with a gap":      {r: post("{pick:a,,b}"), want: "want a list of texts"},
		"uuid with more":       {r: post("{uuid:4}"), want: "{uuid:4}: no text allowed after the name; want {uuid}"},
		"seq with more":        {r: post("{seq:1}"), want: "want {seq}"},
		"unclosed":             {r: post("{int:1..5"), want: "the } after {int: is missing"},
		"unclosed before more": {r: post("{pick:a {uuid}"), want: "the } after {pick: is missing"},
		"pick in a path": {r: with(get("/{a}"), map[string]Input{"a": {Pick: []string{"x", "y z"}}}),
			want: `path: "y z" is not allowed here`},
		"pick in a header": {r: with(get("/", "X", "{a}"), map[string]Input{"a": {Pick: []string{"x\r\nY: z"}}}),
			want: "headers.X: \"x\\r\\nY: z\" is not allowed here"},
		"pick of none": {r: with(get("/{a}"), map[string]Input{"a": {Pick: []string{}}}),
			want: "with.a: the list of pick is empty"},
		"two kinds": {r: with(get("/{a}"), map[string]Input{"a": {UUID: true, Seq: true}}),
			want: "with.a: want only one of"},
		"named int turned": {r: with(get("/{a}"), map[string]Input{"a": {Int: [2]int64{2, 1}}}),
			want: "with.a: 2 to 1: want the lower integer first"},
		"many names":   {r: with(get("/"), many), want: "17 named inputs; at most 16"},
		"header name":  {r: get("/", "a b", "1"), want: `"a b: 1" is not a valid header`},
		"header value": {r: get("/", "A", "1\r\nB: 2"), want: "is not a valid header"},
		"host twice":   {r: get("/", "Host", "1", "host", "2"), want: "host is given twice"},
		"own length":   {r: get("/", "content-length", "1"), want: "set automatically from the body"},
		"own coding":   {r: get("/", "Transfer-Encoding", "chunked"), want: "set automatically from the body"},
		"no status":    {r: expect(Expect{}), want: "no status: want status"},
		"low status":   {r: expect(Expect{Status: 99}), want: "status 99: want one from 100 to 599"},
		"high status":  {r: expect(Expect{Status: 600}), want: "status 600"},
		"status twice": {r: expect(Expect{Status: 200, Statuses: all}), want: "expect.statuses: status and statuses"},
		"expected header": {r: expect(Expect{Status: 200, Headers: map[string]string{"a:": ""}}),
			want: "is not a valid header"},
		"filled header": {r: expect(Expect{Status: 200, Headers: map[string]string{"A": "{uuid}"}}),
			want: "expect.headers.A: \"{uuid}\": placeholders are not allowed here"},
		"inline body": {r: change(func(r *Request) {
			drawn := "{seq}"
			r.Expect.Body = &drawn
		}), want: "expect.body: an inline placeholder gets a new value each time"},
		"malformed body": {r: change(func(r *Request) {
			drawn := "{int:1}"
			r.Expect.Body = &drawn
		}), want: "expect.body: {int:1}: want two integers"},
	}
}

func TestCompileErrors(t *testing.T) {
	for name, c := range compileErrors() {
		_, err := (&Scenario{Name: "x", Requests: []Request{c.r}}).Compile("h", c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "scenario x: ") {
			t.Errorf("%s: error %v; want %q", name, err, c.want)
		}
	}
	if _, err := (&Scenario{Requests: []Request{get("/")}}).Compile("h\r\n", Options{}); err == nil {
		t.Error("a host with a line end")
	}
	if _, err := (&Scenario{Requests: []Request{get("/"), {Method: "GET", Path: "?", Expect: ok200}}}).Compile("h",
		Options{}); err == nil {
		t.Error("a wrong request of no weight")
	}
}

// TestWants checks the contracts for the hot path.
func TestWants(t *testing.T) {
	some, _ := ParseStatuses("2xx,304")
	r := get("/")
	r.Method = "HEAD"
	r.Expect = Expect{Statuses: some, Headers: map[string]string{"B": "", "A": "1"}}
	var w Want
	source1(t, Options{Cookies: true}, r).Next(nil, &w)
	if w.Status != 0 || !w.Accepts(200) || !w.Accepts(304) || w.Accepts(0) || w.Accepts(302) ||
		w.statuses() != "2xx,304" {
		t.Errorf("statuses of %+v", w)
	}
	if w.CheckBody || !w.Head || !w.Cookies {
		t.Errorf("%+v", w)
	}
	if len(w.Headers) != 2 || string(w.Headers[0].Name) != "a" || !w.Headers[1].Match([]byte("any")) ||
		w.Headers[0].Match([]byte("2")) {
		t.Errorf("headers %+v", w.Headers)
	}
	source1(t, Options{}, get("/")).Next(nil, &w)
	if !w.Accepts(200) || w.Accepts(201) ||
		w.Cookies || w.statuses() != "200" {
		t.Errorf("%+v", w)
	}
}
