package contestant

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

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
	s.Manifest = &Manifest{Name: s.Name, Title: s.Name, URL: s.target}
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
