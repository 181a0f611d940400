package loader

import (
	"context"
	"errors"
	"fmt"

	"dyno/internal/conf"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// protocol sets HTTP/2, if the flags ask for it, and checks on a separate connection, before the load,
// whether the server speaks it.
func (r *Request) protocol(ctx context.Context, t *scenario.Target) error {
	switch {
	case !r.HTTP2 && r.Streams > 1:
		return conf.Usagef("--streams is for HTTP/2; add --http2, or use --pipeline for HTTP/1.1")
	case !r.HTTP2:
		return nil
	case r.Pipeline > 1:
		return conf.Usagef("--pipeline is for HTTP/1.1; use --streams for HTTP/2")
	case r.Follow > 0:
		return conf.Usagef("--follow follows redirects in HTTP/1.1 alone; omit it, or --http2")
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
