package load

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"dyno/internal/scenario"
)

// TestHTTP2Body: bodies go out as the windows allow, the answer may come before.
func TestHTTP2Body(t *testing.T) {
	body := strings.Repeat("x", 50_000)
	r := scenario.Request{Method: "POST", Path: "/", Body: body, Expect: scenario.Expect{Status: 200}}
	for _, drawn := range []string{"", "{uuid}"} {
		r.Body = body + drawn
		size := len(body) + len(drawn)*6
		p := play(t, r, 2, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 20_000})
		p.now++
		p.to.Write(p.Ask(nil, p.now, p.now))
		p.expect("HEADERS")
		var got []byte
		read := func() (ended bool) {
			for p.to.Len() > 0 && !ended {
				f := p.expect("DATA").(*http2.DataFrame)
				got, ended = append(got, f.Data()...), f.StreamEnded()
			}
			return ended
		}
		if read() || len(got) != 20_000 || p.Owes() {
			t.Fatalf("%d bytes in a window of 20,000", len(got))
		}
		p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 30_000})
		p.feed(1 << 20)
		p.to.Write(p.owed())
		p.expect("SETTINGS")
		if read() || len(got) != 30_000 {
			t.Fatalf("%d bytes in a window of 30,000", len(got))
		}
		p.WriteWindowUpdate(1, 1<<20)
		p.feed(1 << 20)
		p.to.Write(p.owed())
		if drawn == "" && (!read() || string(got) != body) || drawn != "" && (!read() || len(got) != size) {
			t.Fatalf("%d bytes of %d", len(got), size)
		}
		p.head(1, true, ":status", "200")
		if all, err := p.feed(1 << 20); err != nil || len(all) != 1 || all[0].kind != OK {
			t.Fatalf("%+v, %v", all, err)
		}

		p.to.Write(p.Ask(nil, 1, 1)) // the window of the connection ends it
		p.expect("HEADERS")
		p.head(3, true, ":status", "200")
		p.feed(1 << 20)
		p.to.Write(p.owed())
		for got = nil; p.to.Len() > 0; {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			if p.to.Len() == 0 {
				if reset, ok := f.(*http2.RSTStreamFrame); !ok || reset.ErrCode != http2.ErrCodeCancel || reset.StreamID != 3 {
					t.Errorf("%v; want RST_STREAM", f)
				}
			}
		}
	}
}

