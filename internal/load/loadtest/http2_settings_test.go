package loadtest

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// streams are about HTTP/2.
var streams = map[string]func(*testing.T, load.Engine){"http2: between windows": betweenWindows,
	"http2: tls": streamsOverTLS, "http2: net/http": netHTTP}

// fewerStreams allows one stream at a time from the third request on, and objects to a second.
func fewerStreams(c *talk) {
	c.seen = func(f frame) {
		if f.kind == headersFrame && c.acks == 2 && len(c.open) > 0 {
			c.dropped.Add(1)
		}
	}
	for stream, ok := c.request(); ok; stream, ok = c.request() {
		if c.n == 3 {
			c.send(setting(maxStreams, 1))
			if !c.until(func() bool { return c.acks == 2 }) {
				return
			}
			for stream := range c.open {
				c.send(right(stream)...)
			}
			continue
		}
		if c.open[stream] {
			c.send(right(stream)...)
		}
	}
}

// noTable forbids the dynamic table, and objects if the next header block does not begin by saying
// so (RFC 7541, section 4.2).
func noTable(c *talk) {
	said := false
	c.seen = func(f frame) {
		if f.kind == headersFrame && c.acks == 2 && !said {
			if said = true; f.payload[0] != 0x20 {
				c.dropped.Add(1)
			}
		}
	}
	for stream, ok := c.request(); ok; stream, ok = c.request() {
		if c.n == 2 {
			c.send(setting(tableSize, 0))
		}
		c.send(right(stream)...)
	}
}

// upload reads the body of the next request, 100,000 bytes, with the windows that grant says after
// each DATA of n bytes, and answers. It objects to DATA of more than most bytes. It is false when the
// client has gone.
func (c *talk) upload(most func() int, grant func(stream uint32, n int)) bool {
	size := 0
	for {
		f, ok := c.read()
		if !ok {
			return false
		}
		if f.kind != dataFrame {
			continue
		}
		if size += len(f.payload); len(f.payload) > most() {
			c.dropped.Add(1)
		}
		c.send(frame{windowFrame, 0, 0, number(uint32(len(f.payload)))})
		if f.flags&ends == 0 {
			grant(f.stream, len(f.payload))
			continue
		}
		if size != 100_000 {
			c.dropped.Add(1)
		}
		c.send(right(f.stream)...)
		return true
	}
}

// first reads the first body, which the client may send before it knows our SETTINGS.
func (c *talk) first() bool {
	return c.upload(func() int { return 16 << 10 }, func(stream uint32, n int) {
		c.send(frame{windowFrame, 0, stream, number(uint32(n))})
	})
}

// smallWindows grants as many bytes as have come, of 4,000.
func smallWindows(c *talk) {
	for ok := c.first(); ok; {
		ok = c.upload(func() int { return 4000 }, func(stream uint32, n int) {
			c.send(frame{windowFrame, 0, stream, number(uint32(n))})
		})
	}
}

// belowZero makes the window of a stream negative once it is used up, then 5 bytes, then large.
func belowZero(c *talk) {
	const usual = 50_000
	for ok := c.first(); ok; {
		came, most := 0, 16<<10
		ok = c.upload(func() int { return most }, func(stream uint32, n int) {
			switch came += n; came {
			case usual: // 10 - 50,000, and then 5
				before := c.acks
				c.send(setting(initialWindow, 10))
				c.until(func() bool { return c.acks > before })
				most = 5
				c.send(frame{windowFrame, 0, stream, number(usual - 10 + 5)})
			case usual + 5:
				most = 16 << 10
				c.send(setting(initialWindow, usual), frame{windowFrame, 0, stream, number(100_000)})
			}
		})
	}
}

// late answers the second request of a connection only when it was given up, and speaks meanwhile.
func late(c *talk) {
	for stream, ok := c.request(); ok; stream, ok = c.request() {
		second := c.n == 2
		if second {
			for len(c.resets) == 0 {
				c.send(frame{kind: pingFrame, payload: make([]byte, 8)})
				time.Sleep(5 * time.Millisecond)
				n := c.pongs
				if !c.until(func() bool { return c.pongs > n }) {
					return
				}
			}
			for other := range c.open {
				c.send(right(other)...)
			}
		}
		if second || c.open[stream] {
			c.send(right(stream)...)
		}
	}
}

// betweenWindows: what a server sends on connections that are idle is answered, and does not end
// them; a GOAWAY does.
func betweenWindows(t *testing.T, e load.Engine) {
	var asked atomic.Int64
	all := make(chan struct{})
	s := serve(t, "tcp", converse(func(c *talk) {
		c.seen = func(f frame) {
			if f.kind == pingFrame {
				c.dropped.Add(1)
			}
		}
		stream, ok := c.request()
		if asked.Add(1) == 4 {
			close(all)
		}
		select { // a connection without a request has no preface yet: a server is silent on it
		case <-all:
		case <-c.server.stopped:
		}
		for ; ok; stream, ok = c.request() {
			c.send(right(stream)...)
		}
	}))
	j := job(s)
	j.HTTP2, j.Pipeline = true, 4
	session := open(t, e, j)
	for i, f := range []frame{{kind: pingFrame, payload: make([]byte, 8)}, goAway(1<<31-1, 0, ""), {}} {
		if l := run(t, session, load.Window{Requests: 40}); l.Succeeded != 40 || s.accepted.Load() != int64(4+4*(i/2)) {
			t.Errorf("window %d: %d connections, %+v", i, s.accepted.Load(), l)
		}
		s.mu.Lock()
		for c := range s.open {
			io.WriteString(c, f.bytes())
		}
		s.mu.Unlock()
	}
	s.eventually(t, "answered PINGs", func() bool { return s.dropped.Load() == 4 })
}

// streamsOverTLS: HTTP/2 is asked for by ALPN, and a server that chooses anything else is named.
func streamsOverTLS(t *testing.T, e load.Engine) {
	_, j := serveTLS(t, 0, answers(right), wire.ALPN2)
	j.HTTP2, j.Pipeline = true, 4
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 200}, 0)
	if o.Succeeded != 200 || len(o.TLS) == 0 || o.TLS[0].ALPN != wire.ALPN2 {
		t.Errorf("%+v", o.Load)
	}
	for want, protocols := range map[string][]string{"it chose no protocol (ALPN)": nil,
		`alert "no application protocol"`: {wire.ALPN1}} {
		_, j := serveTLS(t, 0, each(value), protocols...)
		j.HTTP2 = true
		if _, err := e.Open(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a server that takes %q: %v", protocols, err)
		}
	}
}
