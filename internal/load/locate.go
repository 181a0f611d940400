package load

import (
	"context"
	"net"
	"net/netip"
	"strings"
)

// Locate is Addr with an IP address in the place of a name: its only one, or the first that takes a
// connection, as net.Dialer tries them, IPv6 and IPv4 side by side (RFC 6555). Where none does, it
// is the first. A session goes to one address with all its connections.
func (j *Job) Locate(ctx context.Context) (string, error) {
	if j.Network == "unix" {
		return j.Addr, nil
	}
	host, port, err := net.SplitHostPort(j.Addr)
	if err != nil {
		return "", err
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return j.Addr, nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip"+strings.TrimPrefix(j.Network, "tcp"), host)
	if err != nil {
		return "", err
	}
	if len(addrs) > 1 {
		d := net.Dialer{Timeout: j.Timeout}
		if len(j.LocalAddrs) > 0 {
			d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(j.LocalAddrs[0])}
		}
		nc, err := d.DialContext(ctx, j.Network, j.Addr)
		if err == nil {
			defer nc.Close()
			return nc.RemoteAddr().String(), nil
		}
	}
	return net.JoinHostPort(addrs[0].Unmap().String(), port), ctx.Err()
}