// TestHTTP2BodyAfterOneCutShort: a body goes out as far as its window allows, even if the previous
// request was answered while its body waited for a window.
func TestHTTP2BodyAfterOneCutShort(t *testing.T) {
	const window = 1 << 20
	r := scenario.Request{Method: "POST", Path: "/", Body: strings.Repeat("x", 3*window),
		Expect: scenario.Expect{Status: 200}}
	p := play(t, r, 1, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
	p.WriteWindowUpdate(0, 1<<30)
	p.feed(1 << 20)
	for id := uint32(1); id <= 5; id += 2 {
		p.now++
		p.to.Write(p.Ask(nil, p.now, p.now))
		for p.Owes() {
			p.to.Write(p.owed())
		}
		sent := 0
		for p.to.Len() > 0 {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := f.(*http2.DataFrame); ok && d.StreamID == id {
				sent += len(d.Data())
			}
		}
		if sent != window {
			t.Fatalf("stream %d: %d bytes in a window of %d", id, sent, window)
		}
		p.head(id, true, ":status", "200")
		if all, err := p.feed(1 << 20); err != nil || len(all) != 1 || all[0].kind != OK {
			t.Fatalf("%+v, %v", all, err)
		}
	}
}

// TestHTTP2Room: one request until the server has said how many, then as many as it allows; and a
// cancelled request makes room.
func TestHTTP2Room(t *testing.T) {
	p := play(t, value200(), 8, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 3},
		http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
	if n := p.Room(8); n != 3 {
		t.Errorf("room for %d of 3 streams", n)
	}
	p.ask(2)
	if n := p.Room(8); n != 1 {
		t.Errorf("room for %d more", n)
	}
	if s := p.Cancel(0); s != nil {
		t.Errorf("cancelled %+v", s)
	}
	if s := p.Cancel(1); s == nil || s.Sent != 1 || p.Pending() != 1 || p.Oldest() != 2 {
		t.Errorf("cancelled %+v", s)
	}
	p.to.Write(p.owed())
	if f := p.expect("RST_STREAM").(*http2.RSTStreamFrame); f.StreamID != 1 || f.ErrCode != http2.ErrCodeCancel {
		t.Errorf("%v", f)
	}
	p.head(1, false, ":status", "200") // it was under way
	p.WriteData(1, true, []byte("value"))
	if all, err := p.feed(1 << 20); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	p.WriteData(1, true, nil)
	if _, err := p.feed(1 << 20); err == nil {
		t.Error("it ended twice")
	}
	p.HTTP2.Reset()
	if n := p.Room(8); n != 1 {
		t.Errorf("room for %d before SETTINGS", n)
	}
	p.begin()
	p.next = 1<<31 - 1
	if p.ask(1); p.Room(8) > 0 {
		t.Error("there is no stream of a higher number")
	}
	p.head(1<<31-1, true, ":status", "200")
	if all, err := p.feed(1 << 20); err != nil || len(all) != 1 || !all[0].Close {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestHTTP2DoesNotAllocate(t *testing.T) {
	r := value200()
	r.Method, r.Body = "POST", "{uuid}"
	p := play(t, r, 4)
	var out []byte
	turn := func(answers []byte) {
		for range 4 {
			p.now++
			out = p.Ask(out[:0], p.now, p.now)
		}
		for b := answers; len(b) > 0; {
			n, a, err := p.Feed(b, p.now)
			if b = b[n:]; err != nil || a != nil && a.Classify() != OK {
				t.Fatal(a, err)
			}
		}
		out, _ = p.Out(out[:0])
	}
	answers := func() []byte {
		p.from.Reset()
		for i := range uint32(4) {
			p.head(p.next+2*i, false, ":status", "200", "a", "b")
			p.WriteData(p.next+2*i, true, []byte("value"))
		}
		p.WriteWindowUpdate(0, 200)
		return bytes.Clone(p.from.Bytes())
	}
	const rounds = 50
	var all [][]byte
	first := p.next
	for range rounds {
		all = append(all, answers())
		p.next += 8
	}
	p.next = first
	for range 10 {
		turn(all[0])
		all = all[1:]
	}
	if n := testing.AllocsPerRun(30, func() {
		turn(all[0])
		all = all[1:]
	}); n != 0 {
		t.Errorf("%v allocations for four requests", n)
	}
}

// TestHTTP2Server: a real server, net/http's, and the client read each other's data.
func TestHTTP2Server(t *testing.T) {
	body := strings.Repeat("y", 100_000)
	r := scenario.Request{Method: "POST", Path: "/{int:1..9}", Body: body + "{uuid}",
		Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"content-type": "text/plain"}}}
	r.Weight = 1
	m, err := (&scenario.Scenario{Requests: []scenario.Request{r}}).Compile("h", scenario.Options{HTTP2: true})
	if err != nil {
		t.Fatal(err)
	}
	h := NewHTTP2(m.NewSource(1, 0, 1), new(Heads), 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil || len(got) != len(body)+36 || r.ContentLength != int64(len(got)) || r.Host != "h" {
			w.WriteHeader(400)
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	client, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	out := make(chan []byte, 1000) // a write may block until the server's answers are read
	defer close(out)
	go func() {
		for b := range out {
			client.Write(b)
		}
	}()
	client.SetDeadline(time.Now().Add(time.Minute))
	var in []byte
	buf := make([]byte, 32<<10)
	for asked, answered := 0, 0; answered < 200; {
		b, _ := h.Out(nil)
		for ; h.Room(10) > 0 && asked < 200; asked++ {
			b = h.Ask(b, 1, 1)
		}
		if len(b) > 0 {
			out <- b
		}
		if h.Owes() {
			continue
		}
		n, err := client.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		for in = append(in, buf[:n]...); len(in) > 0; {
			n, a, err := h.Feed(in, 2)
			if in = in[n:]; err != nil {
				t.Fatal(err)
			}
			if a == nil {
				break
			}
			if answered++; a.Lost != OK || a.Classify() != OK {
				t.Fatalf("%+v", a)
			}
		}
	}
}

// FuzzHTTP2: whatever a server sends, each request has at most one outcome, and the way the stream
// is cut changes nothing.
func FuzzHTTP2(f *testing.F) {
	p := play(&testing.T{}, value200(), 4)
	p.head(1, false, ":status", "200", "a", "b")
	p.WriteData(1, true, []byte("value"))
	p.head(3, true, ":status", "404")
	p.WriteRSTStream(5, 7)
	f.Add(bytes.Clone(p.from.Bytes()), uint8(3))
	p.WriteSettings(http2.Setting{ID: 4, Val: 1})
	p.WriteWindowUpdate(7, 9)
	p.WriteGoAway(5, 1, nil)
	f.Add(bytes.Clone(p.from.Bytes()), uint8(0))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		var results [2]string
		for i, size := range []int{len(stream) + 1, int(step) + 1} {
			p := play(t, value200(), 4)
			p.ask(4)
			p.from.Write(stream)
			all, err := p.feed(size)
			for _, o := range all {
				results[i] += o.kind.String() + " "
			}
			if err != nil {
				results[i] += err.Error()
			}
			if len(all)+p.Pending() != 4 || len(p.free)+len(p.active)+len(p.held) != 4 {
				t.Fatalf("%d outcomes and %d in flight of 4", len(all), p.Pending())
			}
			p.to.Reset()
			p.to.Write(p.owed())
			for p.to.Len() > 0 {
				if _, err := p.ReadFrame(); err != nil {
					t.Fatalf("it sent a frame that x/net does not read: %v", err)
				}
			}
		}
		if results[0] != results[1] {
			t.Fatalf("at once %s\nin pieces of %d %s", results[0], int(step)+1, results[1])
		}
	})
}
