package harness

import (
	"context"
	"net"
	"os"
	"time"
)

// Listener is one more address at which a contestant serves, with another protocol, if dyno asks for
// it: TLS and H2C make one.
type Listener struct {
	addr     string // host:port; empty: dyno does not ask for it
	listen   func(addr string) error
	shutdown func(context.Context) error // nil where that of Serve ends it too
}

// TLS is HTTP/1.1, and by ALPN HTTP/2, over TLS at DYNO_TLS_ADDR, with the certificate and the key of
// the files DYNO_TLS_CERT and DYNO_TLS_KEY, in PEM. listen blocks as that of Serve does. shutdown is
// nil where that of Serve ends this listener too.
func TLS(listen func(addr, cert, key string) error, shutdown func(context.Context) error) Listener {
	return Listener{os.Getenv("DYNO_TLS_ADDR"), func(addr string) error {
		return listen(addr, os.Getenv("DYNO_TLS_CERT"), os.Getenv("DYNO_TLS_KEY"))
	}, shutdown}
}

// H2C is HTTP/2 in the clear, by prior knowledge, at DYNO_H2C_ADDR. listen and shutdown are as those
// of TLS.
func H2C(listen func(addr string) error, shutdown func(context.Context) error) Listener {
	return Listener{os.Getenv("DYNO_H2C_ADDR"), listen, shutdown}
}

// accepts returns when addr accepts connections.
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
