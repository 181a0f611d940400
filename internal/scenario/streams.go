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

	"dyno/internal/endpoint"
	"dyno/internal/http1"
	"dyno/internal/http2"
)

// http2Client is the client side of HTTP/2 on a connection that carries one request at a time. It checks the
// server's frames as strictly as a load does.
type http2Client struct {
	conn   net.Conn
	parser http2.Parser
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
func Greet(ctx context.Context, to endpoint.Endpoint, patience time.Duration) error {
	conn, err := to.Dial(ctx, &net.Dialer{Timeout: patience})
	switch {
	case endpoint.NoProtocol(err):
		return &endpoint.NotHTTP2Error{Why: "it takes none of the protocols offered (ALPN)"}
	case err != nil:
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetDeadline(time.Now().Add(patience))
	_, err = greet(conn)
	return cmp.Or(ctx.Err(), err)
}

// greet begins HTTP/2 on conn and waits for the server's SETTINGS. The error is a *endpoint.NotHTTP2Error.
func greet(conn net.Conn) (*http2Client, error) {
	if c, ok := conn.(*tls.Conn); ok {
		if chosen := c.ConnectionState().NegotiatedProtocol; chosen != endpoint.HTTP2 {
			return nil, endpoint.NotHTTP2(chosen)
		}
	}
	t := &http2Client{conn: conn, buffer: make([]byte, 64<<10), next: 1, room: http2.InitialWindow,
		initial: http2.InitialWindow}
	t.parser.Reset()
	t.out = http2.AppendSettings([]byte(http2.Preface), http2.Setting{ID: http2.EnablePush},
		http2.Setting{ID: http2.InitialWindowSize, Value: http2.MaxWindow})
	t.out = http2.AppendWindow(t.out, 0, http2.MaxWindow-http2.InitialWindow)
	for wait := true; ; {
		switch event, err := t.event(wait); {
		case errors.Is(err, io.EOF):
			return nil, &endpoint.NotHTTP2Error{Why: "it closed the connection"}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &endpoint.NotHTTP2Error{Why: "it sent no SETTINGS in time"}
		case err != nil:
			return nil, &endpoint.NotHTTP2Error{Why: err.Error()}
		case event == http2.GoAway:
			return nil, &endpoint.NotHTTP2Error{Why: t.goAway().Error()}
		case event == http2.Settled: // the data behind it may end the connection at once
			wait = false
		case event == http2.More:
			return t, nil
		}
	}
}

// event reads up to the next event. It answers SETTINGS and PING, and updates the windows. Before it waits,
// it sends the pending output. If wait is not set and no event is buffered, it returns More.
func (t *http2Client) event(wait bool) (http2.Event, error) {
	for {
		n, event, err := t.parser.Feed(t.in)
		t.in = t.in[n:]
		if err == nil {
			err = t.handle(event)
		}
		if err != nil || event != http2.More || !wait {
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
func (t *http2Client) handle(event http2.Event) error {
	p := &t.parser
	switch event {
	case http2.Pinged:
		t.out = http2.AppendPong(t.out, p.Opaque)
	case http2.Data:
		if t.got += p.Size; t.got > http2.MaxWindow/2 {
			t.out = http2.AppendWindow(t.out, 0, uint32(t.got))
			t.got = 0
		}
	case http2.Window:
		room := &t.room
		switch p.Stream {
		case 0:
		case t.next - 2:
			room = &t.window
		default: // an earlier request
			return nil
		}
		if *room += p.Size; p.Size == 0 || *room > http2.MaxWindow {
			return fmt.Errorf("a WINDOW_UPDATE of %d bytes makes a window of %d (RFC 9113 6.9)", p.Size, *room)
		}
	case http2.Settled:
		t.out = http2.AppendSettingsAck(t.out)
		for i := 0; ; i++ {
			one, ok := p.Setting(i)
			if !ok {
				return nil
			}
			if err := one.Check(); err != nil {
				return err
			}
			switch one.ID {
			case http2.HeaderTableSize:
				t.shrunk = t.shrunk || one.Value < http2.TableSize
			case http2.InitialWindowSize:
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
func (t *http2Client) exchange(block []byte, body string, head bool) (*http1.Response, error) {
	id, at := t.next, len(t.out)
	t.next += 2
	t.out = http2.BeginHeaders(t.out)
	if t.shrunk {
		t.out, t.shrunk = append(t.out, http2.NoTable), false
	}
	t.out = http2.EndHeaders(append(t.out, block...), at, id, body == "")
	t.answer, t.window = nil, t.initial
	r, p := &http1.Response{Proto: "HTTP/2", Length: -1}, &t.parser
	for ended := false; !ended; {
		for n := int64(1); body != "" && n > 0; {
			if n = min(int64(len(body)), t.room, t.window, http2.MaxFrame); n > 0 {
				t.out = http2.AppendData(t.out, id, body[:n], int(n) == len(body))
				body, t.room, t.window = body[n:], t.room-n, t.window-n
			}
		}
		event, err := t.event(true)
		switch {
		case err != nil:
			return nil, err
		case event == http2.GoAway:
			if r.Close = true; p.Stream < id && r.Status == 0 {
				return nil, &notProcessed{t.goAway()}
			} else if p.Stream < id {
				return nil, t.goAway()
			}
		case event == http2.Reset && p.Stream == id:
			err = fmt.Errorf("the server reset the stream: %v", p.Code)
			if p.Code == http2.RefusedStream && r.Status == 0 {
				err = &notProcessed{err}
			}
			return nil, err
		case event != http2.Headers && event != http2.Data:
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
		t.out = http2.AppendReset(t.out, id, http2.Cancel)
	}
	r.TotalBytes = len(t.answer)
	return r, finish(r, head)
}

// take adds a header section or a piece of the body to r.
func (t *http2Client) take(event http2.Event, r *http1.Response) error {
	p := &t.parser
	switch h := p.Head; {
	case event == http2.Data && r.Status == 0:
		return errors.New("DATA before HEADERS")
	case event == http2.Data:
		r.Body = append(r.Body, p.Piece...)
	case h.Malformed != "":
		return errors.New(h.Malformed)
	case r.Status > 0 && (h.Status > 0 || !p.End):
		return errors.New("a second header section that is not a trailer section")
	case r.Status > 0:
		r.Trailers = lines(h.Fields)
	case h.Status == 0:
		return errors.New("no :status")
	case h.Status == 101 || h.Status < 200 && p.End:
		return fmt.Errorf("an invalid interim response, status %d", h.Status)
	case h.Status < 200:
		r.Interim++
	default:
		r.Status, r.Length, r.Fields, r.HeadBytes = h.Status, h.Length, lines(h.Fields), len(h.Fields)
	}
	return nil
}

// finish checks a complete response's length.
func finish(r *http1.Response, head bool) error {
	r.Framing = http1.ByLength
	switch bare := head || r.Status == 204 || r.Status == 304; {
	case bare && len(r.Body) > 0:
		return fmt.Errorf("%d bytes of DATA, where a response has no body", len(r.Body))
	case bare:
		r.Framing = http1.NoBody
	case r.Length >= 0 && r.Length != int64(len(r.Body)):
		return fmt.Errorf("content-length %d, but %d bytes of DATA", r.Length, len(r.Body))
	case r.Length < 0:
		r.Framing = http1.ByStream
	}
	return nil
}

// lines parses field lines.
func lines(b []byte) (all []http1.Field) {
	for {
		name, value, rest, ok := http1.NextField(b)
		if !ok {
			return all
		}
		all = append(all, http1.Field{Name: string(name), Value: string(value)})
		b = rest
	}
}
