package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/endpoint"
	"dyno/internal/scenario"
)

// protocol decides on HTTP/2: where the flags ask for it, or where the server chooses it of the
// protocols that --alpn offers. It finds out on a connection of its own, before the load, so that all
// connections of a load speak the same.
func (r *Request) protocol(ctx context.Context, t *adhoc.Target) error {
	offered := t.TLS != nil && slices.Contains(t.TLS.NextProtos, endpoint.HTTP2)
	wanted := r.HTTP2 || r.H2C
	switch {
	case r.H2C && t.TLS != nil:
		return conf.Usagef("--h2c is HTTP/2 in the clear; pass an http:// URL, or --http2 to speak it over TLS")
	case wanted && r.TLS.ALPN != nil:
		return conf.Usagef("--http2 offers h2 alone (ALPN); omit --alpn")
	case !wanted && !offered && r.Streams > 1:
		return conf.Usagef("--streams is for HTTP/2; add --http2, or use --pipeline for HTTP/1.1")
	case !wanted && !offered:
		return nil
	case r.Pipeline > 1:
		return conf.Usagef("--pipeline is for HTTP/1.1; use --streams for HTTP/2")
	case r.Follow > 0:
		return conf.Usagef("--follow follows redirects in HTTP/1.1 alone; omit it, or --http2, --h2c and --alpn h2")
	}
	if t.HTTP2 = wanted || len(t.TLS.NextProtos) == 1; t.HTTP2 && t.TLS != nil {
		t.TLS.NextProtos = []string{endpoint.HTTP2}
	}
	two, err := scenario.Greet(ctx, t.Endpoint, cmp.Or(r.ConnectTimeout, r.Timeout))
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted while connecting")
	case err != nil:
		return unopened(fmt.Errorf("open %s: %w", t.Addr, err), t.Endpoint)
	case !two:
		t.TLS.NextProtos, r.Streams = []string{endpoint.HTTP1}, 0
	}
	t.HTTP2 = two
	return nil
}
