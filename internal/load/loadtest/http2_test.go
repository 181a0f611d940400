package loadtest

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
)

// frame is one frame of HTTP/2 (RFC 9113, section 4.1).
type frame struct {
	kind, flags byte
	stream      uint32
	payload     []byte
}

// Types, flags and settings (RFC 9113, section 6).
const (
	dataFrame, headersFrame, priorityFrame, resetFrame, settingsFrame = 0, 1, 2, 3, 4
	pushFrame, pingFrame, goAwayFrame, windowFrame, continuation      = 5, 6, 7, 8, 9

	ends, acks, whole, padded, prioritized = 0x1, 0x1, 0x4, 0x8, 0x20

	tableSize, enablePush, maxStreams, initialWindow, maxFrame = 1, 2, 3, 4, 5
)

// bytes returns the frame as it is sent.
func (f frame) bytes() string {
	b := []byte{byte(len(f.payload) >> 16), byte(len(f.payload) >> 8), byte(len(f.payload)), f.kind, f.flags}
	return string(append(binary.BigEndian.AppendUint32(b, f.stream), f.payload...))
}

// number returns n as 4 bytes.
func number(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// setting returns a SETTINGS frame with one parameter.
func setting(id uint16, value uint32) frame {
	return frame{kind: settingsFrame, payload: append([]byte{byte(id >> 8), byte(id)}, number(value)...)}
}

// fields returns a header block of literals without indexing (RFC 7541, section 6.2.2): names and
// values by turns.
func fields(all ...string) (b []byte) {
	for i, s := range all {
		if i%2 == 0 {
			b = append(b, 0)
		}
		if len(s) < 127 {
			b = append(b, byte(len(s)))
		} else { // an integer with a prefix of 7 bits (RFC 7541, section 5.1)
			b = append(b, 127)
			n := len(s) - 127
			for ; n >= 128; n >>= 7 {
				b = append(b, byte(n)|128)
			}
			b = append(b, byte(n))
		}
		b = append(b, s...)
	}
	return b
}

// talk is the server's end of a connection of HTTP/2.
type talk struct {
	*peer
	open   map[uint32]bool // requests that have begun and were not answered
	acks   int             // of our SETTINGS
	pongs  int
	resets []uint32 // codes of the client's RST_STREAM, in order
	// seen is called with each frame that comes, before anything else; nil: not.
	seen func(frame)
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// converse returns a script that reads the client's preface, sends SETTINGS and goes on with then.
func converse(then func(*talk), settings ...frame) func(*peer) {
	if len(settings) == 0 {
		settings = []frame{{kind: settingsFrame}}
	}
	return func(p *peer) {
		if !p.greeted() {
			return
		}
		c := &talk{peer: p, open: map[uint32]bool{}}
		c.send(settings...)
		then(c)
	}
}

// greeted reads the client's preface.
func (p *peer) greeted() bool {
	b := make([]byte, len(preface))
	_, err := io.ReadFull(p.r, b)
	return err == nil && string(b) == preface
}

// send sends frames in one write.
func (c *talk) send(all ...frame) {
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.bytes())
		if f.kind == resetFrame || f.flags&ends != 0 && (f.kind == headersFrame || f.kind == dataFrame) {
			delete(c.open, f.stream)
		}
	}
	c.say(b.String())
}

// read reads one frame, and answers SETTINGS and PING.
func (c *talk) read() (f frame, ok bool) {
	var head [9]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return f, false
	}
	f = frame{head[3], head[4], binary.BigEndian.Uint32(head[5:]), nil}
	f.payload = make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(c.r, f.payload); err != nil {
		return f, false
	}
	if c.seen != nil {
		c.seen(f)
	}
	switch {
	case f.kind == settingsFrame && f.flags&acks != 0:
		c.acks++
	case f.kind == settingsFrame:
		c.send(frame{kind: settingsFrame, flags: acks})
	case f.kind == pingFrame && f.flags&acks != 0:
		c.pongs++
	case f.kind == headersFrame:
		c.open[f.stream] = true
		c.requests.Add(1)
		c.n++
	case f.kind == resetFrame:
		c.resets = append(c.resets, binary.BigEndian.Uint32(f.payload))
		c.dropped.Add(1)
		delete(c.open, f.stream)
	}
	return f, true
}

