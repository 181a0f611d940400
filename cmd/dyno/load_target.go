package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// target is where requests go, taken from a URL.
type target struct {
	url     string // as a person would write it
	network string // "tcp" or "unix"
	addr    string // host:port with an IP address, or the path of a socket
	host    string // value of Host
	path    string // with the query, placeholders and all
	here    bool   // the server is on this machine
}

// readTarget takes a URL apart. It is done by hand, for a path may hold placeholders in braces, which net/url would escape.
func readTarget(ctx context.Context, s, unix string, resolve []string) (*target, error) {
	if s == "" && unix == "" {
		return nil, usagef("no URL; give one such as http://127.0.0.1:8080/")
	}
	rest := cmp.Or(s, "localhost")
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		switch strings.ToLower(scheme) {
		case "http":
			rest = after
		case "https":
			return nil, usagef("%s: dyno speaks HTTP/1.1 without TLS only, as yet; give an http:// URL", s)
		default:
			return nil, usagef("%s: want an http:// URL", s)
		}
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	path, _, _ = strings.Cut(path, "#")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if i := strings.IndexFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }); i >= 0 {
		return nil, usagef("%s: a space or control character in the path; write it as %%%02X", s, path[i])
	}
	u, err := url.Parse("http://" + authority + "/")
	switch {
	case err != nil || u.Hostname() == "":
		return nil, usagef("%s: no host; want such as http://127.0.0.1:8080/", cmp.Or(s, unix))
	case u.User != nil:
		return nil, usagef("%s: a name and password in the URL; send them with -H 'Authorization: Basic …'", s)
	}
	t := &target{network: "tcp", path: ascii(path), host: strings.TrimSuffix(u.Host, ":")}
	port := cmp.Or(u.Port(), "80")
	if port == "80" {
		t.host = strings.TrimSuffix(t.host, ":80")
	}
	t.url = "http://" + t.host + path
	if unix != "" {
		t.network, t.addr, t.here = "unix", unix, true
		t.url += " at " + unix
		return t, nil
	}
	return t, t.find(ctx, u.Hostname(), port, resolve)
}

// ascii is a path with what is not ASCII in per cent, as a browser sends it.
func ascii(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// find looks the address up: in resolve first, lines of host:port:address as curl has them. A name of several addresses stays a name: the engine
// tries them.
func (t *target) find(ctx context.Context, host, port string, resolve []string) error {
	at := net.JoinHostPort(host, port)
	used := len(resolve) == 0
	for _, line := range resolve {
		name, ip, err := readResolve(line)
		if err != nil {
			return err
		}
		if strings.EqualFold(name, at) {
			t.addr, used = net.JoinHostPort(ip, port), true
		}
	}
	if !used {
		return usagef("--resolve: none is for %s, the host and port of the URL", at)
	}
	if t.addr != "" {
		host, _, _ = net.SplitHostPort(t.addr)
	}
	_, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	var ips []netip.Addr
	if err == nil {
		ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted while the address of %s was looked up", host)
	case err != nil:
		return fmt.Errorf("find %s: %w; is the name right? --resolve %s:ADDRESS gives it an address", host, lookupCause(err), at)
	case len(ips) == 1:
		at = net.JoinHostPort(ips[0].Unmap().String(), port)
	}
	t.addr, t.here = at, !slices.ContainsFunc(ips, func(ip netip.Addr) bool { return !onThisMachine(ip.Unmap().AsSlice()) })
	return nil
}

// readResolve takes host:port:address apart; the address may be IPv6, in brackets or not.
func readResolve(line string) (hostPort, ip string, err error) {
	parts := strings.SplitN(line, ":", 3)
	if len(parts) == 3 {
		addr, bad := netip.ParseAddr(strings.Trim(parts[2], "[]"))
		if bad == nil && parts[0] != "" && parts[1] != "" {
			return net.JoinHostPort(parts[0], parts[1]), addr.String(), nil
		}
	}
	return "", "", usagef("--resolve %q: want host:port:address, such as example.com:80:127.0.0.1", line)
}

// lookupCause leaves out what net repeats.
func lookupCause(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return errors.New(dns.Err)
	}
	return err
}

func onThisMachine(ip net.IP) bool {
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}
