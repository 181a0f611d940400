package load

import (
	"context"
	"net"
	"net/netip"

	"dyno/internal/wire"
)

// Locate returns the Endpoint with an IP address in place of a host name: the only address, or the
// first that accepts a connection, tried as net.Dialer does, IPv6 and IPv4 in parallel (RFC 6555).
// If none accepts, it returns the first. All connections in a session thus go to one address.
// Locate also records the link to it in j.
func (j *Job) Locate(ctx context.Context) (wire.Endpoint, error) {
	to, err := j.locate(ctx)
	if err == nil && to.Network == "tcp" {
		j.link, _ = wire.LinkTo(to.Addr)
	}
	return to, err
}

func (j *Job) locate(ctx context.Context) (wire.Endpoint, error) {
	to := j.Endpoint
	if j.Network == "unix" {
		return to, nil
	}
	host, port, err := net.SplitHostPort(j.Addr)
	if err != nil {
		return to, err
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return to, nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return to, err
	}
	to.Addr = net.JoinHostPort(addrs[0].Unmap().String(), port)
	if len(addrs) > 1 {
		d := net.Dialer{Timeout: j.ConnectTimeout}
		if nc, err := j.Connect(ctx, &d); err == nil {
			defer nc.Close()
			to.Addr = nc.RemoteAddr().String()
			return to, nil
		}
	}
	return to, ctx.Err()
}
