package loader

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// scenario returns the requests and expected responses, and the value of the Host header.
func (r *Request) scenario(ctx context.Context, t *scenario.Target) (s *scenario.Scenario, host string, err error) {
	if s, host, err = r.AdHoc.Make(ctx, t.Path); err != nil {
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

// exact returns s with the present responses of the service and the server as expected bodies.
func exact(ctx context.Context, s *scenario.Scenario, t *scenario.Target, host string) (*scenario.Scenario, error) {
	service, err := s.SourceAddr()
	if err != nil {
		return nil, err
	}
	if s, err = s.Bind(scenario.Ask(ctx, wire.TCP(service))); err != nil {
		return nil, err
	}
	to := t.Endpoint
	to.Host = host
	return s.Pin(ctx, to)
}

// closing sets NoKeepalive, because the requests have a Connection: close header.
func (r *Request) closing() error {
	if max(r.Pipeline, r.Streams) > 1 {
		return conf.Usagef("Connection: close allows one request per connection; omit it or --pipeline and --streams")
	}
	r.NoKeepalive = true
	return nil
}
