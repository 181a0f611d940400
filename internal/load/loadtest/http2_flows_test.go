package loadtest

import (
	"io"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

// conversations are those of HTTP/2 that no single frame makes.
var conversations = []conversation{
	// what is right, in forms that are rare
	{name: "usual", serve: answers(right), kept: true},
	{name: "CONTINUATION by bytes", serve: answers(inContinuations), kept: true},
	{name: "bytes by themselves", requests: 12, kept: true, serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			var b strings.Builder
			for _, f := range right(stream) {
				b.WriteString(f.bytes())
			}
			delete(c.open, stream)
			for _, x := range []byte(b.String()) {
				c.say(string(x))
			}
		}
	})},
	{name: "DATA by bytes", kept: true, serve: answers(func(stream uint32) []frame {
		all := right(stream)[:1]
		for _, x := range []byte("value") {
			all = append(all, frame{dataFrame, 0, stream, []byte{x}})
		}
		return append(all, frame{dataFrame, ends, stream, nil})
	})},
	{name: "padding", kept: true, serve: answers(func(stream uint32) []frame {
		priority := []byte{0, 0, 0, 0, 9}
		return []frame{
			{headersFrame, whole | padded | prioritized, stream, append(append([]byte{3}, priority...), 0x88, 0, 0, 0)},
			{dataFrame, padded, stream, append([]byte{200}, "va"+strings.Repeat("\x00", 200)...)},
			{dataFrame, padded, stream, append([]byte{0}, "lue"...)},
			{dataFrame, padded | ends, stream, []byte{1, 0}},
		}
	})},
	{name: "trailers", kept: true, serve: answers(func(stream uint32) []frame {
		all := right(stream)
		all[1].flags = 0
		return append(all, head(stream, ends, "x-sum", "1"))
	})},
	{name: "interim responses", kept: true, serve: answers(func(stream uint32) []frame {
		return append([]frame{head(stream, 0, ":status", "100"), head(stream, 0, ":status", "103", "link", "</a>")},
			right(stream)...)
	})},
	{name: "HEAD", kept: true, serve: answers(section(":status", "200", "content-length", "5")),
		job: expect(func(r *scenario.Request) { r.Method, r.Expect.Body = "HEAD", nil })},
	{name: "no content", kept: true, serve: answers(section(":status", "204")),
		job: expect(func(r *scenario.Request) { r.Expect = scenario.Expect{Status: 204} })},
	{name: "unknown frames and settings", kept: true, serve: answers(func(stream uint32) []frame {
		all := []frame{{0x20, 0xff, stream, []byte("unknown")}, setting(0x99, 7),
			{priorityFrame, 0, stream, make([]byte, 5)}, {0x10, 0, 0, append(number(stream), "u=1"...)}}
		return append(all, right(stream)...)
	})},
	{name: "frames of streams that have ended", kept: true, serve: answers(func(stream uint32) []frame {
		return append(right(stream), frame{windowFrame, 0, stream, number(100)},
			frame{resetFrame, 0, stream, number(0)})
	})},
	{name: "backwards", kept: true, serve: converse(backwards)},
	{name: "large body", requests: 16, kept: true, serve: answers(largeBody),
		job: expect(func(r *scenario.Request) { r.Expect.Body = &big })},
	{name: "dynamic table", kept: true, serve: converse(indexes), job: expect(func(r *scenario.Request) {
		r.Expect.Headers = map[string]string{"X-Big": big[:2000]}
	})},
	{name: "PING", kept: true, serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			n := c.pongs + 100
			for range 100 {
				c.send(frame{kind: pingFrame, payload: make([]byte, 8)})
			}
			if !c.until(func() bool { return c.pongs == n }) {
				return
			}
			for stream := range c.open {
				c.send(right(stream)...)
			}
			delete(c.open, stream)
		}
	})},

	// settings in mid-load
	{name: "one stream from the third request on", kept: true, serve: converse(fewerStreams),
		check: func(t *testing.T, s *server, l record.Load) {
			if undisturbed(t, s, l); l.StreamsAllowed != 1 {
				t.Errorf("%d streams allowed; want 1", l.StreamsAllowed)
			}
		}},
	{name: "one stream up to the third request", kept: true, serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			if c.n == 3 {
				c.send(setting(maxStreams, 100))
			}
			c.send(right(stream)...)
		}
	}, setting(maxStreams, 1)), check: func(t *testing.T, s *server, l record.Load) {
		if undisturbed(t, s, l); l.StreamsAllowed != 1 {
			t.Errorf("%d streams allowed for a while; want 1", l.StreamsAllowed)
		}
	}},
	{name: "no streams for a while", kept: true, serve: converse(func(c *talk) {
		time.Sleep(20 * time.Millisecond)
		c.send(setting(maxStreams, 100))
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			c.send(right(stream)...)
		}
	}, setting(maxStreams, 0))},
	{name: "no streams", requests: 4, job: impatient, check: givenUp(4),
		serve: converse((*talk).rest, setting(maxStreams, 0))},
	{name: "no table", kept: true, serve: converse(noTable), check: undisturbed},
	{name: "small windows", requests: 8, kept: true, job: uploadOne, check: undisturbed,
		serve: converse(smallWindows, setting(initialWindow, 4000))},
	{name: "window below zero", requests: 8, kept: true, job: uploadOne, check: undisturbed,
		serve: converse(belowZero, setting(initialWindow, 50_000))},
	{name: "answers before the body", kept: true, job: uploadOne, check: func(t *testing.T, s *server, l record.Load) {
		if l.Succeeded != 60 {
			t.Errorf("%+v", l)
		}
		s.eventually(t, "bodies cancelled", func() bool { return s.dropped.Load() == 60 })
	}, serve: converse(func(c *talk) {
		for {
			f, ok := c.read()
			if !ok {
				return
			}
			if f.kind == headersFrame {
				c.send(append(right(f.stream), frame{resetFrame, 0, f.stream, number(0)})...)
			}
		}
	}, setting(initialWindow, 0))},

	// wrong answers
	{name: "wrong body", kept: true, failures: map[string]int64{"body": 60}, text: `read last: "valse"`,
		serve: answers(func(stream uint32) []frame {
			return []frame{right(stream)[0], {dataFrame, ends, stream, []byte("valse")}}
		})},
	{name: "wrong length", kept: true, failures: map[string]int64{"length": 60},
		serve: answers(func(stream uint32) []frame {
			return []frame{head(stream, 0, ":status", "200"), {dataFrame, ends, stream, []byte("values")}}
		})},
	{name: "wrong status", kept: true, failures: map[string]int64{"status": 60},
		text:  `status 503, body of 0 bytes; read last: "a: b\r\n"`,
		serve: answers(section(":status", "503", "a", "b"))},
	{name: "missing header", kept: true, failures: map[string]int64{"header": 60}, serve: answers(right),
		job: expect(func(r *scenario.Request) { r.Expect.Headers = map[string]string{"X-Other": ""} })},
	{name: "HEAD with DATA", kept: true, failures: map[string]int64{"length": 60}, serve: answers(right),
		job: expect(func(r *scenario.Request) { r.Method, r.Expect.Body = "HEAD", nil })},
	{name: "204 with DATA", kept: true, failures: map[string]int64{"length": 60},
		job: expect(func(r *scenario.Request) { r.Expect = scenario.Expect{Status: 204} }),
		serve: answers(func(stream uint32) []frame {
			return []frame{head(stream, 0, ":status", "204"), right(stream)[1]}
		})},

	// the end of a connection
	{name: "DATA of a closed stream", text: "STREAM_CLOSED: a frame of stream", check: some("parse"),
		serve: second(func(first uint32) frame { return right(first)[1] })},
	{name: "HEADERS of a closed stream", text: "STREAM_CLOSED: a frame of stream", check: some("parse"),
		serve: second(func(first uint32) frame { return right(first)[0] })},
	{name: "answers in HTTP/1", errors: map[string]int64{"parse": 60}, text: "the server answers in HTTP/1",
		serve: func(p *peer) {
			if p.greeted() {
				p.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
				io.Copy(io.Discard, p.r)
			}
		}},
	{name: "begins with PING", errors: map[string]int64{"parse": 60}, text: "PROTOCOL_ERROR: the first frame is PING",
		serve: func(p *peer) {
			if p.greeted() {
				p.say(frame{kind: pingFrame, payload: make([]byte, 8)}.bytes())
				io.Copy(io.Discard, p.r)
			}
		}},
	{name: "begins with GOAWAY", errors: map[string]int64{"parse": 60},
		text: "the first frame is GOAWAY: HTTP_1_1_REQUIRED",
		serve: func(p *peer) {
			if p.greeted() {
				p.say(goAway(0, 13, "").bytes())
				io.Copy(io.Discard, p.r)
			}
		}},
	{name: "GOAWAY below what is in flight", check: again(1),
		serve: second(func(first uint32) frame { return goAway(first, 0, "") })},
	{name: "ten requests each connection", requests: 200, check: again(0), serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok && c.n <= 10; stream, ok = c.request() {
			c.send(right(stream)...)
			if c.n == 10 {
				c.send(goAway(stream, 0, ""))
			}
		}
		c.bye()
	})},
	{name: "ten requests each connection, with bodies", requests: 100, check: again(0), job: uploadOne,
		serve: converse(func(c *talk) {
			for stream, ok := c.request(); ok; stream, ok = c.request() {
				if c.send(right(stream)...); c.n == 10 {
					c.send(goAway(stream, 0, ""))
					break
				}
			}
			c.rest()
		}, setting(initialWindow, 200_000), frame{kind: windowFrame, payload: number(1 << 30)})},
	{name: "REFUSED_STREAM of every third", check: counted(60), serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			if c.n%3 == 0 {
				c.send(refusedStream(stream))
			} else {
				c.send(right(stream)...)
			}
		}
	})},
	{name: "REFUSED_STREAM of all", requests: 12, check: counted(0),
		text: "REFUSED_STREAM, after the request was sent again 10 times", serve: converse(func(c *talk) {
			for stream, ok := c.request(); ok; stream, ok = c.request() {
				c.send(refusedStream(stream))
			}
		})},
	{name: "GOAWAY, and is gone", requests: 12, check: func(t *testing.T, s *server, l record.Load) {
		if l.Succeeded > 0 || l.Errors["dial"] == 0 || l.Errored() != l.Planned {
			t.Errorf("%+v", l)
		}
	}, serve: converse(func(c *talk) {
		if _, ok := c.request(); ok {
			c.Listener.Close()
			c.send(goAway(0, 0, ""))
			c.bye()
		}
	})},
	{name: "GOAWAY, then the last answer", serve: converse(func(c *talk) {
		if first, ok := c.request(); ok {
			c.send(goAway(first, 0, ""))
			c.send(right(first)...)
			c.rest()
		}
	}), check: again(0)},
	{name: "GOAWAY after its answers", serve: converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			if c.n == 5 {
				c.send(goAway(1<<31-1, 0, ""))
			}
			c.send(right(stream)...)
		}
	})},
	{name: "GOAWAY with an error", requests: 12, errors: map[string]int64{"goaway": 12},
		text: `GOAWAY: ENHANCE_YOUR_CALM, "too fast"`, serve: converse(func(c *talk) {
			if _, ok := c.request(); ok {
				c.send(goAway(0, 11, "too fast"))
				c.bye()
			}
		})},
	{name: "GOAWAY, then closes", errors: map[string]int64{"goaway": 60}, text: "GOAWAY: NO_ERROR",
		serve: converse(func(c *talk) {
			if _, ok := c.request(); ok {
				c.send(goAway(1<<31-1, 0, ""))
				c.bye()
			}
		})},
	{name: "closes", errors: map[string]int64{"closed": 60}, text: "closed the connection", serve: hangsUp(nil)},
	{name: "closes after HEADERS", check: cutShort, serve: hangsUp(func(stream uint32) string {
		return right(stream)[0].bytes()
	})},
	{name: "closes within a frame", check: cutShort, serve: hangsUp(func(stream uint32) string {
		return right(stream)[0].bytes() + right(stream)[1].bytes()[:11]
	})},
	{name: "closes within the head of a frame", errors: map[string]int64{"closed": 60},
		serve: hangsUp(func(stream uint32) string { return right(stream)[0].bytes()[:5] })},
	{name: "resets the connection", serve: converse(func(c *talk) {
		if _, ok := c.request(); ok {
			c.peer.reset()
		}
	}), check: func(t *testing.T, _ *server, l record.Load) {
		if l.Errors["reset"]+l.Errors["write"] != 60 {
			t.Errorf("%+v", l)
		}
	}},

	// silence
	{name: "never answers", requests: 6, job: impatient, serve: converse((*talk).rest), check: givenUp(6)},
	{name: "never speaks", requests: 6, job: impatient, check: givenUp(6), serve: func(p *peer) { <-p.stopped }},
	{name: "one stream of each connection is not answered", requests: 24, job: patient, check: some("timeout"),
		serve: converse(func(c *talk) {
			for stream, ok := c.request(); ok; stream, ok = c.request() {
				if c.n != 2 {
					c.send(right(stream)...)
				}
			}
		})},
	{name: "answers what was given up", requests: 24, job: impatient, serve: converse(late), check: some("timeout")},
	{name: "PING, and never reads", requests: 4, job: patient, serve: converse(func(c *talk) {
		pings := strings.Repeat(frame{kind: pingFrame, payload: make([]byte, 8)}.bytes(), 1000)
		for _, err := c.Write([]byte(pings)); err == nil; _, err = c.Write([]byte(pings)) {
		}
	}), check: func(t *testing.T, _ *server, l record.Load) {
		if l.Errors["parse"]+l.Errors["timeout"] != 4 { // the write may have to wait
			t.Errorf("%+v", l)
		}
	}},
}

