package load

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno/internal/scenario"
)

// scripted is a server with one connection that a test plays, with x/net's frames.
type scripted struct {
	*http2.Framer // writes what the client is fed, reads what it sent
	*HTTP2
	t        *testing.T
	from, to bytes.Buffer
	block    bytes.Buffer
	hpack    *hpack.Encoder
	now      int64
	rest     []byte
}

// play returns a client for requests r, with up to depth in flight, and its server, which has read
// the connection's beginning and sent its SETTINGS.
func play(t *testing.T, r scenario.Request, depth int, settings ...http2.Setting) *scripted {
	t.Helper()
	r.Weight = 1
	m, err := (&scenario.Scenario{Requests: []scenario.Request{r}}).Compile("h", scenario.Options{HTTP2: true})
	if err != nil {
		t.Fatal(err)
	}
	p := &scripted{t: t, HTTP2: NewHTTP2(m.NewSource(1, 0, 1), new(Heads), depth)}
	p.hpack = hpack.NewEncoder(&p.block)
	p.begin(settings...)
	return p
}

// begin begins a connection, and returns the paths of the requests sent again on it.
func (p *scripted) begin(settings ...http2.Setting) (again []string) {
	p.t.Helper()
	held := len(p.held)
	p.from.Reset()
	p.to.Reset()
	p.hpack = hpack.NewEncoder(&p.block)
	p.rest = nil
	out := p.owed()
	if !bytes.HasPrefix(out, []byte(http2.ClientPreface)) {
		p.t.Fatalf("begins with %q", out)
	}
	p.to.Write(out[len(http2.ClientPreface):])
	p.Framer = http2.NewFramer(&p.from, &p.to)
	p.AllowIllegalWrites = true
	p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	p.expect("SETTINGS")
	p.expect("WINDOW_UPDATE")
	if held > 0 {
		again = append(again, p.path())
	}
	p.WriteSettings(settings...)
	p.WriteSettingsAck()
	p.feed(1 << 20)
	p.to.Write(p.owed())
	p.expect("SETTINGS")
	for len(again) < held {
		again = append(again, p.path())
	}
	return again
}

// owed returns the data that the client sends besides new requests.
func (p *scripted) owed() []byte {
	b, _ := p.Out(nil)
	return b
}

// expect reads the client's next frame, which must have this type.
func (p *scripted) expect(kind string) http2.Frame {
	p.t.Helper()
	f, err := p.ReadFrame()
	if err != nil || f.Header().Type.String() != kind {
		p.t.Fatalf("the client sent %v, %v; want %s", f, err, kind)
	}
	return f
}

// ask makes n requests and reads their HEADERS.
func (p *scripted) ask(n int) (paths []string) {
	p.t.Helper()
	for range n {
		if p.Room(len(p.streams())) == 0 {
			p.t.Fatal("no room")
		}
		p.now++
		p.to.Write(p.Ask(nil, p.now, p.now))
		paths = append(paths, p.path())
	}
	return paths
}

// path reads a GET request, and returns its path.
func (p *scripted) path() string {
	p.t.Helper()
	return p.expect("HEADERS").(*http2.MetaHeadersFrame).PseudoValue("path")
}

func (p *scripted) streams() []*stream { return append(p.active, p.free...) }

func (p *scripted) head(id uint32, end bool, pairs ...string) {
	p.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		p.hpack.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.block.Bytes(), EndHeaders: true,
		EndStream: end})
}

// outcome is the result of one request.
type outcome struct {
	Answer
	kind Kind
}

// feed lets the client read the server's data, in pieces, and returns the outcomes.
func (p *scripted) feed(size int) (all []outcome, err error) {
	b := bytes.Clone(p.from.Bytes())
	p.from.Reset()
	for len(b) > 0 {
		k := min(size, len(b))
		p.rest, b = append(p.rest, b[:k]...), b[k:]
		for len(p.rest) > 0 {
			n, a, err := p.Feed(p.rest, p.now+10)
			p.rest = p.rest[n:]
			if err != nil {
				return all, err
			}
			if a == nil {
				break
			}
			o := outcome{*a, a.Lost}
			if a.Lost == OK {
				o.kind = a.Classify()
			}
			all = append(all, o)
		}
	}
	return all, nil
}

