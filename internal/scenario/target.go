package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/wire"
)

// Target is the destination of requests, parsed from a URL.
type Target struct {
	wire.Endpoint
	URL  string // URL for people
	Path string // path with query and placeholders
	Here bool   // the server is on this machine
}

// Route says how to reach the server, beyond the URL.
type Route struct {
	Unix string   // path of a socket
	TLS  wire.TLS // encryption, for an https URL
}

// ReadTarget parses a URL, whose scheme is optional. With a socket it may be empty. The path is kept as is,
// because net/url would escape the braces of placeholders.
func ReadTarget(ctx context.Context, s string, by Route) (*Target, error) {
	if s == "" && by.Unix != "" {
		s = "localhost"
	}
	t, host, port, err := parseURL(s)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(t.URL, "https:"):
		if t.TLS, err = by.TLS.Config(host); err != nil {
			return nil, conf.Usage(err)
		}
	case by.TLS.Any():
		return nil, conf.Usagef("%s is not encrypted, so --ca, --insecure and the other TLS flags have no effect; "+
			"omit them, or pass an https:// URL", t.URL)
	}
	if by.Unix != "" {
		t.Network, t.Addr, t.Here = "unix", by.Unix, true
		t.URL += " at " + by.Unix
		return t, nil
	}
	return t, t.find(ctx, host, port)
}

// parseURL parses a URL, and does not resolve the host.
func parseURL(s string) (t *Target, host, port string, err error) {
	if s == "" {
		return nil, "", "", conf.Usagef("no URL; pass one, such as http://127.0.0.1:8080/")
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "http", s
	}
	usual := map[string]string{"http": "80", "https": "443"}[strings.ToLower(scheme)]
	if scheme = strings.ToLower(scheme); usual == "" {
		return nil, "", "", conf.Usagef("%s: want an http:// or https:// URL", s)
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
		return nil, "", "", conf.Usagef("%s: the path contains a space or a control character; write it as %%%02X", s,
			path[i])
	}
	u, err := url.Parse("http://" + authority + "/")
	switch {
	case err != nil || u.Hostname() == "":
		return nil, "", "", conf.Usagef("%s: the URL has no host; want, for example, http://127.0.0.1:8080/", s)
	case u.User != nil:
		return nil, "", "", conf.Usagef("%s: the URL contains a user name or password; remove them and pass "+
			`-H "Authorization: Basic $(printf %%s NAME:PASSWORD | base64)"`, s)
	}
	t = &Target{Endpoint: wire.Endpoint{Network: "tcp", Host: strings.TrimSuffix(u.Host, ":")}, Path: ascii(path)}
	port = cmp.Or(u.Port(), usual)
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, "", "", conf.Usagef("%s: port %s: want 1 to 65535", s, port)
	}
	if port == usual {
		t.Host = strings.TrimSuffix(t.Host, ":"+usual)
	}
	t.URL = scheme + "://" + t.Host + path
	return t, u.Hostname(), port, nil
}

// ascii percent-encodes the bytes in a path that are not ASCII, as browsers do.
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

// find looks up the server's address. A name with several addresses stays a name, and the engine tries all
// addresses.
func (t *Target) find(ctx context.Context, host, port string) error {
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	t.Addr = net.JoinHostPort(host, port)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted while looking up the address of %s", host)
	case err != nil:
		if dns, ok := errors.AsType[*net.DNSError](err); ok {
			err = errors.New(dns.Err) // without redundant words
		}
		return fmt.Errorf("look up %s: %w; check the name, or pass its address in the URL, and -H 'Host: %[1]s'", host, err)
	case len(ips) == 1:
		t.Addr = net.JoinHostPort(ips[0].Unmap().String(), port)
	}
	t.Here = !slices.ContainsFunc(ips, func(ip netip.Addr) bool { return !onThisMachine(ip.Unmap()) })
	return nil
}

func onThisMachine(ip netip.Addr) bool {
	addrs, _ := net.InterfaceAddrs()
	return ip.IsLoopback() || ip.IsUnspecified() || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err == nil && own.Addr().Unmap() == ip.WithZone("")
	})
}