// patient is so that a busy machine answers in time.
func patient(j *load.Job) { j.Timeout = 2 * time.Second }

// uploadOne has bodies of 100,000 bytes, one at a time.
func uploadOne(j *load.Job) {
	r := &j.Scenario.Requests[0]
	r.Method, r.Body = "POST", big[:100_000]
	j.Connections, j.Pipeline = 1, 1
}

// some checks that a part of the requests ended so, and all others were answered.
func some(kind string) func(*testing.T, *server, record.Load) {
	return func(t *testing.T, _ *server, l record.Load) {
		if l.Errors[kind] == 0 || l.Succeeded == 0 || l.Succeeded+l.Errors[kind] != l.Planned {
			t.Errorf("%+v", l)
		}
	}
}

// givenUp checks that all n requests timed out. Who gets no CPU for as long as the patience lasts may
// give up a dial, too.
func givenUp(n int64) func(*testing.T, *server, record.Load) {
	return func(t *testing.T, _ *server, l record.Load) {
		if l.Errors["timeout"] == 0 || l.Errors["timeout"]+l.Errors["dial"] != n {
			t.Errorf("%+v", l)
		}
	}
}

// undisturbed checks that all went well, and that the server had nothing to object to.
func undisturbed(t *testing.T, s *server, l record.Load) {
	if l.Succeeded != l.Planned || s.dropped.Load() > 0 {
		t.Errorf("%d objections: %+v", s.dropped.Load(), l)
	}
}

