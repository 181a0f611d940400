package scenario

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

var ok200 = Expect{Status: 200}

// get returns a request for path with these headers, name and value by turns.
func get(path string, headers ...string) Request {
	r := Request{Name: "get", Method: "GET", Path: path, Weight: 1, Expect: ok200}
	for i := 0; i < len(headers); i += 2 {
		r.Headers = append(r.Headers, HeaderLine{Name: headers[i], Value: headers[i+1]})
	}
	return r
}

func post(body string) Request {
	return Request{Name: "post", Method: "POST", Path: "/", Body: body, Weight: 1, Expect: ok200}
}

func with(r Request, inputs map[string]Input) Request {
	r.With = inputs
	return r
}

// sent parses a request from Next with net/http, and fails if it is not exactly one request.
func sent(t testing.TB, raw []byte) (*http.Request, string) {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(raw))
	q, err := http.ReadRequest(r)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	body, err := io.ReadAll(q.Body)
	if rest, _ := io.ReadAll(r); err != nil || len(rest) > 0 || int64(len(body)) != q.ContentLength {
		t.Fatalf("%q: body of %d, length %d, %q left, %v", raw, len(body), q.ContentLength, rest, err)
	}
	return q, string(body)
}

// TestBytesAreThoseOfOldRecords: a seed in an existing record stands for these bytes, which must not change.
func TestBytesAreThoseOfOldRecords(t *testing.T) {
	for name, want := range map[string]uint64{"values": 0xbbe61bb262ee2c97, "values-rest": 0xf87399d59f15b419} {
		s, err := Read(os.DirFS("../.."), name)
		if err != nil {
			t.Fatal(err)
		}
		src := compile(t, s, Options{}).NewSource(7, 3, 9)
		var w Want
		h := fnv.New64a()
		for range 1000 {
			h.Write(src.Next(nil, &w))
			h.Write(w.Body)
		}
		if h.Sum64() != want {
			t.Errorf("%s: %#x; want %#x", name, h.Sum64(), want)
		}
	}
}

