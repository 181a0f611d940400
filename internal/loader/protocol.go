package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"dyno/internal/conf"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// protocol checks the form of HTTP that the flags ask for. It sets HTTP/2, and checks on a separate
// connection, before the load, whether the server speaks it.
func (r *Request) protocol(ctx context.Context, t *scenario.Target) error {
	switch h := cmp.Or(r.HTTP, new(wire.HTTP)); {
	case r.HTTP != nil && h.TLS() != (t.TLS != nil):
		return conf.Usagef("--http %s: http and h2c are for http:// URLs, https and h2 for https:// URLs", h)
	case r.Streams > 0 && !h.Two():
		return conf.Usagef("--http %s --streams %d: streams are for HTTP/2; use --pipeline", h, r.Streams)
	case !h.Two():
		return nil
	}
	if t.HTTP2 = true; t.TLS != nil {
		t.TLS.NextProtos = []string{wire.ALPN2}
	}
	err := scenario.Greet(ctx, t.Endpoint, r.Timeout)
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted while connecting")
	case err != nil:
		return unopened(fmt.Errorf("open %s: %w", t.Addr, err), t.Endpoint)
	}
	return nil
}
