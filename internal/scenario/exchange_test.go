package scenario

import (
	"net"
	"strings"
	"testing"
	"time"

	"dyno/internal/wire"
)

// The error describes the hanging server, not the failed system call.
func TestServerHangs(t *testing.T) {
	for sends, want := range map[string]string{
		"": "the server accepted the connection, but sent no response within 50ms; check what it " +
			"waits for",
		"HTTP/1.1 200 OK\r": "the server sent 16 bytes, but not the whole response, within 50ms",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		go func() {
			if conn, err := ln.Accept(); err == nil {
				conn.Write([]byte(sends))
				defer conn.Close()
				conn.Read(make([]byte, 1000))
				conn.Read(make([]byte, 1)) // until the client gives up
			}
		}()
		v := &verifier{to: wire.TCP(ln.Addr().String()), timeout: 50 * time.Millisecond}
		_, err = v.exchange(t.Context(), "GET / HTTP/1.1\r\nHost: a\r\n\r\n", false)
		v.hangUp()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