// again checks that all was answered, and at least so many requests were sent again.
func again(least int64) func(*testing.T, *server, record.Load) {
	return func(t *testing.T, s *server, l record.Load) {
		if l.Succeeded != l.Planned || l.SentAgain < least || s.requests.Load() > l.Started+l.SentAgain {
			t.Errorf("the server saw %d requests: %+v", s.requests.Load(), l)
		}
	}
}

// counted checks that so many were answered, and that each request more that the server saw is counted: it refuses them
// one by one.
func counted(answered int64) func(*testing.T, *server, record.Load) {
	return func(t *testing.T, s *server, l record.Load) {
		if l.Succeeded != answered || l.Errors["stream reset"] != l.Planned-answered || l.SentAgain == 0 ||
			l.SentAgain != s.requests.Load()-l.Started || answered == 0 && l.SentAgain != 10*l.Planned {
			t.Errorf("the server saw %d requests: %+v", s.requests.Load(), l)
		}
	}
}

// cutShort checks that responses were cut short, and all other requests had none.
func cutShort(t *testing.T, _ *server, l record.Load) {
	if n := l.Errors["truncated"]; n == 0 || n+l.Errors["closed"] != 60 {
		t.Errorf("%+v", l)
	}
}

func refusedStream(stream uint32) frame { return frame{resetFrame, 0, stream, number(7)} }

