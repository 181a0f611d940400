package loader

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/scenario"
)

// scenario returns what is sent and what must come back, and the value of the Host header.
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
	mix, err := s.Compile(host, scenario.Options{})
	switch {
	case err != nil:
		return nil, "", conf.Usage(err)
	case mix.Closes():
		return s, host, r.closing()
	case r.NoKeepalive && slices.ContainsFunc(s.Requests, saysConnection):
		return s, host, conf.Usagef("--no-keepalive and -H Connection: without keep-alive it is close; leave one out")
	}
	return s, host, nil
}

func saysConnection(q scenario.Request) bool {
	return slices.ContainsFunc(q.Headers, func(h scenario.HeaderLine) bool {
		return strings.EqualFold(h.Name, "connection")
	})
}

// exact returns s with what its backend and the server answer now.
func exact(ctx context.Context, s *scenario.Scenario, t *adhoc.Target, host string) (*scenario.Scenario, error) {
	backend, err := s.BackendAddr()
	if err != nil {
		return nil, err
	}
	if s, err = s.Bind(scenario.Ask(ctx, "tcp", backend)); err != nil {
		return nil, err
	}
	return s.Pin(ctx, t.Network, t.Addr, host)
}

// closing sets NoKeepalive, because a header of the requests says so.
func (r *Request) closing() error {
	switch {
	case r.PerConnection > 1:
		return conf.Usagef("Connection: close and --requests-per-connection %d: each request ends its connection; "+
			"leave one out",
			r.PerConnection)
	case r.Pipeline > 1:
		return conf.Usagef("Connection: close and --pipeline: a connection that carries one request has no pipeline; " +
			"leave one out")
	}
	r.NoKeepalive = true
	return nil
}
