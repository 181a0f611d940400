//go:build !gonet

package loop

import (
	"crypto/tls"
	"net"
	"net/http/httptest"
	"testing"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// BenchmarkEncrypted is BenchmarkRequest over TLS. It counts both sides' allocations.
func BenchmarkEncrypted(b *testing.B) {
	s := twoRequests()
	session := connect(b, load.Job{Endpoint: nullOverTLS(b), Scenario: s, Connections: 16})
	b.ReportAllocs()
	b.ResetTimer()
	if l, err := session.Run(b.Context(), load.Window{Requests: int64(b.N)}); err != nil || l.Succeeded != int64(b.N) {
		b.Fatalf("%+v, %v", l, err)
	}
}

// nullOverTLS answers each record with the responses that twoRequests expects.
func nullOverTLS(t testing.TB) wire.Endpoint {
	other := httptest.NewTLSServer(nil) // for its certificate
	config := &tls.Config{Certificates: other.TLS.Certificates}
	other.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	serveEach(t, ln, func(c net.Conn) {
		answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue")
		in := make([]byte, 4<<10)
		for _, err := c.Read(in); err == nil; _, err = c.Read(in) {
			c.Write(answer)
		}
	})
	to := wire.TCP(ln.Addr().String())
	to.TLS = &tls.Config{InsecureSkipVerify: true}
	return to
}

// serveEach serves the connections that ln accepts until the test ends, and closes each thereafter.
func serveEach(t testing.TB, ln net.Listener, serve func(net.Conn)) {
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
}
