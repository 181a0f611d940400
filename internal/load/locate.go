package load

import (
	"context"
	"net"
	"net/netip"
	"strings"
)

// Locate returns Addr with an IP address in place of a host name: its only one, or the first that
// accepts a connection, tried as net.Dialer does, IPv6 and IPv4 in parallel (RFC 6555). If none
// accepts, it is the first. So all connections of a session go to one address.
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
