package harness

import (
	"context"
	"net"
	"os"
	"time"
)

// Listener is another address, for another protocol, at which a contestant serves if dyno sets it. TLS
// and H2C return one.
type Listener struct {
	addr     string // host:port; empty if dyno does not set it
	listen   func(addr string) error
	shutdown func(context.Context) error // nil if Serve's shutdown ends it too
}

// TLS returns a listener for HTTP/1.1 and, by ALPN, HTTP/2 over TLS at DYNO_TLS_ADDR, with certificate
// and key from the PEM files DYNO_TLS_CERT and DYNO_TLS_KEY. listen blocks like Serve's. shutdown is nil
// if Serve's shutdown ends this listener too.
func TLS(listen func(addr, cert, key string) error, shutdown func(context.Context) error) Listener {
	return Listener{os.Getenv("DYNO_TLS_ADDR"), func(addr string) error {
		return listen(addr, os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY"))
	}, shutdown}
}

// H2C returns a listener for HTTP/2 without TLS, by prior knowledge, at DYNO_H2C_ADDR. listen and
// shutdown are as for TLS.
func H2C(listen func(addr string) error, shutdown func(context.Context) error) Listener {
	return Listener{os.Getenv("DYNO_H2C_ADDR"), listen, shutdown}
}

// accepts waits until addr accepts connections.
func accepts(addr string) {
	for {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}