func goAway(last, code uint32, debug string) frame {
	return frame{kind: goAwayFrame, payload: append(append(number(last), number(code)...), debug...)}
}

// second answers the first request of each connection, and the second with f of the first's stream.
func second(f func(first uint32) frame) func(*peer) {
	return converse(func(c *talk) {
		first, ok := c.request()
		if !ok {
			return
		}
		c.send(right(first)...)
		if _, ok := c.request(); ok {
			c.send(f(first))
			c.rest()
		}
	})
}

// hangsUp says something upon the first request of each connection, then closes it.
func hangsUp(f func(stream uint32) string) func(*peer) {
	return converse(func(c *talk) {
		if stream, ok := c.request(); ok {
			if f != nil {
				c.say(f(stream))
			}
			c.bye()
		}
	})
}

// inContinuations gives each byte of the header block a frame of its own.
func inContinuations(stream uint32) []frame {
	all := []frame{{headersFrame, 0, stream, nil}}
	for _, x := range right(stream)[0].payload {
		all = append(all, frame{continuation, 0, stream, []byte{x}})
	}
	all[len(all)-1].flags = whole
	return append(all, right(stream)[1])
}

func largeBody(stream uint32) []frame {
	all := []frame{head(stream, 0, ":status", "200")}
	for b := big; b != ""; {
		n := min(len(b), 16<<10)
		all = append(all, frame{dataFrame, 0, stream, []byte(b[:n])})
		b = b[n:]
	}
	all[len(all)-1].flags = ends
	return all
}

