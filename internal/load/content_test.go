package load

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno/internal/scenario"
)

// coded returns text in a content coding.
func coded(t testing.TB, coding, text string) string {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		return text
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// decodes returns the HTTP/1.1 of a connection of a load that decodes.
func decodes(t *testing.T, e scenario.Expect, depth int) *HTTP1 {
	t.Helper()
	m, err := (&scenario.Scenario{Requests: []scenario.Request{{Method: "GET", Path: "/", Weight: 1,
		Expect: e}}}).Compile("h", scenario.Options{Decode: true})
	if err != nil {
		t.Fatal(err)
	}
	h := NewHTTP1(m.NewSource(1, 0, 1), new(Heads), depth)
	return &h
}

func half(s string) string { return s[:len(s)/2] }

func response(coding, body string) string {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n", len(body))
	if coding != "" {
		head += "Content-Encoding: " + coding + "\r\n"
	}
	return head + "\r\n" + body
}

// TestDecode: contracts are about the content, whatever its coding on the wire and however it comes.
func TestDecode(t *testing.T) {
	const hash = "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619" // of "value"
	value, five, long := "value", int64(5), strings.Repeat("value ", 100_000)
	body := scenario.Expect{Status: 200, Body: &value}
	for name, c := range map[string]struct {
		e            scenario.Expect
		coding, body string
		want         Kind
	}{
		"plain":          {body, "", "value", OK},
		"plain, other":   {body, "", "valve", Body},
		"identity":       {body, "identity", "value", OK},
		"gzip":           {body, "gzip", coded(t, "gzip", "value"), OK},
		"x-gzip":         {body, "X-GZip", coded(t, "gzip", "value"), OK},
		"br":             {body, "br", coded(t, "br", "value"), OK},
		"zstd":           {body, "zstd", coded(t, "zstd", "value"), OK},
		"other":          {body, "gzip", coded(t, "gzip", "valve"), Body},
		"longer":         {body, "br", coded(t, "br", "values"), Length},
		"length":         {scenario.Expect{Status: 200, Length: &five}, "zstd", coded(t, "zstd", "valve"), OK},
		"other length":   {scenario.Expect{Status: 200, Length: &five}, "br", coded(t, "br", "values"), Length},
		"hash":           {scenario.Expect{Status: 200, SHA256: hash}, "gzip", coded(t, "gzip", "value"), OK},
		"hash, plain":    {scenario.Expect{Status: 200, SHA256: hash}, "", "value", OK},
		"other hash":     {scenario.Expect{Status: 200, SHA256: hash}, "gzip", coded(t, "gzip", "valve"), Body},
		"long":           {scenario.Expect{Status: 200, Body: &long}, "br", coded(t, "br", long), OK},
		"not asked for":  {scenario.Expect{Status: 200}, "deflate", "value", Body},
		"two codings":    {scenario.Expect{Status: 200}, "gzip, br", "value", Body},
		"not gzip":       {scenario.Expect{Status: 200}, "gzip", "value", Body},
		"not br":         {scenario.Expect{Status: 200}, "br", "value", Body},
		"not zstd":       {scenario.Expect{Status: 200}, "zstd", "value", Body},
		"broken off":     {scenario.Expect{Status: 200}, "gzip", half(coded(t, "gzip", long)), Body},
		"br broken off":  {scenario.Expect{Status: 200}, "br", half(coded(t, "br", long)), Body},
		"zstd broken of": {scenario.Expect{Status: 200}, "zstd", half(coded(t, "zstd", long)), Body},
		"status first":   {scenario.Expect{Status: 201}, "gzip", "value", Status},
	} {
		h := decodes(t, c.e, 1)
		for _, size := range []int{1, 7, 1 << 20} {
			if got := judge(t, h, response(c.coding, c.body), size); got != c.want {
				t.Errorf("%s, in pieces of %d: %v; want %v", name, size, got, c.want)
			}
		}
	}
}

// TestDecodePipeline: each answer has its own content, though the next one is awaited already.
func TestDecodePipeline(t *testing.T) {
	value := "value"
	h := decodes(t, scenario.Expect{Status: 200, Body: &value}, 4)
	r := newDetailed(false)
	for range 4 {
		h.Ask(nil, 1, 1)
	}
	in := []byte(response("gzip", coded(t, "gzip", "value")) + response("", "value") +
		response("br", coded(t, "br", "wrong")) + response("gzip", "value"))
	for _, want := range []Kind{OK, OK, Body, Body} {
		n, a, err := h.Feed(in, 2)
		if err != nil || a == nil {
			t.Fatalf("%v, %v", a, err)
		}
		in = in[n:]
		kind := a.Classify()
		if r.Answered(a, kind, 2); kind != want {
			t.Errorf("%v; want %v", kind, want)
		}
		if text := a.Complaint(kind, &scenario.Scenario{Requests: make([]scenario.Request, 1)}, nil); len(in) == 0 &&
			!strings.Contains(text, "5 bytes that cannot be decoded: ") {
			t.Errorf("the complaint is %q", text)
		}
	}
	wire := int64(len(coded(t, "gzip", "value")) + len(coded(t, "br", "wrong")) + 5)
	if c := r.Content; c.Responses != 3 || c.Coded != 2 || c.Bytes != 15 || c.WireBytes != wire {
		t.Errorf("%+v; want %d bytes on the wire", c, wire)
	}
}

// TestDecodeBounds: a body that does not end takes no more memory than the longest that is decoded, and
// is a wrong one; without a coding it takes none, and is as right as any. What a long one took is given
// back.
func TestDecodeBounds(t *testing.T) {
	piece := bytes.Repeat([]byte("x"), 1<<20)
	const size = mostCoded + 3<<20
	for coding, want := range map[string]Kind{"identity": OK, "deflate": Body, "gzip": Body} {
		h := decodes(t, scenario.Expect{Status: 200}, 1)
		h.Ask(nil, 1, 1)
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Encoding: %s\r\n\r\n", size, coding)
		_, a, err := h.Feed([]byte(head), 2)
		most := 0
		for a == nil && err == nil {
			_, a, err = h.Feed(piece, 2)
			most = max(most, cap(h.content.coded))
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, held := a.Classify(), cap(h.content.coded)
		if kind != want || held > 0 || most > 2*mostCoded || coding != "gzip" && most > 0 {
			t.Errorf("%s: %v, %d bytes held, %d at most; want %v", coding, kind, held, most, want)
		}
		text := a.Complaint(kind, &scenario.Scenario{Requests: make([]scenario.Request, 1)}, nil)
		if coding == "gzip" && !strings.Contains(text, "70254592 bytes that cannot be decoded: it has more "+
			"than 64 MiB") {
			t.Errorf("the complaint is %q", text)
		}
	}
	h := decodes(t, scenario.Expect{Status: 200}, 1)
	judge(t, h, response("gzip", strings.Repeat("x", 2*mostKept)), mostKept)
	if h.Ask(nil, 1, 1); cap(h.content.coded) > mostKept {
		t.Errorf("%d bytes kept for the next body", cap(h.content.coded))
	}
}

// TestDecodeAllocs: contents that change do not allocate, once the memory for them has grown.
func TestDecodeAllocs(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		h := decodes(t, scenario.Expect{Status: 200}, 1)
		var in [2][]byte
		for i, text := range []string{"one", "two"} {
			in[i] = []byte(response(coding, coded(t, coding, strings.Repeat(text, 1000))))
		}
		out, i := make([]byte, 0, 1024), 0
		one := func() {
			h.Ask(out, 1, 1)
			if _, a, err := h.Feed(in[i&1], 2); err != nil || a.Classify() != OK || a.Length != 3000 {
				t.Fatalf("%+v, %v", a, err)
			}
			i++
		}
		for range 10 {
			one()
		}
		if n := testing.AllocsPerRun(100, one); n > 0 {
			t.Errorf("%s: %v allocations per response", coding, n)
		}
	}
}

// FuzzDecode: whatever comes is decoded or refused, and the same bytes always alike.
func FuzzDecode(f *testing.F) {
	for i, c := range []string{"gzip", "br", "zstd"} {
		f.Add(uint8(i), []byte(coded(f, c, "value")), []byte("x"))
	}
	f.Fuzz(func(t *testing.T, way uint8, a, b []byte) {
		var d, fresh decoder
		coding := inGzip + coding(way)%3
		for _, in := range [][]byte{a, b, a} {
			c := content{coded: in, coding: coding, came: int64(len(in))}
			plain := string(d.decode(&c))
			own := content{coded: in, coding: coding, came: int64(len(in))}
			if again := string(fresh.decode(&own)); (c.err == nil) != (own.err == nil) || c.err == nil && plain != again {
				t.Errorf("%x: %q, %v; again %q, %v", in, plain, c.err, again, own.err)
			}
			fresh = decoder{}
		}
	})
}
