package wire

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcome is the complete result for a stream of responses.
type outcome struct {
	Status  int
	Framing Framing
	Close   bool
	Length  int64
	Equal   bool
	Rest    string // after the response
	Err     error
}

// feedAll gives p the stream in the pieces that next cuts off, as an engine does: unused bytes are
// kept and given again. Events lists the events, and the number of bytes before each.
func feedAll(t testing.TB, p *HTTP1Parser, w Want, stream string, next func(left int) int) (out outcome,
	events string) {
	p.Expect(w)
	var buf []byte
	used := 0
	for len(stream) > 0 {
		k := min(max(next(len(stream)), 1), len(stream))
		buf, stream = append(buf, stream[:k]...), stream[k:]
		for again := true; again; {
			n, ev, err := p.Feed(buf)
			if n < 0 || n > len(buf) {
				t.Fatalf("%d of %d bytes used", n, len(buf))
			}
			if err != nil {
				return outcome{Err: err}, events
			}
			used += n
			switch again = ev == AtHead; ev {
			case AtHead:
				events += fmt.Sprintf("head at %d: %q; ", used, p.Fields())
			case Done:
				events += fmt.Sprintf("done at %d", used)
				return outcome{p.Status, p.Framing, p.Close, p.Length, p.Matches(), string(buf[n:]) + stream,
					nil}, events
			}
			buf = buf[n:]
		}
	}
	if err := p.End(); err != nil {
		return outcome{Err: err}, events
	}
	return outcome{p.Status, p.Framing, p.Close, p.Length, p.Matches(), "", nil}, events
}

func steps(size int) func(int) int { return func(int) int { return size } }

// cutAt is two pieces.
func cutAt(at int) func(int) int {
	return func(left int) int {
		k := at
		at = left
		return k
	}
}

func readAll(t testing.TB, p *HTTP1Parser, w Want, stream string, size int) outcome {
	out, _ := feedAll(t, p, w, stream, steps(size))
	return out
}

// largest lacks only its empty line to be one byte longer than allowed.
var largest = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: " +
	strings.Repeat("a", HTTP1MaxHead-len("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: ")-3)