// until reads until is holds. It is false when the client has gone.
func (c *talk) until(is func() bool) bool {
	for !is() {
		if _, ok := c.read(); !ok {
			return false
		}
	}
	return true
}

// request reads up to the end of a request. It is false when the client has gone.
func (c *talk) request() (stream uint32, ok bool) {
	for {
		f, ok := c.read()
		if !ok {
			return 0, false
		}
		if (f.kind == headersFrame || f.kind == dataFrame) && f.flags&ends != 0 && c.open[f.stream] {
			return f.stream, true
		}
	}
}

// rest reads until the client closes.
func (c *talk) rest() { c.until(func() bool { return false }) }

// bye closes the server's side, and reads what the client still sends: who closes with something
// unread resets the connection.
func (c *talk) bye() {
	c.Conn.(interface{ CloseWrite() error }).CloseWrite()
	c.rest()
}

// head returns a HEADERS frame with these fields.
func head(stream uint32, flags byte, all ...string) frame {
	return frame{headersFrame, flags | whole, stream, fields(all...)}
}

// right returns the frames of the right answer.
func right(stream uint32) []frame {
	return []frame{head(stream, 0, ":status", "200", "content-type", "text/plain", "content-length", "5"),
		{dataFrame, ends, stream, []byte("value")}}
}

// answers answers all requests with what f makes of their stream.
func answers(f func(stream uint32) []frame, settings ...frame) func(*peer) {
	return converse(func(c *talk) {
		for stream, ok := c.request(); ok; stream, ok = c.request() {
			c.send(f(stream)...)
		}
	}, settings...)
}

// breaks answers the first request of each connection with what is wrong, and reads on until the
// client closes.
func breaks(f func(stream uint32) []frame) func(*peer) {
	return converse(func(c *talk) {
		if stream, ok := c.request(); ok {
			c.send(f(stream)...)
			c.rest()
		}
	})
}

// conversation is a server's behaviour in HTTP/2, and what an engine must report of a number of
// requests.
type conversation struct {
	name     string
	serve    func(*peer)
	requests int64 // 60 if 0
	job      func(*load.Job)
	// failures and errors are the ledger without its times, or check looks for itself.
	failures, errors map[string]int64
	text             string // is in what is said of the first kind of errors
	kept             bool   // no connection is lost
	check            func(*testing.T, *server, record.Load)
}

// run loads in a closed and in an open loop.
func (c *conversation) run(t *testing.T, e load.Engine, i int) {
	for m, schedule := range []*load.Schedule{nil, constant(2000)} {
		if !tried(i, m) {
			continue
		}
		s := serve(t, "tcp", c.serve)
		j := job(s)
		j.HTTP2, j.Pipeline = true, 4
		if c.job != nil {
			c.job(&j)
		}
		requests := c.requests
		if requests == 0 {
			requests = 60
		}
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: requests, Schedule: schedule},
			20*time.Millisecond)
		l := o.Load
		if l.Planned != requests || l.Started != requests || l.InFlight != 0 {
			t.Errorf("planned %d, started %d of %d, %d in flight", l.Planned, l.Started, requests, l.InFlight)
		}
		if s.requests.Load() > l.Started+l.SentAgain {
			t.Errorf("the server saw %d requests of %d: some were sent again unsaid", s.requests.Load(), l.Started)
		}
		said := append(slices.Collect(maps.Values(o.Detail.Texts)), o.Detail.First)
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, c.text) }) && c.text != "" {
			t.Errorf("it says %q; want %q", said, c.text)
		}
		if n := s.accepted.Load(); c.kept && n != int64(j.Connections) {
			t.Errorf("%d connections of %d", n, j.Connections)
		}
		if c.check != nil {
			c.check(t, s, l)
		} else if !maps.Equal(l.Failures, c.failures) || !maps.Equal(l.Errors, c.errors) {
			t.Errorf("failures %v, want %v; errors %v, want %v: %v", l.Failures, c.failures, l.Errors, c.errors,
				o.Detail.Texts)
		}
	}
}
