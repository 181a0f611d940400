package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAbsolute(t *testing.T) {
	e := Endpoint{Addr: "p:1"}
	if got := e.Absolute(); got != "" {
		t.Errorf("without a proxy: %q", got)
	}
	e.Via = "s:2"
	if got := e.Absolute(); got != "http://s:2" {
		t.Errorf("by a proxy: %q", got)
	}
	e.TLS = &tls.Config{}
	if got := e.Absolute(); got != "" {
		t.Errorf("through a tunnel: %q", got)
	}
}

// TestTunnel: a proxy grants a tunnel by a status 2xx alone, and what goes wrong before is its error.
func TestTunnel(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n": "",
		"HTTP/1.0 200 Connection established\r\n\r\n":  "",
		"HTTP/1.1 407 Authenticate\r\nContent-Length: 0\r\n\r\n": "it answered CONNECT s:443 with status 407 " +
			"Authenticate",
		"HTTP/1.1 200 OK\r\n\r\n\x16": "before the server could",
		"HTTP/1.1 200":                "closed the connection",
		"":                            "closed the connection",
		"SSH-2.0\r\n\r\n":             "not HTTP/1.1",
	} {
		c, proxy := net.Pipe()
		go func() {
			buf := make([]byte, 1000)
			n, _ := proxy.Read(buf)
			if got := string(buf[:n]); got != "CONNECT s:443 HTTP/1.1\r\nHost: s:443\r\n\r\n" {
				t.Errorf("asked %q", got)
			}
			io.WriteString(proxy, answer)
			proxy.Close()
		}()
		err := Endpoint{Addr: "p:1", Via: "s:443"}.Tunnel(c)
		c.Close()
		if want == "" && err == nil {
			continue
		}
		if p, ok := errors.AsType[*ProxyError](err); !ok || want == "" || !strings.Contains(p.Error(), want) {
			t.Errorf("%q: %v; want %q", answer, err, want)
		}
	}
	c, silent := net.Pipe()
	go io.Copy(io.Discard, silent)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := Endpoint{Addr: "p:1", Via: "s:443", TLS: &tls.Config{ServerName: "s"}}.Secure(ctx, c)
	if err == nil || !strings.Contains(err.Error(), "no response in time") {
		t.Errorf("a silent proxy: %v", err)
	}
}
