package scenario

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"dyno/internal/wire"
)

// http2Client is the client side of HTTP/2 on a connection that carries one request at a time. It checks the
// server's frames as strictly as a load does.
type http2Client struct {
	conn   net.Conn
	parser wire.HTTP2Parser
	buffer []byte
	in     []byte // received, not yet parsed
	out    []byte // waiting to be sent
	answer []byte // received since the last request began
	next   uint32 // next stream number
	got    int64  // DATA bytes since the connection window was last widened

	room, window, initial int64 // windows granted by the server: connection, stream, new streams
	shrunk                bool  // the server has reduced the header table, not yet acknowledged in a block
}

// Greet connects to a server that should speak HTTP/2, and returns an error if it does not.
func Greet(ctx context.Context, to wire.Endpoint, patience time.Duration) error {
	conn, err := to.Dial(ctx, &net.Dialer{Timeout: patience})
	switch {
	case wire.NoProtocol(err):
		return &wire.NotHTTP2Error{Why: "it takes none of the protocols offered (ALPN)"}
	case err != nil:
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetDeadline(time.Now().Add(patience))
	_, err = greet(conn)
	return cmp.Or(ctx.Err(), err)
}

// greet begins HTTP/2 on conn and waits for the server's SETTINGS. The error is a *wire.NotHTTP2Error.
func greet(conn net.Conn) (*http2Client, error) {
	if c, ok := conn.(*tls.Conn); ok {
		if chosen := c.ConnectionState().NegotiatedProtocol; chosen != wire.ALPN2 {
			return nil, wire.NotHTTP2(chosen)
		}
	}
	t := &http2Client{conn: conn, buffer: make([]byte, 64<<10), next: 1, room: wire.InitialWindow,
		initial: wire.InitialWindow}
	t.parser.Reset()
	t.out = wire.AppendSettings([]byte(wire.Preface), wire.HTTP2Setting{ID: wire.EnablePush},
		wire.HTTP2Setting{ID: wire.InitialWindowSize, Value: wire.MaxWindow})
	t.out = wire.AppendWindow(t.out, 0, wire.MaxWindow-wire.InitialWindow)
	for wait := true; ; {
		switch event, err := t.event(wait); {
		case errors.Is(err, io.EOF):
			return nil, &wire.NotHTTP2Error{Why: "it closed the connection"}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &wire.NotHTTP2Error{Why: "it sent no SETTINGS in time"}
		case err != nil:
			return nil, &wire.NotHTTP2Error{Why: err.Error()}
		case event == wire.GoAway:
			return nil, &wire.NotHTTP2Error{Why: t.goAway().Error()}
		case event == wire.Settled: // the data behind it may end the connection at once
			wait = false
		case event == wire.HTTP2More:
			return t, nil
		}
	}
}

// event reads up to the next event. It answers SETTINGS and PING, and updates the windows. Before it waits,
// it sends the pending output. If wait is not set and no event is buffered, it returns More.
func (t *http2Client) event(wait bool) (wire.HTTP2Event, error) {
	for {
		n, event, err := t.parser.Feed(t.in)
		t.in = t.in[n:]
		if err == nil {
			err = t.handle(event)
		}
		if err != nil || event != wire.HTTP2More || !wait {
			return event, err
		}
		if len(t.out) > 0 {
			if _, err := t.conn.Write(t.out); err != nil {
				return event, err
			}
			t.out = t.out[:0]
		}
		if n, err = t.conn.Read(t.buffer); n == 0 && err != nil {
			return event, err
		}
		t.in = append(t.in, t.buffer[:n]...)
		t.answer = append(t.answer, t.buffer[:n]...)
	}
}

// handle responds to an event as every client must.
func (t *http2Client) handle(event wire.HTTP2Event) error {
	p := &t.parser
	switch event {
	case wire.Pinged:
		t.out = wire.AppendPong(t.out, p.Opaque)
	case wire.Data:
		if t.got += p.Size; t.got > wire.MaxWindow/2 {
			t.out = wire.AppendWindow(t.out, 0, uint32(t.got))
			t.got = 0
		}
	case wire.Window:
		room := &t.room
		switch p.Stream {
		case 0:
		case t.next - 2:
			room = &t.window
		default: // an earlier request
			return nil
		}
		if *room += p.Size; p.Size == 0 || *room > wire.MaxWindow {
			return fmt.Errorf("a WINDOW_UPDATE of %d bytes makes a window of %d (RFC 9113 6.9)", p.Size, *room)
		}
	case wire.Settled:
		t.out = wire.AppendSettingsAck(t.out)
		for i := 0; ; i++ {
			one, ok := p.Setting(i)
			if !ok {
				return nil
			}
			if err := one.Check(); err != nil {
				return err
			}
			switch one.ID {
			case wire.HeaderTableSize:
				t.shrunk = t.shrunk || one.Value < wire.TableSize
			case wire.InitialWindowSize:
				t.window += int64(one.Value) - t.initial
				t.initial = int64(one.Value)
			}
		}
	}
	return nil
}

func (t *http2Client) goAway() error {
	if len(t.parser.Piece) == 0 {
		return fmt.Errorf("the server sent GOAWAY: %v", t.parser.Code)
	}
	return fmt.Errorf("the server sent GOAWAY: %v, %s", t.parser.Code, quote(t.parser.Piece))
}

// exchange sends one request and reads the whole response, without a body if head. The bytes received
// meanwhile are in t.answer. The error is a *notProcessed if the request may be sent again.
func (t *http2Client) exchange(block []byte, body string, head bool) (*wire.Response, error) {
	id, at := t.next, len(t.out)
	t.next += 2
	t.out = wire.BeginHeaders(t.out)
	if t.shrunk {
		t.out, t.shrunk = append(t.out, wire.NoTable), false
	}
	t.out = wire.EndHeaders(append(t.out, block...), at, id, body == "")
	t.answer, t.window = nil, t.initial
	r, p := &wire.Response{Proto: "HTTP/2", Length: -1}, &t.parser
	for ended := false; !ended; {
		for n := int64(1); body != "" && n > 0; {
			if n = min(int64(len(body)), t.room, t.window, wire.MaxFrame); n > 0 {
				t.out = wire.AppendData(t.out, id, body[:n], int(n) == len(body))
				body, t.room, t.window = body[n:], t.room-n, t.window-n
			}
		}
		event, err := t.event(true)
		switch {
		case err != nil:
			return nil, err
		case event == wire.GoAway:
			if r.Close = true; p.Stream < id && r.Status == 0 {
				return nil, &notProcessed{t.goAway()}
			} else if p.Stream < id {
				return nil, t.goAway()
			}
		case event == wire.Reset && p.Stream == id:
			err = fmt.Errorf("the server reset the stream: %v", p.Code)
			if p.Code == wire.RefusedStream && r.Status == 0 {
				err = &notProcessed{err}
			}
			return nil, err
		case event != wire.Headers && event != wire.Data:
		case p.Stream != id:
			return nil, fmt.Errorf("a frame on stream %d, where no response is expected", p.Stream)
		default:
			if err := t.take(event, r); err != nil {
				return nil, fmt.Errorf("it breaks RFC 9113: %w", err)
			}
			ended = p.End
		}
	}
	if body != "" {
		t.out = wire.AppendReset(t.out, id, wire.Cancel)
	}
	r.TotalBytes = len(t.answer)
	return r, finish(r, head)
}

// take adds a header section or a piece of the body to r.
func (t *http2Client) take(event wire.HTTP2Event, r *wire.Response) error {
	p := &t.parser
	switch h := p.Head; {
	case event == wire.Data && r.Status == 0:
		return errors.New("DATA before HEADERS")
	case event == wire.Data:
		r.Body = append(r.Body, p.Piece...)
	case h.Malformed != "":
		return errors.New(h.Malformed)
	case r.Status > 0 && (h.Status > 0 || !p.End):
		return errors.New("a second header section that is not a trailer section")
	case r.Status > 0: // trailers
	case h.Status == 0:
		return errors.New("no :status")
	case h.Status == 101 || h.Status < 200 && p.End:
		return fmt.Errorf("an invalid interim response, status %d", h.Status)
	case h.Status < 200: // interim
	default:
		r.Status, r.Length, r.Fields, r.HeadBytes = h.Status, h.Length, lines(h.Fields), len(h.Fields)
	}
	return nil
}

// finish checks a complete response's length.
func finish(r *wire.Response, head bool) error {
	r.Framing = wire.ByLength
	switch bare := head || r.Status == 204 || r.Status == 304; {
	case bare && len(r.Body) > 0:
		return fmt.Errorf("%d bytes of DATA, where a response has no body", len(r.Body))
	case bare:
		r.Framing = wire.NoBody
	case r.Length >= 0 && r.Length != int64(len(r.Body)):
		return fmt.Errorf("content-length %d, but %d bytes of DATA", r.Length, len(r.Body))
	case r.Length < 0:
		r.Framing = wire.ByStream
	}
	return nil
}

// lines parses field lines.
func lines(b []byte) (all []wire.Field) {
	for {
		name, value, rest, ok := wire.NextField(b)
		if !ok {
			return all
		}
		all = append(all, wire.Field{Name: string(name), Value: string(value)})
		b = rest
	}
}
