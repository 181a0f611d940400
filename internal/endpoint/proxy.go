package endpoint

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"dyno/internal/http1"
)

// ProxyError is the error of an HTTP proxy that makes no connection to the server.
type ProxyError struct {
	Addr string // of the proxy
	Err  error
}

func (e *ProxyError) Error() string { return "proxy " + e.Addr + ": " + e.Err.Error() }
func (e *ProxyError) Unwrap() error { return e.Err }

// Absolute returns what stands before the path in the request line: the scheme and authority of the
// server, where a proxy in the clear is asked for it (RFC 9112, section 3.2.2); else "".
func (e Endpoint) Absolute() string {
	if e.Via == "" || e.TLS != nil {
		return ""
	}
	return "http://" + e.Via
}

// Tunnel asks the proxy on c for a connection to the server, if encrypted connections lead through one
// (RFC 9110, section 9.3.6). Its error is a *ProxyError.
func (e Endpoint) Tunnel(c net.Conn) error {
	if e.Via == "" {
		return nil
	}
	if _, err := fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", e.Via); err != nil {
		return &ProxyError{e.Addr, err}
	}
	var answer []byte
	for buf := make([]byte, 4<<10); ; {
		n, err := c.Read(buf)
		answer = append(answer, buf[:n]...)
		resp, bad := http1.Whole(answer, true, false) // what it grants has no content, as if to HEAD
		switch {
		case bad == nil && resp.Status/100 != 2:
			err = fmt.Errorf("it answered CONNECT %s with status %d %s", e.Via, resp.Status, resp.Reason)
		case bad == nil && resp.TotalBytes < len(answer):
			err = errors.New("it sent bytes before the server could")
		case bad == nil:
			return nil
		case !errors.Is(bad, http1.ErrIncomplete):
			err = fmt.Errorf("its response to CONNECT %s is not HTTP/1.1: %w", e.Via, bad)
		case len(answer) > http1.MaxHead: // it may say 100 Continue without end
			err = fmt.Errorf("its response to CONNECT %s is longer than %d KiB", e.Via, http1.MaxHead>>10)
		case errors.Is(err, io.EOF):
			err = fmt.Errorf("it closed the connection without a response to CONNECT %s", e.Via)
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = fmt.Errorf("no response in time to CONNECT %s", e.Via)
		case err == nil:
			continue
		}
		return &ProxyError{e.Addr, err}
	}
}