var cases = []struct {
	name   string
	head   bool
	stream string
	want   outcome
}{
	{"content-length", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"odd case, white space", false, "HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:\t 5 \t\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"no reason, no space", false, "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"wrong body", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalse",
		outcome{200, ByLength, false, 5, false, "", nil}},
	{"short body", false, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nvalu",
		outcome{200, ByLength, false, 4, false, "", nil}},
	{"long body", false, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nvalues",
		outcome{200, ByLength, false, 6, false, "", nil}},
	{"no body at all", false, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		outcome{200, ByLength, false, 0, false, "", nil}},
	{"pipelined", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalueHTTP/1.1 2",
		outcome{200, ByLength, false, 5, true, "HTTP/1.1 2", nil}},
	{"equal lengths", false, "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"chunked", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nval\r\n2\r\nue\r\n0\r\n\r\n",
		outcome{200, Chunked, false, 5, true, "", nil}},
	{"chunked, all of it", false,
		"HTTP/1.1 200 OK\r\ntransfer-encoding: CHUNKED\r\n\r\n0003;a=\"b;c\" ; d\r\nval\r\n2 ;x\r\nue\r\n000\r\n" +
			"X-Sum: 1\r\nY:\r\n\r\nrest", outcome{200, Chunked, false, 5, true, "rest", nil}},
	{"length of zeros", false, "HTTP/1.1 200 OK\r\nContent-Length: 0005\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"lengths equal in other words", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length: 05\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"coding in a later case", false,
		"HTTP/1.1 200 OK\r\nTRANSFER-encoding: \tChUnKeD \r\n\r\n5\r\nvalue\r\n0\r\n\r\n", outcome{200, Chunked,
			false, 5, true, "", nil}},
	{"trailers of framing", false,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nvalue\r\n0\r\nContent-Length: 9\r\n" +
			"Connection: close\r\n\r\n", outcome{200, Chunked, false, 5, true, "", nil}},
	{"chunk of hex digits", false,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n", outcome{200, Chunked,
			false, 10, false, "", nil}},
	{"interim", false,
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n" +
			"Content-Length: 5\r\n\r\nvalue", outcome{200, ByLength, false, 5, true, "", nil}},
	{"interim with fields of framing", false,
		"HTTP/1.1 102 Processing\r\nContent-Length: 3\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n" +
			"Content-Length: 5\r\n\r\nvalue", outcome{200, ByLength, false, 5, true, "", nil}},
	{"interim of 1.0", false, "HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"to HEAD", true, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", outcome{200, NoBody, false, 0, false, "", nil}},
	{"to HEAD, chunked", true, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		outcome{200, NoBody, false, 0, false, "", nil}},
	{"to HEAD, without length", true, "HTTP/1.1 200 OK\r\n\r\nHTTP",
		outcome{200, NoBody, false, 0, false, "HTTP", nil}},
	{"204 with length", false, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{204, NoBody, false, 0, false, "value", nil}},
	{"304 chunked", false, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
		outcome{304, NoBody, false, 0, false, "", nil}},
	{"204", false, "HTTP/1.1 204 No Content\r\n\r\n", outcome{204, NoBody, false, 0, false, "", nil}},
	{"304 with length", false, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
		outcome{304, NoBody, false, 0, false, "", nil}},
	{"by close", false, "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nvalue", outcome{200, ByClose, true, 5, true, "", nil}},
	{"by close, though kept alive", false, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nvalue",
		outcome{200, ByClose, true, 5, true, "", nil}},
	{"by close, empty", false, "HTTP/1.1 200 OK\r\n\r\n", outcome{200, ByClose, true, 0, false, "", nil}},
	{"1.0 by close", false, "HTTP/1.0 200 OK\r\n\r\nvalue", outcome{200, ByClose, true, 5, true, "", nil}},
	{"1.0 closes", false, "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, true, 5, true, "", nil}},
	{"1.0 keeps alive", false, "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"close among tokens", false, "HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, true, 5, true, "", nil}},
	{"close wins", false,
		"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{200, ByLength, true, 5, true, "", nil}},

	{"folded", false, "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nvalue", outcome{Err: ErrFold}},
	{"folded at once", false, "HTTP/1.1 200 OK\r\n X: a\r\n\r\n", outcome{Err: ErrFold}},
	{"folded by a tab", false, "HTTP/1.1 200 OK\r\nX: a\r\n\tb\r\nContent-Length: 5\r\n\r\nvalue",
		outcome{Err: ErrFold}},
	{"folded trailer", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n b\r\n\r\n",
		outcome{Err: ErrFold}},
	{"conflicting lengths", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nvalue",
		outcome{Err: ErrLength}},
	{"conflicting list", false, "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nvalue", outcome{Err: ErrLength}},
	{"signed length", false, "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nvalue", outcome{Err: ErrLength}},
	{"empty length", false, "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nvalue", outcome{Err: ErrLength}},
	{"huge length", false, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nvalue",
		outcome{Err: ErrLength}},
	{"both framings", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		outcome{Err: ErrFraming}},
	{"both framings, turned", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
		outcome{Err: ErrFraming}},
	{"both framings to HEAD", true, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
		outcome{Err: ErrFraming}},
	{"negative length", false, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nvalue", outcome{Err: ErrLength}},
	{"length and a comma", false, "HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\nvalue", outcome{Err: ErrLength}},
	{"empty coding", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\n", outcome{Err: ErrCoding}},
	{"identity", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", outcome{Err: ErrCoding}},
	{"chunked not last", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", outcome{Err: ErrCoding}},
	{"gzip coding", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", outcome{Err: ErrCoding}},
	{"chunked twice", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		outcome{Err: ErrCoding}},
	{"1.0 chunked", false, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", outcome{Err: ErrCoding}},
	{"bare LF", false, "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nvalue", outcome{Err: ErrLine}},
	{"bare LF alone", false, "HTTP/1.1 200 OK\n\nvalue", outcome{Err: ErrLine}},
	{"bare LF after a wrong line", false, "HTTP/1.1 200 OK\r\nX : a\r\nY: b\nContent-Length: 5\r\n\r\nvalue",
		outcome{Err: ErrHeader}},
	{"bare LF before a wrong line", false, "HTTP/1.1 200 OK\r\nX: a\nY : b\r\n\r\nvalue", outcome{Err: ErrLine}},
	{"bare LF of garbage", false, "garbage\n\r\n\r\n", outcome{Err: ErrStatusLine}},
	{"bare LF after a short status", false, "HTTP/1.1 20\n\r\n\r\n", outcome{Err: ErrLine}},
	{"bare CR in value", false, "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", outcome{Err: ErrHeader}},
	{"NUL in value", false, "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n", outcome{Err: ErrHeader}},
	{"space before colon", false, "HTTP/1.1 200 OK\r\nX : a\r\n\r\n", outcome{Err: ErrHeader}},
	{"no colon", false, "HTTP/1.1 200 OK\r\nX\r\n\r\n", outcome{Err: ErrHeader}},
	{"no name", false, "HTTP/1.1 200 OK\r\n: a\r\n\r\n", outcome{Err: ErrHeader}},
	{"garbage", false, "garbage", outcome{Err: ErrStatusLine}},
	{"HTTP/2", false, "HTTP/2.0 200 OK\r\n\r\n", outcome{Err: ErrStatusLine}},
	{"short status", false, "HTTP/1.1 20 OK\r\n\r\n", outcome{Err: ErrStatusLine}},
	{"long status", false, "HTTP/1.1 2000 OK\r\n\r\n", outcome{Err: ErrStatusLine}},
	{"low status", false, "HTTP/1.1 099 OK\r\n\r\n", outcome{Err: ErrStatusLine}},
	{"upgrade", false, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", outcome{Err: ErrUpgrade}},
	{"chunk size", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", outcome{Err: ErrChunk}},
	{"chunk size padded", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nvalue\r\n",
		outcome{Err: ErrChunk}},
	{"chunk size 0x", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nvalue\r\n",
		outcome{Err: ErrChunk}},
	{"chunk size too large", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n",
		outcome{Err: ErrChunk}},
	{"chunk too long", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nvalue\r\n",
		outcome{Err: ErrChunk}},
	{"chunk bare LF", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nvalue\r\n",
		outcome{Err: ErrLine}},
	{"bad trailer", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX\r\n\r\n",
		outcome{Err: ErrHeader}},
	{"oversized head", false, "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", HTTP1MaxHead) + "\r\n\r\n",
		outcome{Err: ErrTooLarge}},
	{"largest head", false, largest[:len(largest)-1] + "\r\n\r\nvalue",
		outcome{200, ByLength, false, 5, true, "", nil}},
	{"oversized by one", false, largest + "\r\n\r\nvalue", outcome{Err: ErrTooLarge}},
	{"oversized, and a bare LF in time", false, "HTTP/1.1 200 OK\r\nX: a\nY: " + strings.Repeat("a", HTTP1MaxHead) +
		"\r\n\r\n", outcome{Err: ErrLine}},
	{"oversized, and a bare LF too late", false, largest + "aaa\nY: a\r\n\r\n", outcome{Err: ErrTooLarge}},
	{"oversized of many fields", false, "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", HTTP1MaxHead/6+1) + "\r\n",
		outcome{Err: ErrTooLarge}},
	{"oversized extension", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
		strings.Repeat("a", maxLine) + "\r\n", outcome{Err: ErrTooLarge}},
	{"oversized trailers", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" +
		strings.Repeat("A: b\r\n", HTTP1MaxHead/6+1) + "\r\n", outcome{Err: ErrTooLarge}},
	{"closed in head", false, "HTTP/1.1 200 OK\r\nContent-Le", outcome{Err: ErrIncomplete}},
	{"closed in body", false, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nval", outcome{Err: ErrIncomplete}},
	{"closed in chunk", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nval",
		outcome{Err: ErrIncomplete}},
	{"closed in trailers", false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
		outcome{Err: ErrIncomplete}},
}

func TestResponses(t *testing.T) {
	byError := cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || errors.Is(b, a) })
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := HTTP1Parser{Memo: new(Memo)}
			for _, stop := range []bool{false, true} {
				w := Want{Body: []byte("value"), CheckBody: true, Head: c.head, StopAt: stop}
				for _, size := range []int{1 << 20, 1, 2, 3, 7} {
					if diff := cmp.Diff(c.want, readAll(t, &p, w, c.stream, size), byError); diff != "" {
						t.Errorf("in steps of %d (-want +got):\n%s", size, diff)
					}
				}
				if len(c.stream) > maxLine {
					continue
				}
				_, whole := feedAll(t, &p, w, c.stream, steps(len(c.stream)))
				for at := range len(c.stream) {
					if got, events := feedAll(t, &p, w, c.stream, cutAt(at)); got != c.want || events != whole {
						t.Errorf("cut at %d: %+v, %s; want %+v, %s", at, got, events, c.want, whole)
					}
				}
			}
		})
	}
}

func TestSink(t *testing.T) {
	p := HTTP1Parser{Memo: new(Memo)}
	sum := sha256.New()
	for _, c := range cases {
		if c.want.Err != nil || c.want.Length != 5 || !c.want.Equal {
			continue
		}
		for _, size := range []int{1 << 20, 1, 3} {
			readAll(t, &p, Want{Sink: sum, Head: c.head}, c.stream, size)
			if want := sha256.Sum256([]byte("value")); string(sum.Sum(nil)) != string(want[:]) {
				t.Errorf("%s, in steps of %d: %x", c.name, size, sum.Sum(nil))
			}
		}
	}
}

func TestFieldsAtHead(t *testing.T) {
	p := HTTP1Parser{Memo: new(Memo)}
	stream := []byte("HTTP/1.1 200 OK\r\nContent-Type:  text/plain \r\nEmpty:\r\nContent-Length: 5\r\n\r\nvalue")
	for range 2 {
		p.Expect(Want{StopAt: true})
		n, ev, err := p.Feed(stream)
		if ev != AtHead || err != nil || p.HeadID != 1 {
			t.Fatalf("event %v error %v head %v", ev, err, p.HeadID)
		}
		var got []string
		for rest := p.Fields(); ; {
			name, value, next, ok := NextField(rest)
			if !ok {
				break
			}
			got, rest = append(got, string(name)+"="+string(value)), next
		}
		if diff := cmp.Diff([]string{"Content-Type=text/plain", "Empty=", "Content-Length=5"}, got); diff != "" {
			t.Error(diff)
		}
		if m, ev, err := p.Feed(stream[n:]); n+m != len(stream) || ev != Done || err != nil {
			t.Errorf("after the fields: %d %v %v", n+m, ev, err)
		}
	}
}

func TestWhole(t *testing.T) {
	stream := "HTTP/1.1 103 Early Hints\r\n\r\n" +
		"HTTP/1.1 201 Well Made\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=1\r\n" +
		"Set-Cookie: b=2\r\n\r\n" +
		"3\r\nval\r\n2\r\nue\r\n0\r\nSum: 7\r\n\r\n"
	got, err := WholeResponse([]byte(stream+"more"), false, false)
	if err != nil {
		t.Fatal(err)
	}
	want := Response{
		Proto: "HTTP/1.1", Status: 201,
		Fields: []Field{{"Content-Type", "text/plain"}, {"Transfer-Encoding", "chunked"}, {"Set-Cookie", "a=1"},
			{"Set-Cookie", "b=2"}},
		Body: []byte("value"), Framing: Chunked, Length: -1,
		HeadBytes: len("HTTP/1.1 201 Well Made\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n" +
			"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"),
		TotalBytes: len(stream),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := WholeResponse([]byte("HTTP/1.1 200 OK\r\n\r\nval"), false, false); err != ErrIncomplete {
		t.Errorf("open connection without a length: %v", err)
	}
	r, err := WholeResponse([]byte("HTTP/1.0 200 OK\r\n\r\nval"), false, true)
	if err != nil || string(r.Body) != "val" || r.Framing != ByClose || !r.Close {
		t.Errorf("by close: %+v %v", r, err)
	}
	if v, ok := got.Get("content-type"); !ok || v != "text/plain" {
		t.Errorf("Get: %q %v", v, ok)
	}
}

func TestFeedDoesNotAllocate(t *testing.T) {
	p := HTTP1Parser{Memo: new(Memo)}
	streams := [][]byte{
		[]byte("HTTP/1.1 200 OK\r\nDate: 1\r\nContent-Length: 5\r\n\r\nvalue"),
		[]byte("HTTP/1.1 200 OK\r\nDate: 2\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nvalue\r\n0\r\nA: b\r\n\r\n"),
		[]byte("garbage"),
	}
	want := Want{Body: []byte("value"), CheckBody: true, StopAt: true, Sink: sha256.New()}
	n := testing.AllocsPerRun(100, func() {
		for _, s := range streams {
			p.Expect(want)
			if n, ev, _ := p.Feed(s); ev == AtHead {
				NextField(p.Fields())
				p.Feed(s[n:])
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFeed(b *testing.B) {
	response := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n" +
		"Date: Sat, 19 Aug 2017 12:00:00 GMT\r\nServer: Kestrel\r\nContent-Length: 5\r\n\r\nvalue")
	for _, memo := range []*Memo{nil, new(Memo)} {
		name := "parse"
		if memo != nil {
			name = "memo"
		}
		b.Run(name, func(b *testing.B) {
			p := HTTP1Parser{Memo: memo}
			w := Want{Body: []byte("value"), CheckBody: true}
			for b.Loop() {
				p.Expect(w)
				p.Feed(response)
			}
		})
	}
}
