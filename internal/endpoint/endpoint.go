// Package endpoint says where a server is, and connects to it. Whoever loads, verifies or launches a
// server hands its Endpoint on, and looks into it only to dial.
package endpoint

import (
	"context"
	"net"

	"dyno/internal/netns"
)

// Endpoint is where a server is.
type Endpoint struct {
	Network string // "tcp" or "unix", or tcp in another network namespace (netns.In)
	Addr    string // "127.0.0.1:5000" or the socket's path
	Host    string // value of the Host header; "": Authority follows from the address
}

// TCP returns the Endpoint of a host:port in dyno's own network namespace.
func TCP(addr string) Endpoint { return Endpoint{Network: "tcp", Addr: addr} }

// Authority returns the value of the Host header: Host, or else Addr, or "localhost" for a unix
// socket, because no server would accept its path.
func (e Endpoint) Authority() string {
	switch {
	case e.Host != "":
		return e.Host
	case e.Network == "unix":
		return "localhost"
	}
	return e.Addr
}

// Dial connects to the server. Addr holds an IP address where the network is in another namespace.
func (e Endpoint) Dial(ctx context.Context, d *net.Dialer) (conn net.Conn, err error) {
	network, file := netns.Split(e.Network)
	err = netns.Do(file, func() error {
		conn, err = d.DialContext(ctx, network, e.Addr)
		return err
	})
	return conn, err
}
