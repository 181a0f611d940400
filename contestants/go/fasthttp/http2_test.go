package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestHTTP2 asks both servers over TLS with a client that offers HTTP/2: only net/http supports it.
func TestHTTP2(t *testing.T) {
	standard := httptest.NewUnstartedServer(http.NotFoundHandler())
	standard.EnableHTTP2 = true
	standard.StartTLS()
	defer standard.Close()

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{
		Handler:   handle,
		TLSConfig: &tls.Config{Certificates: standard.TLS.Certificates},
	}
	go server.ServeTLS(l, "", "")
	defer server.Shutdown()

	client := standard.Client() // trusts both servers' certificate, and offers HTTP/2
	for url, want := range map[string]string{
		standard.URL: "HTTP/2.0", "https://" + l.Addr().String(): "HTTP/1.1",
	} {
		answer, err := client.Get(url)
		if err != nil {
			t.Error(err)
			continue
		}
		answer.Body.Close()
		if answer.Proto != want {
			t.Errorf("%s answers by %s; want %s", url, answer.Proto, want)
		}
	}
}