func value200() scenario.Request {
	value := "value"
	return scenario.Request{Method: "GET", Path: "/{int:1..9}", Expect: scenario.Expect{Status: 200, Body: &value,
		Headers: map[string]string{"a": "b"}}}
}

// TestHTTP2: answers in any order, in pieces, with interim ones and trailers.
func TestHTTP2(t *testing.T) {
	for _, size := range []int{1 << 20, 1, 5} {
		p := play(t, value200(), 3)
		for round := range uint32(20) {
			p.ask(3)
			id := 6*round + 1
			p.head(id+4, false, ":status", "103", "link", "x")
			p.head(id+4, false, ":status", "200", "a", "b", "content-length", "5")
			p.WriteData(id+4, false, []byte("va"))
			p.head(id, false, ":status", "404", "a", "b")
			p.WriteData(id+4, true, []byte("lue"))
			p.WriteData(id, true, []byte("value"))
			p.head(id+2, false, ":status", "200")
			p.WriteDataPadded(id+2, false, []byte("value"), make([]byte, 9))
			p.WritePing(false, [8]byte{7})
			p.head(id+2, true, "grpc-status", "0")
			all, err := p.feed(size)
			if err != nil || len(all) != 3 || all[0].kind != OK || all[1].kind != Status || all[2].kind != Header {
				t.Fatalf("%+v, %v", all, err)
			}
			if all[0].Sent != all[1].Sent+2 || all[0].Began != p.now+10 || all[2].Close {
				t.Fatalf("%+v", all)
			}
			p.to.Write(p.owed())
			if pong := p.expect("PING").(*http2.PingFrame); !pong.IsAck() || pong.Data != [8]byte{7} {
				t.Fatalf("%v", pong)
			}
		}
		if p.Pending() > 0 || p.Owes() || p.Oldest() != p.now {
			t.Errorf("%d in flight, oldest %d of %d", p.Pending(), p.Oldest(), p.now)
		}
	}
}

// TestHTTP2Lost: a stream that breaks the protocol loses its request, and no other.
func TestHTTP2Lost(t *testing.T) {
	ok := []string{":status", "200", "a", "b"}
	for name, c := range map[string]struct {
		say  func(p *scripted)
		kind Kind
		text string
	}{
		"reset":              {func(p *scripted) { p.WriteRSTStream(1, 2) }, StreamReset, "INTERNAL_ERROR"},
		"no status":          {func(p *scripted) { p.head(1, true, "a", "b") }, Parse, "PROTOCOL_ERROR"},
		"two statuses":       {func(p *scripted) { p.head(1, true, ":status", "200", ":status", "200") }, Parse, "second"},
		"switching":          {func(p *scripted) { p.head(1, false, ":status", "101") }, Parse, "interim"},
		"interim at the end": {func(p *scripted) { p.head(1, true, ":status", "100") }, Parse, "interim"},
		"data first":         {func(p *scripted) { p.WriteData(1, true, []byte("value")) }, Parse, "before HEADERS"},
		"short": {func(p *scripted) {
			p.head(1, false, append(ok, "content-length", "5")...)
			p.WriteData(1, true, []byte("valu"))
		}, Truncated, "content-length 5, but 4"},
		"connection": {func(p *scripted) { p.head(1, true, append(ok, "connection", "close")...) }, Parse, "8.2"},
		"trailers that go on": {func(p *scripted) {
			p.head(1, false, ok...)
			p.head(1, false, "x", "y")
		}, Parse, "do not end"},
		"status in trailers": {func(p *scripted) {
			p.head(1, false, ok...)
			p.head(1, true, ":status", "200")
		}, Parse, "in trailers"},
		"window of 0":   {func(p *scripted) { p.WriteWindowUpdate(1, 0) }, Parse, "PROTOCOL_ERROR"},
		"window beyond": {func(p *scripted) { p.WriteWindowUpdate(1, 1<<31-1) }, Parse, "FLOW_CONTROL_ERROR"},
		"another body": {func(p *scripted) {
			p.head(1, false, ok...)
			p.WriteData(1, true, []byte("valve"))
		}, Body, ""},
		"too long": {func(p *scripted) {
			p.head(1, false, ok...)
			p.WriteData(1, true, []byte("values"))
		}, Length, ""},
		"body of a 204": {func(p *scripted) {
			p.head(1, false, ":status", "204", "a", "b")
			p.WriteData(1, true, []byte("value"))
		}, Status, ""},
	} {
		p := play(t, value200(), 2)
		p.ask(2)
		c.say(p)
		p.head(3, false, ok...)
		p.WriteData(3, true, []byte("value"))
		all, err := p.feed(3)
		if err != nil || len(all) != 2 || all[0].kind != c.kind || all[1].kind != OK {
			t.Errorf("%s: %+v, %v", name, all, err)
			continue
		}
		if e := all[0].Err; c.text != "" && (e == nil || !strings.Contains(e.Error(), c.text)) {
			t.Errorf("%s: %v; want %s", name, e, c.text)
		}
		p.owed()
		if p.ask(2); p.Pending() != 2 {
			t.Errorf("%s: %d in flight", name, p.Pending())
		}
	}
}