// backwards answers what has come so far, the last first, and a byte of each by turns.
func backwards(c *talk) {
	for {
		var streams []uint32
		for stream, ok := c.request(); ; stream, ok = c.request() {
			if !ok {
				return
			}
			if streams = append([]uint32{stream}, streams...); c.r.Buffered() == 0 {
				break
			}
		}
		for _, s := range streams {
			c.send(head(s, 0, ":status", "200"))
		}
		for i, x := range []byte("value") {
			for _, s := range streams {
				c.send(frame{dataFrame, byte(i / 4), s, []byte{x}})
			}
		}
	}
}

// indexes enters a field into the dynamic table and refers to it until another evicts it.
func indexes(c *talk) {
	for stream, ok := c.request(); ok; stream, ok = c.request() {
		b := []byte{0x88}
		switch c.n % 4 {
		case 1: // three times: the table holds one, at most two
			for range 3 {
				b = append(append(b, 0x40), fields("x-big", big[:2000])[1:]...)
			}
		case 3:
			b = append([]byte{0x20, 0x3f, 0xe1, 0x1f}, append(append(b, 0x40), fields("x-big", big[:2000])[1:]...)...)
		default:
			b = append(b, 0xbe)
		}
		c.send(frame{headersFrame, whole, stream, b}, right(stream)[1])
	}
}
