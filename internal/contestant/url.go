package contestant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/machine"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// isURL reports whether a text is meant as a URL.
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && !strings.ContainsAny(scheme, " \t/'\"=")
}

// takeURL takes a running server. secure applies to an https URL.
func (s *Side) takeURL(ctx context.Context, secure wire.TLS) (err error) {
	s.Kind = URL
	if scheme, _, _ := strings.Cut(s.Text, "://"); !strings.EqualFold(scheme, "https") {
		secure = wire.TLS{}
	}
	s.target, err = scenario.ReadTarget(ctx, s.Text, scenario.Route{TLS: secure})
	return err
}

// openURL opens a connection to the server, and keeps the address that accepted it: a name may have several.
func (s *Side) openURL(ctx context.Context) error {
	d := net.Dialer{Timeout: 5 * time.Second}
	conn, err := s.target.Dial(ctx, &d)
	var handshake *wire.HandshakeError
	switch {
	case errors.As(err, &handshake):
		return wire.Advised(err)
	case err != nil:
		return fmt.Errorf("%w; is a server listening there?", err)
	}
	s.target.Addr = conn.RemoteAddr().String()
	conn.Close()
	s.Manifest = &Manifest{Name: s.Name, Title: s.Name, Processes: 1, URL: s.target}
	return nil
}

// AskSides makes sides answer the same requests at different paths: requests use path, and a URL with another path
// maps path to that. It returns these other paths, each once.
func AskSides(sides []*Side, path string) (others []string) {
	for _, s := range sides {
		if own := s.Path(); own != "" && own != path {
			s.Manifest.Paths = map[string]string{path: own}
			if !slices.Contains(others, own) {
				others = append(others, own)
			}
		}
	}
	return others
}

// usualPorts are those of services whose URL has none.
var usualPorts = map[string]string{"http": "80", "https": "443", "postgres": "5432", "postgresql": "5432",
	"redis": "6379", "mysql": "3306", "mongodb": "27017", "amqp": "5672"}

// serviceAt returns the address of a service that already runs. Neither a password nor a path is
// kept.
func serviceAt(text string) (*scenario.Target, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil, conf.Usagef("url: %q: want the address of a service, such as tcp://localhost:5432", foreign.Mask(text))
	}
	host, port := u.Hostname(), cmp.Or(u.Port(), usualPorts[u.Scheme])
	if port == "" {
		return nil, conf.Usagef("url: %q: want its port, too, such as %s://%s:5432", foreign.Mask(text), u.Scheme, host)
	}
	if host == "localhost" {
		host = loopback
	}
	t := &scenario.Target{Endpoint: wire.TCP(net.JoinHostPort(host, port))}
	t.URL = u.Scheme + "://" + t.Addr
	ip := net.ParseIP(host)
	t.Here = ip != nil && ip.IsLoopback()
	return t, nil
}

// ServiceReady asks a service that listens whether it is ready: by its path, or its command.
func ServiceReady(ctx context.Context, d *scenario.Service, to wire.Endpoint) error {
	switch {
	case d.Ready == "":
		return nil
	case strings.HasPrefix(d.Ready, "/"):
		return scenario.Answers(ctx, to, d.Ready)
	}
	host, port, err := net.SplitHostPort(to.Addr)
	if err != nil {
		return err
	}
	line := strings.NewReplacer("{host}", host, PortMark, port).Replace(d.Ready)
	c := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	c.Dir = d.Dir
	out, err := machine.CombinedOutput(c)
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return err
}