// TestHTTP2Broken: errors of the connection.
func TestHTTP2Broken(t *testing.T) {
	for want, say := range map[string]func(p *scripted){
		"PROTOCOL_ERROR: a frame of stream 5": func(p *scripted) { p.head(5, true, ":status", "200") },
		"PROTOCOL_ERROR: a frame of stream 2": func(p *scripted) { p.WriteData(2, true, nil) },
		"PROTOCOL_ERROR: a frame of stream 7": func(p *scripted) { p.WriteRSTStream(7, 0) },
		"PROTOCOL_ERROR: WINDOW_UPDATE of 0":  func(p *scripted) { p.WriteWindowUpdate(0, 0) },
		"FLOW_CONTROL_ERROR: WINDOW_UPDATE":   func(p *scripted) { p.WriteWindowUpdate(0, 1<<31-1) },
		"PROTOCOL_ERROR: setting 2 is 1":      func(p *scripted) { p.WriteSettings(http2.Setting{ID: 2, Val: 1}) },
		"FLOW_CONTROL_ERROR: setting 4 is":    func(p *scripted) { p.WriteSettings(http2.Setting{ID: 4, Val: 1 << 31}) },
		"PROTOCOL_ERROR: setting 5 is 16383":  func(p *scripted) { p.WriteSettings(http2.Setting{ID: 5, Val: 16383}) },
		"PROTOCOL_ERROR: PUSH_PROMISE": func(p *scripted) {
			p.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2})
		},
		"COMPRESSION_ERROR: index": func(p *scripted) {
			p.WriteRawFrame(http2.FrameHeaders, 4, 1, []byte{0xff, 0x70})
		},
		"FLOW_CONTROL_ERROR: DATA beyond": func(p *scripted) {
			p.window = 99
			p.head(1, false, ":status", "200")
			p.WriteData(1, false, make([]byte, 100))
		},
		"STREAM_CLOSED: a frame of stream 1": func(p *scripted) {
			p.head(1, true, ":status", "200", "a", "b")
			p.WriteData(1, true, nil)
		},
		"ENHANCE_YOUR_CALM": func(p *scripted) {
			for range mostOwed/17 + 1 {
				p.WritePing(false, [8]byte{})
			}
		},
	} {
		p := play(t, value200(), 2)
		p.ask(2)
		say(p)
		if _, err := p.feed(1 << 20); err == nil || !strings.Contains(err.Error(), want) || KindOf(err) != Parse {
			t.Errorf("%v; want %s", err, want)
		}
		p.window = grant
		p.Reset()
		p.begin()
		p.ask(2)
	}
}

