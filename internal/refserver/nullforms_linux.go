package refserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"dyno/internal/wire"
)

// serveAll serves at all addresses until ctx ends: HTTP/1.1 in the clear in the event loop, the other forms
// of HTTP in one goroutine per connection, with crypto/tls for TLS.
func (n *Null) serveAll(ctx context.Context, o *Options) (Tally, error) {
	others := &Options{Addrs: map[wire.Listener]string{}, Cert: o.Cert, Key: o.Key}
	inClear := ""
	for at, addr := range o.Addrs {
		if at == wire.AtClear {
			inClear = addr
		} else {
			others.Addrs[at] = addr
		}
	}
	if len(others.Addrs) == 0 {
		return n.Serve(ctx, "tcp", inClear)
	}
	if why := n.OnlyClear(); why != "" {
		return Tally{}, fmt.Errorf("serve null: %s", why)
	}
	forms := newNullForms(n.Response)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var err error
	var side sync.WaitGroup
	side.Go(func() {
		defer stop()
		err = others.each(ctx, func(ctx context.Context, ln net.Listener, at wire.Listener) error {
			return serveConns(ctx, ln, func(c net.Conn) { forms.answer(ctx, c, at == wire.AtH2C) })
		})
	})
	var tally Tally
	var own error
	if inClear != "" {
		tally, own = n.Serve(ctx, "tcp", inClear)
		stop()
	}
	side.Wait()
	tally.Requests += forms.requests.Load()
	return tally, errors.Join(own, err)
}

// nullForms answers every request with one response, in HTTP/1.1 over TLS and in HTTP/2.
type nullForms struct {
	one      []byte // response in HTTP/1.1
	fields   []byte // HTTP/2 header block
	body     string
	requests atomic.Int64
}

func newNullForms(response []byte) *nullForms {
	head, body, _ := strings.Cut(string(response), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	f := &nullForms{one: response, body: body}
	f.fields = wire.AppendField(nil, ":status", strings.Fields(lines[0])[1])
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		f.fields = wire.AppendField(f.fields, strings.ToLower(name), value)
	}
	return f
}

// answer serves one connection until either end closes it.
func (f *nullForms) answer(ctx context.Context, c net.Conn, isHTTP2 bool) {
	if t, ok := c.(*tls.Conn); ok {
		if t.HandshakeContext(ctx) != nil {
			return
		}
		isHTTP2 = t.ConnectionState().NegotiatedProtocol == wire.ALPN2
	}
	if isHTTP2 {
		(&nullHTTP2{nullForms: f, conn: c}).run()
		return
	}
	f.http1(c)
}

// nullRead is the size of the read buffer.
const nullRead = 64 << 10

// http1 answers requests on an HTTP/1.1 connection: all requests from one read in one write.
func (f *nullForms) http1(c net.Conn) {
	in, out := make([]byte, nullRead), []byte(nil)
	kept, body := 0, 0
	for last := false; !last; {
		n, err := c.Read(in[kept:])
		if err != nil {
			return
		}
		b := in[:kept+n]
		out = out[:0]
		for !last {
			k := min(body, len(b))
			if b, body = b[k:], body-k; body > 0 {
				break
			}
			end := bytes.Index(b, nullBlank)
			if end < 0 {
				break
			}
			ask := readNullHead(b[:end+2])
			if ask.chunked {
				return
			}
			b, body, last = b[end+len(nullBlank):], ask.length, ask.close
			out = append(out, f.one...)
			f.requests.Add(1)
		}
		if kept = copy(in, b); kept == len(in) {
			return
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

// nullHTTP2 is an HTTP/2 connection. A request ends with the flag in its last frame; its content is not
// parsed.
type nullHTTP2 struct {
	*nullForms
	conn    net.Conn
	out     []byte
	window  int64    // the connection's window for response bodies
	initial int64    // a stream's window
	waiting []uint32 // streams whose bodies exceed the window
	taken   uint32   // request body bytes since the last WINDOW_UPDATE
}

// Frames and flags in RFC 9113, section 6.
const (
	frameData, frameHeaders, frameSettings, framePing   = 0x0, 0x1, 0x4, 0x6
	frameGoAway, frameWindow                            = 0x7, 0x8
	flagEndStream, flagAck                              = 0x1, 0x1
	settingInitialWindow, firstWindow, returned, opened = 0x4, 65_535, 1 << 20, 1 << 30
)

// run serves the connection until the client ends it or breaks the protocol.
func (c *nullHTTP2) run() {
	in := make([]byte, nullRead)
	if _, err := io.ReadFull(c.conn, in[:len(wire.Preface)]); err != nil ||
		string(in[:len(wire.Preface)]) != wire.Preface {
		return
	}
	c.window, c.initial = firstWindow, firstWindow
	c.out = wire.AppendSettings(c.out, wire.HTTP2Setting{ID: settingInitialWindow, Value: opened})
	c.out = wire.AppendWindow(c.out, 0, opened)
	for kept := 0; ; {
		if _, err := c.conn.Write(c.out); err != nil {
			return
		}
		c.out = c.out[:0]
		n, err := c.conn.Read(in[kept:])
		if err != nil {
			return
		}
		b := in[:kept+n]
		for len(b) >= wire.FrameHeader {
			size := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
			if size > wire.MaxFrame {
				return
			}
			if len(b) < wire.FrameHeader+size {
				break
			}
			stream := binary.BigEndian.Uint32(b[5:]) & wire.MaxStream
			if !c.frame(b[3], b[4], stream, b[wire.FrameHeader:wire.FrameHeader+size]) {
				return
			}
			b = b[wire.FrameHeader+size:]
		}
		kept = copy(in, b)
	}
}

// frame handles one frame. It reports whether the connection continues.
func (c *nullHTTP2) frame(kind, flags byte, stream uint32, payload []byte) bool {
	switch kind {
	case frameHeaders, frameData:
		if kind == frameData {
			if c.taken += uint32(len(payload)); c.taken > returned {
				c.out = wire.AppendWindow(c.out, 0, c.taken)
				c.taken = 0
			}
		}
		if flags&flagEndStream != 0 {
			c.waiting = append(c.waiting, stream)
			c.respond()
		}
	case frameSettings:
		if flags&flagAck != 0 {
			return true
		}
		for ; len(payload) >= 6; payload = payload[6:] {
			if binary.BigEndian.Uint16(payload) == settingInitialWindow {
				c.initial = int64(binary.BigEndian.Uint32(payload[2:]))
			}
		}
		c.out = wire.AppendSettingsAck(c.out)
		return c.initial >= int64(len(c.body)) // streams' windows are not tracked
	case framePing:
		if flags&flagAck == 0 && len(payload) == 8 {
			c.out = wire.AppendPong(c.out, [8]byte(payload))
		}
	case frameWindow:
		if stream == 0 && len(payload) == 4 {
			c.window += int64(binary.BigEndian.Uint32(payload) & wire.MaxWindow)
			c.respond()
		}
	case frameGoAway:
		return len(c.waiting) > 0
	}
	return true
}

// respond answers the waiting streams as far as the window allows.
func (c *nullHTTP2) respond() {
	for len(c.waiting) > 0 && c.window >= int64(len(c.body)) {
		stream := c.waiting[0]
		c.waiting = c.waiting[1:]
		at := len(c.out)
		c.out = append(wire.BeginHeaders(c.out), c.fields...)
		c.out = wire.EndHeaders(c.out, at, stream, c.body == "")
		if c.body != "" {
			c.out = wire.AppendData(c.out, stream, c.body, true)
		}
		c.window -= int64(len(c.body))
		c.requests.Add(1)
	}
}
