package scenario

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"dyno/internal/wire"
)

// Greet connects to a server that should speak HTTP/2, and returns an error if it does not.
func Greet(ctx context.Context, to wire.Endpoint, patience time.Duration) error {
	conn, err := dial2(ctx, to, patience)
	switch {
	case wire.NoProtocol(err):
		return &wire.NotHTTP2Error{Why: "it takes none of the protocols offered (ALPN)"}
	case err != nil:
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetDeadline(time.Now().Add(patience))
	first := make([]byte, 9) // a frame's header
	if _, err = conn.Write(wire.AppendSettings([]byte(wire.Preface))); err == nil {
		_, err = io.ReadFull(conn, first)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return &wire.NotHTTP2Error{Why: "it closed the connection"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &wire.NotHTTP2Error{Why: "it sent no SETTINGS in time"}
	case err != nil:
		return &wire.NotHTTP2Error{Why: err.Error()}
	case strings.HasPrefix(string(first), "HTTP/1"):
		return &wire.NotHTTP2Error{Why: "it answers in HTTP/1"}
	case !wire.IsPreface(first):
		return &wire.NotHTTP2Error{Why: "it does not begin with SETTINGS"}
	}
	return nil
}

// dial2 connects to a server, which over TLS must choose HTTP/2.
func dial2(ctx context.Context, to wire.Endpoint, patience time.Duration) (net.Conn, error) {
	conn, err := to.Dial(ctx, &net.Dialer{Timeout: patience})
	if err != nil {
		return nil, err
	}
	if c, ok := conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol != wire.ALPN2 {
		conn.Close()
		return nil, wire.NotHTTP2(c.ConnectionState().NegotiatedProtocol)
	}
	return conn, nil
}

// client2 returns a client of HTTP/2 for a server.
func client2(to wire.Endpoint) *http.Transport {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dial2(ctx, to, 0) }
	var only http.Protocols
	only.SetHTTP2(to.TLS != nil)
	only.SetUnencryptedHTTP2(to.TLS == nil)
	return &http.Transport{Protocols: &only, DialContext: dial, DialTLSContext: dial, DisableCompression: true}
}

// exchange2 does the same as exchange, over HTTP/2.
func (v *verifier) exchange2(ctx context.Context, m message, head bool) (*wire.Response, error) {
	if v.http2 == nil {
		v.http2 = client2(v.to)
	}
	line, rest, _ := strings.Cut(string(m), "\r\n")
	method, target, _ := strings.Cut(strings.TrimSuffix(line, " HTTP/1.1"), " ")
	_, body, _ := strings.Cut(rest, "\r\n\r\n")
	// net/http reads any path only as it is.
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " / HTTP/1.1\r\n" + rest)))
	if err != nil {
		return nil, err
	}
	req.RequestURI, req.URL = "", &url.URL{Scheme: v.to.Scheme(), Host: v.to.Authority(), Opaque: target}
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	for name, value := range req.Header {
		if connectionSpecific(HeaderLine{Name: name, Value: strings.Join(value, ",")}) {
			delete(req.Header, name)
		}
	}
	if _, own := req.Header["User-Agent"]; !own {
		req.Header["User-Agent"] = nil // else Go's
	}
	within, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	resp, err := v.http2.RoundTrip(req.WithContext(within))
	var got []byte
	if err == nil {
		got, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, fmt.Errorf("the server did not send the whole response within %v", v.timeout)
	case err != nil:
		return nil, fmt.Errorf("read the response: %w", err)
	}
	r := &wire.Response{Proto: "HTTP/2", Status: resp.StatusCode, Body: got, Framing: wire.ByLength,
		Length: resp.ContentLength}
	for _, name := range sortedKeys(resp.Header) {
		for _, value := range resp.Header[name] {
			r.Fields = append(r.Fields, wire.Field{Name: strings.ToLower(name), Value: value})
			r.HeadBytes += len(name+value) + len(": \r\n")
		}
	}
	switch {
	case head || r.Status == http.StatusNoContent || r.Status == http.StatusNotModified:
		if r.Framing = wire.NoBody; len(got) > 0 {
			return nil, fmt.Errorf("%d bytes of DATA, where a response has no body", len(got))
		}
	case resp.Header.Get("Content-Length") == "":
		r.Framing, r.Length = wire.ByStream, -1
	}
	return r, nil
}