// TestHTTP2GoAway: requests that the server still processes are answered, and the others are sent
// again on the next connection, byte for byte and with their times, but not forever.
func TestHTTP2GoAway(t *testing.T) {
	for _, size := range []int{1 << 20, 1} {
		p := play(t, value200(), 4)
		sent := p.ask(4)
		p.head(1, false, ":status", "200", "a", "b")
		p.WriteDataPadded(1, false, []byte("val"), make([]byte, 5))
		p.WriteGoAway(3, http2.ErrCodeEnhanceYourCalm, []byte("calm"))
		if all, err := p.feed(size); err != nil || len(all) > 0 || p.Room(4) > 0 || p.Pending() != 4 || p.Owes() {
			t.Fatalf("%+v, %v: room for %d, %d in flight", all, err, p.Room(4), p.Pending())
		}
		p.WriteData(1, true, []byte("ue"))
		p.head(3, true, ":status", "200", "a", "b")
		all, err := p.feed(size)
		if err != nil || len(all) != 2 || all[0].kind != OK || all[0].Close || !all[1].Close {
			t.Fatalf("%+v, %v", all, err)
		}
		if kind, err := p.Ended(); kind != GoAway || err == nil {
			t.Errorf("ended by %v, %v", kind, err)
		}
		oldest := p.Oldest()
		for i := range mostAgain {
			p.now += 100
			if p.Reset(); p.Pending() != 2 {
				t.Fatalf("%d in flight of 2", p.Pending())
			}
			if again := p.begin(); !slices.Equal(again, sent[2:]) {
				t.Fatalf("sent %q again, not %q", again, sent[2:])
			}
			if p.Oldest() != oldest {
				t.Errorf("the oldest was sent at %d, not %d", p.Oldest(), oldest)
			}
			if i%2 == 0 {
				p.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("calm"))
			} else {
				p.WriteRSTStream(1, http2.ErrCodeRefusedStream)
				p.WriteRSTStream(3, http2.ErrCodeRefusedStream)
			}
			if all, err = p.feed(size); i < mostAgain-1 && (len(all) > 0 || err == nil) {
				t.Fatalf("%d: %+v, %v", i, all, err)
			}
		}
		if len(all) != 2 || all[0].kind != StreamReset || p.Pending() > 0 || !all[1].Close ||
			!strings.Contains(all[0].Err.Error(), "REFUSED_STREAM, after the request was sent again 10 times") {
			t.Fatalf("%+v, %v", all, err)
		}
		p.Reset()
		p.begin()
		p.WriteGoAway(0, 0, nil)
		if _, err := p.feed(size); KindOf(err) != GoAway {
			t.Errorf("idle: %v", err)
		}
		p.Reset()
		p.begin()
		p.ask(4)
		p.head(1, false, ":status", "200", "a", "b")
		p.WriteGoAway(0, 0, nil) // below a stream that it answers
		if all, err := p.feed(size); KindOf(err) != GoAway || len(all) != 1 || all[0].kind != GoAway {
			t.Errorf("%+v, %v", all, err)
		}
		p.Forget()
		p.Reset()
		p.begin()
		p.ask(4)
		if kind, err := p.Ended(); kind != Closed || !errors.Is(err, ErrClosed) {
			t.Errorf("%v, %v", kind, err)
		}
	}
}

// TestAnswerBeforeCalm: an answer that comes with the last frame that the client accepts counts.
func TestAnswerBeforeCalm(t *testing.T) {
	r := value200()
	r.Method, r.Body = "POST", strings.Repeat("x", 100)
	p := play(t, r, 1, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
	p.ask(1)
	for range 61_680 { // PONGs of 17 bytes, and then 9 for the settings: 7 below a MiB
		p.WritePing(false, [8]byte{})
	}
	p.WriteSettings()
	p.head(1, true, ":status", "404") // which cancels the body, with 13 bytes
	if all, err := p.feed(1 << 24); err != nil || len(all) != 1 || all[0].kind != Status {
		t.Fatalf("%+v, %v", all, err)
	}
	p.WritePing(false, [8]byte{})
	if _, err := p.feed(1 << 24); err == nil || !strings.Contains(err.Error(), "does not read") {
		t.Errorf("then %v", err)
	}
}
