// Package wire holds the bytes of HTTP and the connections that they travel on: where a server is (Endpoint) and
// how it is dialled and encrypted, which forms of HTTP there are (HTTP), parsers of HTTP/1.1 and HTTP/2 on byte
// slices without allocation, and the kernel's counts for a connection.
package wire

import (
	"context"
	"crypto/tls"
	"net"
)

// Endpoint is a server's address and protocol.
type Endpoint struct {
	Network string // "tcp" or "unix", or TCP in another network namespace (NamespaceOf)
	Addr    string // "127.0.0.1:5000" or the socket's path
	Host    string // value of the Host header; "": Authority follows from the address
	HTTP2   bool   // HTTP/2 instead of HTTP/1.1; over TLS by ALPN, else with prior knowledge (RFC 9113, section 3)
	// TLS encrypts the connections, as TLS.Config returns it; its NextProtos are the offered
	// protocols (ALPN). nil: no encryption.
	TLS *tls.Config
}

// TCP returns the Endpoint at a host:port in dyno's own network namespace.
func TCP(addr string) Endpoint { return Endpoint{Network: "tcp", Addr: addr} }

// Authority returns the Host header's value: Host, or else Addr, or "localhost" for a unix socket,
// because no server would accept its path.
func (e Endpoint) Authority() string {
	switch {
	case e.Host != "":
		return e.Host
	case e.Network == "unix":
		return "localhost"
	}
	return e.Addr
}

// Scheme returns the URL scheme at e: "https" with TLS, "http" without.
func (e Endpoint) Scheme() string {
	if e.TLS != nil {
		return "https"
	}
	return "http"
}

// Dial connects to the server and, with TLS, makes the handshake; d's timeout covers both. Addr
// must hold an IP address if the network is in another namespace.
func (e Endpoint) Dial(ctx context.Context, d *net.Dialer) (net.Conn, error) {
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Timeout)
		defer cancel()
	}
	conn, err := e.Connect(ctx, d)
	if err != nil || e.TLS == nil {
		return conn, err
	}
	return e.Secure(ctx, conn)
}

// Connect connects to the server, without a handshake.
func (e Endpoint) Connect(ctx context.Context, d *net.Dialer) (conn net.Conn, err error) {
	network, file := SplitNamespace(e.Network)
	err = InNamespace(file, func() error {
		conn, err = d.DialContext(ctx, network, e.Addr)
		return err
	})
	return conn, err
}

// Secure makes the handshake on a connection from Connect. If that fails, it closes the connection
// and returns a *HandshakeError.
func (e Endpoint) Secure(ctx context.Context, conn net.Conn) (*tls.Conn, error) {
	c := tls.Client(conn, e.TLS)
	if err := c.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, &HandshakeError{err}
	}
	return c, nil
}