// TestPlaceholders checks each kind of value in each place. form matches the whole path, header or body.
func TestPlaceholders(t *testing.T) {
	const uuid = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`
	named := map[string]Input{"id": {Int: [2]int64{-3, 3}}, "who": {Pick: []string{"a b", "", "{seq}"}},
		"key": {UUID: true}, "n": {Seq: true}, "uuid": {Int: [2]int64{7, 7}}}
	for _, c := range []struct {
		name, text, form string
		with             map[string]Input
	}{
		{"int", "{int:1..9}", `^[1-9]$`, nil},
		{"one int", "{int:5..5}", `^5$`, nil},
		{"negative", "{int:-12..-10}", `^-1[012]$`, nil},
		{"all ints", "{int:-9223372036854775808..9223372036854775807}", `^-?[0-9]+$`, nil},
		{"uuid", "{uuid}", "^" + uuid + "$", nil},
		{"seq", "{seq}", `^[0-9]+$`, nil},
		{"two of seq", "{seq},{seq}", `^([0-9]*[02468],[0-9]*[13579])$`, nil},
		{"pick", "{pick:a,b c,x}", `^(a|b c|x)$`, nil},
		{"pick of one", "{pick:a}", `^a$`, nil},
		{"between", "x{int:1..9}y{uuid}z", `^x[1-9]y` + uuid + `z$`, nil},
		{"json", `{"id":{int:1..9},"k":{"u":"{uuid}"}}`, `^\{"id":[1-9],"k":\{"u":"` + uuid + `"\}\}$`, nil},
		{"names", "{id}/{key}/{n}", `^-?[0-3]/` + uuid + `/[0-9]+$`, named},
		{"picked braces stay", "<{who}>", `^<(a b||\{seq\})>$`, named},
		{"a name before an inline", "{uuid}", `^7$`, named},
		{"text", "{uid} {} {UUID} {int 1..2} {ints:1..2} {uuid " +
			"{seq", `^\{uid\} \{\} \{UUID\} \{int 1\.\.2\} \{ints:1\.\.2\} \{uuid \{seq$`, nil},
		{"nested", "{{int:1..9}}", `^\{[1-9]\}$`, nil},
		{"unclosed", "{id", `^\{id$`, named},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := regexp.MustCompile(c.form)
			src := source1(t, Options{}, with(post(c.text), c.with))
			inHeader := source1(t, Options{}, with(get("/", "X-Y", c.text), c.with))
			inPath := source1(t, Options{}, with(get("/{pick:x}?"+strings.ReplaceAll(strings.ReplaceAll(c.text, "b c",
				"bc"), " ", "+")), nil))
			for range 100 {
				var w Want
				if _, body := sent(t, src.Next(nil, &w)); !form.MatchString(body) {
					t.Fatalf("body %q", body)
				}
				if q, _ := sent(t, inHeader.Next(nil, &w)); !form.MatchString(q.Header.Get("X-Y")) {
					t.Fatalf("header %q", q.Header.Get("X-Y"))
				}
				if c.with == nil {
					sent(t, inPath.Next(nil, &w))
				}
			}
		})
	}
}

// TestDrawnOnce: a name has one value throughout a request and its contract; inline placeholders are drawn
// anew.
func TestDrawnOnce(t *testing.T) {
	body := "got {id} {key} {n} {who}"
	r := Request{Method: "PUT", Path: "/{id}/{key}?n={n}&w={who}", Headers: []HeaderLine{{Name: "X",
		Value: "{id} {key} {n} {who} {uuid} {uuid}"}}, Body: body, Weight: 1,
		Expect: Expect{Status: 200, Body: &body},
		With: map[string]Input{"id": {Int: [2]int64{1, 1e9}}, "key": {UUID: true}, "n": {Seq: true},
			"who": {Pick: []string{"x", "yy", "zzz"}}}}
	src := source1(t, Options{}, r)
	var w Want
	var last string
	for i := range 50 {
		q, got := sent(t, src.Next(nil, &w))
		f := strings.Fields(got)
		x := strings.Fields(q.Header.Get("X"))
		if got != string(w.Body) || !w.CheckBody || got == last {
			t.Fatalf("sent %q, wants %q, before it %q", got, w.Body, last)
		}
		if q.RequestURI != fmt.Sprintf("/%s/%s?n=%s&w=%s", f[1], f[2], f[3], f[4]) || f[3] != strconv.Itoa(i) {
			t.Fatalf("%s: body %q", q.RequestURI, got)
		}
		if strings.Join(x[:4], " ") != strings.Join(f[1:], " ") || x[4] == x[5] || x[4] == f[2] {
			t.Fatalf("X %q", x)
		}
		last = got
	}
}

func TestSeqIsUniqueOverConnections(t *testing.T) {
	const conns = 7
	m := compile(t, &Scenario{Requests: []Request{get("/a/{seq}"), with(get("/b/{n}/{n}"),
		map[string]Input{"n": {Seq: true}})}}, Options{})
	seen := map[int]bool{}
	most := 0
	for c := range conns {
		src := m.NewSource(uint64(c), c, conns)
		last := -1
		for range 200 {
			var w Want
			q, _ := sent(t, src.Next(nil, &w))
			n, err := strconv.Atoi(strings.Split(q.URL.Path, "/")[2])
			if err != nil || seen[n] || n <= last || n%conns != c {
				t.Fatalf("connection %d: %q after %d, %v", c, q.URL.Path, last, err)
			}
			seen[n], last = true, n
			most = max(most, n)
		}
	}
	if most != 200*conns-1 {
		t.Errorf("%d numbers up to %d", len(seen), most)
	}
}

func TestSharesOfDraws(t *testing.T) {
	src := source1(t, Options{}, get("/{pick:a,b,c}/{int:0..4}/{uuid}"))
	picks, ints := map[string]int{}, map[string]int{}
	var ones [128]int
	const n = 20_000
	var w Want
	for range n {
		q, _ := sent(t, src.Next(nil, &w))
		f := strings.Split(q.URL.Path, "/")
		picks[f[1]]++
		ints[f[2]]++
		for i, c := range strings.ReplaceAll(f[3], "-", "") {
			d, _ := strconv.ParseUint(string(c), 16, 8)
			for b := range 4 {
				ones[4*i+b] += int(d >> (3 - b) & 1)
			}
		}
	}
	share := func(what string, got int, want float64) { // six standard deviations of a binomial count
		if math.Abs(float64(got)-n*want) > 6*math.Sqrt(n*want*(1-want)) {
			t.Errorf("%s: %d of %d; want a share of %.3f", what, got, n, want)
		}
	}
	for _, p := range []string{"a", "b", "c"} {
		share(p, picks[p], 1./3)
	}
	for i := range 5 {
		share(strconv.Itoa(i), ints[strconv.Itoa(i)], 1./5)
	}
	for i, k := range ones {
		switch i {
		case 48, 50, 51, 65: // version 4 is 0100, the variant 10
			share(fmt.Sprintf("bit %d", i), k, 0)
		case 49, 64:
			share(fmt.Sprintf("bit %d", i), k, 1)
		default:
			share(fmt.Sprintf("bit %d", i), k, .5)
		}
	}
	if len(picks) != 3 || len(ints) != 5 {
		t.Errorf("drawn %v %v", picks, ints)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	s := &Scenario{Requests: []Request{get("/{uuid}/{int:1..9}"), post("{pick:a,bb}{seq}"), with(get("/{k}"),
		map[string]Input{"k": {UUID: true}})}}
	m := compile(t, s, Options{})
	one, two, other := m.NewSource(3, 2, 5), compile(t, s, Options{}).NewSource(3, 2, 5), m.NewSource(4, 2, 5)
	differ := 0
	for range 300 {
		var w Want
		a, b, c := one.Next(nil, &w), two.Next(nil, &w), other.Next(nil, &w)
		if !bytes.Equal(a, b) {
			t.Fatalf("%q, then %q", a, b)
		}
		if !bytes.Equal(a, c) {
			differ++
		}
	}
	if differ < 250 {
		t.Errorf("only %d of 300 requests differ by the seed", differ)
	}
}

// TestContentLength covers bodies whose length crosses powers of ten.
func TestContentLength(t *testing.T) {
	pad := strings.Repeat("p", 85)
	for _, body := range []string{
		"{int:-5..5}{int:0..20}{int:5..15}" + pad[:80] + pad[:11], "{pick:a,bbbbbbbbbbbb}", "{pick:a," + pad + pad +
			"}", pad + "{uuid}{int:-9..9}", "{seq}", "x{who}", "{who}{who}{int:8..12}" + pad + "{who}",
		strings.Repeat("{int:1..1000},", 700), "{pick:" + strings.Repeat("a", 12_000) + ",b}\r\n\r\n",
	} {
		src := source1(t, Options{}, with(post(body), map[string]Input{"who": {Pick: []string{"", pad, "bb"}}}))
		lengths := map[int64]bool{}
		buf := []byte("before")
		for range 50 {
			var w Want
			buf = src.Next(buf[:6], &w)
			q, _ := sent(t, buf[6:]) // sent compares the length
			lengths[q.ContentLength] = true
			if text := q.Header.Get("Content-Length"); text != strconv.FormatInt(q.ContentLength, 10) ||
				string(buf[:6]) != "before" {
				t.Fatalf("%.60q: Content-Length %q after %q", body, text, buf[:6])
			}
		}
		if len(lengths) < 2 && !strings.Contains(body, "seq") {
			t.Errorf("%.60q: only lengths %v", body, lengths)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	body := "{id} {key} {n} {who}"
	r := Request{Method: "PUT", Path: "/{id}/{int:-5..5}/{uuid}", Headers: []HeaderLine{{Name: "Cookie",
		Value: "a={n}"}, {Name: "X", Value: "{seq} {pick:a,bbb}"}}, Weight: 1,
		Body: body + "{int:1..100000}{uuid}{seq}{pick:a,bbbbbbbbbbb}", Expect: Expect{Status: 200, Body: &body},
		With: map[string]Input{"id": {Int: [2]int64{1, 1e9}}, "key": {UUID: true}, "n": {Seq: true},
			"who": {Pick: []string{"x", "yy", "zzz"}}}}
	for _, o := range []Options{{}, {Close: true, Cookies: true}} {
		src := source1(t, o, r, get("/"), get("/{id}"))
		var w Want
		buf := make([]byte, 0, 1024)
		next := func() {
			buf = src.Next(buf[:0], &w)
		}
		for range 100 {
			next()
		}
		if n := testing.AllocsPerRun(1000, next); n != 0 {
			t.Errorf("%+v: %v allocations a request", o, n)
		}
	}
}

func TestSourcesAreSmall(t *testing.T) {
	if n := unsafe.Sizeof(Source{}); n > 64 {
		t.Errorf("a source takes %d bytes", n)
	}
	if n := unsafe.Sizeof(Want{}); n > 224 {
		t.Errorf("a want takes %d bytes", n)
	}
}

func BenchmarkNext(b *testing.B) {
	for name, r := range map[string]Request{
		"values": with(get("/api/values/{id}"), map[string]Input{"id": {Int: [2]int64{1, 1_000_000}}}),
		"body":   post(`{"id":{int:1..1000000},"key":"{uuid}"}`),
	} {
		b.Run(name, func(b *testing.B) {
			src := source1(b, Options{}, r)
			var w Want
			buf := make([]byte, 0, 4096)
			for b.Loop() {
				buf = src.Next(buf[:0], &w)
			}
		})
	}
}
