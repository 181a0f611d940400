package loader

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/endpoint"
	"dyno/internal/scenario"
)

// scenario returns the requests and their expected responses, and the value of the Host header.
func (r *Request) scenario(ctx context.Context, t *adhoc.Target) (s *scenario.Scenario, host string, err error) {
	s, host, err = r.Request.Make(ctx, t.Path)
	if err != nil {
		return nil, "", err
	}
	host = cmp.Or(host, t.Host)
	if r.Scenario != "" {
		if s, err = exact(ctx, s, t, host); err != nil {
			return nil, "", err
		}
	}
	closes, err := s.Check(host, scenario.Options{HTTP2: t.HTTP2})
	switch {
	case err != nil:
		return nil, "", conf.Usage(err)
	case closes:
		return s, host, r.closing()
	case r.NoKeepalive && slices.ContainsFunc(s.Requests, saysConnection):
		return s, host, conf.Usagef("--no-keepalive already sends Connection: close; omit it or -H Connection")
	}
	return s, host, nil
}

func saysConnection(q scenario.Request) bool {
	return slices.ContainsFunc(q.Headers, func(h scenario.HeaderLine) bool {
		return strings.EqualFold(h.Name, "connection")
	})
}

// exact returns s with the bodies that its backend and the server send now as expected responses.
func exact(ctx context.Context, s *scenario.Scenario, t *adhoc.Target, host string) (*scenario.Scenario, error) {
	backend, err := s.BackendAddr()
	if err != nil {
		return nil, err
	}
	if s, err = s.Bind(scenario.Ask(ctx, endpoint.TCP(backend))); err != nil {
		return nil, err
	}
	to := t.Endpoint
	to.Host = host
	return s.Pin(ctx, to)
}

// closing sets NoKeepalive, because a header of the requests says so.
func (r *Request) closing() error {
	switch {
	case r.PerConnection > 1:
		return conf.Usagef(
			"Connection: close allows one request per connection; omit it or --requests-per-connection %d",
			r.PerConnection)
	case max(r.Pipeline, r.Streams) > 1:
		return conf.Usagef("Connection: close allows one request per connection; omit it or --pipeline and --streams")
	}
	if r.NoKeepalive = true; r.Follow > 0 {
		return conf.Usagef("Connection: close allows one request per connection; omit it or --follow")
	}
	return nil
}
